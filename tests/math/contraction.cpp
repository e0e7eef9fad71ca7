// A product and a sum are two roundings, whatever the flags: (1 + 2^-12)^2 - (1 + 2^-11) is 0 when the product is
// rounded and 2^-24 when it is not. Compiler flags that override what config.hpp does would show here.

#include <array>

#include <gtest/gtest.h>

#include <riffle/math/elementwise.hpp>
#include <riffle/math/fixed_mass.hpp>
#include <riffle/wide/dispatch.hpp>

#include "lane_widths.hpp"

namespace riffle_tests::math_contraction {
namespace {

using namespace riffle;

/// a * b + c, c + a * b, a * b - c, c - a * b, with a = b = 1 + 2^-12 and |c| = 1 + 2^-11: all 0 unless fused. The last
/// is a polynomial step with the product in the middle.
using results = std::array<float, 5>;
template <class V>
RIFFLE_INLINE std::array<V, 5> products_and_sums(const V& a, const V& c) noexcept {
    return {a * a + (-c), (-c) + a * a, a * a - c, c - a * a, (a * a - c) * a + (a * a - c)};
}

std::array<float, 16> repeated(float value) {
    volatile float hidden = value;  // so that nothing is computed by the compiler
    std::array<float, 16> all;
    for (auto& x : all) x = hidden;
    return all;
}
const std::array<float, 16> a = repeated(1.0f + 0x1p-12f), c = repeated(1.0f + 0x1p-11f);

struct products_pass {
    template <int N>
    static RIFFLE_INLINE void run(results* const& out) noexcept {
        const auto r = products_and_sums(lanes<N>::load(a.data()), lanes<N>::load(c.data()));
        for (std::size_t k = 0; k < r.size(); ++k) (*out)[k] = r[k][N - 1];
    }
};
/// The scalar form within wide code, as maps of single logits are.
struct scalar_pass {
    template <int N>
    static RIFFLE_INLINE void run(results* const& out) noexcept {
        const auto r = products_and_sums(lanes<1>(a[0]), lanes<1>(c[0]));
        for (std::size_t k = 0; k < r.size(); ++k) (*out)[k] = r[k][0];
    }
};

TEST(Contraction, ThereIsNoneInPasses) {
    at_every_width([](int) {
        results r{};
        r.fill(1.0f);
        wide::run<products_pass>(&r);
        EXPECT_EQ(r, results{});
        r.fill(1.0f);
        wide::run<scalar_pass>(&r);
        EXPECT_EQ(r, results{});
    });
}

RIFFLE_NOINLINE results in_an_ordinary_function() noexcept {
    const auto r = products_and_sums(lanes<1>(a[0]), lanes<1>(c[0]));
    return {r[0][0], r[1][0], r[2][0], r[3][0], r[4][0]};
}
#if RIFFLE_X86
RIFFLE_TARGET_AVX2 RIFFLE_NOINLINE results in_a_function_that_has_fused_instructions() noexcept {
    const auto r = products_and_sums(lanes<1>(a[0]), lanes<1>(c[0]));
    return {r[0][0], r[1][0], r[2][0], r[3][0], r[4][0]};
}
#endif

TEST(Contraction, ThereIsNoneInOneLaneAnywhere) {
    EXPECT_EQ(in_an_ordinary_function(), results{});
#if RIFFLE_X86
    if (wide::widest() >= 8) {
        EXPECT_EQ(in_a_function_that_has_fused_instructions(), results{});
    }
#endif
}

/// exp and the weights by lanes, in which a fused step would move the last bits of many of these.
struct functions_pass {
    template <int N>
    static RIFFLE_INLINE void run(const float* const& x, std::size_t size, float* const& out,
                                  std::int32_t* const& weights) noexcept {
        for (std::size_t i = 0; i < size; i += N) {
            const auto v = lanes<N>::load(x + i);
            (exp(v) + log(absolute(v)) + tanh(v) + reciprocal(v)).store(out + i);
            const auto w = fixed_mass(v);
            for (int lane = 0; lane < N; ++lane) weights[i + std::size_t(lane)] = w[lane];
        }
    }
};

TEST(Contraction, FunctionsHaveTheSameBitsAtEveryWidth) {
    constexpr std::size_t size = 4096;
    std::array<float, size> x, expected, found;
    std::array<std::int32_t, size> expected_weights, weights;
    for (std::size_t i = 0; i < size; ++i) x[i] = -0.007f * float(i + 1);
    functions_pass::run<1>(x.data(), size, expected.data(), expected_weights.data());
    at_every_width([&](int) {
        wide::run<functions_pass>(x.data(), size, found.data(), weights.data());
        EXPECT_EQ(found, expected);
        EXPECT_EQ(weights, expected_weights);
    });
}

}  // namespace
}  // namespace riffle_tests::math_contraction
