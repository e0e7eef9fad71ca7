#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <riffle/core/text.hpp>
#include <riffle/math/config.hpp>

// Floats from decimals, correctly rounded, for standard libraries whose std::from_chars reads none (libc++ before
// version 20). By comparing whole numbers: no locale, no table, no allocation.

namespace riffle::inline RIFFLE_ABI::detail {

/// A whole number of up to 1024 bits, built by multiplying and adding.
class large_whole {
public:
    constexpr void multiply_and_add(std::uint32_t factor, std::uint32_t more) noexcept {
        std::uint64_t carry = more;
        for (std::uint32_t& part : parts_) {
            carry += std::uint64_t(part) * factor;
            part = std::uint32_t(carry);
            carry >>= 32;
        }
    }
    constexpr void multiply_by_power(std::uint32_t base, int exponent) noexcept {
        for (; exponent > 0; --exponent) multiply_and_add(base, 0);
    }
    friend constexpr bool operator<(const large_whole& a, const large_whole& b) noexcept {
        for (std::size_t i = a.parts_.size(); i-- > 0;)
            if (a.parts_[i] != b.parts_[i]) return a.parts_[i] < b.parts_[i];
        return false;
    }

private:
    std::array<std::uint32_t, 32> parts_{};  // the lowest first
};

/// A decimal number without a sign: 0.digits times 10^exponent.
class exact_decimal {
public:
    /// Reads digits, with a point among them and an exponent behind them (12, .5, 1.5e-3), which have to be the whole
    /// text. False for any other.
    constexpr bool read(const text& t) noexcept {
        std::size_t i = 0, seen = 0;
        bool behind_point = false;
        for (; i < t.size(); ++i) {
            if (t[i] == '.' && !behind_point) behind_point = true;
            else if (is_digit(t[i])) add(std::uint8_t(t[i] - '0'), behind_point), ++seen;
            else break;
        }
        return seen > 0 && (i == t.size() || read_exponent(t.part(i)));
    }
    constexpr bool is_zero() const noexcept { return count_ == 0; }

    /// The nearest float, the even one of two; +inf where that is beyond the greatest, and 0 where it is.
    float nearest() const noexcept {
        if (is_zero() || exponent_ < -46) return 0.0f;
        if (exponent_ > 40) return std::bit_cast<float>(infinity);
        std::uint32_t below = 0, above = infinity;  // bits of floats are in the floats' order
        while (above - below > 1) {
            const std::uint32_t middle = below + (above - below) / 2;
            (reaches(middle) ? below : above) = middle;
        }
        return std::bit_cast<float>(reaches(above) ? above : below);
    }

private:
    static constexpr std::uint32_t infinity = 0x7F800000;
    /// Between two floats that are neighbours lies a decimal of 113 digits at most.
    static constexpr int most_digits = 120;

    static constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

    constexpr void add(std::uint8_t digit, bool behind_point) noexcept {
        if (count_ == 0 && digit == 0) {
            exponent_ -= behind_point;
            return;
        }
        exponent_ += !behind_point;
        if (count_ < most_digits) digits_[std::size_t(count_++)] = digit;
        else is_more_ |= digit != 0;
    }
    constexpr bool read_exponent(const text& t) noexcept {
        if (t[0] != 'e' && t[0] != 'E') return false;
        const bool is_below_0 = t.size() > 1 && t[1] == '-';
        const text digits = t.part(is_below_0 || (t.size() > 1 && t[1] == '+') ? 2 : 1);
        int exponent = 0;
        for (const char c : digits) {
            if (!is_digit(c)) return false;
            if (exponent < 1'000'000) exponent = exponent * 10 + (c - '0');
        }
        exponent_ += is_below_0 ? -exponent : exponent;
        return !digits.empty();
    }
    /// Whether the number is at least in the middle between the float below this one and this one, and where it is just
    /// there, this one's last bit is 0: then rounding does not go below it.
    constexpr bool reaches(std::uint32_t bits) const noexcept {
        if (bits == 0) return true;
        const std::uint32_t below = bits - 1;
        const int binary = int(below >> 23);
        const std::uint32_t fraction = (below & 0x7FFFFF) | (binary > 0 ? 0x800000 : 0);
        const int binary_exponent = (binary > 0 ? binary : 1) - 151;  // of the middle, 2 fraction + 1
        const int decimal_exponent = exponent_ - count_;

        large_whole number, middle;
        for (int i = 0; i < count_; ++i) number.multiply_and_add(10, digits_[std::size_t(i)]);
        middle.multiply_and_add(0, 2 * fraction + 1);
        number.multiply_by_power(10, decimal_exponent);
        middle.multiply_by_power(10, -decimal_exponent);
        number.multiply_by_power(2, -binary_exponent);
        middle.multiply_by_power(2, binary_exponent);
        if (number < middle) return false;
        return middle < number || is_more_ || bits % 2 == 0;
    }

    std::array<std::uint8_t, std::size_t(most_digits)> digits_{};
    int count_ = 0;  ///< of digits, without zeros in front
    int exponent_ = 0;
    bool is_more_ = false;  ///< digits that are left out are not all 0
};

}  // namespace riffle::detail
