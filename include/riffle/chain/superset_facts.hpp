#pragma once
#include <cstddef>

#include <riffle/core/facts.hpp>

// What a stage says for machines elsewhere that leave tokens out (chain/superset.hpp). A stage of riffle's own may say
//     off()            it does nothing with its present parameters
//     keeps_below()    behind it, a token outside a set of the greatest logits is still no greater than the
//                      least of the set was; without it, what its facts tell
//     superset()       how many of the greatest logits it should be given when it is the first that narrows: what it
//                      keeps and a margin; 0 where no number will do

namespace riffle::inline RIFFLE_ABI {

/// Whether a stage does nothing with its present parameters.
template <class S>
bool does_nothing(const S& s) noexcept {
    if constexpr (!has_built_in_facts<S>) return false;
    else if constexpr (requires { s.off(); }) return s.off();
    else if constexpr (facts_of<S>().narrows == narrowing::no || facts_of<S>().maps || facts_of<S>().adjusts)
        return false;
    else if constexpr (requires { s.narrows_now(); }) return !s.narrows_now();
    else return false;
}

/// Whether tokens outside a set of the greatest stay below it: the stage maps all alike and monotonely, only lowers, or
/// does nothing.
template <class S>
bool keeps_below(const S& s) noexcept {
    if (does_nothing(s)) return true;
    if constexpr (!riffle::stage<S>) return false;
    else if constexpr (has_built_in_facts<S> && requires { s.keeps_below(); }) return s.keeps_below();
    else if constexpr (!facts_of<S>().maps || !facts_of<S>().monotone) return false;
    else if constexpr (requires { s.narrows_now(); }) return !s.narrows_now();
    else return true;
}

/// A stage for which a number of the greatest logits may do.
template <class S>
concept gives_superset = has_built_in_facts<S> && requires(const S& s) { s.superset(); };
/// How many of the greatest logits the stage should be given; 0 where no number will do.
template <class S>
std::size_t superset_for(const S& s) noexcept {
    if constexpr (gives_superset<S>) return s.superset();
    else return 0;
}

}  // namespace riffle
