#include "samplers/single.hpp"

namespace riffle_tests {
namespace {

using namespace riffle;

static_assert(facts_of<dynamic_temperature>() ==
              facts{.adjusts = true,
                    .narrows = narrowing::rank,
                    .softmax_parts = softmax_part::distances | softmax_part::support});

TEST(DynamicTemperature, AgreesWithTheReference) {
    expect_stage_agrees(variants_of<dynamic_temperature>(), sizes_of_a_thousand);
}
TEST(DynamicTemperature, AgreesWithTheReferenceOnLongRows) {
    expect_stage_agrees_on_long_rows(variants_of<dynamic_temperature>());
}

TEST(DynamicTemperature, FollowsTheEntropy) {
    const dynamic_temperature stage{.t = 1.0f, .range = 0.5f};
    const std::vector<float> even{2.0f, 2.0f, -infinity}, sure{20.0f, -20.0f, -20.0f};
    EXPECT_NEAR(double(logits_after(stage, even)[0]), 2.0 / 1.5, 1e-6);
    EXPECT_NEAR(double(logits_after(stage, sure)[0]), 20.0 / 0.5, 1e-4);
    for (const shape s : {shape::random, shape::flat, shape::peaked, shape::tied}) {
        auto row = make_row(s, 500, 3);
        row[0] = 1.0f;
        double mass = 0, entropy = 0;
        for (const float l : row) mass += std::exp(double(l));
        for (const float l : row) entropy -= std::exp(double(l)) / mass * (double(l) - std::log(mass));
        const dynamic_temperature other{.t = 0.9f, .range = 0.6f, .exponent = 1.7f};
        const double t = 0.3 + 1.2 * std::pow(entropy / std::log(500.0), 1.7);
        EXPECT_NEAR(double(logits_after(other, row)[0]), 1.0 / t, 1e-4) << name_of(s);
    }
}
TEST(DynamicTemperature, WithoutARangeIsATemperature) {
    for (const shape s : all_shapes)
        for (const float t : {0.7f, 1.0f, 0.0f, -2.0f, 1e-30f, infinity})
            for (const float range : {0.0f, -1.0f, 1e-40f}) {
                const auto row = make_row(s, 300, 3);
                EXPECT_EQ(logits_after(dynamic_temperature{.t = t, .range = range}, row),
                          logits_after(temperature{t}, row))
                    << name_of(s) << ", " << t << ", " << range;
            }
}
TEST(DynamicTemperature, LeavesASingleCandidateAlone) {
    const dynamic_temperature stage{.t = 0.5f, .range = 0.4f};
    EXPECT_EQ(logits_after(stage, std::vector<float>{-3.25f})[0], -3.25f);
    EXPECT_EQ(logits_after(stage, std::vector<float>{-infinity, 4.5f})[1], 4.5f);
    EXPECT_EQ((top_k{1} | stage | greedy{}).peek(std::vector<float>{1.0f, 2.0f}), 1);
}
TEST(DynamicTemperature, KeepsTheOrder) {
    for (const shape s : {shape::random, shape::peaked, shape::flat, shape::holes}) {
        const auto row = make_row(s, 300, 3);
        EXPECT_EQ((dynamic_temperature{.t = 1.0f, .range = 0.9f} | greedy{}).peek(row), chain(greedy{}).peek(row));
    }
}
}  // namespace
}  // namespace riffle_tests
