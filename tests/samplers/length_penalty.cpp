#include "samplers/single.hpp"

namespace riffle_tests {
namespace {

using namespace riffle;

static_assert(facts_of<length_penalty>() == facts{.edits = true});

TEST(LengthPenalty, AgreesWithTheReference) { expect_stage_agrees(variants_of<length_penalty>(), sizes_of_a_thousand); }
TEST(LengthPenalty, AgreesWithTheReferenceOnLongRows) {
    expect_stage_agrees_on_long_rows(variants_of<length_penalty>());
}

/// The logits of three tokens when so many were generated.
std::vector<float> logits_at(const length_penalty& stage, int generated, const std::vector<float>& row) {
    auto c = stage | top_k{1000} | greedy{};
    c.prompt(std::vector<token_id>{0, 0});  // does not count
    for (int i = 0; i < generated; ++i) c.accept(1);
    c.peek(row);
    std::vector<float> logits(row.size(), -infinity);
    for (const auto& token : c.survivors()) logits[std::size_t(token.id)] = token.logit;
    return logits;
}

TEST(LengthPenalty, RaisesTheEndMoreAndMore) {
    const length_penalty stage{.start = 1, .factor = 2.0f, .ends = {0, 1, 500}};
    const std::vector<float> row{2.0f, -2.0f, 2.0f};
    EXPECT_EQ(logits_at(stage, 0, row), row);
    EXPECT_EQ(logits_at(stage, 1, row), row);  // more than start
    EXPECT_EQ(logits_at(stage, 2, row), (std::vector<float>{4.0f, 0.0f, 2.0f}));
    EXPECT_EQ(logits_at(stage, 3, row), (std::vector<float>{8.0f, 4.0f, 2.0f}));
    EXPECT_EQ(logits_at(stage, 4, row), (std::vector<float>{16.0f, 12.0f, 2.0f}));
}
TEST(LengthPenalty, FactorsBelowOneLowerIt) {
    const length_penalty stage{.factor = 0.5f, .ends = {0, 1}};
    EXPECT_EQ(logits_at(stage, 1, {2.0f, -2.0f, 2.0f}), (std::vector<float>{1.0f, -3.0f, 2.0f}));
    EXPECT_EQ(logits_at(stage, 2, {2.0f, -2.0f, 2.0f}), (std::vector<float>{0.5f, -3.5f, 2.0f}));
}
TEST(LengthPenalty, ABannedEndStaysBannedAndPowersStayFinite) {
    const length_penalty stage{.factor = 3e38f, .ends = {0, 1, 2}};
    const auto logits = logits_at(stage, 100, {-infinity, -1.0f, 0.0f});
    EXPECT_EQ(logits[0], -infinity);
    EXPECT_GT(logits[1], 1e37f);
    EXPECT_EQ(logits[2], 0.0f);
}
TEST(LengthPenalty, IsOff) {
    const std::vector<float> row{2.0f, -2.0f, 2.0f};
    for (const length_penalty& off :
         {length_penalty{}, length_penalty{0, 1.0f, {0}}, length_penalty{0, 2.0f, {}}, length_penalty{50, 2.0f, {0}}})
        EXPECT_EQ(logits_at(off, 9, row), row) << reference::describe(off);
}
TEST(LengthPenalty, RewindingCountsBack) {
    auto c = length_penalty{.factor = 2.0f, .ends = {0}} | greedy{};
    const std::vector<float> row{1.0f, 3.0f};
    for (const token_id expected : {1, 1, 0, 0}) EXPECT_EQ(c.sample(row), expected);
    c.rewind(3);
    for (const token_id expected : {1, 0}) EXPECT_EQ(c.sample(row), expected);
}
}  // namespace
}  // namespace riffle_tests
