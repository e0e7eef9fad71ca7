#pragma once
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI {

/// A float of 16 bits as IEEE 754 has it (binary16: 5 bits of exponent, 10 of fraction), the layout of `_Float16`,
/// `std::float16_t`, Eigen's and CUDA's half. To read logits with: nothing is computed in it.
struct float16 {
    std::uint16_t bits = 0;

    /// The float of that value; exact. Infinities stay, NaN too.
    constexpr explicit operator float() const noexcept {
        const std::uint32_t sign = (bits & 0x8000u) << 16, magnitude = bits & 0x7fffu;
        if (magnitude >= 0x7c00) return std::bit_cast<float>(sign | 0x7f800000 | (magnitude & 0x3ff) << 13);
        if (magnitude >= 0x0400) return std::bit_cast<float>(sign | ((magnitude << 13) + ((127u - 15u) << 23)));
        return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(float(magnitude) * 0x1p-24f));
    }
};

/// The upper half of a float (bfloat16: 8 bits of exponent, 7 of fraction), the layout of `__bf16`, `std::bfloat16_t`
/// and Eigen's and CUDA's types of that name. To read logits with: nothing is computed in it.
struct bfloat16 {
    std::uint16_t bits = 0;

    /// The float of that value; exact. Infinities stay, NaN too.
    constexpr explicit operator float() const noexcept { return std::bit_cast<float>(std::uint32_t(bits) << 16); }
};

/// What the logits of a row are: floats, or 16 bits each.
enum class logit_format : std::uint8_t { float32, float16, bfloat16 };
/// Bytes of a logit, 4 or 2.
constexpr std::uint32_t bytes_of(logit_format logit) noexcept { return logit == logit_format::float32 ? 4 : 2; }

namespace detail {

/// Of a type that is no class: whether it is a number that is none of the integers. (std::is_floating_point knows 16-bit
/// floats of the compiler from C++23 on only.)
template <class T>
inline constexpr bool is_builtin_float =
    !std::is_integral_v<T> && !std::is_enum_v<T> && !std::is_union_v<T> && !std::is_array_v<T> &&
    !std::is_pointer_v<T> && !std::is_member_pointer_v<T> && !std::is_null_pointer_v<T> && !std::is_void_v<T>;

/// Another float of 16 bits: one of the compiler's, by what it keeps of a number, or a class with numeric_limits.
template <class T, int Digits, int MaxExponent>
constexpr bool has_layout() noexcept {
    if constexpr (sizeof(T) != 2) {
        return false;
    } else if constexpr (std::is_class_v<T>) {
        using limits = std::numeric_limits<T>;
        return limits::is_specialized && !limits::is_integer && limits::digits == Digits &&
               limits::max_exponent == MaxExponent;
    } else if constexpr (is_builtin_float<T>) {
        return (float(T(257.0f)) == 257.0f) == (Digits == 11);  // which has nine binary digits
    } else {
        return false;
    }
}

/// riffle's type with the layout of a type of logits: float16, bfloat16, float itself; void for what is no logit.
template <class T>
using logit_layout = std::conditional_t<
    std::is_same_v<T, float>, float,
    std::conditional_t<std::is_same_v<T, float16> || has_layout<T, 11, 16>(), float16,
                       std::conditional_t<std::is_same_v<T, bfloat16> || has_layout<T, 8, 128>(), bfloat16, void>>>;

template <class T>
concept half_type = std::is_class_v<logit_layout<std::remove_cv_t<T>>>;  // float16 or bfloat16

}  // namespace detail
}  // namespace riffle
