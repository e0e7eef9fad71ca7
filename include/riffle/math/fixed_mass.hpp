#pragma once
#include <cstdint>

#include <riffle/math/elementwise.hpp>

namespace riffle::inline RIFFLE_ABI {

/// The weight of the likeliest token: masses are integers in units of 2^-30 of it, so that no order of summation shows.
RIFFLE_LOCAL inline constexpr std::int32_t unit_mass = std::int32_t{1} << 30;
/// Nats under the maximum beyond which a token weighs nothing: exp(-20.8) * 2^30 < 1.
RIFFLE_LOCAL inline constexpr float mass_range = 20.8f;

/// Nats under the maximum at which float_mass clamps: what is farther counts as this far, where the weight is below 1.
RIFFLE_LOCAL inline constexpr float clamped_mass_range = 22.0f;

/// exp(x) * 2^30 for -22 <= x <= 0. Not monotone in its last bits. The scale 2^30 * 2^n enters the exponent by an
/// integer addition, which is why x has to be clamped rather than tested.
template <class V>
RIFFLE_INLINE constexpr V float_mass_in_range(const V& x) noexcept {
    const V magic(12582912.0f + 30.0f);  // 1.5 * 2^23: what is added to it is rounded to an integer in its low bits
    const V y = x * V(1.44269504f) + magic;
    const V n = y - magic;
    const V high = x - n * V(0.693359375f);
    const V r = high - n * V(-2.12194440e-4f);
    V p = r * V(1.3981999507e-3f) + V(8.3334519073e-3f);
    p = p * r + V(4.1665795894e-2f);
    p = p * r + V(1.6666665459e-1f);
    p = p * r + V(5.0000001201e-1f);
    const V tail = (p * r) * r;
    const V e = tail + (r + V(1.0f));
    const auto bits = as_bits(e);
    return V::from_bits(bits + (as_bits(y) << 23));
}
/// exp(x) * 2^30 for x <= 0 (greater x counts as 0); below 1 for x < -20.8 and for NaN.
template <class V>
RIFFLE_INLINE constexpr V float_mass(const V& below_maximum) noexcept {
    return float_mass_in_range(lesser_of(greater_of(below_maximum, V(-clamped_mass_range)), V(0.0f)));
}

/// The weight of a token x = logit - maximum <= 0: float_mass without its fraction. The same integer for every value
/// type and compiler.
template <class V>
RIFFLE_INLINE constexpr auto fixed_mass(const V& below_maximum) noexcept {
    return truncate(float_mass(below_maximum));
}

/// fixed_mass of one float.
RIFFLE_NOINLINE inline std::uint32_t fixed_mass_of(float below_maximum) noexcept {
    return std::uint32_t(fixed_mass(lanes<1>(below_maximum)).v);
}

}  // namespace riffle
