#include "samplers/single.hpp"

namespace riffle_tests {
namespace {

using namespace riffle;

static_assert(facts_of<banned_sequences>() == facts{.edits = true});

TEST(BannedSequences, AgreesWithTheReference) {
    expect_stage_agrees(variants_of<banned_sequences>(), sizes_of_a_thousand);
}
TEST(BannedSequences, AgreesWithTheReferenceOnLongRows) {
    expect_stage_agrees_on_long_rows(variants_of<banned_sequences>());
}

using token_list = std::vector<token_id>;

TEST(BannedSequences, TheLastTokenIsBannedBehindTheOthers) {
    const banned_sequences stage{{{{1, 2, 3}}, {{4}}, {{2, 5}, 1.5f}, {{2, 5}, 1.0f}, {{}, 7.0f}}};
    EXPECT_EQ(logits_behind(stage, {}, 6), (std::vector<float>{0, 0, 0, 0, -infinity, 0}));
    EXPECT_EQ(logits_behind(stage, {2}, 6), (std::vector<float>{0, 0, 0, 0, -infinity, 2.5f}));
    EXPECT_EQ(logits_behind(stage, {1, 2}, 6), (std::vector<float>{0, 0, 0, -infinity, -infinity, 2.5f}));
    EXPECT_EQ(logits_behind(stage, {1, 2, 1}, 6), (std::vector<float>{0, 0, 0, 0, -infinity, 0}));
    EXPECT_EQ(logits_behind(stage, {2, 1, 2, 1, 1, 2}, 6), (std::vector<float>{0, 0, 0, -infinity, -infinity, 2.5f}));
}
TEST(BannedSequences, OneLongerThanTheTextByOneIsMatched) {
    const banned_sequences stage{{{{1, 2, 3}}}};
    EXPECT_EQ(logits_behind(stage, {1, 2}, 4)[3], -infinity);
    EXPECT_EQ(logits_behind(stage, {2}, 4)[3], 0.0f);
}
TEST(BannedSequences, IdsOutsideAreIgnored) {
    const banned_sequences stage{{{{100}}, {{-1}}, {{1, -5}}, {{-1, 2}}, {{100, 2}}}};
    EXPECT_EQ(logits_behind(stage, {1}, 4), (std::vector<float>(4, 0.0f)));
    EXPECT_EQ(logits_behind(stage, {100}, 4), (std::vector<float>{0, 0, -infinity, 0}));
    EXPECT_EQ(logits_behind(banned_sequences{}, {1}, 4), (std::vector<float>(4, 0.0f)));
}
TEST(BannedSequences, StreamsNeverHaveOne) {
    const std::vector<token_list> bad{{0, 1}, {1, 2, 0}, {3, 3, 3, 3}, {2, 2}};
    banned_sequences stage;
    for (const token_list& sequence : bad) stage.sequences.push_back({sequence});
    auto c = stage | dist{.seed = 6};
    token_list all;
    for (int i = 0; i < 3000; ++i) all.push_back(c.sample(std::vector<float>(4, 0.0f)));
    for (const token_list& sequence : bad)
        EXPECT_EQ(std::search(all.begin(), all.end(), sequence.begin(), sequence.end()), all.end());
    const token_list good{3, 3, 3};
    EXPECT_NE(std::search(all.begin(), all.end(), good.begin(), good.end()), all.end());
}
}  // namespace
}  // namespace riffle_tests
