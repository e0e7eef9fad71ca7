// The division of a shader beside the processor's, computed among constants.

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>

#include <riffle/gpu/spirv/division.hpp>

#include "integers.hpp"

namespace riffle_tests::spirv_division {
namespace {

using riffle::gpu::spirv::f32;

float of_bits(std::uint32_t bits) { return std::bit_cast<float>(bits); }
std::uint32_t bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }
/// Denormals as zeros of their sign.
float flushed(float value) { return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value) : value; }

void expect_quotient(float a, float b) {
    const float expected = flushed(flushed(a) / flushed(b));
    const float found = (f32(a) / f32(b)).value();
    if (std::isnan(expected)) {
        EXPECT_TRUE(std::isnan(found)) << a << " / " << b;
    } else {
        EXPECT_EQ(bits_of(found), bits_of(expected)) << a << " / " << b << ": " << found << ", not " << expected;
    }
}

TEST(Division, IsKnownWhileCompiling) {
    static_assert((f32(1.0f) / f32(3.0f)).value() == 1.0f / 3.0f);
    static_assert((f32(-1e30f) / f32(1e-30f)).bits() == 0xff800000u);
}

TEST(Division, OfEverySpecialValue) {
    constexpr std::array<std::uint32_t, 20> sizes{0x00000000, 0x00000001, 0x007fffff, 0x00800000, 0x00800001,
                                                  0x00ffffff, 0x01000000, 0x3effffff, 0x3f000000, 0x3f7fffff,
                                                  0x3f800000, 0x3f800001, 0x3fffffff, 0x40000000, 0x7e7fffff,
                                                  0x7f000000, 0x7f7ffffe, 0x7f7fffff, 0x7f800000, 0x7fc00000};
    for (const std::uint32_t a : sizes)
        for (const std::uint32_t b : sizes)
            for (const std::uint32_t signs : {0u, 1u, 2u, 3u})
                expect_quotient(of_bits(a | (signs & 1) << 31), of_bits(b | (signs & 2) << 30));
}

TEST(Division, OfRandomBits) {
    integers random(7);
    for (int i = 0; i < 2'000'000 && !HasFailure(); ++i) {
        const std::uint64_t bits = random.next();
        expect_quotient(of_bits(std::uint32_t(bits)), of_bits(std::uint32_t(bits >> 32)));
    }
}

/// Quotients whose exponents are at either end, where rounding meets what has no float.
TEST(Division, AtTheEndsOfTheRange) {
    integers random(8);
    for (int i = 0; i < 2'000'000 && !HasFailure(); ++i) {
        const std::uint64_t bits = random.next();
        const auto a = std::uint32_t(bits) & 0x007fffffu, b = std::uint32_t(bits >> 32) & 0x007fffffu;
        expect_quotient(of_bits(a | 0x00800000u), of_bits(b | 0x3f800000u));  // near the least
        expect_quotient(of_bits(a | 0x7f000000u), of_bits(b | 0x3f000000u));  // near the greatest
    }
}

/// Just below the least normal float: (2^24 - 1) / 2^24 of it and its neighbours.
TEST(Division, JustBelowTheLeastNormalFloat) {
    for (std::uint32_t i = 0; i < 1000; ++i) {
        expect_quotient(of_bits(0x01000000u - 500 + i), 2.0f);
        expect_quotient(of_bits(0x00800000u + i), of_bits(0x3f800000u + i + 1));
        expect_quotient(of_bits(0x00800000u + i), of_bits(0x3f800000u + i + 2));
    }
}

}  // namespace
}  // namespace riffle_tests::spirv_division
