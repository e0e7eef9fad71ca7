#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <riffle/math/config.hpp>
#include <riffle/math/lane_types.hpp>
#include <riffle/math/lanes_512.hpp>

// Lanes as a vector of the compiler (math/lanes.hpp).

namespace riffle::inline RIFFLE_ABI {

namespace detail {

// A value in all lanes is written as a negation twice: g++ 12 stores a plain repetition of a scalar element by element
// into a vector type that the function it is written in has no registers for, and never puts it together again.
//
// Until a template is instantiated g++ 12 takes a vector type of dependent size for its element type, so inside the
// lane types neither `v[i]` nor a conversion can be written. Behind a template parameter `Lanes` both can.
template <class Lanes>
RIFFLE_INLINE auto element_of(const Lanes& a, int index) noexcept {
    return a.v[index];
}
template <class To, class From>
RIFFLE_INLINE To converted(const From& from) noexcept {
    To to;
    to.v = __builtin_convertvector(from.v, typename To::vector);
    return to;
}
template <class Lanes>
RIFFLE_INLINE Lanes high_product(const Lanes& a, std::uint32_t factor) noexcept {
    using wide = typename Lanes::wide_vector;
    using narrow = typename Lanes::unsigned_vector;
    const wide product = __builtin_convertvector(narrow(a.v), wide) * std::uint64_t{factor};
    Lanes high;
    high.v = typename Lanes::vector(__builtin_convertvector(product >> 32, narrow));
    return high;
}
/// The lanes of these numbers, of a below N and of b from there on.
template <int... From, class Lanes>
RIFFLE_INLINE Lanes permuted(const Lanes& a, const Lanes& b) noexcept {
    Lanes r;
    r.v = __builtin_shufflevector(a.v, b.v, From...);
    return r;
}

}  // namespace detail

/// A comparison of two lane values, not yet carried out: blend(a > b, x, y) must reach g++ 12 as one expression. A
/// mask on its own, or the and of two, has a type that was settled without AVX-512 and would be computed lane by lane
/// there; RIFFLE_SETTLE keeps g++ from making such masks by merging nested selections. It turns into a mask (int_lanes)
/// where one is needed.
template <class Operand, detail::comparing How>
struct lane_comparison {
    Operand a, b;

    /// x where the comparison holds, y elsewhere.
    template <class Value>
    RIFFLE_INLINE Value choose(const Value& x, const Value& y) const noexcept {
#if RIFFLE_512_BY_BUILTINS
        if constexpr (sizeof(Value) == 64) return detail::blend_512(detail::compare_512<How>(a, b), x, y);
#endif
        Value r;
        using enum detail::comparing;
        if constexpr (How == less) r.v = a.v < b.v ? x.v : y.v;
        if constexpr (How == less_equal) r.v = a.v <= b.v ? x.v : y.v;
        if constexpr (How == greater) r.v = a.v > b.v ? x.v : y.v;
        if constexpr (How == greater_equal) r.v = a.v >= b.v ? x.v : y.v;
        if constexpr (How == equal) r.v = a.v == b.v ? x.v : y.v;
        if constexpr (How == not_equal) r.v = a.v != b.v ? x.v : y.v;
        RIFFLE_SETTLE(r.v)
        return r;
    }
    template <int N>
    RIFFLE_INLINE operator int_lanes<N>() const noexcept {
        return choose(int_lanes<N>(-1), int_lanes<N>(0));
    }
};
template <class Operand, detail::comparing How, class Value>
RIFFLE_INLINE Value blend(const lane_comparison<Operand, How>& mask, const Value& a, const Value& b) noexcept {
    return mask.choose(a, b);
}

template <int N>
struct int_lanes {
    typedef std::int32_t vector __attribute__((vector_size(4 * N)));
    typedef std::uint32_t unsigned_vector __attribute__((vector_size(4 * N)));
    typedef std::uint64_t wide_vector __attribute__((vector_size(8 * N)));
    typedef std::uint64_t pair_vector __attribute__((vector_size(4 * N)));
    template <detail::comparing How>
    using comparison = lane_comparison<int_lanes, How>;
    vector v;

