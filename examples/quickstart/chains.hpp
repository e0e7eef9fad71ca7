#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <riffle/riffle.hpp>

namespace quickstart {

/// Always the most probable token: no draw, no seed.
inline auto greedy_chain() { return riffle::chain(riffle::greedy{}); }

/// What most programs use: a mild penalty on repetition, three cuts, a temperature below one.
inline auto default_chain(std::uint64_t seed) {
    return riffle::penalties{.last_n = 64, .repeat = 1.1f} | riffle::top_k{.k = 40} | riffle::top_p{.p = 0.95f} |
           riffle::min_p{.p = 0.05f} | riffle::temperature{.t = 0.8f} | riffle::dist{.seed = seed};
}

/// Hot, with the tail cut off where it drowns in noise.
inline auto creative_chain(std::uint64_t seed) {
    return riffle::top_n_sigma{.n = 2.0f} | riffle::temperature{.t = 1.5f} | riffle::dist{.seed = seed};
}

/// The default chain for rows that need not follow each other, where a penalty would mean nothing.
inline auto default_chain_for_rows(std::uint64_t seed) {
    return riffle::top_k{.k = 40} | riffle::top_p{.p = 0.95f} | riffle::min_p{.p = 0.05f} |
           riffle::temperature{.t = 0.8f} | riffle::dist{.seed = seed};
}

inline std::string describe(const riffle::greedy&) { return "greedy"; }
inline std::string describe(const riffle::dist&) { return "dist"; }
inline std::string describe(const riffle::top_k& s) { return fmt::format("top_k {}", s.k); }
inline std::string describe(const riffle::top_p& s) { return fmt::format("top_p {}", s.p); }
inline std::string describe(const riffle::min_p& s) { return fmt::format("min_p {}", s.p); }
inline std::string describe(const riffle::temperature& s) { return fmt::format("temperature {}", s.t); }
inline std::string describe(const riffle::top_n_sigma& s) { return fmt::format("top_n_sigma {}", s.n); }
inline std::string describe(const riffle::penalties& s) {
    return fmt::format("penalties {}, last {}", s.repeat, s.last_n);
}

/// The stages of a chain with their parameters, as one writes them down.
template <class Policies, class... Stages>
std::vector<std::string> describe(riffle::pipeline<Policies, Stages...>& chain) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
        return std::vector<std::string>{describe(riffle::get<I>(chain))...};
    }(std::index_sequence_for<Stages...>());
}

/// A chain as the tables show it.
struct shown_chain {
    std::string name;
    std::vector<std::string> stages;
    std::optional<std::uint64_t> seed;  ///< nothing: it does not draw
    riffle::any_pipeline chain;
};

template <class Chain>
shown_chain show(std::string name, Chain chain, std::optional<std::uint64_t> seed = {}) {
    std::vector<std::string> stages = describe(chain);
    return {std::move(name), std::move(stages), seed, riffle::any_pipeline(std::move(chain))};
}

}  // namespace quickstart
