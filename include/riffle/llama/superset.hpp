#pragma once
#include <algorithm>
#include <cstddef>
#include <type_traits>

#include <riffle/core/facts.hpp>
#include <riffle/llama/chain_stages.hpp>
#include <riffle/samplers/dry.hpp>
#include <riffle/samplers/dynamic_temperature.hpp>
#include <riffle/samplers/logit_bias.hpp>
#include <riffle/samplers/min_p.hpp>
#include <riffle/samplers/penalties.hpp>
#include <riffle/samplers/top_k.hpp>
#include <riffle/samplers/xtc.hpp>

// Where a chain's token must be the promised one, the backend only leaves tokens out, and the chain runs again on those
// that come back: more of the greatest logits than its first narrowing stage can keep. Whether they were enough shows
// once that stage has run; where they were not (ties at the cut, a wide threshold) the whole row is fetched.

namespace riffle::llama::detail {

/// Whether a stage does nothing with its present parameters.
template <class S>
bool does_nothing(const S& s) noexcept {
    if constexpr (!has_built_in_facts<S>) return false;
    else if constexpr (facts_of<S>().narrows == narrowing::no || facts_of<S>().maps || facts_of<S>().adjusts)
        return false;
    else if constexpr (requires { s.narrows_now(); }) return !s.narrows_now();
    else return false;
}
inline bool does_nothing(const penalties& s) noexcept { return s.off(); }
inline bool does_nothing(const dry& s) noexcept { return s.off(); }
inline bool does_nothing(const xtc& s) noexcept { return s.probability <= 0.0f || s.threshold > 0.5f; }

/// Whether, behind this stage, a token outside a set of the greatest logits is still no greater than the least of the
/// set was: it maps all alike and monotonely, only lowers, or does nothing.
template <class S>
bool keeps_below(const S& s) noexcept {
    if (does_nothing(s)) return true;
    if constexpr (!riffle::stage<S>) return false;
    else if constexpr (!facts_of<S>().maps || !facts_of<S>().monotone) return false;
    else if constexpr (requires { s.narrows_now(); }) return !s.narrows_now();
    else return true;
}
inline bool keeps_below(const penalties& s) noexcept {
    return s.off() || (s.repeat >= 1.0f && s.frequency >= 0.0f && s.presence >= 0.0f);
}
inline bool keeps_below(const dry& s) noexcept { return s.off() || s.multiplier >= 0.0f; }
/// One entry a token: of several llama.cpp adds all where the token stands at the index of its id, else the first.
inline bool keeps_below(const logit_bias& s) noexcept {
    for (auto entry = s.biases.begin(); entry != s.biases.end(); ++entry) {
        const auto same = [&](const logit_bias_entry& other) { return other.token == entry->token; };
        if (!(entry->bias <= 0.0f) || std::any_of(s.biases.begin(), entry, same)) return false;
    }
    return true;
}
inline bool keeps_below(const dynamic_temperature& s) noexcept { return !(s.range > 0.0f) && s.t > 0.0f; }

/// How many of the greatest logits a stage that narrows should be given: what it keeps and a margin; 0 for a stage for
/// which no number will do.
template <class S>
std::size_t superset_for(const S&) noexcept {
    return 0;
}
inline std::size_t superset_for(const top_k& s) noexcept { return s.k > 0 ? std::size_t(s.k) + 8 : 0; }
/// What survives min_p on most rows, twice over.
inline std::size_t superset_for(const min_p& s) noexcept {
    return s.p > 0.0f ? (std::max)(s.min_keep + 8, std::size_t{240}) : 0;
}

/// The first stage that narrows, and how many logits it is to be given; 0 when the chain cannot be helped.
struct superset {
    std::size_t bridge = 0, size = 0;
};
template <class Chain>
superset superset_of(const Chain& chain) {
    superset found;
    bool is_threshold = false;
    visit_stages(chain, [&](std::size_t i, const auto& stage) {
        found = {i, superset_for(stage)};
        is_threshold = std::is_same_v<std::remove_cvref_t<decltype(stage)>, min_p>;
        return found.size == 0 && keeps_below(stage);
    });
    // Of a threshold more may survive than the array holds that comes back: one of them has to be the choice.
    decltype(auto) stages = chain.table();
    return is_threshold && !has_selector(stages) ? superset() : found;
}

}  // namespace riffle::llama::detail
