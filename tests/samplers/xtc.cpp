#include "samplers/single.hpp"

namespace riffle_tests {
namespace {

using namespace riffle;

static_assert(facts_of<xtc>() ==
              facts{.adjusts = true, .keeps_sorted = true, .draws = true, .softmax_parts = softmax_part::support});

TEST(Xtc, AgreesWithTheReference) { expect_stage_agrees(variants_of<xtc>(), sizes_of_a_thousand); }
TEST(Xtc, AgreesWithTheReferenceOnLongRows) { expect_stage_agrees_on_long_rows(variants_of<xtc>()); }

const std::vector<float> three_likely{2.9f, 3.0f, 2.8f, -1.0f, -1.5f};

TEST(Xtc, LeavesTheLastOfTheLikely) {
    EXPECT_EQ(survivors_of(xtc{.probability = 1.0f, .threshold = 0.1f}, three_likely),
              (std::vector<token_id>{2, 3, 4}));
    EXPECT_EQ(survivors_of(xtc{.probability = 1.0f, .threshold = 0.32f}, three_likely),
              (std::vector<token_id>{0, 2, 3, 4}));
    EXPECT_EQ(survivors_of(xtc{.probability = 1.0f, .threshold = 0.36f}, three_likely).size(), 5u);  // one reaches it
}
TEST(Xtc, LeavesWhatIsExempt) {
    EXPECT_EQ(survivors_of(xtc{.probability = 1.0f, .threshold = 0.1f, .exempt = {1}}, three_likely),
              (std::vector<token_id>{1, 2, 3, 4}));
    EXPECT_EQ(survivors_of(xtc{.probability = 1.0f, .threshold = 0.1f, .exempt = {2, 4, 77}}, three_likely),
              (std::vector<token_id>{2, 3, 4}))
        << "the last in rank stays in any case";
    EXPECT_EQ(survivors_of(xtc{.probability = 1.0f, .threshold = 0.1f, .exempt = {0, 1}}, three_likely).size(), 5u);
    // One is removed here, and two without the exempt one.
    EXPECT_EQ(survivors_of(xtc{.probability = 1.0f, .threshold = 0.1f, .min_keep = 4, .exempt = {1}}, three_likely),
              (std::vector<token_id>{1, 2, 3, 4}));
    EXPECT_EQ((xtc{.exempt = {5}} | greedy{}).check(5).code(), status_code::invalid_parameter);
    EXPECT_TRUE((xtc{.exempt = {5}} | greedy{}).check(6));
}
TEST(Xtc, TiesAreTakenByRank) {
    EXPECT_EQ(survivors_of(xtc{.probability = 1.0f, .threshold = 0.1f}, std::vector<float>{1.0f, 1.0f, 1.0f, -4.0f}),
              (std::vector<token_id>{2, 3}));
}
TEST(Xtc, LeavesAtLeastMinKeep) {
    for (const std::size_t least : {0u, 1u, 3u})
        EXPECT_EQ(survivors_of(xtc{1.0f, 0.1f, least}, three_likely).size(), 3u) << least;
    for (const std::size_t least : {4u, 5u, 1000u})
        EXPECT_EQ(survivors_of(xtc{1.0f, 0.1f, least}, three_likely).size(), 5u) << least;
}
TEST(Xtc, IsOff) {
    for (const xtc& off : {xtc{0.0f, 0.1f}, xtc{-1.0f, 0.1f}, xtc{1.0f, 0.50001f}, xtc{1.0f, infinity}})
        EXPECT_EQ(survivors_of(off, three_likely).size(), 5u) << reference::describe(off);
    const std::vector<float> even{1.0f, 1.0f};
    EXPECT_EQ(survivors_of(xtc{1.0f, 0.499f}, even), (std::vector<token_id>{1}));
}
TEST(Xtc, LeavesTheLastInRankWithoutAThreshold) {
    for (const float threshold : {0.0f, -1.0f, -infinity, 1e-40f}) {
        EXPECT_EQ(survivors_of(xtc{1.0f, threshold}, three_likely), (std::vector<token_id>{4})) << threshold;
        EXPECT_EQ((xtc{1.0f, threshold} | greedy{}).peek(three_likely), 4) << threshold;
    }
}
TEST(Xtc, FiresWithItsProbability) {
    for (const float probability : {0.1f, 0.5f, 0.9f}) {
        auto c = xtc{.probability = probability, .threshold = 0.1f, .seed = 3} | greedy{};
        int fired = 0;
        constexpr int steps = 10000;
        for (int i = 0; i < steps; ++i) fired += c.sample(three_likely) == 2;
        EXPECT_NEAR(double(fired) / steps, double(probability), 0.02);
    }
}
TEST(Xtc, AsksAgainOnlyAfterARetry) {
    auto c = xtc{.probability = 0.5f, .threshold = 0.1f, .seed = 3} | greedy{};
    int fired = 0;
    for (int i = 0; i < 400; ++i) {
        const token_id token = c.peek(three_likely);
        ASSERT_EQ(c.peek(three_likely), token);
        fired += token == 2;
        c.retry();
    }
    EXPECT_NEAR(fired, 200, 60);
}
TEST(Xtc, TwoOfThemDrawApart) {
    auto c = xtc{.probability = 0.5f, .threshold = 0.1f, .seed = 3} |
             xtc{.probability = 0.5f, .threshold = 0.1f, .seed = 3} | greedy{};
    // either fires, or both: after the first there is no second choice
    int fired = 0;
    for (int i = 0; i < 4000; ++i) fired += c.sample(three_likely) == 2;
    EXPECT_NEAR(fired, 3000, 150);
}
}  // namespace
}  // namespace riffle_tests
