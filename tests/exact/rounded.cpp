// A product and a sum are two roundings, whatever the flags (tests/math/contraction.cpp says how this is seen), and
// conversions to int are those of x86.

#include <cmath>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

#include <riffle/exact/rounded.hpp>

namespace riffle_tests::exact_rounded {
namespace {

using namespace riffle::exact;

TEST(ExactRounding, ProductsAreRounded) {
    volatile float a = 1.0f + 0x1p-12f, c = 1.0f + 0x1p-11f;
    EXPECT_EQ(times(a, a) - c, 0.0f);
    EXPECT_EQ(-c + times(a, a), 0.0f);
    EXPECT_EQ(c - times(a, a), 0.0f);
    volatile double d = 1.0 + 0x1p-27, e = 1.0 + 0x1p-26;
    EXPECT_EQ(times(d, d) - e, 0.0);
    EXPECT_EQ(e - times(d, d), 0.0);
}
TEST(ExactRounding, IntsAreThoseOfX86) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    EXPECT_EQ(to_int(2.9f), 2);
    EXPECT_EQ(to_int(-2.9f), -2);
    EXPECT_EQ(to_int(-0x1p31f), INT32_MIN);
    EXPECT_EQ(to_int(2147483520.0f), 2147483520);
    for (const float outside : {0x1p31f, 1e38f, -1e38f, infinity, -infinity, std::numeric_limits<float>::quiet_NaN()})
        EXPECT_EQ(to_int(outside), INT32_MIN) << outside;
}
TEST(ExactRounding, FunctionsAreThoseOfTheCLibrary) {
    for (float each = 0.001f; each < 80.0f; each *= 1.01f) {
        volatile float x = each;
        EXPECT_EQ(libm::exp(float(x)), ::expf(x));
        EXPECT_EQ(libm::log(float(x)), ::logf(x));
        EXPECT_EQ(libm::log2(float(x)), ::log2f(x));
        EXPECT_EQ(libm::pow(float(x), 1.7f), ::powf(x, 1.7f));
        EXPECT_EQ(libm::exp(double(x)), ::exp(double(x)));
        EXPECT_EQ(libm::pow(double(x), 1.7), ::pow(double(x), 1.7));
        EXPECT_EQ(libm::sqrt(float(x)), ::sqrtf(x));
    }
}

}  // namespace
}  // namespace riffle_tests::exact_rounded
