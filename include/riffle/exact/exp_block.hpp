#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>

#include <riffle/core/row.hpp>
#include <riffle/exact/double_lanes.hpp>
#include <riffle/exact/rounded.hpp>
#include <riffle/math/elementwise.hpp>
#include <riffle/wide/dispatch.hpp>

namespace riffle::inline RIFFLE_ABI::exact {

/// exp(x) for -104 <= x <= 0, relative error below 1e-11: by powers of two and a Taylor polynomial.
template <class D>
RIFFLE_INLINE D exp_in_doubles(const D& x) noexcept {
    const D magic(6755399441055744.0);  // 1.5 * 2^52: adding it rounds to a whole number, which stands in the low bits
    const D y = rounded(x * D(1.4426950408889634) + magic);
    const D n = y - magic;
    const D r = (x - n * D(0.693145751953125)) - n * D(1.4286068203094172321e-6);
    D p = r * D(1.0 / 362880.0) + D(1.0 / 40320.0);
    p = p * r + D(1.0 / 5040.0);
    p = p * r + D(1.0 / 720.0);
    p = p * r + D(1.0 / 120.0);
    p = p * r + D(1.0 / 24.0);
    p = p * r + D(1.0 / 6.0);
    p = p * r + D(0.5);
    p = p * r + D(1.0);
    p = p * r + D(1.0);
    return D::scaled(p, y);
}

/// expf(x - maximum) of a block, the same floats as the C library's, without calling it for most of them: a double
/// evaluation is rounded, and where that would fall otherwise a little further up or down, the library is asked.
/// (glibc's expf is right to 0.502 units in the last place, so only within 0.002 of the middle between two floats can
/// it round the other way; the library is asked within 0.004.)
///
/// `high` holds the value as it would round a little further up. Answers which of the 16 groups of 16 hold one that
/// differs there, or that is no normal float.
struct exp_block_pass {
    template <int N>
    static RIFFLE_INLINE std::uint32_t run(const float* const& x, float maximum, float* const& e,
                                           float* const& high) noexcept {
        using V = lanes<N>;
        using D = double_lanes<N / 2>;
        constexpr double little = 0x1p-24 * 0.008;
        std::uint32_t doubtful = 0;
        for (std::size_t group = 0; group < 16; ++group) {
            const std::size_t first = group * 16;
            float below[16];
            int_lanes<N> differ(0);
            for (std::size_t i = 0; i < 16; i += N) {
                const V b = V::load(x + first + i) - V(maximum);
                differ = blend(b < V(-86.0f), int_lanes<N>(1), differ);
                greater_of(b, V(-104.0f)).store(below + i);
            }
            for (std::size_t i = 0; i < 16; i += N / 2) {
                const D value = exp_in_doubles(D::load(below + i));
                (value - value * D(little)).store(e + first + i);
                (value + value * D(little)).store(high + first + i);
            }
            for (std::size_t i = 0; i < 16; i += N)
                differ = differ | (as_bits(V::load(e + first + i)) ^ as_bits(V::load(high + first + i)));
            doubtful |= std::uint32_t(any(differ)) << group;
        }
        return doubtful;
    }
};

/// All of a block; `e` has room for block_size.
inline void exp_block(const float* x, float maximum, float* e) noexcept {
    float high[block_size];
    for (auto doubtful = wide::run<exp_block_pass>(x, maximum, e, static_cast<float*>(high)); doubtful;
         doubtful &= doubtful - 1) {
        const auto group = std::size_t(std::countr_zero(doubtful)) * 16;
        for (std::size_t i = group; i < group + 16; ++i) {
            const float below = x[i] - maximum;
            if (e[i] == high[i] && below > -86.0f) continue;
            e[i] = below > -104.0f ? libm::exp(below) : 0.0f;
        }
    }
}

}  // namespace riffle::exact
