#pragma once
#include <array>

#include <riffle/core/token.hpp>
#include <riffle/math/elementwise.hpp>

namespace riffle::inline RIFFLE_ABI {

/// What a stage does to the logit of one token, as numbers that any machine can apply: with s = if_positive for a
/// logit above 0 and if_not_positive for any other, l becomes l · s - (|l| · share + taken). Penalties, biases and bans
/// are all of this form, exactly: a factor of 1 and a share of 0 leave no rounding behind.
struct logit_edit {
    float if_not_positive = 1.0f, if_positive = 1.0f;
    float share = 0.0f;
    float taken = 0.0f;

    static constexpr logit_edit adding(float bias) noexcept { return {.taken = -bias}; }
    static constexpr logit_edit taking(float penalty) noexcept { return {.taken = penalty}; }
    static constexpr logit_edit banning() noexcept { return {.taken = -illegal_logit}; }

    /// The numbers in the order in which apply reads them.
    constexpr std::array<float, 4> numbers() const noexcept { return {if_not_positive, if_positive, share, taken}; }

    /// Over any value type; the result is not canonical. (Denormals on the way count as 0, or a flush-to-zero mode
    /// would show in what is left of the least logits.)
    template <class V>
    static RIFFLE_INLINE constexpr V apply(const V& logit, const std::array<V, 4>& numbers) noexcept {
        const V left = scaled(logit, numbers), lost = all_taken(logit, numbers);
        return left - lost;
    }
    /// Of one logit. No edit makes an illegal token legal: so one is left alone, and -inf meets neither a factor of 0
    /// nor a bias of +inf, at which a host may trap. Nor do infinities meet that overflows may leave: what they would
    /// leave of each other is illegal too. (Operands are chosen, not results: compilers compute both of two results.)
    float operator()(float logit) const noexcept {
        if (!(logit > illegal_logit)) return illegal_logit;
        using V = lanes<1>;
        const std::array<V, 4> all{if_not_positive, if_positive, share, taken};
        const V left = scaled<V>(logit, all), lost = all_taken<V>(logit, all);
        const V from = blend(lost < V(-illegal_logit), left, V(-greatest_logit));
        return (from - blend(left > V(illegal_logit), lost, V(greatest_logit)))[0];
    }

private:
    template <class V>
    static RIFFLE_INLINE constexpr V scaled(const V& logit, const std::array<V, 4>& numbers) noexcept {
        return flushed(logit * blend(logit <= V(0.0f), numbers[0], numbers[1]));
    }
    template <class V>
    static RIFFLE_INLINE constexpr V all_taken(const V& logit, const std::array<V, 4>& numbers) noexcept {
        return flushed(flushed(absolute(logit) * numbers[2]) + numbers[3]);
    }
};

}  // namespace riffle
