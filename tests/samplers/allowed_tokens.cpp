#include <algorithm>

#include "samplers/single.hpp"

namespace riffle_tests {
namespace {

using namespace riffle;

static_assert(facts_of<allowed_tokens>() == facts{.masks = true, .keeps_sorted = true, .narrows = narrowing::legal});

TEST(AllowedTokens, AgreesWithTheReference) { expect_stage_agrees(variants_of<allowed_tokens>(), sizes_of_a_thousand); }
TEST(AllowedTokens, AgreesWithTheReferenceOnLongRows) {
    expect_stage_agrees_on_long_rows(variants_of<allowed_tokens>());
}

TEST(AllowedTokens, LeavesOnlyThese) {
    const std::vector<float> row{5.0f, 1.0f, -infinity, 3.0f};
    EXPECT_EQ(survivors_of(allowed_tokens{{1, 2, 3, 70, -1}}, row), (std::vector<token_id>{1, 3}));
    EXPECT_EQ((allowed_tokens{{1, 2, 3}} | greedy{}).peek(row), 3);
}
TEST(AllowedTokens, NoTokensLeaveNothing) {
    for (const allowed_tokens& stage :
         {allowed_tokens{}, allowed_tokens{{-1}}, allowed_tokens{{900}}, allowed_tokens{{2}}}) {
        auto c = stage | greedy{};
        EXPECT_EQ(c.sample(std::vector<float>{5.0f, 1.0f, -infinity, 3.0f}), null_token);
        EXPECT_EQ(c.last_status().code(), status_code::no_legal_token);
    }
}
TEST(AllowedTokens, IsTheMaskOfItsWords) {
    for (const allowed_tokens& stage : variants_of<allowed_tokens>()) {
        const auto words = stage.tokens.words();
        const mask same{{words.begin(), words.end()}};
        for (const shape s : all_shapes) {
            const auto row = make_row(s, 1000, 12);
            EXPECT_EQ(survivors_of(stage, row), survivors_of(same, row)) << name_of(s);
            EXPECT_EQ((stage | dist{.seed = 3}).peek(row), (same | dist{.seed = 3}).peek(row)) << name_of(s);
        }
    }
}
TEST(AllowedTokens, OffersItsIdsWhereTheyAreFewAndAlwaysTheirNumber) {
    allowed_tokens stage{{70, 1, 30000}};
    const std::vector<token_id> ids{1, 70, 30000};
    EXPECT_TRUE(std::ranges::equal(stage.legal_now().ids, ids));
    EXPECT_EQ(stage.legal_now().count, 3u);
    for (token_id id = 1000; id < 2000; ++id) stage.tokens.add(id);
    EXPECT_TRUE(stage.legal_now().ids.empty());
    EXPECT_EQ(stage.legal_now().count, 1003u);
    EXPECT_TRUE(stage.legal_now().contains(30000));
    EXPECT_FALSE(stage.legal_now().contains(30001));
}
TEST(AllowedTokens, ASetCanChangeBetweenSteps) {
    auto c = allowed_tokens{{0}} | greedy{};
    const std::vector<float> row{1.0f, 2.0f, 3.0f};
    EXPECT_EQ(c.sample(row), 0);
    get<allowed_tokens>(c).tokens.add(2);
    EXPECT_EQ(c.sample(row), 2);
    get<allowed_tokens>(c).tokens.remove(2);
    EXPECT_EQ(c.sample(row), 0);
}
}  // namespace
}  // namespace riffle_tests
