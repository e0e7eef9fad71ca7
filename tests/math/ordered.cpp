#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/math/elementwise.hpp>
#include <riffle/math/ordered.hpp>

#include "integers.hpp"

namespace {

using namespace riffle;
using riffle_tests::integers;

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float least_normal = std::numeric_limits<float>::min();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

std::uint32_t bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }

std::vector<float> samples() {
    std::vector<float> all{0.0f,
                           -0.0f,
                           1.0f,
                           -1.0f,
                           inf,
                           -inf,
                           greatest_logit,
                           -greatest_logit,
                           least_normal,
                           -least_normal,
                           0x1p-149f,
                           -0x1p-149f,
                           least_normal - 0x1p-149f,
                           0x1.000002p-126f,
                           0x1.fffffep-1f};
    integers random(3);
    for (int i = 0; i < 20000; ++i) all.push_back(i % 2 ? random.any_float() : random.real(-40, 40));
    return all;
}

TEST(OrderedKey, OrdersAsFloatsDo) {
    const auto all = samples();
    for (std::size_t i = 1; i < all.size(); ++i) {
        const float a = all[i - 1], b = all[i];
        if (std::isnan(a) || std::isnan(b)) continue;
        if (a != b) {
            EXPECT_EQ(ordered_key(a) < ordered_key(b), a < b) << a << " " << b;
        }
    }
    EXPECT_LT(ordered_key(-0.0f), ordered_key(0.0f));
    EXPECT_EQ(ordered_key(0.0f), 0);
    EXPECT_EQ(ordered_key(-0.0f), -1);
}

TEST(OrderedKey, NeighboursAreOneApart) {
    for (const float value : samples())
        if (std::isfinite(value) && value != 0.0f) {
            EXPECT_EQ(ordered_key(std::nextafterf(value, inf)), ordered_key(value) + 1) << value;
        }
}

TEST(OrderedKey, ComesBack) {
    for (const float value : samples()) EXPECT_EQ(bits_of(from_ordered_key(ordered_key(value))), bits_of(value));
}

float plain_canonical(float value) {
    if (std::isnan(value)) return -inf;
    if (value == inf) return std::numeric_limits<float>::max();
    return std::fabs(value) > least_normal ? value : 0.0f;
}

TEST(Canonical, HasNoNaNNoInfinityAboveAndNothingUpToTheLeastNormal) {
    for (const float value : samples()) {
        EXPECT_EQ(bits_of(canonical(value)), bits_of(plain_canonical(value))) << value;
        EXPECT_EQ(bits_of(canonical(lanes<1>(value))[0]), bits_of(plain_canonical(value))) << value;
        EXPECT_EQ(bits_of(canonical(lanes<4>(value))[3]), bits_of(plain_canonical(value))) << value;
    }
    EXPECT_EQ(canonical(nan), -inf);
    EXPECT_EQ(canonical(-nan), -inf);
    EXPECT_EQ(canonical(std::bit_cast<float>(0x7f800001u)), -inf);  // a signalling one
    EXPECT_EQ(canonical(inf), greatest_logit);
    EXPECT_EQ(canonical(-inf), -inf);
}

TEST(Canonical, NextIsTheLeastCanonicalFloatAbove) {
    for (const float value : samples()) {
        if (!std::isfinite(value) || canonical(value) != value || value == greatest_logit) continue;
        float next = std::nextafterf(value, inf);
        if (std::fabs(next) <= least_normal) next = value < 0.0f ? 0.0f : std::nextafterf(least_normal, inf);
        EXPECT_EQ(bits_of(next_canonical(value)), bits_of(next + 0.0f)) << value;
    }
    EXPECT_EQ(bits_of(next_canonical(0.0f)), 0x00800001u);
    EXPECT_EQ(bits_of(next_canonical(std::bit_cast<float>(0x80800001u))), bits_of(0.0f));
    EXPECT_EQ(next_canonical(greatest_logit), inf);
}

static_assert(canonical(-0.0f) == 0.0f && ordered_key(canonical(-0.0f)) == 0);
static_assert(from_ordered_key(ordered_key(1.5f) + 1) > 1.5f);

}  // namespace
