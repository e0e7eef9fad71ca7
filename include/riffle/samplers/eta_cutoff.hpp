#pragma once
#include <array>

#include <riffle/core/facts.hpp>
#include <riffle/core/softmax_statistics.hpp>

namespace riffle::inline RIFFLE_ABI {

/// Keeps tokens of probability at least eta = min(epsilon, sqrt(epsilon) · exp(-entropy)): the flatter the
/// distribution, the lower the cut; at least min_keep and at least one. (Hewitt, Manning, Liang 2022, arXiv 2210.15191,
/// eta sampling.)
///
/// `epsilon` in (0, 1), usual 3e-4 to 4e-3; <= 0 = off; >= 1 keeps max(1, min_keep) where the entropy is 0 and may keep
/// more where it is not; NaN is an error. The cut is a float: where the greatest logit is beyond 2^24, its ties stay
/// whatever epsilon.
///
/// Wide: max, softmax statistics, and one pass over the blocks that reach the cut. Narrow: O(candidates).
struct eta_cutoff {
    float epsilon = 3e-4f;     ///< least probability kept, lower where the entropy is high; 0 or below is off
    std::size_t min_keep = 0;  ///< tokens left at least; 0 counts as 1

    static constexpr const char* name = "eta_cutoff";
    static constexpr facts fact{
        .keeps_sorted = true, .narrows = narrowing::likelihood, .softmax_parts = softmax_part::distances};

    bool narrows_now() const noexcept { return flushed(epsilon) > 0.0f; }
    std::size_t keeps_at_least() const noexcept { return min_keep > 1 ? min_keep : 1; }
    /// log epsilon
    std::array<float, 1> cut_parameters() const noexcept { return {log(lanes<1>(epsilon))[0]}; }
    template <class V>
    static RIFFLE_INLINE constexpr V cut(const softmax_values<V>& of_all,
                                         const std::array<V, 1>& log_epsilon) noexcept {
        const V by_entropy = log_epsilon[0] * V(0.5f) - of_all.entropy;
        return of_all.logit_of(lesser_of(log_epsilon[0], by_entropy));
    }
    float cut(const softmax_statistics& of_all) const noexcept {
        return cut<lanes<1>>(of_all.values<softmax_part::distances>(), {cut_parameters()[0]})[0];
    }

    status(check)() const noexcept {
        return epsilon == epsilon ? status() : status::invalid(name, "epsilon", double(epsilon), "is not a number");
    }
};

}  // namespace riffle
