#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <riffle/math/config.hpp>

// Sums and products of sizes that a caller chooses, in 64 and in 32 bits. They saturate instead of wrapping: what
// cannot be counted comes to the greatest size, which no memory has, so whoever asks for it is refused.

namespace riffle::inline RIFFLE_ABI {

/// What a size comes to that cannot be counted: the greatest std::size_t.
inline constexpr std::size_t uncountable = (std::numeric_limits<std::size_t>::max)();
/// No object has more bytes, since the distance between two pointers into it is a std::ptrdiff_t.
inline constexpr std::size_t largest_object = std::size_t((std::numeric_limits<std::ptrdiff_t>::max)());

namespace saturating {

/// a + b.
constexpr std::size_t sum(std::size_t a, std::size_t b) noexcept { return a <= uncountable - b ? a + b : uncountable; }
/// a * b.
constexpr std::size_t product(std::size_t a, std::size_t b) noexcept {
    return b == 0 || a <= uncountable / b ? a * b : uncountable;
}
/// The least multiple of `step` that is not below a. 0 < step.
constexpr std::size_t rounded_up(std::size_t a, std::size_t step) noexcept {
    return a % step == 0 ? a : sum(a, step - a % step);
}
/// The least power of two that is not below a.
constexpr std::size_t power_of_two(std::size_t a) noexcept {
    return a <= uncountable / 2 + 1 ? std::bit_ceil(a) : uncountable;
}

}  // namespace saturating

/// Whether two pieces of memory have a byte in common.
inline bool share_bytes(const void* a, std::size_t bytes_of_a, const void* b, std::size_t bytes_of_b) noexcept {
    const auto at_a = reinterpret_cast<std::uintptr_t>(a), at_b = reinterpret_cast<std::uintptr_t>(b);
    return at_a <= at_b ? at_b - at_a < bytes_of_a && bytes_of_b > 0 : at_a - at_b < bytes_of_b && bytes_of_a > 0;
}

}  // namespace riffle