    RIFFLE_INLINE int_lanes() noexcept : v{} {}
    RIFFLE_INLINE int_lanes(std::int32_t value) noexcept : v(~(~value - vector{})) {}
    RIFFLE_INLINE explicit int_lanes(const vector& value) noexcept : v(value) {}
    RIFFLE_INLINE int_lanes(const int_lanes& other) noexcept : v(other.v) {}
    RIFFLE_INLINE int_lanes& operator=(const int_lanes& other) noexcept {
        v = other.v;
        return *this;
    }
    /// 0, 1, 2, ... N - 1
    static RIFFLE_INLINE int_lanes iota() noexcept {
        std::int32_t lane[std::size_t(N)];
        for (int i = 0; i < N; ++i) lane[i] = i;
        return load(lane);
    }
    /// from[0], from[1], ... from[N - 1]
    static RIFFLE_INLINE int_lanes load(const std::int32_t* from) noexcept {
        int_lanes r;
        __builtin_memcpy(&r.v, from, sizeof r.v);
        return r;
    }
    RIFFLE_INLINE std::int32_t operator[](int lane) const noexcept { return detail::element_of(*this, lane); }

    friend RIFFLE_INLINE int_lanes operator+(const int_lanes& a, const int_lanes& b) noexcept {
        return int_lanes(vector(unsigned_vector(a.v) + unsigned_vector(b.v)));
    }
    friend RIFFLE_INLINE int_lanes operator-(const int_lanes& a, const int_lanes& b) noexcept {
        return int_lanes(vector(unsigned_vector(a.v) - unsigned_vector(b.v)));
    }
    friend RIFFLE_INLINE int_lanes operator&(const int_lanes& a, const int_lanes& b) noexcept {
        return int_lanes(a.v & b.v);
    }
    friend RIFFLE_INLINE int_lanes operator|(const int_lanes& a, const int_lanes& b) noexcept {
        return int_lanes(a.v | b.v);
    }
    friend RIFFLE_INLINE int_lanes operator^(const int_lanes& a, const int_lanes& b) noexcept {
        return int_lanes(a.v ^ b.v);
    }
    friend RIFFLE_INLINE int_lanes operator~(const int_lanes& a) noexcept { return int_lanes(~a.v); }
    friend RIFFLE_INLINE int_lanes operator<<(const int_lanes& a, int count) noexcept {
        return int_lanes(vector(unsigned_vector(a.v) << count));
    }
    friend RIFFLE_INLINE comparison<detail::comparing::equal> operator==(const int_lanes& a,
                                                                         const int_lanes& b) noexcept {
        return {a, b};
    }
    friend RIFFLE_INLINE comparison<detail::comparing::not_equal> operator!=(const int_lanes& a,
                                                                             const int_lanes& b) noexcept {
        return {a, b};
    }
    friend RIFFLE_INLINE comparison<detail::comparing::less> operator<(const int_lanes& a,
                                                                       const int_lanes& b) noexcept {
        return {a, b};
    }
    friend RIFFLE_INLINE int_lanes shift_right_logical(const int_lanes& a, int count) noexcept {
        return int_lanes(vector(unsigned_vector(a.v) >> count));
    }
    /// The upper and the lower 32 bits of the unsigned product with a constant, and the lower of any product.
    friend RIFFLE_INLINE int_lanes multiply_high(const int_lanes& a, std::uint32_t factor) noexcept {
        return detail::high_product(a, factor);
    }
    friend RIFFLE_INLINE int_lanes multiply_low(const int_lanes& a, std::uint32_t factor) noexcept {
        return int_lanes(vector(unsigned_vector(a.v) * factor));
    }
    friend RIFFLE_INLINE int_lanes multiply_low(const int_lanes& a, const int_lanes& b) noexcept {
        return int_lanes(vector(unsigned_vector(a.v) * unsigned_vector(b.v)));
    }
    friend RIFFLE_INLINE int_lanes blend(const int_lanes& mask, const int_lanes& a, const int_lanes& b) noexcept {
        return blend(mask != int_lanes(0), a, b);
    }
};

template <int N, bool Contract>
struct lanes {
    typedef float vector __attribute__((vector_size(4 * N)));
    using ints = int_lanes<N>;
    template <detail::comparing How>
    using comparison = lane_comparison<lanes, How>;
    vector v;

    RIFFLE_INLINE lanes() noexcept : v{} {}
    RIFFLE_INLINE lanes(float value) noexcept : v(-(-value - vector{})) {}
    RIFFLE_INLINE explicit lanes(const vector& value) noexcept : v(value) {}
    RIFFLE_INLINE lanes(const lanes& other) noexcept : v(other.v) {}
    RIFFLE_INLINE lanes& operator=(const lanes& other) noexcept {
        v = other.v;
        return *this;
    }
    /// N floats from memory of any alignment, and back.
    static RIFFLE_INLINE lanes load(const float* from) noexcept {
        lanes r;
        __builtin_memcpy(&r.v, from, sizeof r.v);
        return r;
    }
    /// Loads N floats into a register, for a value used twice: g++ would read memory again for the second use.
    static RIFFLE_INLINE lanes load_once(const float* from) noexcept {
        lanes r = load(from);
        if constexpr (N > 4) {  // SSE2 has no unaligned operands to read again
            RIFFLE_SETTLE(r.v)
        }
        return r;
    }
    RIFFLE_INLINE void store(float* to) const noexcept { __builtin_memcpy(to, &v, sizeof v); }
    RIFFLE_INLINE float operator[](int lane) const noexcept { return detail::element_of(*this, lane); }

