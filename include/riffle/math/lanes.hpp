#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <riffle/math/config.hpp>
#include <riffle/math/lanes_512.hpp>

// The lane type: N floats that are computed together, and the N integers (also the masks) that go with them.
//
// A struct around a compiler vector, with always-inline operators and no intrinsics, so that one body serves every
// width and takes on the target of the function it is inlined into. The copy constructors are user-provided on purpose:
// a trivially copyable lane type would travel in registers whose choice depends on the target flags, and a map that is
// not inlined (-O0) would then be called through one ABI and return through another. For the same reason no function
// returns a raw vector.
//
// `Contract` allows a product and a sum to become one fused multiply-add; only numerics::fast asks for it.

namespace riffle::inline RIFFLE_ABI {

/// A product as it is rounded, never part of a fused multiply-add.
RIFFLE_INLINE float rounded(float product) noexcept {
    RIFFLE_PIN_SCALAR(product)
    return product;
}

template <int N>
struct int_lanes;
template <int N, bool Contract = false>
struct lanes;

#if RIFFLE_VECTORS

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
    /// The same, for a value used twice: g++ would read memory again for the second use.
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

#else  // plain arrays, for the optimiser to vectorise

template <int N>
struct int_lanes {
    std::int32_t v[N];

    int_lanes() noexcept : v{} {}
    int_lanes(std::int32_t value) noexcept {
        for (auto& e : v) e = value;
    }
    static int_lanes iota() noexcept {
        return make([](int i) { return i; });
    }
    static int_lanes load(const std::int32_t* from) noexcept {
        return make([&](int i) { return from[i]; });
    }
    template <class Call>
    static int_lanes make(Call f) noexcept {
        int_lanes r;
        for (int i = 0; i < N; ++i) r.v[i] = std::int32_t(f(i));
        return r;
    }
    std::int32_t operator[](int lane) const noexcept { return v[lane]; }
    static std::uint32_t u(std::int32_t a) noexcept { return std::uint32_t(a); }

    friend int_lanes operator+(const int_lanes& a, const int_lanes& b) noexcept {
        return make([&](int i) { return u(a.v[i]) + u(b.v[i]); });
    }
    friend int_lanes operator-(const int_lanes& a, const int_lanes& b) noexcept {
        return make([&](int i) { return u(a.v[i]) - u(b.v[i]); });
    }
    friend int_lanes operator&(const int_lanes& a, const int_lanes& b) noexcept {
        return make([&](int i) { return a.v[i] & b.v[i]; });
    }
    friend int_lanes operator|(const int_lanes& a, const int_lanes& b) noexcept {
        return make([&](int i) { return a.v[i] | b.v[i]; });
    }
    friend int_lanes operator^(const int_lanes& a, const int_lanes& b) noexcept {
        return make([&](int i) { return a.v[i] ^ b.v[i]; });
    }
    friend int_lanes operator~(const int_lanes& a) noexcept {
        return make([&](int i) { return ~a.v[i]; });
    }
    friend int_lanes operator<<(const int_lanes& a, int count) noexcept {
        return make([&](int i) { return u(a.v[i]) << count; });
    }
    friend int_lanes operator==(const int_lanes& a, const int_lanes& b) noexcept {
        return make([&](int i) { return -(a.v[i] == b.v[i]); });
    }
    friend int_lanes operator!=(const int_lanes& a, const int_lanes& b) noexcept {
        return make([&](int i) { return -(a.v[i] != b.v[i]); });
    }
    friend int_lanes operator<(const int_lanes& a, const int_lanes& b) noexcept {
        return make([&](int i) { return -(a.v[i] < b.v[i]); });
    }
    friend int_lanes shift_right_logical(const int_lanes& a, int count) noexcept {
        return make([&](int i) { return u(a.v[i]) >> count; });
    }
    friend int_lanes multiply_high(const int_lanes& a, std::uint32_t factor) noexcept {
        return make([&](int i) { return std::uint64_t{u(a.v[i])} * factor >> 32; });
    }
    friend int_lanes multiply_low(const int_lanes& a, std::uint32_t factor) noexcept {
        return make([&](int i) { return u(a.v[i]) * factor; });
    }
    friend int_lanes multiply_low(const int_lanes& a, const int_lanes& b) noexcept {
        return make([&](int i) { return u(a.v[i]) * u(b.v[i]); });
    }
    friend int_lanes blend(const int_lanes& mask, const int_lanes& a, const int_lanes& b) noexcept {
        return make([&](int i) { return mask.v[i] ? a.v[i] : b.v[i]; });
    }
};

template <int N, bool Contract>
struct lanes {
    using ints = int_lanes<N>;
    float v[N];

