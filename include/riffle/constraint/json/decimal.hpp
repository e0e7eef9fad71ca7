#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include <riffle/core/text.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// A number by its decimal digits, exactly: digits · 10^exponent. The first and the last digit are not 0; zero has
/// none.
template <class String>
struct basic_decimal {
    bool is_negative = false;
    String digits;
    std::int64_t exponent = 0;

    enum : std::size_t { most_digits_of_divisor = 18 };

    basic_decimal() = default;
    /// Of a number in JSON's notation.
    explicit basic_decimal(const text& of) {
        std::size_t i = 0;
        if (i < of.size() && of[i] == '-') is_negative = true, ++i;
        bool is_behind_point = false;
        for (; i < of.size() && of[i] != 'e' && of[i] != 'E'; ++i) {
            if (of[i] == '.') {
                is_behind_point = true;
                continue;
            }
            if (!digits.empty() || of[i] != '0') digits += of[i];
            exponent -= is_behind_point;
        }
        if (i < of.size()) exponent += exponent_of(of.part(i + 1));
        settle();
    }

    bool is_zero() const noexcept { return digits.empty(); }
    bool is_integer() const noexcept { return exponent >= 0; }
    /// How many digits stand ahead of the point; at most 0 where it is below 1.
    std::int64_t digits_ahead() const noexcept { return std::int64_t(digits.size()) + exponent; }
    /// How many digits stand behind it.
    std::int64_t digits_behind() const noexcept { return exponent < 0 ? -exponent : 0; }
    /// The digit in front of 10^place, from 0 to 9.
    int digit(std::int64_t place) const noexcept {
        const std::int64_t from_end = place - exponent;
        if (from_end < 0 || from_end >= std::int64_t(digits.size())) return 0;
        return digits[digits.size() - 1 - std::size_t(from_end)] - '0';
    }
    basic_decimal negated() const {
        basic_decimal other = *this;
        if (!is_zero()) other.is_negative = !is_negative;
        return other;
    }
    /// Below 0, 0 or above.
    friend int compare(const basic_decimal& a, const basic_decimal& b) noexcept {
        if (a.is_negative != b.is_negative) return a.is_negative ? -1 : 1;
        return a.is_negative ? -compare_magnitudes(a, b) : compare_magnitudes(a, b);
    }
    friend bool operator==(const basic_decimal& a, const basic_decimal& b) noexcept { return compare(a, b) == 0; }

    /// Whether it is a whole number of times another one, which is above 0 and has at most 18 digits
    /// (most_digits_of_divisor).
    bool is_multiple_of(const basic_decimal& other) const noexcept {
        if (is_zero()) return true;
        if (exponent < other.exponent) return false;
        std::uint64_t modulus = 0, rest = 0;
        for (const char c : other.digits) modulus = modulus * 10 + std::uint64_t(c - '0');
        const auto append = [&](int digit) { rest = (rest * 10 + std::uint64_t(digit)) % modulus; };
        for (const char c : digits) append(c - '0');
        // 64 zeros bring in all factors of 2 and 5 that the modulus can have.
        for (std::int64_t i = other.exponent; i < exponent && i < other.exponent + 64 && rest != 0; ++i) append(0);
        return rest == 0;
    }

private:
    static int compare_magnitudes(const basic_decimal& a, const basic_decimal& b) noexcept {
        if (a.is_zero() || b.is_zero()) return int(b.is_zero()) - int(a.is_zero());
        if (a.digits_ahead() != b.digits_ahead()) return a.digits_ahead() < b.digits_ahead() ? -1 : 1;
        const int order = a.digits.compare(0, (std::min)(a.digits.size(), b.digits.size()), b.digits, 0,
                                           (std::min)(a.digits.size(), b.digits.size()));
        if (order != 0) return order;
        return a.digits.size() == b.digits.size() ? 0 : a.digits.size() < b.digits.size() ? -1 : 1;
    }
    static std::int64_t exponent_of(const text& of) noexcept {
        std::int64_t value = 0;
        for (const char c : of)
            if (c >= '0' && c <= '9') value = (std::min<std::int64_t>)(value * 10 + (c - '0'), 1'000'000'000);
        return !of.empty() && of[0] == '-' ? -value : value;
    }
    void settle() {
        while (!digits.empty() && digits.back() == '0') digits.pop_back(), ++exponent;
        if (digits.empty()) is_negative = false, exponent = 0;
    }
};
using decimal = basic_decimal<std::string>;

}  // namespace riffle::detail
