#pragma once
#include <array>

#include <riffle/core/facts.hpp>
#include <riffle/core/softmax_statistics.hpp>

namespace riffle::inline RIFFLE_ABI {

/// Keeps tokens of probability at least a · (greatest probability)²: strict where the model is sure, lenient where it
/// is not; at least one. (BlinkDL, for RWKV; as in koboldcpp and exllamav2.) Decided on logits.
///
/// `a` in (0, 1], usual 0.1 to 0.3; <= 0 = off; a > 1 may keep only the likeliest; NaN is an error. The cut is a
/// float: where the greatest logit is beyond 2^24, and log Σ exp is lost beside it, its ties stay whatever a.
///
/// Wide: max, mass, and one pass over the blocks that reach the cut. Narrow: O(candidates).
struct top_a {
    float a = 0.2f;  ///< least probability kept: this times the greatest squared; 0 or below is off

    static constexpr const char* name = "top_a";
    static constexpr facts fact{.keeps_sorted = true, .narrows = narrowing::likelihood};

    bool narrows_now() const noexcept { return flushed(a) > 0.0f; }
    std::size_t keeps_at_least() const noexcept { return 1; }
    /// log a
    std::array<float, 1> cut_parameters() const noexcept { return {log(lanes<1>(a))[0]}; }
    template <class V>
    static RIFFLE_INLINE constexpr V cut(const softmax_values<V>& of_all, const std::array<V, 1>& log_a) noexcept {
        // log p >= log a + 2 log p_max, and log p_max = -log_mass
        return of_all.logit_of(log_a[0] - (of_all.log_mass + of_all.log_mass));
    }
    float cut(const softmax_statistics& of_all) const noexcept {
        return cut<lanes<1>>(of_all.values<softmax_part::none>(), {cut_parameters()[0]})[0];
    }

    status(check)() const noexcept {
        return a == a ? status() : status::invalid(name, "a", double(a), "is not a number");
    }
};

}  // namespace riffle
