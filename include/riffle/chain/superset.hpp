#pragma once
#include <algorithm>
#include <cstddef>
#include <span>
#include <type_traits>

#include <riffle/chain/stage_list.hpp>
#include <riffle/core/candidates.hpp>
#include <riffle/core/context.hpp>
#include <riffle/core/facts.hpp>
#include <riffle/core/status.hpp>
#include <riffle/core/token.hpp>
#include <riffle/math/ordered.hpp>

// Where a GPU or llama.cpp's graph holds the row, it only leaves tokens out, so that the token is the promised one:
// more of the greatest logits come back than the chain's first narrowing stage can keep, and the chain runs on those.
// Whether they were enough shows once that stage has run; where they were not (ties at the cut, a wide threshold) the
// whole row is needed.

namespace riffle::inline RIFFLE_ABI {

/// The first stage that narrows, and how many logits it is to be given; 0 when the chain cannot be helped.
struct superset {
    std::size_t bridge = 0, size = 0;
};
inline superset superset_of(const stage_list& stages) noexcept {
    superset found;
    for (std::size_t i = 0; i < stages.size(); ++i) {
        const stage_ref& s = stages[i];
        found = {i, s.ops->superset ? s.ops->superset(s) : 0};
        if (found.size > 0 || !s.ops->keeps_below(s)) break;
    }
    return found;
}

/// The narrow verbs of stages [first, last); the failure names its stage.
inline status narrow_stages(const stage_list& stages, std::size_t first, std::size_t last, candidates& c,
                            const context& x) noexcept {
    for (std::size_t i = first; i < last; ++i)
        if (const auto code = stages.narrow(i, i + 1, c, x); code != status_code::ok)
            return status::failed(code, stages.name(i));
    return {};
}
/// The narrow verbs of all stages from `first` on; a selector among them has to have selected.
inline status narrow_from(const stage_list& stages, std::size_t first, candidates& c, const context& x) noexcept {
    if (const status failed = narrow_stages(stages, first, stages.size(), c, x); !failed.ok()) return failed;
    return stages.has_selector() && !c.has_selected() ? status(status_code::no_legal_token) : status();
}

/// A chain's step on a superset of what its first narrowing stage can keep.
class superset_run {
public:
    superset_run(const stage_list& stages, std::size_t bridge) noexcept : stages_(stages), bridge_(bridge) {}

    /// Ends a step with `left`, the greatest logits of its row; false, and nothing done, where they are not enough.
    template <class Step>
    bool finish(Step& step, std::span<const token_data> left, token_id& token) const noexcept {
        token = null_token;
        if (!step.ok()) return true;
        candidates& c = step.hold(left);
        bool enough = false;
        status s = run(c, step.memory().copies, step.past(), enough);
        if (!enough) return false;
        if (s.ok() && !(c[std::size_t(c.selected)].logit > illegal_logit)) s = status_code::no_legal_token;
        token = step.finish_with_token(s);
        return true;
    }
    /// `part` holds the greatest logits and has memory for one more candidate, `logits` for part.size + 1 floats. Where
    /// they were enough, part is what the chain leaves; where not, neither the chain nor its generators have moved on.
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
            if (!stages_.is_exact()) token.logit = canonical(token.logit);
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
        if (!stages_.is_exact() || !kept.sorted) return true;
        for (std::size_t i = 1; i < kept.size; ++i)
            if (kept[i].logit == kept[i - 1].logit) return false;
        return std::size_t(std::count_if(ahead.begin(), ahead.end(), [=](float l) { return l >= least; })) == kept.size;
    }

    const stage_list& stages_;
    std::size_t bridge_;
};

}  // namespace riffle
