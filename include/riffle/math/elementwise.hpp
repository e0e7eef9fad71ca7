#pragma once
#include <riffle/math/lanes.hpp>
#include <riffle/math/ordered.hpp>

// Elementwise maths, written once over the value type V: lanes<1>, lanes<N>, and the SPIR-V value
// (gpu/spirv/values.hpp). Only sums, products, comparisons, selections and bit operations, each rounded once, so every
// V gives the same bits.
//
// In a shader each operation writes an instruction when C++ evaluates it, and compilers evaluate the two operands of an
// operator in different orders. Where both write, the first is given a name, so that all make the same module.

namespace riffle::inline RIFFLE_ABI {

/// A type that elementwise maths is written over. (Constrained, so that `using namespace riffle` leaves log(5) alone.)
template <class V>
concept lane_value = requires { typename V::ints; };

/// 0 where |value| is below least_magnitude (math/ordered.hpp), so that a flush-to-zero mode cannot be seen behind it.
template <lane_value V>
RIFFLE_INLINE constexpr V flushed(const V& value) noexcept {
    return blend((as_bits(value) & 0x7fffffff) < least_magnitude, V(0.0f), value);
}

/// canonical (math/ordered.hpp), lane by lane. The comparisons here meet no denormal: those go first, by their bits.
template <lane_value V>
RIFFLE_INLINE constexpr V canonical(const V& value) noexcept {
    const V not_nan = greater_of(flushed(value), V(illegal_logit));
    return lesser_of(not_nan, V(greatest_logit));
}

/// |value|
template <lane_value V>
RIFFLE_INLINE constexpr V absolute(const V& value) noexcept {
    return V::from_bits(as_bits(value) & 0x7fffffff);
}

/// exp(x) for -87 <= x <= 88 (clamped outside), relative error below 2e-7. Not monotone in its last bits.
/// Argument reduction and coefficients: Cephes expf (S. L. Moshier).
template <lane_value V>
RIFFLE_INLINE constexpr V exp(const V& value) noexcept {
    const V x = lesser_of(greater_of(value, V(-87.0f)), V(88.0f));
    const V magic(12582912.0f);  // 1.5 * 2^23: adding it rounds to an integer that stands in the low bits
    const V y = x * V(1.44269504f) + magic;
    const V n = y - magic;
    const V high = x - n * V(0.693359375f);
    const V r = high - n * V(-2.12194440e-4f);
    V p = r * V(1.9875691500e-4f) + V(1.3981999507e-3f);
    p = p * r + V(8.3334519073e-3f);
    p = p * r + V(4.1665795894e-2f);
    p = p * r + V(1.6666665459e-1f);
    p = p * r + V(5.0000001201e-1f);
    const V tail = (p * r) * r;
    const V e = tail + (r + V(1.0f));
    const auto bits = as_bits(e);
    return V::from_bits(bits + (as_bits(y) << 23));  // the magic number's own bits leave in the shift
}

namespace detail {

/// log(2^exponent * (1 + f)) for sqrt(1/2) <= 1 + f < sqrt(2).
template <class V>
RIFFLE_INLINE constexpr V log_of_parts(const V& f, const V& exponent) noexcept {
    V p = f * V(7.0376836292e-2f) + V(-1.1514610310e-1f);
    p = p * f + V(1.1676998740e-1f);
    p = p * f + V(-1.2420140846e-1f);
    p = p * f + V(1.4249322787e-1f);
    p = p * f + V(-1.6668057665e-1f);
    p = p * f + V(2.0000714765e-1f);
    p = p * f + V(-2.4999993993e-1f);
    p = p * f + V(3.3333331174e-1f);
    const V z = f * f;
    V t = p * (f * z);
    t = t + exponent * V(-2.12194440e-4f);
    t = t - z * V(0.5f);
    t = f + t;
    return t + exponent * V(0.693359375f);
}

/// x = 2^exponent * (1 + f), for normal x > 0.
template <class V>
struct log_parts {
    V f, exponent;
    RIFFLE_INLINE constexpr explicit log_parts(const V& x) noexcept {
        const auto bits = as_bits(x);
        const V mantissa = V::from_bits((bits & 0x007fffff) | 0x3f000000);  // [0.5, 1)
        const auto is_low = mantissa < V(0.707106781f);
        const V e = V::from_int(shift_right_logical(bits, 23) - 126);
        exponent = blend(is_low, e - V(1.0f), e);
        f = blend(is_low, mantissa + mantissa, mantissa) - V(1.0f);
    }
};

}  // namespace detail

/// log(x) for normal x > 0 (smaller x counts as the least normal float, +inf as 2^128), relative error below 2e-7.
/// Coefficients: Cephes logf (S. L. Moshier).
template <lane_value V>
RIFFLE_INLINE constexpr V log(const V& value) noexcept {
    const detail::log_parts<V> parts(greater_of(value, V(1.17549435e-38f)));
    return detail::log_of_parts(parts.f, parts.exponent);
}

/// -log(1 - v) for 0 < v < 1, exact to a few units in the last place where v is small: there log(1 - v) would lose the
/// digits that decide which of many Gumbel draws is the greatest.
template <lane_value V>
RIFFLE_INLINE constexpr V minus_log_complement(const V& v) noexcept {
    const V complement = V(1.0f) - v;
    const detail::log_parts<V> parts(complement);
    const auto near_one = complement >= V(0.75f);
    const V f = blend(near_one, -v, parts.f);
    const V exponent = blend(near_one, V(0.0f), parts.exponent);
    return -detail::log_of_parts(f, exponent);
}

/// 1 / x for normal x, relative error below 2e-7, without a division (Vulkan's is not exact): a first guess by
/// subtracting exponents, then four Newton steps.
template <lane_value V>
RIFFLE_INLINE constexpr V reciprocal(const V& x) noexcept {
    const V magnitude = absolute(x);
    V y = V::from_bits(decltype(as_bits(x))(0x7ef311c3) - as_bits(magnitude));
    for (int step = 0; step < 4; ++step) y = y * (V(2.0f) - magnitude * y);
    const auto bits = as_bits(y);
    return V::from_bits(bits | (as_bits(x) & decltype(as_bits(x))(std::int32_t(0x80000000u))));
}

/// tanh(x), absolute error below 2e-7, relative error below 1e-7 for |x| < 0.56, and monotone over all floats.
///
/// Monotone by construction, which an exhaustive test confirms: below 0.5625 the odd series x + x * p(x^2) has a
/// correction too small for its rounding errors to reorder neighbours; above, tanh(x) = 2 / (1 + s) - 1 with
/// s = exp(-2x), and both s and 1 / (1 + s) are polynomials with positive coefficients of a positive argument, so that
/// every rounded operation on the way is itself monotone.
template <lane_value V>
RIFFLE_INLINE constexpr V tanh(const V& value) noexcept {
    const V x = flushed(value);
    const V v = lesser_of(absolute(x), V(20.0f));  // where tanh is 1; beyond, neither form of it may overflow

    const V z = v * v;
    V odd = z * V(-0.00652557218f) + V(0.0212633535f);
    odd = odd * z + V(-0.0539017532f);
    odd = odd * z + V(0.133330738f);
    odd = odd * z + V(-0.333333317f);
    odd = odd * z;
    const V near_zero = v + v * odd;

    const V y = v * V(2.88539008f);  // 2x * log2(e)
    const auto n = truncate(y);
    const V h = V(1.0f) - (y - V::from_int(n));  // s = 2^h / 2^(n + 1), 0 < h <= 1
    V power = h * V(2.08179150e-4f) + V(1.26921661e-3f);
    power = power * h + V(9.65219506e-3f);
    power = power * h + V(5.54960236e-2f);
    power = power * h + V(2.40227204e-1f);
    power = power * h + V(6.93147171e-1f);
    power = power * h + V(1.0f);
    power = lesser_of(power, V(2.0f));
    const auto bits_of_power = as_bits(power);
    const V s = V::from_bits(bits_of_power - ((n + 1) << 23));
    const V d = V(0.328125f) - s;  // s < 0.3247 here, so d > 0
    V q = d * V(0.357582738f) + V(0.064253148f);
    q = q * d + V(0.270615098f);
    q = q * d + V(0.317959790f);
    q = q * d + V(0.427050721f);
    q = q * d + V(0.566916406f);
    q = q * d + V(0.752941190f);
    q = lesser_of(q, V(1.0f));
    const V far_out = q + q - V(1.0f);

    const V magnitude = blend(v <= V(0.5625f), near_zero, far_out);
    const auto bits = as_bits(magnitude);
    return V::from_bits(bits | (as_bits(x) & decltype(as_bits(x))(std::int32_t(0x80000000u))));
}

}  // namespace riffle