    lanes() noexcept : v{} {}
    lanes(float value) noexcept {
        for (auto& e : v) e = value;
    }
    explicit lanes(const float (&values)[N]) noexcept { std::memcpy(v, values, sizeof v); }
    template <class Call>
    static lanes make(Call f) noexcept {
        lanes r;
        for (int i = 0; i < N; ++i) r.v[i] = f(i);
        return r;
    }
    static lanes load(const float* from) noexcept {
        return make([&](int i) { return from[i]; });
    }
    static lanes load_once(const float* from) noexcept { return load(from); }
    void store(float* to) const noexcept { std::memcpy(to, v, sizeof v); }
    float operator[](int lane) const noexcept { return v[lane]; }

    friend lanes operator+(const lanes& a, const lanes& b) noexcept {
        RIFFLE_NO_CONTRACTION
        return make([&](int i) { return a.v[i] + b.v[i]; });
    }
    friend lanes operator-(const lanes& a, const lanes& b) noexcept {
        RIFFLE_NO_CONTRACTION
        return make([&](int i) { return a.v[i] - b.v[i]; });
    }
    friend lanes operator*(const lanes& a, const lanes& b) noexcept {
        RIFFLE_NO_CONTRACTION
        return make([&](int i) { return rounded(a.v[i] * b.v[i]); });
    }
    friend lanes operator/(const lanes& a, const lanes& b) noexcept {
        return make([&](int i) { return a.v[i] / b.v[i]; });
    }
    friend lanes operator-(const lanes& a) noexcept {
        return make([&](int i) { return -a.v[i]; });
    }
    friend ints operator<(const lanes& a, const lanes& b) noexcept {
        return ints::make([&](int i) { return -(a.v[i] < b.v[i]); });
    }
    friend ints operator<=(const lanes& a, const lanes& b) noexcept {
        return ints::make([&](int i) { return -(a.v[i] <= b.v[i]); });
    }
    friend ints operator>(const lanes& a, const lanes& b) noexcept {
        return ints::make([&](int i) { return -(a.v[i] > b.v[i]); });
    }
    friend ints operator>=(const lanes& a, const lanes& b) noexcept {
        return ints::make([&](int i) { return -(a.v[i] >= b.v[i]); });
    }
    friend ints operator==(const lanes& a, const lanes& b) noexcept {
        return ints::make([&](int i) { return -(a.v[i] == b.v[i]); });
    }
    friend ints operator!=(const lanes& a, const lanes& b) noexcept {
        return ints::make([&](int i) { return -(a.v[i] != b.v[i]); });
    }
    friend lanes blend(const ints& mask, const lanes& a, const lanes& b) noexcept {
        return make([&](int i) { return mask.v[i] ? a.v[i] : b.v[i]; });
    }
    friend lanes greater_of(const lanes& a, const lanes& b) noexcept {
        return make([&](int i) { return a.v[i] > b.v[i] ? a.v[i] : b.v[i]; });
    }
    friend lanes lesser_of(const lanes& a, const lanes& b) noexcept {
        return make([&](int i) { return a.v[i] < b.v[i] ? a.v[i] : b.v[i]; });
    }
    friend ints as_bits(const lanes& a) noexcept {
        return ints::make([&](int i) { return std::bit_cast<std::int32_t>(a.v[i]); });
    }
    static lanes from_bits(const ints& bits) noexcept {
        return make([&](int i) { return std::bit_cast<float>(bits.v[i]); });
    }
    friend ints truncate(const lanes& a) noexcept {
        return ints::make([&](int i) { return std::int32_t(a.v[i]); });
    }
    static lanes from_int(const ints& a) noexcept {
        return make([&](int i) { return float(a.v[i]); });
    }
};

#endif

/// `a` in the lanes where the mask holds, `b` in the others: for maps of your own. Written blend(mask, a, b) where a
/// program has select as a macro.
template <class Mask, class Value>
RIFFLE_INLINE constexpr Value (select)(const Mask& mask, const Value& a, const Value& b) noexcept {
    return blend(mask, a, b);
}

/// One lane: the scalar form, of the same type as the wide ones, so that g++ cannot contract it either.
template <>
struct int_lanes<1> {
    std::int32_t v;
    RIFFLE_INLINE int_lanes() noexcept : v{} {}
    RIFFLE_INLINE int_lanes(std::int32_t value) noexcept : v(value) {}
    RIFFLE_INLINE int_lanes(const int_lanes& other) noexcept : v(other.v) {}
    RIFFLE_INLINE int_lanes& operator=(const int_lanes& other) noexcept {
        v = other.v;
        return *this;
    }
    static RIFFLE_INLINE int_lanes iota() noexcept { return 0; }
    RIFFLE_INLINE std::int32_t operator[](int) const noexcept { return v; }
    static RIFFLE_INLINE int_lanes of(std::uint32_t value) noexcept { return std::int32_t(value); }
    static RIFFLE_INLINE std::uint32_t u(const int_lanes& a) noexcept { return std::uint32_t(a.v); }

