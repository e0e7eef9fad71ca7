#pragma once
#include <cstdint>

#include <riffle/math/lanes_of_vectors.hpp>

// Doubles as a vector of the compiler (exact/double_lanes.hpp).

namespace riffle::inline RIFFLE_ABI::exact {

/// N doubles at once, as math/lanes.hpp has floats: for evaluations whose error is bounded, so products and sums may
/// fuse unless rounded() says otherwise.
template <int N>
struct double_lanes {
    typedef double vector __attribute__((vector_size(8 * N)));
    typedef std::uint64_t bit_vector __attribute__((vector_size(8 * N)));
    typedef float float_vector __attribute__((vector_size(4 * N)));
    vector v;

    RIFFLE_INLINE double_lanes() noexcept : v{} {}
    RIFFLE_INLINE double_lanes(double value) noexcept : v(value - vector{}) {}
    RIFFLE_INLINE explicit double_lanes(const vector& value) noexcept : v(value) {}
    RIFFLE_INLINE double_lanes(const double_lanes& other) noexcept : v(other.v) {}
    RIFFLE_INLINE double_lanes& operator=(const double_lanes& other) noexcept {
        v = other.v;
        return *this;
    }
    static RIFFLE_INLINE double_lanes load(const float* from) noexcept { return widened<double_lanes>(from); }
    RIFFLE_INLINE void store(float* to) const noexcept { narrow(*this, to); }
    RIFFLE_INLINE double operator[](int lane) const noexcept { return riffle::detail::element_of(*this, lane); }

    friend RIFFLE_INLINE double_lanes operator+(const double_lanes& a, const double_lanes& b) noexcept {
        return double_lanes(a.v + b.v);
    }
    friend RIFFLE_INLINE double_lanes operator-(const double_lanes& a, const double_lanes& b) noexcept {
        return double_lanes(a.v - b.v);
    }
    friend RIFFLE_INLINE double_lanes operator*(const double_lanes& a, const double_lanes& b) noexcept {
        return double_lanes(a.v * b.v);
    }
    /// a with the low bits of b added to its exponent.
    static RIFFLE_INLINE double_lanes scaled(const double_lanes& a, const double_lanes& b) noexcept {
        return double_lanes(vector(bit_vector(a.v) + (bit_vector(b.v) << 52)));
    }
    friend RIFFLE_INLINE double_lanes absolute(const double_lanes& a) noexcept {
        return double_lanes(vector(bit_vector(a.v) & 0x7fffffffffffffffu));
    }
    /// The greater; b where either is NaN.
    friend RIFFLE_INLINE double_lanes greater_of(const double_lanes& a, const double_lanes& b) noexcept {
        return double_lanes(a.v > b.v ? a.v : b.v);
    }
    /// As it is rounded, never part of a fused multiply-add.
    friend RIFFLE_INLINE double_lanes rounded(double_lanes a) noexcept {
        RIFFLE_SETTLE(a.v)
        return a;
    }

private:
    // Behind a template parameter, as in math/lanes.hpp: the types are settled only there.
    template <class Lanes>
    static RIFFLE_INLINE Lanes widened(const float* from) noexcept {
        typename Lanes::float_vector f;
        __builtin_memcpy(&f, from, sizeof f);
        Lanes r;
        r.v = __builtin_convertvector(f, typename Lanes::vector);
        return r;
    }
    template <class Lanes>
    static RIFFLE_INLINE void narrow(const Lanes& a, float* to) noexcept {
        const auto f = __builtin_convertvector(a.v, typename Lanes::float_vector);
        __builtin_memcpy(to, &f, sizeof f);
    }
};

}  // namespace riffle::exact
