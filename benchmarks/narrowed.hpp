#pragma once
#include <bit>
#include <cstdint>

#include <riffle/core/float16.hpp>

// Floats as 16 bits each, for rows to measure with: next to zero, and no denormals.

inline riffle::float16 to_float16(float x) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(x), sign = bits >> 16 & 0x8000;
    const auto exponent = std::int32_t(bits >> 23 & 255) - 127 + 15;
    if (exponent <= 0) return {std::uint16_t(sign)};
    return {std::uint16_t(sign | std::uint32_t(exponent) << 10 | (bits >> 13 & 0x3ff))};
}
inline riffle::bfloat16 to_bfloat16(float x) { return {std::uint16_t(std::bit_cast<std::uint32_t>(x) >> 16)}; }
