#pragma once
// Rows of 16-bit floats, made of rows of floats and back by plain steps.

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include <riffle/core/float16.hpp>

namespace riffle_tests {

/// What the bits mean: a sign, a magnitude in powers of two.
inline float value_of(riffle::float16 x) {
    const int exponent = x.bits >> 10 & 31, fraction = x.bits & 0x3ff;
    float magnitude = std::ldexp(float(exponent ? 1024 + fraction : fraction), (exponent ? exponent : 1) - 25);
    if (exponent == 31)
        magnitude = fraction ? std::numeric_limits<float>::quiet_NaN() : std::numeric_limits<float>::infinity();
    return x.bits & 0x8000 ? -magnitude : magnitude;
}
inline float value_of(riffle::bfloat16 x) { return std::bit_cast<float>(std::uint32_t{x.bits} << 16); }

/// Next to zero among those that are not beyond the float.
template <class Half>
Half narrowed(float x) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
    if constexpr (std::is_same_v<Half, riffle::bfloat16>) {
        return {std::uint16_t(bits >> 16 | (x != x))};
    } else {
        const std::uint16_t sign = std::uint16_t(bits >> 16 & 0x8000);
        if (x != x) return {std::uint16_t(sign | 0x7e00)};
        const float magnitude = std::fabs(x);
        if (magnitude > 65504.0f) return {std::uint16_t(sign | 0x7c00)};
        if (magnitude < 0x1p-14f) return {std::uint16_t(sign | unsigned(magnitude * 0x1p24f))};
        int exponent = 0;
        const float fraction = std::frexp(magnitude, &exponent);  // 0.5 ... 1
        return {std::uint16_t(sign | unsigned(exponent + 14) << 10 | (unsigned(fraction * 2048.0f) - 1024))};
    }
}
template <class Half>
std::vector<Half> narrowed(const std::vector<float>& row) {
    std::vector<Half> halves;
    for (const float logit : row) halves.push_back(narrowed<Half>(logit));
    return halves;
}
template <class Half>
std::vector<float> values_of(const std::vector<Half>& row) {
    std::vector<float> values;
    for (const Half logit : row) values.push_back(value_of(logit));
    return values;
}

/// A row as logits of a format are, in floats, and their bytes.
inline std::vector<float> values_in(riffle::logit_format format, const std::vector<float>& row) {
    using namespace riffle;
    if (format == logit_format::float16) return values_of(narrowed<float16>(row));
    if (format == logit_format::bfloat16) return values_of(narrowed<bfloat16>(row));
    return row;
}
inline std::vector<std::byte> bytes_in(riffle::logit_format format, const std::vector<float>& row) {
    using namespace riffle;
    const auto bytes = [](const auto& logits) {
        const auto all = std::as_bytes(std::span(logits));
        return std::vector<std::byte>(all.begin(), all.end());
    };
    if (format == logit_format::float16) return bytes(narrowed<float16>(row));
    if (format == logit_format::bfloat16) return bytes(narrowed<bfloat16>(row));
    return bytes(row);
}

/// Every pattern of 16 bits.
template <class Half>
std::vector<Half> every_half() {
    std::vector<Half> all(0x10000);
    for (std::size_t i = 0; i < all.size(); ++i) all[i].bits = std::uint16_t(i);
    return all;
}

/// Equal bit by bit, or both NaN.
inline bool is_same_float(float a, float b) {
    return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b) || (a != a && b != b);
}

}  // namespace riffle_tests