    friend RIFFLE_INLINE int_lanes operator+(const int_lanes& a, const int_lanes& b) noexcept {
        return of(u(a) + u(b));
    }
    friend RIFFLE_INLINE int_lanes operator-(const int_lanes& a, const int_lanes& b) noexcept {
        return of(u(a) - u(b));
    }
    friend RIFFLE_INLINE int_lanes operator&(const int_lanes& a, const int_lanes& b) noexcept { return a.v & b.v; }
    friend RIFFLE_INLINE int_lanes operator|(const int_lanes& a, const int_lanes& b) noexcept { return a.v | b.v; }
    friend RIFFLE_INLINE int_lanes operator^(const int_lanes& a, const int_lanes& b) noexcept { return a.v ^ b.v; }
    friend RIFFLE_INLINE int_lanes operator~(const int_lanes& a) noexcept { return ~a.v; }
    friend RIFFLE_INLINE int_lanes operator<<(const int_lanes& a, int count) noexcept { return of(u(a) << count); }
    friend RIFFLE_INLINE int_lanes operator==(const int_lanes& a, const int_lanes& b) noexcept { return -(a.v == b.v); }
    friend RIFFLE_INLINE int_lanes operator!=(const int_lanes& a, const int_lanes& b) noexcept { return -(a.v != b.v); }
    friend RIFFLE_INLINE int_lanes operator<(const int_lanes& a, const int_lanes& b) noexcept { return -(a.v < b.v); }
    friend RIFFLE_INLINE int_lanes shift_right_logical(const int_lanes& a, int count) noexcept {
        return of(u(a) >> count);
    }
    friend RIFFLE_INLINE int_lanes multiply_high(const int_lanes& a, std::uint32_t factor) noexcept {
        return of(std::uint32_t(std::uint64_t{u(a)} * factor >> 32));
    }
    friend RIFFLE_INLINE int_lanes multiply_low(const int_lanes& a, std::uint32_t factor) noexcept {
        return of(u(a) * factor);
    }
    friend RIFFLE_INLINE int_lanes multiply_low(const int_lanes& a, const int_lanes& b) noexcept {
        return of(u(a) * u(b));
    }
    friend RIFFLE_INLINE int_lanes blend(const int_lanes& mask, const int_lanes& a, const int_lanes& b) noexcept {
        return mask.v ? a.v : b.v;
    }
};

template <bool Contract>
struct lanes<1, Contract> {
    using ints = int_lanes<1>;
    float v;
    RIFFLE_INLINE lanes() noexcept : v{} {}
    RIFFLE_INLINE lanes(float value) noexcept : v(value) {}
    RIFFLE_INLINE lanes(const lanes& other) noexcept : v(other.v) {}
    RIFFLE_INLINE lanes& operator=(const lanes& other) noexcept {
        v = other.v;
        return *this;
    }
    static RIFFLE_INLINE lanes load(const float* from) noexcept { return *from; }
    RIFFLE_INLINE void store(float* to) const noexcept { *to = v; }
    RIFFLE_INLINE float operator[](int) const noexcept { return v; }

