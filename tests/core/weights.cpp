#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/core/weights.hpp>
#include <riffle/riffle.hpp>

namespace {

using namespace riffle;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

TEST(WeightsToLogits, AreTheirLogarithms) {
    std::vector<float> weights;
    for (float weight = 1.2e-38f; weight < 1e38f; weight *= 1.7f) weights.push_back(weight);
    weights.push_back(1.0f);
    std::vector<float> logits(weights.size());
    ASSERT_TRUE(weights_to_logits(weights, logits));
    for (std::size_t i = 0; i < weights.size(); ++i)
        EXPECT_NEAR(logits[i], std::log(double(weights[i])), 2e-7 * std::fabs(std::log(double(weights[i]))) + 1e-9);
}
TEST(WeightsToLogits, OfNothingAreNever) {
    const std::array<float, 5> weights{0.0f, -0.0f, 1e-40f, 1.0f, infinity};
    std::array<float, 5> logits{};
    ASSERT_TRUE(weights_to_logits(weights, logits));
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(logits[i], illegal_logit);
    EXPECT_EQ(logits[3], 0.0f);
    auto draws = chain(dist{});
    for (int i = 0; i < 100; ++i) EXPECT_EQ(draws.sample(logits), 4);  // nothing is beside infinity
    const std::array none{0, 0, 0};
    std::array<float, 3> never{};
    ASSERT_TRUE(weights_to_logits(none, never));
    EXPECT_EQ(draws.sample(never), null_token);
}
TEST(WeightsToLogits, AreDrawnByWeight) {
    const std::array weights{50, 30, 15, 5, 0};  // whole numbers
    std::array<float, 5> logits{};
    ASSERT_TRUE(weights_to_logits(weights, logits));
    auto draws = chain(dist{.seed = 3});
    std::array<int, 5> seen{};
    constexpr int count = 100'000;
    for (int i = 0; i < count; ++i) ++seen[std::size_t(draws.sample(logits))];
    double chi_square = 0;
    for (std::size_t i = 0; i < 4; ++i) {
        const double expected = count * weights[i] / 100.0;
        chi_square += (seen[i] - expected) * (seen[i] - expected) / expected;
    }
    EXPECT_LT(chi_square, 16.3);  // 3 degrees of freedom: once in a thousand seeds it is greater
    EXPECT_EQ(seen[4], 0);
}
TEST(WeightsToLogits, MayStandInTheSameMemory) {
    std::array<float, 3> both{1.0f, 0.0f, 2.0f};
    ASSERT_TRUE(weights_to_logits(std::span<const float>(both), both));
    EXPECT_EQ(both[0], 0.0f);
    EXPECT_EQ(both[1], illegal_logit);
    EXPECT_NEAR(both[2], std::log(2.0), 1e-6);
    EXPECT_TRUE(weights_to_logits(std::span<const float>(), std::span<float>()));
}
TEST(WeightsToLogits, WithoutMeaningHaveASentenceAndChangeNothing) {
    std::array<float, 2> logits{7.0f, 8.0f};
    for (const float bad : {-1.0f, -1e-30f, nan, -infinity}) {
        const status s = weights_to_logits(std::array{1.0f, bad}, logits);
        EXPECT_TRUE(s == status_code::invalid_parameter) << bad;
        EXPECT_EQ(logits, (std::array{7.0f, 8.0f}));
    }
    EXPECT_STREQ(weights_to_logits(std::array{1.0f, -2.0f}, logits).message().c_str(),
                 "weights_to_logits: weight = -2 is not 0 or positive");
    EXPECT_STREQ(weights_to_logits(std::array{1.0f, 2.0f, 3.0f}, logits).message().c_str(),
                 "weights_to_logits: logits = 2 are not as many as there are weights");
}
TEST(WeightsToLogits, OfDoublesAreCutToFloats) {
    std::array<float, 3> logits{};
    ASSERT_TRUE(weights_to_logits(std::array{1e300, 1e-300, 2.5}, logits));
    EXPECT_GT(logits[0], 88.0f);
    EXPECT_EQ(logits[1], illegal_logit);
    EXPECT_NEAR(logits[2], std::log(2.5), 1e-6);
}

}  // namespace
