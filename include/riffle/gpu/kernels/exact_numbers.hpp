#pragma once
#include <cstdint>

#include <riffle/gpu/spirv/control.hpp>
#include <riffle/gpu/spirv/wide_integers.hpp>
#include <riffle/math/config.hpp>

// What the processor computes with 64 and 128 bits and in double, in the same steps of rounding, out of words: a
// handful of numbers a row.

namespace riffle::inline RIFFLE_ABI::gpu {

using spirv::assembler;
using spirv::boolean;
using spirv::f32;
using spirv::u32;
using spirv::variable;
using spirv::word_pair;
using spirv::word_quad;

namespace detail {
/// The bits of the float next to an integer, ties to even, as float(std::uint64_t) and float(double(std::uint64_t))
/// give it for integers below 2^53.
constexpr u32 bits_of_float(const word_pair& value) noexcept {
    // Moves the highest bit to the top, by 32, 16, ... 1.
    word_pair v = value;
    u32 moved = blend(v.high == 0u, u32(32u), u32(0u));
    v = blend(v.high == 0u, word_pair{0u, v.low}, v);
    for (const std::uint32_t step : {16u, 8u, 4u, 2u, 1u}) {
        const boolean short_of = (v.high >> (32u - step)) == 0u;
        const u32 high = (v.high << step) | (v.low >> (32u - step));
        const u32 low = v.low << step;
        v = blend(short_of, word_pair{low, high}, v);
        moved = blend(short_of, moved + step, moved);
    }
    // 24 bits stay, of which the first is 1; the other 40 round them.
    const u32 kept = v.high >> 8u;
    const u32 half = (v.high >> 7u) & 1u;
    const boolean rest = ((v.high & 0x7fu) | v.low) != 0u;
    const boolean odd = (kept & 1u) != 0u;
    const u32 up = blend((half != 0u) & (rest | odd), u32(1u), u32(0u));
    const u32 exponent = (u32(127u + 63u) - moved) << 23u;
    const u32 bits = exponent + (kept & 0x7fffffu) + up;
    return blend((value.low | value.high) == 0u, u32(0u), bits);
}
}  // namespace detail

/// The functions of a kernel that need such numbers.
class exact_numbers {
public:
    constexpr explicit exact_numbers(assembler& code) noexcept
        : code_(code), bits_of_float_(code,
                                      [](const u32& low, const u32& high) {
                                          return detail::bits_of_float({low, high});
                                      }),
          factor_(code), product_high_(code), times_factor_(code, [&](const u32& low, const u32& high) {
              const word_pair product = spirv::multiply_high({low, high}, factor_);
              product_high_ = product.high;
              return product.low;
          }) {}

    /// The float next to an integer, ties to even, as float(std::uint64_t) gives it, and float(double(...)) below 2^53.
    constexpr f32 to_float(const word_pair& value) const noexcept {
        return f32::from_bits(bits_of_float_(value.low, value.high));
    }

    /// The upper 64 bits of a * b (math/wide_integer.hpp).
    constexpr word_pair multiply_high(const word_pair& a, const word_pair& b) noexcept {
        factor_ = b;
        const u32 low = times_factor_(a.low, a.high);
        return {low, product_high_};
    }

    /// float(double(part) / double(whole)) for 0 < part <= whole < 2^53: two roundings, as there.
    constexpr f32 to_share(const u32& part, const word_pair& whole) const noexcept {
        // A long division: zeros ahead of the first digit, then 53 digits.
        variable<u32> rest_low(code_, part), rest_high(code_, u32(0u)), low(code_, u32(0u)), high(code_, u32(0u));
        variable<u32> zeros(code_, u32(0u)), digits(code_, u32(0u));
        spirv::while_(
            code_, [&] { return digits < 53u; },
            [&] {
                const word_pair rest{rest_low, rest_high};
                const boolean fits = whole <= rest;
                const word_pair left = spirv::twice(blend(fits, rest - whole, rest));
                const word_pair digit = spirv::wide(blend(fits, u32(1u), u32(0u)));
                const word_pair so_far = spirv::twice({low, high}) + digit;
                const boolean begun = (so_far.low | so_far.high) != 0u;
                low = so_far.low;
                high = so_far.high;
                zeros = zeros + blend(begun, u32(0u), u32(1u));
                digits = digits + blend(begun, u32(1u), u32(0u));
                rest_low = left.low;
                rest_high = left.high;
            },
            [] {});
        // To 53 digits: the rest, doubled, beside the whole.
        const word_pair rest{rest_low, rest_high};
        const boolean more = whole < rest;
        const boolean tie = whole == rest;
        const boolean odd = (low.load() & 1u) != 0u;
        const word_pair rounded = word_pair{low, high} + spirv::wide(blend(more | (tie & odd), u32(1u), u32(0u)));
        // To 24 digits, and 2^-(zeros + 52) of them.
        const f32 digits_as_float = to_float(rounded);
        const u32 scale = (u32(127u - 52u) - zeros) << 23u;
        return digits_as_float * f32::from_bits(scale);
    }

    /// a / b rounded down, where that fits 64 bits; b > 0.
    constexpr word_pair divide(const word_quad& a, const word_pair& b) const noexcept {
        variable<u32> word0(code_, a.words[0]), word1(code_, a.words[1]), word2(code_, a.words[2]),
            word3(code_, a.words[3]);
        variable<u32> rest_low(code_, u32(0u)), rest_high(code_, u32(0u)), low(code_, u32(0u)), high(code_, u32(0u));
        spirv::for_(code_, u32(0u), u32(128u), u32(1u), [&](const u32&) {
            const u32 next = word3.load() >> 31u;
            word3 = (word3.load() << 1u) | (word2.load() >> 31u);
            word2 = (word2.load() << 1u) | (word1.load() >> 31u);
            word1 = (word1.load() << 1u) | (word0.load() >> 31u);
            word0 = word0.load() << 1u;
            const boolean carries = (rest_high.load() >> 31u) != 0u;
            const word_pair moved = spirv::twice({rest_low, rest_high});
            const word_pair rest{moved.low | next, moved.high};
            const boolean fits = carries | (b <= rest);
            const word_pair left = blend(fits, rest - b, rest);
            rest_low = left.low;
            rest_high = left.high;
            const word_pair so_far = spirv::twice({low, high});
            low = so_far.low | blend(fits, u32(1u), u32(0u));
            high = so_far.high;
        });
        return {low, high};
    }

    /// The square root, rounded down.
    constexpr u32 square_root(const word_pair& value) const noexcept {
        variable<u32> root(code_, u32(0u)), digit(code_, u32(0x80000000u));
        spirv::while_(
            code_, [&] { return digit != 0u; },
            [&] {
                const u32 next = root | digit;
                const boolean fits = spirv::multiply_wide(next, next) <= value;
                root = blend(fits, next, root.load());
            },
            [&] { digit = digit.load() >> 1u; });
        return root;
    }

private:
    assembler& code_;
    spirv::integer_function<2> bits_of_float_;
    spirv::private_pair factor_;
    spirv::private_variable<u32> product_high_;
    spirv::integer_function<2> times_factor_;
};

}  // namespace riffle::gpu
