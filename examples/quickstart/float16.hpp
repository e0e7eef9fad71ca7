#pragma once

#include <bit>
#include <cstdint>

namespace quickstart {

/// The float with the value of these IEEE 754 binary16 bits; denormals, infinities and NaN included.
constexpr float decode_float16(std::uint16_t bits) noexcept {
    const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
    const std::uint32_t exponent = (bits >> 10) & 0x1fu;
    const std::uint32_t fraction = bits & 0x3ffu;
    if (exponent == 0) {  // zero and denormals: multiples of 2^-24, all of them normal floats
        const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
        return sign != 0 ? -magnitude : magnitude;
    }
    const std::uint32_t widened = exponent == 31 ? 255 : exponent + (127 - 15);
    return std::bit_cast<float>(sign | widened << 23 | fraction << 13);
}

}  // namespace quickstart
