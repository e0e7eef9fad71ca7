#pragma once
#include <bit>
#include <cstdint>

#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI {

/// The upper 64 bits of a * b: a random fraction a / 2^64 of b, rounded down.
constexpr std::uint64_t multiply_high(std::uint64_t a, std::uint64_t b) noexcept {
    const std::uint64_t a_low = a & 0xffffffffu, a_high = a >> 32, b_low = b & 0xffffffffu, b_high = b >> 32;
    const std::uint64_t middle = a_high * b_low + ((a_low * b_low) >> 32);
    return a_high * b_high + (middle >> 32) + ((a_low * b_high + (middle & 0xffffffffu)) >> 32);
}

/// trunc(p · 2^64); nothing for p <= 0 and NaN, all that 64 bits hold for p >= 1.
constexpr std::uint64_t share_of(float p) noexcept {
    if (!(p > 0.0f)) return 0;
    if (!(p < 1.0f)) return ~std::uint64_t{0};
    // Without the half, so that what is converted is below 2^63: above, clang's conversion on x86-64 is an invalid
    // operation, at which a host may trap.
    const float half = p >= 0.5f ? 0.5f : 0.0f;
    return std::uint64_t(double(p - half) * 0x1p64) + (half > 0.0f ? std::uint64_t{1} << 63 : 0);
}
/// A share p of a total, rounded down: the upper half of their product.
constexpr std::uint64_t share_of(float p, std::uint64_t total) noexcept { return multiply_high(share_of(p), total); }

/// An unsigned integer of 128 bits, for the exact moments of a row. (unsigned __int128 is not in every compiler.)
struct uint128 {
    std::uint64_t low = 0, high = 0;

    static constexpr uint128 product(std::uint64_t a, std::uint64_t b) noexcept { return {a * b, multiply_high(a, b)}; }

    friend constexpr uint128 operator+(const uint128& a, const uint128& b) noexcept {
        const std::uint64_t sum = a.low + b.low;
        return {sum, a.high + b.high + (sum < a.low)};
    }
    friend constexpr uint128 operator-(const uint128& a, const uint128& b) noexcept {
        return {a.low - b.low, a.high - b.high - (a.low < b.low)};
    }
    /// Modulo 2^128.
    friend constexpr uint128 operator*(const uint128& a, std::uint64_t b) noexcept {
        uint128 r = product(a.low, b);
        r.high += a.high * b;
        return r;
    }
    friend constexpr bool operator==(const uint128&, const uint128&) = default;
    friend constexpr bool operator<(const uint128& a, const uint128& b) noexcept {
        return a.high != b.high ? a.high < b.high : a.low < b.low;
    }
    /// Shifted down by up to 127 bits.
    friend constexpr uint128 operator>>(const uint128& a, unsigned bits) noexcept {
        if (bits == 0) return a;
        if (bits >= 64) return {a.high >> (bits - 64), 0};
        return {a.low >> bits | a.high << (64 - bits), a.high >> bits};
    }
};
/// How many of the upper bits are 0.
constexpr unsigned leading_zeros(const uint128& a) noexcept {
    return unsigned(a.high ? std::countl_zero(a.high) : 64 + std::countl_zero(a.low));
}

/// Rounded: the same double everywhere, since scaling by 2^64 is exact.
constexpr double to_double(const uint128& a) noexcept {
    return double(a.high) * 18446744073709551616.0 + double(a.low);
}

namespace detail {

/// a / b rounded down; b > 0, and the quotient must fit 64 bits.
constexpr std::uint64_t divide(const uint128& a, std::uint64_t b) noexcept {
    std::uint64_t remainder = a.high % b, quotient = 0;
    for (int bit = 63; bit >= 0; --bit) {
        const bool carry = remainder >> 63;
        remainder = remainder << 1 | (a.low >> bit & 1);
        if (carry || remainder >= b) {
            remainder -= b;
            quotient |= std::uint64_t{1} << bit;
        }
    }
    return quotient;
}

/// The square root, rounded down.
constexpr std::uint32_t square_root(std::uint64_t value) noexcept {
    std::uint64_t root = 0;
    for (int bit = 31; bit >= 0; --bit) {
        const std::uint64_t next = root | std::uint64_t{1} << bit;
        if (next * next <= value) root = next;
    }
    return std::uint32_t(root);
}

}  // namespace detail

}  // namespace riffle
