#pragma once
#include <cstdint>

#include <riffle/gpu/spirv/control.hpp>
#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI::gpu::spirv {

namespace detail {

/// The bits of a / b as IEEE 754 rounds it, from theirs. What is below the least normal float counts as 0, as operand
/// and as result: devices may flush denormals anyway.
///
/// A long division of the 24-bit mantissas, eight bits a step, and the rest tells what to round.
constexpr u32 quotient_bits(const u32& a, const u32& b) noexcept {
    constexpr std::uint32_t infinity = 0x7f800000u, not_a_number = 0x7fc00000u, least_normal = 0x00800000u;
    const u32 sign = (a ^ b) & 0x80000000u;
    const u32 a_size = a & 0x7fffffffu, b_size = b & 0x7fffffffu;
    const u32 a_mantissa = (a_size & 0x007fffffu) | 0x00800000u, b_mantissa = (b_size & 0x007fffffu) | 0x00800000u;

    u32 digits = (a_mantissa << 7u) / b_mantissa;
    u32 rest = (a_mantissa << 7u) - digits * b_mantissa;
    for (int step = 0; step < 3; ++step) {
        const u32 next = rest << 8u;
        const u32 digit = next / b_mantissa;
        rest = next - digit * b_mantissa;
        digits = (digits << 8u) | digit;
    }
    // 32 digits, or 31 where the quotient is below 1: the first 24 stay.
    const boolean is_below = digits < 0x80000000u;
    const u32 aligned = blend(is_below, digits << 1u, digits);
    const u32 kept = aligned >> 8u;
    const boolean more = ((aligned & 0x7fu) | rest) != 0u;
    const boolean odd = (kept & 1u) != 0u;
    const boolean half = ((aligned >> 7u) & 1u) != 0u;
    const u32 up = blend(half & (more | odd), u32(1u), u32(0u));

    // The exponent, 1024 higher than it is, so that it stays above 0.
    const u32 difference = (a_size >> 23u) + u32(1024u + 127u) - (b_size >> 23u);
    const u32 exponent = difference - blend(is_below, u32(1u), u32(0u));
    const u32 mantissa = (kept & 0x007fffffu) + up;
    const u32 normal = ((exponent - 1024u) << 23u) + mantissa;
    // Just below the least normal float there are half as many floats, and the last of these rounds up to it.
    const boolean reaches_normal = (exponent == 1024u) & (kept == 0x00ffffffu);
    const boolean is_tiny = exponent <= 1024u;
    const u32 tiny = blend(reaches_normal, u32(least_normal), u32(0u));
    const boolean is_huge =
        (exponent >= u32(1024u + 255u)) | ((exponent == u32(1024u + 254u)) & ((mantissa >> 23u) != 0u));
    const u32 finite = blend(is_tiny, tiny, blend(is_huge, u32(infinity), normal));

    const boolean a_is_zero = a_size < least_normal, b_is_zero = b_size < least_normal;
    const boolean a_is_infinite = a_size == u32(infinity), b_is_infinite = b_size == u32(infinity);
    const boolean is_nan =
        (a_size > infinity) | (b_size > infinity) | (a_is_zero & b_is_zero) | (a_is_infinite & b_is_infinite);
    const u32 special = blend(a_is_infinite | b_is_zero, u32(infinity), u32(0u));
    const boolean is_special = a_is_infinite | b_is_infinite | a_is_zero | b_is_zero;
    const u32 size = blend(is_special, special, finite);
    return blend(is_nan, u32(not_a_number), size | sign);
}

}  // namespace detail

/// The quotient, rounded to nearest even: Vulkan's own may be 2.5 units in the last place off. With its contraction,
/// exp and log, a module that is not precise has the device's division too.
constexpr f32 operator/(const f32& a, const f32& b) noexcept {
    const u32 a_bits(as_bits(a)), b_bits(as_bits(b));
    if (detail::inside::all_constant(a, b)) return f32::from_bits(detail::quotient_bits(a_bits, b_bits));
    assembler& code = detail::inside::assembler_of(a, b);
    if (!code.options().precise) return detail::emit_arithmetic(op::FDiv, a, b);
    std::uint32_t& function = code.division();
    if (!function)
        function = code.integer_function<2>([&](const std::array<std::uint32_t, 2>& arguments) {
            return detail::quotient_bits(u32(code, arguments[0]), u32(code, arguments[1])).id(code);
        });
    const std::uint32_t a_id = a_bits.id(code), b_id = b_bits.id(code);
    return f32::from_bits(u32(code, code.emit_scalar(op::FunctionCall, scalar::integer, function, a_id, b_id)));
}

}  // namespace riffle::gpu::spirv
