#include "samplers/single.hpp"

namespace riffle_tests {
namespace {

using namespace riffle;

static_assert(facts_of<min_tokens>() == facts{.edits = true});

TEST(MinTokens, AgreesWithTheReference) { expect_stage_agrees(variants_of<min_tokens>(), sizes_of_a_thousand); }
TEST(MinTokens, AgreesWithTheReferenceOnLongRows) { expect_stage_agrees_on_long_rows(variants_of<min_tokens>()); }

const std::vector<float> ends_first{9.0f, 1.0f, 8.0f};

TEST(MinTokens, BansTheEndUntilEnoughIsGenerated) {
    auto c = min_tokens{.count = 3, .ends = {0, 2}} | greedy{};
    c.prompt(std::vector<token_id>{1, 1, 1, 1});  // does not count
    for (const token_id expected : {1, 1, 1, 0, 0}) EXPECT_EQ(c.sample(ends_first), expected);
    c.rewind(3);
    for (const token_id expected : {1, 0}) EXPECT_EQ(c.sample(ends_first), expected);
    c.reset();
    EXPECT_EQ(c.sample(ends_first), 1);
}
TEST(MinTokens, IsOff) {
    for (const min_tokens& off :
         {min_tokens{}, min_tokens{0, {0}}, min_tokens{-4, {0}}, min_tokens{9, {}}, min_tokens{9, {-1, 900}}})
        EXPECT_EQ((off | greedy{}).sample(ends_first), 0) << reference::describe(off);
}
TEST(MinTokens, MayLeaveNothing) {
    auto c = min_tokens{1, {0, 1, 2}} | greedy{};
    EXPECT_EQ(c.sample(ends_first), null_token);
    EXPECT_EQ(c.last_status().code(), status_code::no_legal_token);
    c.accept(1);
    EXPECT_EQ(c.sample(ends_first), 0);
}
}  // namespace
}  // namespace riffle_tests
