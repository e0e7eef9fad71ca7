#pragma once
// Whole numbers of 128 bits, for sums that must be exact.

#include <compare>
#include <concepts>
#include <cstdint>

namespace riffle_tests::reference {

#if defined(__SIZEOF_INT128__)

__extension__ typedef unsigned __int128 uint128;

#else

/// The same where the compiler has none, as for 32 bits: digits of 32 bits, the lowest first, as one reckons by hand.
class uint128 {
public:
    constexpr uint128() = default;
    constexpr uint128(std::uint64_t value) : digits_{std::uint32_t(value), std::uint32_t(value >> 32)} {}
    template <std::integral Number>
    constexpr explicit operator Number() const {
        return Number(std::uint64_t{digits_[1]} << 32 | digits_[0]);
    }

    friend constexpr uint128 operator+(const uint128& a, const uint128& b) {
        uint128 sum;
        std::uint64_t carry = 0;
        for (int i = 0; i < 4; ++i) {
            carry += std::uint64_t{a.digits_[i]} + b.digits_[i];
            sum.digits_[i] = std::uint32_t(carry);
            carry >>= 32;
        }
        return sum;
    }
    friend constexpr uint128 operator-(const uint128& a, const uint128& b) {
        uint128 complement;
        for (int i = 0; i < 4; ++i) complement.digits_[i] = ~b.digits_[i];
        return a + complement + 1;
    }
    friend constexpr uint128 operator*(const uint128& a, const uint128& b) {
        uint128 product;
        for (int i = 0; i < 4; ++i) {
            std::uint64_t carry = 0;
            for (int j = 0; i + j < 4; ++j) {
                carry += std::uint64_t{a.digits_[i]} * b.digits_[j] + product.digits_[i + j];
                product.digits_[i + j] = std::uint32_t(carry);
                carry >>= 32;
            }
        }
        return product;
    }
    /// Bit by bit.
    friend constexpr uint128 operator/(const uint128& a, const uint128& b) {
        uint128 quotient, rest;
        for (int bit = 127; bit >= 0; --bit) {
            rest = rest + rest + (a.digits_[bit / 32] >> (bit % 32) & 1);
            if (rest < b) continue;
            rest = rest - b;
            quotient.digits_[bit / 32] |= std::uint32_t{1} << (bit % 32);
        }
        return quotient;
    }
    /// By whole digits only.
    friend constexpr uint128 operator>>(const uint128& a, int bits) {
        uint128 shifted;
        for (int i = bits / 32; i < 4; ++i) shifted.digits_[i - bits / 32] = a.digits_[i];
        return shifted;
    }
    friend constexpr std::strong_ordering operator<=>(const uint128& a, const uint128& b) {
        for (int i = 3; i > 0; --i)
            if (a.digits_[i] != b.digits_[i]) return a.digits_[i] <=> b.digits_[i];
        return a.digits_[0] <=> b.digits_[0];
    }
    constexpr uint128& operator+=(const uint128& other) { return *this = *this + other; }

private:
    std::uint32_t digits_[4] = {};
};

#endif

}  // namespace riffle_tests::reference
