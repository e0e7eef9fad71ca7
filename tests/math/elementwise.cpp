// Errors against long double, and the same bits at every width. That maps are monotone is tested in monotone.cpp.

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/math/elementwise.hpp>
#include <riffle/math/ordered.hpp>
#include <riffle/wide/dispatch.hpp>

#include "lane_widths.hpp"

namespace riffle_tests::math_elementwise {
namespace {

using namespace riffle;

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float least_normal = std::numeric_limits<float>::min();

/// Calls f for every `stride`-th float of [low, high], and for both ends.
template <class F>
void each_float(float low, float high, std::int32_t stride, F f) {
    for (std::int64_t key = ordered_key(low); key < ordered_key(high); key += stride)
        f(from_ordered_key(std::int32_t(key)));
    f(high);
}

long double relative_error(float found, long double exact) {
    return std::fabs((static_cast<long double>(found) - exact) / exact);
}

float exp_of(float x) { return exp(lanes<1>(x))[0]; }
float log_of(float x) { return log(lanes<1>(x))[0]; }
float reciprocal_of(float x) { return reciprocal(lanes<1>(x))[0]; }
float tanh_of(float x) { return tanh(lanes<1>(x))[0]; }
float minus_log_complement_of(float x) { return minus_log_complement(lanes<1>(x))[0]; }

TEST(Exp, RelativeErrorIsBelow2em7) {
    long double worst = 0;
    each_float(-87.0f, 88.0f, 20011, [&](float x) {
        worst = std::max(worst, relative_error(exp_of(x), std::exp(static_cast<long double>(x))));
    });
    EXPECT_LT(worst, 2e-7L);
}

TEST(Exp, Ends) {
    EXPECT_EQ(exp_of(0.0f), 1.0f);
    EXPECT_EQ(exp_of(-0.0f), 1.0f);
    EXPECT_EQ(exp_of(-inf), exp_of(-87.0f));
    EXPECT_EQ(exp_of(-1e30f), exp_of(-87.0f));
    EXPECT_EQ(exp_of(inf), exp_of(88.0f));
    EXPECT_EQ(exp_of(1e30f), exp_of(88.0f));
}

TEST(Log, RelativeErrorIsBelow2em7) {
    long double worst = 0;
    const auto expect = [&](float x) {
        if (x != 1.0f) worst = std::max(worst, relative_error(log_of(x), std::log(static_cast<long double>(x))));
    };
    each_float(least_normal, greatest_logit, 10007, expect);
    each_float(0.99f, 1.01f, 7, expect);  // where the result is small
    EXPECT_LT(worst, 2e-7L);
}

TEST(Log, Ends) {
    EXPECT_EQ(log_of(1.0f), 0.0f);
    EXPECT_EQ(log_of(0.0f), log_of(least_normal));
    EXPECT_EQ(log_of(-1.0f), log_of(least_normal));
    EXPECT_EQ(log_of(0x1p-149f), log_of(least_normal));
    EXPECT_EQ(log_of(nan), log_of(least_normal));
    EXPECT_NEAR(log_of(inf), 128 * std::log(2.0), 1e-4);
}

TEST(MinusLogComplement, KeepsItsDigitsWhereTheArgumentIsSmall) {
    long double worst = 0;
    each_float(0x1p-32f, 0x1.fffffep-1f, 997, [&](float v) {
        worst = std::max(worst, relative_error(minus_log_complement_of(v), -std::log1p(-static_cast<long double>(v))));
    });
    EXPECT_LT(worst, 4e-7L);
}

TEST(Reciprocal, RelativeErrorIsBelow2em7) {
    long double worst = 0;
    // Up to 2^126: beyond, 1 / x is no normal float.
    each_float(least_normal, 0x1p126f, 10007, [&](float x) {
        worst = std::max(worst, relative_error(reciprocal_of(x), 1 / static_cast<long double>(x)));
        ASSERT_EQ(reciprocal_of(-x), -reciprocal_of(x));
    });
    EXPECT_LT(worst, 2e-7L);
    EXPECT_FLOAT_EQ(reciprocal_of(1.0f), 1.0f);
    EXPECT_FLOAT_EQ(reciprocal_of(-4.0f), -0.25f);
}

TEST(Tanh, AbsoluteErrorIsBelow2em7) {
    long double worst = 0, worst_relative = 0;
    const auto expect = [&](float x) {
        const auto exact = std::tanh(static_cast<long double>(x));
        worst = std::max(worst, std::fabs(static_cast<long double>(tanh_of(x)) - exact));
        if (std::isnormal(x) && std::fabs(x) < 0.56f)
            worst_relative = std::max(worst_relative, relative_error(tanh_of(x), exact));
    };
    each_float(-inf, inf, 50021, expect);
    each_float(0.25f, 20.0f, 1009, expect);
    EXPECT_LT(worst, 2e-7L);
    EXPECT_LT(worst_relative, 1e-7L);
}

TEST(Tanh, IsOddAndEndsInOne) {
    for (const float x : {0.0f, 1e-30f, 0.1f, 0.5625f, 0.6f, 1.0f, 5.0f, 19.0f, 100.0f, inf})
        EXPECT_EQ(tanh_of(-x), -tanh_of(x)) << x;
    EXPECT_EQ(tanh_of(inf), 1.0f);
    EXPECT_EQ(tanh_of(-inf), -1.0f);
    EXPECT_EQ(tanh_of(30.0f), 1.0f);
    EXPECT_EQ(tanh_of(0x1p-149f), 0.0f);  // denormals count as 0, so that flushing cannot show
}

TEST(Flushed, RemovesDenormalsAndTheLeastNormalOnly) {
    for (const float x : {1.0f, -0x1.000002p-126f, inf, -inf, greatest_logit}) EXPECT_EQ(flushed(lanes<1>(x))[0], x);
    for (const float x : {0x1p-149f, -0x1p-149f, least_normal - 0x1p-149f, least_normal, -least_normal, -0.0f})
        EXPECT_EQ(std::bit_cast<std::uint32_t>(flushed(lanes<1>(x))[0]), 0u);
}

TEST(Elementwise, KnownValues) {
    // Bits that golden streams and cuts stand on.
    const auto bits = [](float x) { return std::bit_cast<std::uint32_t>(x); };
    EXPECT_EQ(bits(exp_of(1.0f)), 0x402df854u);
    EXPECT_EQ(bits(exp_of(-10.5f)), 0x37e6fe14u);
    EXPECT_EQ(bits(log_of(0.05f)), 0xc03fba14u);
    EXPECT_EQ(bits(log_of(10.0f)), 0x40135d8eu);
    EXPECT_EQ(bits(tanh_of(0.3f)), 0x3e9526eeu);
    EXPECT_EQ(bits(tanh_of(0.9f)), 0x3f375f4cu);
    EXPECT_EQ(bits(reciprocal_of(3.0f)), 0x3eaaaaabu);
    EXPECT_EQ(bits(minus_log_complement_of(1e-9f)), 0x3089705fu);
    EXPECT_EQ(bits(minus_log_complement_of(0.7f)), 0x3f9a1bc8u);
}

/// Every function on one float, and on N at once.
struct functions_pass {
    static constexpr std::size_t functions = 8;
    template <int N>
    static RIFFLE_INLINE void run(const float* const& x, std::size_t size, std::uint32_t* const& out) noexcept {
        using V = lanes<N>;
        for (std::size_t i = 0; i < size; i += N) {
            const V v = V::load(x + i);
            const V u = lesser_of(greater_of(absolute(v), V(1e-9f)), V(0.99f));
            const std::array<V, functions> r{exp(v),
                                             log(v),
                                             minus_log_complement(u),
                                             reciprocal(lesser_of(absolute(v) + V(least_normal), V(1e38f))),
                                             tanh(v),
                                             flushed(v),
                                             absolute(v),
                                             canonical(v)};
            for (std::size_t k = 0; k < functions; ++k)
                for (int lane = 0; lane < N; ++lane)
                    out[(i + std::size_t(lane)) * functions + k] = std::uint32_t(as_bits(r[k])[lane]);
        }
    }
};

TEST(Elementwise, IsTheSameAtEveryWidth) {
    std::vector<float> x{0.0f, -0.0f, inf, -inf, nan, least_normal, -least_normal, 0x1p-149f, greatest_logit};
    each_float(-inf, inf, 200003, [&](float value) { x.push_back(value); });
    while (x.size() % 16) x.push_back(1.0f);
    std::vector<std::uint32_t> expected(x.size() * functions_pass::functions), found(expected.size());
    functions_pass::run<1>(x.data(), x.size(), expected.data());
    at_every_width([&](int) {
        wide::run<functions_pass>(x.data(), x.size(), found.data());
        EXPECT_EQ(found, expected);
    });
}

}  // namespace
}  // namespace riffle_tests::math_elementwise
