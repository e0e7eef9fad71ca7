#pragma once
#include <cstdint>

#include <riffle/gpu/spirv/memory.hpp>
#include <riffle/math/config.hpp>

// Integers of 64 bits out of two words, since not every device has such a type.

namespace riffle::inline RIFFLE_ABI::gpu::spirv {

constexpr word_pair wide(const u32& value) noexcept { return {value, 0u}; }
constexpr word_pair wide(std::uint64_t value) noexcept { return {std::uint32_t(value), std::uint32_t(value >> 32)}; }

constexpr word_pair operator+(const word_pair& a, const word_pair& b) noexcept {
    const word_pair low = add_with_carry(a.low, b.low);
    const u32 high = a.high + b.high;
    return {low.low, high + low.high};
}
constexpr word_pair operator-(const word_pair& a, const word_pair& b) noexcept {
    const word_pair low = subtract_with_borrow(a.low, b.low);
    const u32 high = a.high - b.high;
    return {low.low, high - low.high};
}
constexpr boolean operator<(const word_pair& a, const word_pair& b) noexcept {
    const boolean less = a.high < b.high;
    const boolean equal = a.high == b.high;
    const boolean less_below = a.low < b.low;
    return less | (equal & less_below);
}
constexpr boolean operator<=(const word_pair& a, const word_pair& b) noexcept { return !(b < a); }
constexpr boolean operator==(const word_pair& a, const word_pair& b) noexcept {
    const boolean high = a.high == b.high;
    return high & (a.low == b.low);
}
constexpr word_pair blend(const boolean& condition, const word_pair& yes, const word_pair& no) noexcept {
    const u32 low = blend(condition, yes.low, no.low);
    return {low, blend(condition, yes.high, no.high)};
}
/// a << 1
constexpr word_pair twice(const word_pair& a) noexcept {
    const u32 moved = a.low >> 31u;
    const u32 high = a.high << 1u;
    return {a.low << 1u, high | moved};
}

/// A pair that every function sees.
class private_pair {
public:
    /// To be declared before use.
    constexpr private_pair() noexcept = default;
    constexpr explicit private_pair(assembler& code) noexcept { declare(code); }
    constexpr void declare(assembler& code) noexcept {
        low_.declare(code);
        high_.declare(code);
    }
    constexpr private_pair(assembler& code, const word_pair& first) noexcept : private_pair(code) { *this = first; }
    constexpr word_pair load() const noexcept {
        const u32 low = low_;
        return {low, high_};
    }
    constexpr operator word_pair() const noexcept { return load(); }
    constexpr private_pair& operator=(const word_pair& value) noexcept {
        low_ = value.low;
        high_ = value.high;
        return *this;
    }
    constexpr void add(const word_pair& more) noexcept { *this = load() + more; }
    constexpr void add(const u32& more) noexcept {
        const word_pair low = add_with_carry(low_, more);
        low_ = low.low;
        high_ = high_ + low.high;
    }

private:
    private_variable<u32> low_, high_;
};

/// The 128 bits of a * b, lowest word first.
struct word_quad {
    u32 words[4];
};
constexpr word_quad operator+(const word_quad& a, const word_quad& b) noexcept {
    const word_pair low = word_pair{a.words[0], a.words[1]} + word_pair{b.words[0], b.words[1]};
    const boolean carries = low < word_pair{a.words[0], a.words[1]};
    const word_pair high = word_pair{a.words[2], a.words[3]} + word_pair{b.words[2], b.words[3]};
    const word_pair top = high + wide(blend(carries, u32(1u), u32(0u)));
    return {{low.low, low.high, top.low, top.high}};
}
constexpr word_quad operator-(const word_quad& a, const word_quad& b) noexcept {
    const word_pair low_a{a.words[0], a.words[1]}, low_b{b.words[0], b.words[1]};
    const word_pair low = low_a - low_b;
    const word_pair high = word_pair{a.words[2], a.words[3]} - word_pair{b.words[2], b.words[3]};
    const word_pair top = high - wide(blend(low_a < low_b, u32(1u), u32(0u)));
    return {{low.low, low.high, top.low, top.high}};
}
constexpr word_quad multiply_wide(const word_pair& a, const word_pair& b) noexcept {
    const word_pair low = multiply_wide(a.low, b.low);
    const word_pair high = multiply_wide(a.high, b.high);
    const word_pair across = multiply_wide(a.low, b.high);
    const word_pair back = multiply_wide(a.high, b.low);
    const word_pair sum = wide(low.high) + across;  // below 2^64
    const word_pair middle = wide(sum.low) + back;  // below 2^64
    const word_pair top = high + wide(sum.high) + wide(middle.high);
    return {{low.low, middle.low, top.low, top.high}};
}
/// The upper 64 bits of a * b (math/wide_integer.hpp).
constexpr word_pair multiply_high(const word_pair& a, const word_pair& b) noexcept {
    const word_quad product = multiply_wide(a, b);
    return {product.words[2], product.words[3]};
}

}  // namespace riffle::gpu::spirv
