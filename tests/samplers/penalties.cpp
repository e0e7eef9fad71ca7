#include "samplers/single.hpp"

namespace riffle_tests {
namespace {

using namespace riffle;

static_assert(facts_of<penalties>() == facts{.edits = true});

TEST(Penalties, AgreesWithTheReference) { expect_stage_agrees(variants_of<penalties>(), sizes_of_a_thousand); }
TEST(Penalties, AgreesWithTheReferenceOnLongRows) { expect_stage_agrees_on_long_rows(variants_of<penalties>()); }

TEST(Penalties, CountTheWindowAndNothingElse) {
    auto c = penalties{.last_n = 3, .presence = 10.0f} | greedy{};
    const std::vector<float> row{4.0f, 3.0f, 2.0f, 1.0f, 0.0f};
    for (const token_id expected : {0, 1, 2, 3, 0, 1}) EXPECT_EQ(c.sample(row), expected);
}
TEST(Penalties, TheWholeHistoryIsCountedForMinusOne) {
    auto c = penalties{.last_n = -1, .frequency = 1.0f} | greedy{};
    std::vector<float> row(3);
    row[0] = 1000.5f;
    for (int i = 0; i < 1001; ++i) ASSERT_EQ(c.sample(row), 0) << i;
    EXPECT_EQ(c.sample(row), 1);
}
TEST(Penalties, RepeatIsAwareOfTheSign) {
    auto c = penalties{.repeat = 2.0f} | top_k{.k = 9} | greedy{};
    c.prompt(std::vector<token_id>{0, 1, 1, 2});
    c.peek(std::vector<float>{4.0f, -4.0f, 0.0f, -1.0f});
    EXPECT_EQ(difference(c.survivors(), {{0, 2.0f}, {1, -8.0f}, {2, 0.0f}, {3, -1.0f}}), "");
}
TEST(Penalties, NegativeOnesEncourage) {
    auto c = penalties{.frequency = -1.0f, .presence = -0.5f} | greedy{};
    c.prompt(std::vector<token_id>{2, 2});
    EXPECT_EQ(c.sample(std::vector<float>{2.0f, 0.0f, 0.0f}), 2);
}
TEST(Penalties, LeaveWhatIsExempt) {
    auto c = penalties{.presence = 10.0f, .exempt = {0, 2}} | top_k{.k = 9} | greedy{};
    c.prompt(std::vector<token_id>{0, 1, 2, 2});
    c.peek(std::vector<float>{4.0f, 3.0f, 2.0f, 1.0f});
    EXPECT_EQ(difference(c.survivors(), {{0, 4.0f}, {1, -7.0f}, {2, 2.0f}, {3, 1.0f}}), "");
    EXPECT_EQ(c.check(2).code(), status_code::invalid_parameter);
    EXPECT_TRUE(c.check(3));
}
TEST(Penalties, AreOffWhereTheyAreNeutral) {
    for (const penalties& stage : {penalties{}, penalties{.last_n = 0, .repeat = 5.0f}}) {
        auto c = stage | greedy{};
        c.prompt(std::vector<token_id>{1});
        EXPECT_EQ(c.sample(std::vector<float>{0.0f, 1.0f}), 1);
    }
}
TEST(Penalties, AWindowMayGrowBetweenSteps) {
    auto c = penalties{.last_n = 2, .presence = 10.0f} | greedy{};
    const std::vector<float> row{4.0f, 3.0f, 2.0f, 1.0f};
    for (int i = 0; i < 3; ++i) c.sample(row);
    EXPECT_EQ(c.peek(row), 0);
    get<penalties>(c).last_n = 3;
    EXPECT_EQ(c.peek(row), 3);
}
TEST(Penalties, LeaveIllegalTokensIllegal) {
    auto c = penalties{.repeat = 0.5f, .frequency = -100.0f} | greedy{};
    c.prompt(std::vector<token_id>{0, 0});
    EXPECT_EQ(c.sample(std::vector<float>{-infinity, -50.0f}), 1);
}
}  // namespace
}  // namespace riffle_tests