    friend RIFFLE_INLINE lanes operator+(const lanes& a, const lanes& b) noexcept {
        if constexpr (Contract) {
            RIFFLE_CONTRACTION
            return lanes(a.v + b.v);
        } else {
            RIFFLE_NO_CONTRACTION
            return lanes(a.v + b.v);
        }
    }
    friend RIFFLE_INLINE lanes operator-(const lanes& a, const lanes& b) noexcept {
        if constexpr (Contract) {
            RIFFLE_CONTRACTION
            return lanes(a.v - b.v);
        } else {
            RIFFLE_NO_CONTRACTION
            return lanes(a.v - b.v);
        }
    }
    friend RIFFLE_INLINE lanes operator*(const lanes& a, const lanes& b) noexcept {
        if constexpr (Contract) {
            RIFFLE_CONTRACTION
            return lanes(a.v * b.v);
        } else {
            RIFFLE_NO_CONTRACTION
            lanes product(RIFFLE_ROUNDED_LANES(a.v * b.v));
            RIFFLE_SETTLE(product.v)
            return product;
        }
    }
    friend RIFFLE_INLINE lanes operator/(const lanes& a, const lanes& b) noexcept { return lanes(a.v / b.v); }
    friend RIFFLE_INLINE lanes operator-(const lanes& a) noexcept { return lanes(-a.v); }
    friend RIFFLE_INLINE comparison<detail::comparing::less> operator<(const lanes& a, const lanes& b) noexcept {
        return {a, b};
    }
    friend RIFFLE_INLINE comparison<detail::comparing::less_equal> operator<=(const lanes& a, const lanes& b) noexcept {
        return {a, b};
    }
    friend RIFFLE_INLINE comparison<detail::comparing::greater> operator>(const lanes& a, const lanes& b) noexcept {
        return {a, b};
    }
    friend RIFFLE_INLINE comparison<detail::comparing::greater_equal> operator>=(const lanes& a,
                                                                                 const lanes& b) noexcept {
        return {a, b};
    }
    friend RIFFLE_INLINE comparison<detail::comparing::equal> operator==(const lanes& a, const lanes& b) noexcept {
        return {a, b};
    }
    friend RIFFLE_INLINE comparison<detail::comparing::not_equal> operator!=(const lanes& a, const lanes& b) noexcept {
        return {a, b};
    }
    /// a where the mask is set, b elsewhere.
    friend RIFFLE_INLINE lanes blend(const ints& mask, const lanes& a, const lanes& b) noexcept {
        return blend(mask != ints(0), a, b);
    }
    /// The greater and the lesser; b where either is NaN.
    /// (g++ makes one instruction of them only when b is not a constant, so it is made to forget that.)
    friend RIFFLE_INLINE lanes greater_of(const lanes& a, const lanes& b) noexcept {
#if RIFFLE_512_BY_BUILTINS
        if constexpr (N == 16) return detail::greater_512(a, b);
#endif
        lanes c = b;
        RIFFLE_SETTLE(c.v)
        return lanes(a.v > c.v ? a.v : c.v);
    }
    friend RIFFLE_INLINE lanes lesser_of(const lanes& a, const lanes& b) noexcept {
#if RIFFLE_512_BY_BUILTINS
        if constexpr (N == 16) return detail::lesser_512(a, b);
#endif
        lanes c = b;
        RIFFLE_SETTLE(c.v)
        return lanes(a.v < c.v ? a.v : c.v);
    }
    /// The bit patterns, and the floats of bit patterns.
    friend RIFFLE_INLINE ints as_bits(const lanes& a) noexcept {
        ints r;
        __builtin_memcpy(&r.v, &a.v, sizeof r.v);
        return r;
    }
    static RIFFLE_INLINE lanes from_bits(const ints& bits) noexcept {
        lanes r;
        __builtin_memcpy(&r.v, &bits.v, sizeof r.v);
        return r;
    }
    /// To the integer next to zero (|a| < 2^31), and back.
    friend RIFFLE_INLINE ints truncate(const lanes& a) noexcept { return detail::converted<ints>(a); }
    static RIFFLE_INLINE lanes from_int(const ints& a) noexcept { return detail::converted<lanes>(a); }
};

}  // namespace riffle
