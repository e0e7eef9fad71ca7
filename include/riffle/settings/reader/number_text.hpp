#pragma once
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <riffle/core/text.hpp>
#include <riffle/math/config.hpp>
#include <riffle/settings/reader/exact_decimal.hpp>
#include <riffle/settings/reader/option_name.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// How a text fares as a number.
enum class number_fault : std::uint8_t { none, no_number, out_of_range };

inline bool has_digits_only(const text& t) noexcept {
    for (const char c : t)
        if (c < '0' || c > '9') return false;
    return true;
}

/// Reads digits, and a `-` ahead of them where the type has a sign. (By hand: std::from_chars would bring a table that
/// keeps a plugin from being unloaded.)
template <class Whole>
number_fault read_whole(const text& written, Whole& into) noexcept {
    constexpr Whole least = std::numeric_limits<Whole>::lowest(), most = (std::numeric_limits<Whole>::max)();
    const bool is_below_0 = least < 0 && !written.empty() && written[0] == '-';
    const text digits = written.part(is_below_0 ? 1 : 0);
    if (digits.empty() || !has_digits_only(digits)) return number_fault::no_number;
    Whole read = 0;
    for (const char c : digits) {
        const Whole digit = Whole(c - '0');
        // Downwards where there is a sign: the lowest number has no counterpart.
        if (is_below_0 ? read < (least + digit) / 10 : read > (most - digit) / 10) return number_fault::out_of_range;
        read = is_below_0 ? read * 10 - digit : read * 10 + digit;
    }
    into = read;
    return number_fault::none;
}

#if defined(__cpp_lib_to_chars)

/// Reads a float that is the whole text, as std::from_chars does.
template <class Float>
number_fault read_decimal(const text& written, Float& into) noexcept {
    Float read{};
    const auto [end, error] = std::from_chars(written.begin(), written.end(), read);
    if (error == std::errc::result_out_of_range && end == written.end()) return number_fault::out_of_range;
    if (error != std::errc() || end != written.end() || written.empty()) return number_fault::no_number;
    into = read;
    return number_fault::none;
}

#else

/// Reads a float that is the whole text, as std::from_chars does, which libc++ has from version 20 on only.
template <class Float>
number_fault read_decimal(const text& written, Float& into) noexcept {
    const bool is_below_0 = !written.empty() && written[0] == '-';
    const text magnitude = written.part(is_below_0 ? 1 : 0);
    const bool is_nan = same_word(magnitude, "nan");
    Float read = is_nan ? std::numeric_limits<Float>::quiet_NaN() : std::numeric_limits<Float>::infinity();
    if (!is_nan && !same_word(magnitude, "inf") && !same_word(magnitude, "infinity")) {
        exact_decimal number;
        if (!number.read(magnitude)) return number_fault::no_number;
        read = number.nearest();
        if (read > (std::numeric_limits<Float>::max)() || (read == 0 && !number.is_zero()))
            return number_fault::out_of_range;
    }
    into = is_below_0 ? -read : read;
    return number_fault::none;
}

#endif

/// Reads a number that is the whole text, in the form of std::from_chars, which knows no locale, and with a `+` ahead
/// of it. `into` keeps its value where there is a fault.
template <class Number>
number_fault read_number(text written, Number& into) noexcept {
    if (written.size() > 1 && written[0] == '+' && written[1] != '-') written = written.part(1);
    if constexpr (std::numeric_limits<Number>::is_integer) return read_whole(written, into);
    else return read_decimal(written, into);
}

/// The decimal sign of a number; behind its end where there is none.
struct decimal_sign {
    std::size_t at, size;
};
/// A point, a comma, or U+066B, where numbers are written in Arabic: the locales of glibc have no others.
inline decimal_sign decimal_sign_of(const text& number) noexcept {
    for (std::size_t i = 0; i < number.size(); ++i) {
        if (number[i] == '.' || number[i] == ',') return {i, 1};
        if (number.part(i, 2) == text("\xD9\xAB", 2)) return {i, 2};
    }
    return {number.size(), 0};
}

/// Reads a number of a model's metadata. llama.cpp makes a text of what is stored as a float with std::to_string, whose
/// decimal sign is the locale's (common/common.cpp reads it with the same locale's strtof). Where a whole number is
/// wanted it reads the digits ahead of that sign, as strtol does: 40.0 is 40. It looks at 63 characters at most, which
/// hold every number that std::to_string makes of a float; what is longer is none.
template <class Number>
number_fault read_model_number(const text& written, Number& into) noexcept {
    constexpr std::size_t longest = 63;
    if (written.size() > longest) return number_fault::no_number;
    const decimal_sign sign = decimal_sign_of(written);
    const text whole = written.part(0, sign.at), fraction = written.part(sign.at + sign.size);
    if constexpr (std::numeric_limits<Number>::is_integer)
        return has_digits_only(fraction) ? read_number(whole, into) : number_fault::no_number;
    char digits[longest];
    std::size_t size = 0;
    for (const char c : whole) digits[size++] = c;
    if (sign.size > 0) digits[size++] = '.';
    for (const char c : fraction) digits[size++] = c;
    return read_number(text(digits, size), into);
}

}  // namespace riffle::detail
