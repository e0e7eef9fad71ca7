#include "samplers/single.hpp"

namespace riffle_tests {
namespace {

using namespace riffle;

static_assert(facts_of<top_a>() == facts{.keeps_sorted = true, .narrows = narrowing::likelihood});

TEST(TopA, AgreesWithTheReference) { expect_stage_agrees(variants_of<top_a>(), sizes_of_a_thousand); }
TEST(TopA, AgreesWithTheReferenceOnLongRows) { expect_stage_agrees_on_long_rows(variants_of<top_a>()); }

TEST(TopA, CutsAtAMultipleOfTheSquareOfTheGreatest) {
    const auto row = logits_of({0.5, 0.2, 0.2, 0.1});  // the square is a quarter
    EXPECT_EQ(survivors_of(top_a{.a = 0.2f}, row).size(), 4u);
    EXPECT_EQ(survivors_of(top_a{.a = 0.6f}, row), (std::vector<token_id>{0, 1, 2}));
    EXPECT_EQ(survivors_of(top_a{.a = 0.9f}, row), (std::vector<token_id>{0}));
    EXPECT_EQ(survivors_of(top_a{.a = 50.0f}, row), (std::vector<token_id>{0}));
}
TEST(TopA, KeepsAllOfEqualTokens) {
    for (const std::size_t size : {1u, 2u, 10u, 1000u})
        EXPECT_EQ(survivors_of(top_a{.a = 0.9f}, std::vector<float>(size, 2.5f)).size(), size);
}
TEST(TopA, IsMonotone) {
    expect_monotone<top_a>({{infinity}, {5.0f}, {1.0f}, {0.5f}, {0.2f}, {0.01f}, {1e-20f}, {0.0f}});
}
}  // namespace
}  // namespace riffle_tests
