#pragma once
#include <riffle/core/facts.hpp>
#include <riffle/core/law.hpp>

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
/// Wide: max, law, and the blocks of the greatest logits, as many as it takes until no later gap can win. Narrow: sorts
/// those.
struct min_k {
    float tau = 3.0f;

    static constexpr const char* name = "min_k";
    static constexpr facts fact{
        .weightless = true, .keeps_sorted = true, .narrows = narrowing::searched, .law_parts = law_part::support};

    bool narrows_now() const noexcept { return true; }

    bool keep(candidates& c, const law& of_all, float floor) const noexcept {
        c.keep_legal();
        c.sort();
        const lanes<1> width = lanes<1>(of_all.maximum) - lanes<1>(of_all.minimum);
        const float range = flushed(width[0] < greatest_logit ? width[0] : greatest_logit);
        if (!(range > 0.0f)) return true;  // all equal: no cliff, and ties of the first are all
        const bool all = !(floor > illegal_logit);

        std::size_t cliff = 1;
        float greatest_gap = -1.0f;
        for (std::size_t i = 1; i < c.size; ++i) {
            const float gap = flushed(flushed((lanes<1>(c[i - 1].logit) - lanes<1>(c[i].logit))[0]) / float(i));
            if (!(gap > greatest_gap)) continue;
            greatest_gap = gap;
            cliff = i;
        }
        const float minimum = tau / range;
        const std::size_t least = minimum < float(of_all.legal) ? std::size_t(minimum) : std::size_t(of_all.legal);
        const std::size_t k = (std::max)(cliff, least);
        if (!all) {  // what may follow: a gap down to the minimum, and ties of the last
            const float rest = (lanes<1>(c[c.size - 1].logit) - lanes<1>(of_all.minimum))[0] / float(c.size);
            if (k >= c.size || rest > greatest_gap) return false;
        }
        const float last = c[(std::min)(k, c.size) - 1].logit;
        c.keep_above(last, 1);
        return true;
    }

    status (check)() const noexcept {
        if (!(flushed(tau) >= 0.0f)) return status::invalid(name, "tau", double(tau), "is not 0 or a positive number");
        return {};
    }
};

}  // namespace riffle
