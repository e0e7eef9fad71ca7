#pragma once
#include <algorithm>
#include <cstddef>
#include <span>
#include <type_traits>

#include <riffle/chain/stage_table.hpp>
#include <riffle/core/candidates.hpp>
#include <riffle/core/context.hpp>
#include <riffle/core/facts.hpp>
#include <riffle/core/status.hpp>
#include <riffle/math/ordered.hpp>

// Where a chain's token must be the promised one and its row lies elsewhere, another machine only leaves tokens out,
// and the chain runs on those that come back: more of the greatest logits than its first narrowing stage can keep.
// Whether they were enough shows once that stage has run; where they were not (ties at the cut, a wide threshold) the
// whole row is needed.
//
// A stage of riffle's own may say
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

/// The first stage that narrows, and how many logits it is to be given; 0 when the chain cannot be helped.
struct superset {
    std::size_t bridge = 0, size = 0;
};

/// The narrow verbs of stages [first, last); the failure names its stage.
inline status narrow_stages(const stage_table& stages, std::size_t first, std::size_t last, candidates& c,
                            const context& x) noexcept {
    for (std::size_t i = first; i < last; ++i)
        if (const auto code = stages.narrow(i, i + 1, c, x); code != status_code::ok)
            return status::failed(code, stages.name(i));
    return {};
}
/// The same from `first` to the end, where a selector has to have selected.
inline status narrow_from(const stage_table& stages, std::size_t first, candidates& c, const context& x) noexcept {
    if (const status failed = narrow_stages(stages, first, stages.size(), c, x); !failed.ok()) return failed;
    const bool selects = stages.size() > 0 && stages.fact(stages.size() - 1).selects != selecting::no;
    const bool selected = c.selected >= 0 && std::size_t(c.selected) < c.size;
    return selects && !selected ? status(status_code::no_legal_token) : status();
}

/// A chain's step on a superset of what its first narrowing stage can keep.
class superset_run {
public:
    superset_run(const stage_table& stages, std::size_t bridge) noexcept : stages_(stages), bridge_(bridge) {}

    /// `part` holds the greatest logits and has memory for one more, `logits` for as many floats. Where they were
    /// enough, part is what the chain leaves; where not, neither the chain nor its generators have moved on.
    status run(candidates& part, float* logits, const context& x, bool& enough) const noexcept {
        enough = false;
        if (part.empty() || !make_canonical(part)) return {};
        std::sort(part.begin(), part.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
        // What a token outside can come to at most, since nothing ahead of the bridge meets it but maps.
        const auto least =
            std::min_element(part.begin(), part.end(), [](auto& a, auto& b) { return a.logit < b.logit; });
        part.data[part.size++] = {nobody, least->logit, 0.0f};
        if (const auto code = stages_.narrow(0, bridge_, part, x); code != status_code::ok) return code;
        const float bound = part.data[part.size - 1].logit;
        for (std::size_t i = 0; i < part.size; ++i) logits[i] = part[i].logit;
        const std::span<const float> all(logits, part.size);
        if (stages_.narrow(bridge_, bridge_ + 1, part, x) != status_code::ok) return {};
        enough = is_certain(part, all, bound);
        return enough ? narrow_from(stages_, bridge_ + 1, part, x) : status();
    }

private:
    /// An id that no token has: accepted ones are not below 0, and named ones have been checked.
    static constexpr token_id nobody = null_token - 1;

    /// False where one is NaN: what a machine has made of such a row is open.
    bool make_canonical(const candidates& part) const noexcept {
        for (auto& token : part) {
            if (token.logit != token.logit) return false;
            if (!stages_.as_llama()) token.logit = canonical(token.logit);
        }
        return true;
    }
    /// The greatest that a token outside can be has fallen, and everything that was kept is greater. (Where it was
    /// sorted as llama.cpp sorts, no two of it are equal, nor one of it and one that fell: their order would depend on
    /// all others.)
    bool is_certain(const candidates& kept, std::span<const float> ahead, float bound) const noexcept {
        if (kept.empty()) return false;
        float least = kept[0].logit;
        for (const auto& token : kept) {
            if (token.id == nobody) return false;
            least = (std::min)(least, token.logit);
        }
        if (!(least > bound)) return false;
        if (!stages_.as_llama() || !kept.sorted) return true;
        for (std::size_t i = 1; i < kept.size; ++i)
            if (kept[i].logit == kept[i - 1].logit) return false;
        return std::size_t(std::count_if(ahead.begin(), ahead.end(), [=](float l) { return l >= least; })) == kept.size;
    }

    const stage_table& stages_;
    std::size_t bridge_;
};

}  // namespace riffle
