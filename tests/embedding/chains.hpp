#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/riffle.hpp>

#include "integers.hpp"

namespace riffle_tests {

inline constexpr std::size_t row_length = 1234;

/// Rows of several kinds, made before anything is counted.
inline const std::vector<std::vector<float>>& rows() {
    static const std::vector<std::vector<float>> all = [] {
        std::vector<std::vector<float>> r;
        integers random(5);
        for (int kind = 0; kind < 6; ++kind) {
            std::vector<float> row(row_length);
            for (auto& l : row) {
                l = random.real(-4, 4) + random.real(-4, 4);
                if (kind == 1) l = 0.5f;
                if (kind == 2) l = l * 0.01f;
                if (kind == 3 && random.below(4) == 0) l = -std::numeric_limits<float>::infinity();
                if (kind == 4 && random.below(90) == 0) l = std::numeric_limits<float>::quiet_NaN();
            }
            if (kind == 5) row[700] = std::numeric_limits<float>::infinity();
            r.push_back(row);
        }
        return r;
    }();
    return all;
}

/// A user's stages: a map, a verb that needs a candidate for every token, and one that keeps something.
struct bend {
    template <class V>
    static RIFFLE_INLINE V map(const V& logit) noexcept {
        return logit - absolute(logit) * riffle::lanes<1>(0.25f)[0];
    }
};
struct drop_odd {
    void apply(riffle::candidates& c) const noexcept {
        c.keep_if([](const riffle::token_data& t) { return t.id % 2 == 0; });
    }
};
struct not_twice {
    riffle::token_id last = riffle::null_token;
    void apply(riffle::candidates& c) const noexcept {
        c.keep_if([this](const riffle::token_data& t) { return t.id != last; });
    }
    void accept(riffle::token_id token) noexcept { last = token; }
    void reset() noexcept { last = riffle::null_token; }
};

/// Chains of every sort by name, behind one type so that the tests compile once and not once a chain.
struct named_chain {
    const char* name;
    riffle::any_pipeline chain;
};
const std::vector<named_chain>& chains();

/// Calls f(chain) with a fresh copy of each.
template <class F>
void each_chain(F f) {
    for (const auto& c : chains()) {
        SCOPED_TRACE(c.name);
        f(riffle::any_pipeline(c.chain));
    }
}
/// The same with some chains as their own types.
template <class F>
void each_typed_chain(F f) {
    using namespace riffle;
    f(penalties{.repeat = 1.2f} | top_k{.k = 40} | top_p{.p = 0.95f} | temperature{.t = 0.8f} | dist{.seed = 1});
    f(temperature{.t = 0.8f} | gumbel{.seed = 1});
    f(chain(not_twice{}, penalties{.last_n = -1, .presence = 0.5f}, top_p{.p = 0.9f}, dist{.seed = 1}));
    dynamic_chain d;
    d.push(not_twice{});
    d.push(penalties{.repeat = 1.2f});
    d.push(dist{.seed = 1});
    f(std::move(d));
}

/// Tokens that each_chain's chains may be given before `penalties of everything` needs more history.
inline constexpr std::size_t most_tokens = 400;

/// A long step of everything a host may do, and the tokens it gave.
template <class Chain>
std::array<riffle::token_id, 64> use(Chain& c) {
    using namespace riffle;
    constexpr token_id prompt[] = {1, 2, 3, 500, 500, 500};
    c.prompt(prompt);
    std::array<token_id, 64> tokens;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const auto& row = rows()[i % rows().size()];
        const checkpoint here = c.mark();
        if (i % 5 == 0) c.retry();
        tokens[i] = c.sample(row);
        (void)c.survivors();
        if (i % 7 == 0) {
            c.rollback(here);
            (void)c.peek(row);
            (void)c.distribution(row);
            (void)c.logprobs(row, 10, before);
            (void)c.logprobs(row, 10, after);
            c.accept(token_id(i));
        }
        if (i % 11 == 0) c.rewind(1);
    }
    return tokens;
}

/// A step on each row, and the tokens it gave.
template <class Chain>
std::array<riffle::token_id, 6> next_tokens_of(Chain& c) {
    std::array<riffle::token_id, 6> tokens;
    for (std::size_t i = 0; i < tokens.size(); ++i) tokens[i] = c.sample(rows()[i]);
    return tokens;
}
inline constexpr auto next_tokens = [](auto& chain) { return next_tokens_of(chain); };

}  // namespace riffle_tests
