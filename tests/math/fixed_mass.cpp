#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/math/fixed_mass.hpp>
#include <riffle/math/ordered.hpp>
#include <riffle/wide/dispatch.hpp>

#include "integers.hpp"
#include "lane_widths.hpp"

namespace riffle_tests::math_fixed_mass {
namespace {

using namespace riffle;

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

/// Every 1009th float of [-24, -0] and some beyond, a multiple of 16 of them.
std::vector<float> distances() {
    std::vector<float> all{0.0f, -0.0f, -0x1p-149f, -0x1p-126f, -0x1p-60f, 1.0f, inf, -inf, nan, -nan, -87.0f, -1e30f};
    for (std::int32_t key = ordered_key(-24.0f); key < 0; key += 1009) all.push_back(from_ordered_key(key));
    while (all.size() % 16) all.push_back(-1.0f);
    return all;
}

struct weights_pass {
    template <int N>
    static RIFFLE_INLINE void run(const float* const& x, std::size_t size, std::int32_t* const& out) noexcept {
        for (std::size_t i = 0; i < size; i += N) {
            const auto w = fixed_mass(lanes<N>::load(x + i));
            std::memcpy(out + i, &w.v, sizeof w.v);
        }
    }
};

TEST(FixedMass, IsTheSameIntegerAtEveryWidth) {
    const auto x = distances();
    std::vector<std::int32_t> found(x.size());
    at_every_width([&](int) {
        wide::run<weights_pass>(x.data(), x.size(), found.data());
        std::size_t different = 0;
        for (std::size_t i = 0; i < x.size(); ++i) different += std::uint32_t(found[i]) != fixed_mass_of(x[i]);
        EXPECT_EQ(different, 0u);
    });
}

TEST(FixedMass, IsExpToASmallRelativeError) {
    for (const float x : distances()) {
        if (!(x <= 0.0f) || x < -20.7f) continue;
        const auto exact = std::exp(static_cast<long double>(x)) * 0x1p30L;
        const auto error = std::fabs(static_cast<long double>(fixed_mass_of(x)) - exact);
        ASSERT_LT(error, 1.0L + exact * 3e-6L) << x;
    }
}

TEST(FixedMass, FallsByNoMoreThanItsError) {
    // Not monotone in its last bits: but a greater logit never weighs a part in 2^17 less than a lesser one.
    std::uint32_t greatest = 0;
    for (std::int32_t key = ordered_key(-24.0f); key < 0; key += 353) {
        const std::uint32_t weight = fixed_mass_of(from_ordered_key(key));
        ASSERT_LE(weight, std::uint32_t(unit_mass));
        ASSERT_GE(weight + 1 + (greatest >> 17), greatest) << from_ordered_key(key);
        greatest = std::max(greatest, weight);
    }
}

TEST(FixedMass, Ends) {
    EXPECT_EQ(fixed_mass_of(0.0f), std::uint32_t(unit_mass));
    EXPECT_EQ(fixed_mass_of(-0.0f), std::uint32_t(unit_mass));
    EXPECT_EQ(fixed_mass_of(1.0f), std::uint32_t(unit_mass));
    EXPECT_EQ(fixed_mass_of(inf), std::uint32_t(unit_mass));
    EXPECT_EQ(fixed_mass_of(nan), 0u);
    EXPECT_EQ(fixed_mass_of(-nan), 0u);
    EXPECT_EQ(fixed_mass_of(-inf), 0u);
    for (std::int32_t key = ordered_key(-30.0f); key < ordered_key(-mass_range); ++key)
        ASSERT_EQ(fixed_mass_of(from_ordered_key(key)), 0u);
    EXPECT_GT(fixed_mass_of(-20.79f), 0u);
}

TEST(FixedMass, KnownValues) {
    // Golden streams stand on these: another value here is another library.
    const struct {
        float x;
        std::uint32_t weight;
    } known[] = {
        {-0x1p-24f, 1073741760},
        {-0.1f, 971561728},
        {-0.5f, 651257344},
        {-0.693147181f, 536870912},
        {-1.0f, 395007584},
        {-2.0f, 145315152},
        {-3.25f, 41633488},
        {-5.5f, 4388137},
        {-8.0f, 360200},
        {-10.0f, 48747},
        {-13.75f, 1146},
        {-17.0f, 44},
        {-20.0f, 2},
        {-20.75f, 1},
    };
    for (const auto& [x, weight] : known) EXPECT_EQ(fixed_mass_of(x), weight) << x;
}

}  // namespace
}  // namespace riffle_tests::math_fixed_mass