    friend RIFFLE_INLINE lanes operator+(const lanes& a, const lanes& b) noexcept {
        RIFFLE_NO_CONTRACTION
        return a.v + b.v;
    }
    friend RIFFLE_INLINE lanes operator-(const lanes& a, const lanes& b) noexcept {
        RIFFLE_NO_CONTRACTION
        return a.v - b.v;
    }
    friend RIFFLE_INLINE lanes operator*(const lanes& a, const lanes& b) noexcept {
        RIFFLE_NO_CONTRACTION
        return rounded(a.v * b.v);
    }
    friend RIFFLE_INLINE lanes operator/(const lanes& a, const lanes& b) noexcept { return a.v / b.v; }
    friend RIFFLE_INLINE lanes operator-(const lanes& a) noexcept { return -a.v; }
    friend RIFFLE_INLINE ints operator<(const lanes& a, const lanes& b) noexcept { return -(a.v < b.v); }
    friend RIFFLE_INLINE ints operator<=(const lanes& a, const lanes& b) noexcept { return -(a.v <= b.v); }
    friend RIFFLE_INLINE ints operator>(const lanes& a, const lanes& b) noexcept { return -(a.v > b.v); }
    friend RIFFLE_INLINE ints operator>=(const lanes& a, const lanes& b) noexcept { return -(a.v >= b.v); }
    friend RIFFLE_INLINE ints operator==(const lanes& a, const lanes& b) noexcept { return -(a.v == b.v); }
    friend RIFFLE_INLINE ints operator!=(const lanes& a, const lanes& b) noexcept { return -(a.v != b.v); }
    friend RIFFLE_INLINE lanes blend(const ints& mask, const lanes& a, const lanes& b) noexcept {
        return mask.v ? a.v : b.v;
    }
    friend RIFFLE_INLINE lanes greater_of(const lanes& a, const lanes& b) noexcept { return a.v > b.v ? a.v : b.v; }
    friend RIFFLE_INLINE lanes lesser_of(const lanes& a, const lanes& b) noexcept { return a.v < b.v ? a.v : b.v; }
    friend RIFFLE_INLINE ints as_bits(const lanes& a) noexcept { return std::bit_cast<std::int32_t>(a.v); }
    static RIFFLE_INLINE lanes from_bits(const ints& bits) noexcept { return std::bit_cast<float>(bits.v); }
    friend RIFFLE_INLINE ints truncate(const lanes& a) noexcept { return std::int32_t(a.v); }
    static RIFFLE_INLINE lanes from_int(const ints& a) noexcept { return float(a.v); }
};

/// The greatest lane.
template <int N, bool Contract>
RIFFLE_INLINE float reduce_max(const lanes<N, Contract>& a) noexcept {
    if constexpr (N == 1) {
        return a[0];
    } else {
        lanes<N / 2, Contract> low, high;
        std::memcpy(&low.v, &a.v, sizeof low.v);
        std::memcpy(&high.v, reinterpret_cast<const char*>(&a.v) + sizeof low.v, sizeof high.v);
        return reduce_max(greater_of(low, high));
    }
}

/// Whether any lane of a mask is set, or any bit. By halves, because g++ would take the lanes out one by one.
template <int N>
RIFFLE_INLINE bool any(const int_lanes<N>& mask) noexcept {
    if constexpr (N <= 4) {
        std::uint64_t pairs[std::size_t(N / 2 + N % 2)] = {};
        std::memcpy(pairs, &mask.v, sizeof mask.v);
        return (pairs[0] | pairs[N / 4]) != 0;
    } else {
        int_lanes<N / 2> low, high;
        std::memcpy(&low.v, &mask.v, sizeof low.v);
        std::memcpy(&high.v, reinterpret_cast<const char*>(&mask.v) + sizeof low.v, sizeof high.v);
        return any(low | high);
    }
}

}  // namespace riffle
