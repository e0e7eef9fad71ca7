#include "samplers/learning.hpp"

namespace riffle_tests {
namespace {

using namespace riffle;

static_assert(facts_of<adaptive_p>() == facts{.draws = true, .selects = selecting::by_own_distribution});

constexpr adaptive_p usual_adaptive_p{.target = 0.1f, .decay = 0.8f, .seed = 5};

TEST(AdaptiveP, AgreesWithTheReference) { expect_learner_agrees<adaptive_p>(); }
TEST(AdaptiveP, LearnsInAcceptOnly) { expect_learns_in_accept_only(usual_adaptive_p); }
TEST(AdaptiveP, LearnsFromItsChoiceOnly) { expect_learns_from_its_choice_only(usual_adaptive_p); }
TEST(AdaptiveP, GoesBack) { expect_goes_back(usual_adaptive_p); }
TEST(AdaptiveP, DrawsItsDistribution) { expect_draws_its_distribution(usual_adaptive_p); }

TEST(AdaptiveP, PrefersTokensNearTheTarget) {
    const auto row = logits_of({0.6, 0.3, 0.1});
    auto c = chain(adaptive_p{.target = 0.3f, .seed = 2});
    const auto distribution = c.distribution(row);
    ASSERT_EQ(distribution.size(), 3u);
    EXPECT_EQ(distribution[0].id, 1);
    const auto shaped = [](double p) {
        const double d = std::fabs(p - 0.3) / 0.3;
        return 5.0 - 10.0 * d * d / (1.0 + d);
    };
    double total = 0.0;
    for (const double p : {0.6, 0.3, 0.1}) total += std::exp(shaped(p));
    for (const auto& token : distribution) {
        const double p = token.id == 0 ? 0.6 : token.id == 1 ? 0.3 : 0.1;
        EXPECT_NEAR(double(token.logit), shaped(p), 1e-4);
        EXPECT_NEAR(double(token.p), std::exp(shaped(p)) / total, 1e-4);
    }
}
TEST(AdaptiveP, MovesAgainstTheAverage) {
    const auto row = logits_of({0.6, 0.3, 0.1});
    const auto likeliest_after = [&](const std::vector<float>& sure_or_even) {
        auto c = chain(adaptive_p{.target = 0.3f, .decay = 0.5f, .seed = 2});
        for (int i = 0; i < 3; ++i) c.sample(sure_or_even);
        return c.distribution(row)[0].id;
    };
    EXPECT_EQ(likeliest_after({0.0f}), 2);                          // only sure ones: now an unlikely one
    EXPECT_EQ(likeliest_after(std::vector<float>(1000, 0.0f)), 0);  // only unlikely ones: now a likely one
}
TEST(AdaptiveP, DrawsAsDistDoesBelowZero) {
    for (const float target : {-1.0f, -infinity, -0.1f}) {
        auto c = chain(adaptive_p{.target = target, .seed = 5});
        const auto distribution = softmax(rough_row());
        for (const auto& token : c.distribution(rough_row()))
            EXPECT_NEAR(double(token.p), distribution[std::size_t(token.id)], 1e-6);
        const auto before = learnt_by(c);
        expect_drawn_from(
            distribution, 20000, [&](std::size_t) { return c.sample(rough_row()); }, "target below 0");
        EXPECT_EQ(learnt_by(c), before);
        EXPECT_TRUE(c.accept(3).state);  // it has nothing to learn
    }
}
TEST(AdaptiveP, LiftsTheTailButNotWhatIsIllegal) {
    auto c = chain(adaptive_p{.target = 0.0f, .seed = 5});
    const std::vector<float> row{0.0f, -100.0f, -infinity, -200.0f};
    std::array<int, 4> counts{};
    for (int i = 0; i < 300; ++i) {
        c.retry();
        ++counts[std::size_t(c.peek(row))];
    }
    EXPECT_EQ(counts[2], 0);
    EXPECT_GT(counts[1], 50);
    EXPECT_GT(counts[3], 50);
    auto memory = candidates_of(row);
    candidates all{memory.data(), memory.size(), -1, false};
    c.apply(all);
    EXPECT_EQ(all[2].logit, -infinity);
    EXPECT_FALSE(all.sorted);
}
TEST(AdaptiveP, ParametersAreClamped) {
    auto one = chain(adaptive_p{.target = 1.0f, .decay = 0.99f, .seed = 3});
    auto beyond = chain(adaptive_p{.target = 7.0f, .decay = infinity, .seed = 3});
    auto none = chain(adaptive_p{.target = 0.2f, .decay = 0.0f, .seed = 3});
    auto below = chain(adaptive_p{.target = 0.2f, .decay = -5.0f, .seed = 3});
    for (int i = 0; i < 50; ++i) {
        ASSERT_EQ(one.sample(rough_row()), beyond.sample(rough_row()));
        ASSERT_EQ(none.sample(rough_row()), below.sample(rough_row()));
    }
}
}  // namespace
}  // namespace riffle_tests
