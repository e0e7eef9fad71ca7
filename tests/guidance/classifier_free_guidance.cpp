#include <riffle/guidance/classifier_free_guidance.hpp>

#include "lane_widths.hpp"
#include "samplers/chi_square.hpp"
#include "samplers/single.hpp"

namespace riffle_tests {
namespace {

using namespace riffle;

std::vector<float> guided(float scale, std::span<const float> prompt, std::span<const float> other) {
    std::vector<float> out(prompt.size(), 77.0f);
    EXPECT_TRUE(classifier_free_guidance{.scale = scale}.combine(prompt, other, out));
    return out;
}
double log_p(std::span<const float> row, std::size_t i) { return std::log(softmax(row)[i]); }

TEST(ClassifierFreeGuidance, LeansInLogProbabilities) {
    for (const std::size_t size : {1u, 2u, 17u, 300u})
        for (const float scale : {1.5f, 0.0f, 1.0f, -0.5f, 7.0f}) {
            const auto prompt = make_row(shape::random, size, 1), other = make_row(shape::random, size, 2);
            at_every_width([&](int) {
                const auto out = guided(scale, prompt, other);
                for (std::size_t i = 0; i < size; ++i) {
                    const double p = log_p(prompt, i), q = log_p(other, i);
                    EXPECT_NEAR(double(out[i]), q + double(scale) * (p - q), 1e-3) << size << ", " << scale;
                }
            });
        }
}
TEST(ClassifierFreeGuidance, IsTheSameAtEveryWidthAndInPlace) {
    for (const shape s : all_shapes) {
        const auto prompt = make_row(s, 700, 3), other = make_row(shape::holes, 700, 4);
        if (wide::greatest_of(prompt) == -infinity) continue;
        std::vector<std::vector<float>> found;
        at_every_width([&](int) {
            found.push_back(guided(2.0f, prompt, other));
            auto in_place = prompt;
            EXPECT_TRUE(classifier_free_guidance{.scale = 2.0f}.combine(in_place, other, in_place));
            found.push_back(in_place);
            in_place = other;
            EXPECT_TRUE(classifier_free_guidance{.scale = 2.0f}.combine(prompt, in_place, in_place));
            found.push_back(in_place);
        });
        for (const auto& row : found) EXPECT_EQ(row, found[0]) << name_of(s);
    }
}
TEST(ClassifierFreeGuidance, TheFirstRowForbidsAndTheOtherDoesNot) {
    const std::vector<float> prompt{1.0f, -infinity, not_a_number, 0.5f}, other{-infinity, 2.0f, 1.0f, 0.0f};
    const auto out = guided(3.0f, prompt, other);
    const double sum = std::log(std::exp(1.0) + std::exp(0.5));
    EXPECT_NEAR(double(out[0]), 1.0 - sum, 1e-5);  // as the first row says
    EXPECT_EQ(out[1], -infinity);
    EXPECT_EQ(out[2], -infinity);
    const std::vector<float> nothing(4, -infinity);
    const auto alone = guided(3.0f, prompt, nothing);
    EXPECT_NEAR(double(alone[3]), 0.5 - sum, 1e-5);
}
TEST(ClassifierFreeGuidance, AnInfiniteLogitForcesItsTokenAndLeavesTheOthersApart) {
    const std::vector<float> plain{0.0f, -1.0f, -2.0f, -3.0f}, forced{0.0f, infinity, -2.0f, -1e9f};
    for (const float scale : {1.5f, 3.0f, 1e6f}) {
        const auto out = guided(scale, forced, plain);
        for (const float l : out) EXPECT_TRUE(std::isfinite(l));
        EXPECT_EQ(std::max_element(out.begin(), out.end()) - out.begin(), 1);
        EXPECT_GT(out[1] - out[0], 1e5f);
    }
    const auto away = guided(3.0f, plain, forced);  // from what the other row forces: that one is least likely
    for (const float l : away) EXPECT_TRUE(std::isfinite(l));
    EXPECT_EQ(std::min_element(away.begin(), away.end()) - away.begin(), 1);
    EXPECT_GT(away[0], away[2]);
    auto c = chain(dist{});
    EXPECT_EQ(c.distribution(guided(1.0f, forced, plain))[0].id, 1);
}
TEST(ClassifierFreeGuidance, AConstantAddedToEitherRowDoesNotShow) {
    const std::vector<float> prompt{1.0f, 0.0f, -2.0f, -3.0f}, other{0.5f, -infinity, 2.0f, 0.0f};
    const auto shifted = [](std::vector<float> row, float by) {
        for (float& l : row) l += by;
        return row;
    };
    const auto expected = guided(2.0f, prompt, other);
    for (const float by : {-64.0f, 1024.0f}) {
        EXPECT_EQ(guided(2.0f, shifted(prompt, by), other), expected);
        EXPECT_EQ(guided(2.0f, prompt, shifted(other, by)), expected);
    }
}

}  // namespace
}  // namespace riffle_tests
