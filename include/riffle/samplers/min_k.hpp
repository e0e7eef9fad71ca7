#pragma once
#include <riffle/core/facts.hpp>
#include <riffle/core/softmax_statistics.hpp>
#include <riffle/samplers/parts/cliff.hpp>

namespace riffle::inline RIFFLE_ABI {

/// Min-k sampling: cuts where the sorted logits fall off a cliff. The gap behind rank i, relative to the range of the
/// legal logits, counts (l_i - l_(i+1)) / range / i; what ranks up to the greatest is kept, but at least the first
/// floor(tau / range), and ties of the last. (arXiv 2604.11012; the form of vllm#48142.) No temperature moves the
/// cliff.
///
/// Gaps are compared before they are divided by the range, which is the same for all; of equal ones the first counts,
/// and where all legal logits are equal all are kept.
///
/// `tau` >= 0 in logits, 0 = no minimum, range times the number of legal tokens or more (+inf) = all; NaN or below 0 is
/// an error. Always on.
///
/// Wide: max, softmax statistics, and the blocks of the greatest logits, as many as it takes until no later gap can
/// win. Narrow: O(candidates); those alone are sorted between which the cliff may lie.
struct min_k {
    float tau = 3.0f;  ///< in logits: tau / range tokens stay at least; 0 is no minimum

    static constexpr const char* name = "min_k";
    static constexpr facts fact{.sees_weightless = true,
                                .keeps_sorted = true,
                                .narrows = narrowing::searched,
                                .softmax_parts = softmax_part::support};

    bool narrows_now() const noexcept { return true; }

    bool keep(candidates& c, const softmax_statistics& of_all, float floor) const noexcept {
        c.keep_legal();
        const lanes<1> width = lanes<1>(of_all.maximum) - lanes<1>(of_all.minimum);
        const float range = flushed(lesser_of(width, lanes<1>(greatest_logit)))[0];
        if (!(range > 0.0f)) return true;  // all equal: no cliff, and ties of the first are all

        const detail::cliff found = detail::cliff::of(c);
        const double minimum = double(tau / range), most = double(of_all.legal);
        const auto least = std::size_t(minimum < most ? minimum : most);  // clamped first: no conversion overflows
        if (floor > illegal_logit) {  // what may follow: a gap down to the minimum, and ties of the last
            float lowest = greatest_logit;
            for (const auto& token : c) lowest = token.logit < lowest ? token.logit : lowest;
            detail::cliff rest = found;
            rest.look_at(c.size, lowest, of_all.minimum);
            if (least >= c.size || rest.rank >= c.size) return false;
        }
        if (least <= found.rank) {
            c.keep_above(found.edge, 1);
        } else if (least < c.size) {
            c.sort_first(least);
            c.keep_above(c[least - 1].logit, 1);
        }
        return true;
    }

    status(check)() const noexcept {
        if (!(flushed(tau) >= 0.0f)) return status::invalid(name, "tau", double(tau), "is not 0 or a positive number");
        return {};
    }
};

}  // namespace riffle
