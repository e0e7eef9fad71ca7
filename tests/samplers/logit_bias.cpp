#include "samplers/single.hpp"

namespace riffle_tests {
namespace {

using namespace riffle;

static_assert(facts_of<logit_bias>() == facts{.edits = true});

TEST(LogitBias, AgreesWithTheReference) { expect_stage_agrees(variants_of<logit_bias>(), sizes_of_a_thousand); }
TEST(LogitBias, AgreesWithTheReferenceOnLongRows) { expect_stage_agrees_on_long_rows(variants_of<logit_bias>()); }

TEST(LogitBias, EntriesOfAnIdAddUpInOrder) {
    auto c = logit_bias{{{1, 3e38f}, {1, 3e38f}, {1, -3e38f}}} | top_k{.k = 3} | greedy{};
    EXPECT_EQ(c.sample(std::vector<float>{0.0f, 1.0f, 2.0f}), 1);
    // the greatest float is where the second sum stops
    EXPECT_EQ(c.survivors()[0].logit, reference::rounded(std::numeric_limits<float>::max() - 3e38f));
}
TEST(LogitBias, MinusInfinityBansAndInfinityDoesNotRevive) {
    EXPECT_EQ((logit_bias{{{1, -infinity}}} | greedy{}).sample(std::vector<float>{0.0f, 5.0f, 1.0f}), 2);
    EXPECT_EQ((logit_bias{{{1, -infinity}, {1, infinity}}} | greedy{}).sample(std::vector<float>{0.0f, 5.0f, 1.0f}), 2);
    EXPECT_EQ((logit_bias{{{0, infinity}}} | greedy{}).sample(std::vector<float>{-infinity, -5.0f}), 1);
    EXPECT_EQ((logit_bias{{{0, infinity}}} | greedy{}).sample(std::vector<float>{-3.0f, 5.0f}), 0);
}
TEST(LogitBias, UnknownIdsAreIgnored) {
    constexpr token_id greatest = std::numeric_limits<token_id>::max(), least = std::numeric_limits<token_id>::min();
    auto c = logit_bias{{{2, 100.0f}, {-1, 100.0f}, {greatest, 100.0f}, {least, 100.0f}, {256, 100.0f}}} | greedy{};
    EXPECT_EQ(c.sample(std::vector<float>{0.0f, 5.0f}), 1);
    EXPECT_TRUE(c.last_status().ok());
}
TEST(LogitBias, LeavesTheCallersRowAlone) {
    std::vector<float> row(600, 1.0f);
    const std::vector<float> before = row;
    auto c = logit_bias{{{3, 5.0f}, {300, 7.0f}, {599, 6.0f}}} | temperature{.t = 2.0f} | top_k{.k = 5} | greedy{};
    EXPECT_EQ(c.sample(row), 300);
    EXPECT_EQ(row, before);
}
TEST(LogitBias, ChangesTakeEffectWithTheNextStep) {
    auto c = logit_bias{} | greedy{};
    const std::vector<float> row{0.0f, 5.0f, 1.0f};
    EXPECT_EQ(c.sample(row), 1);
    get<logit_bias>(c).biases.push_back({2, 10.0f});
    EXPECT_EQ(c.sample(row), 2);
    get<logit_bias>(c).biases.clear();
    EXPECT_EQ(c.sample(row), 1);
}
}  // namespace
}  // namespace riffle_tests
