#include "samplers/single.hpp"

namespace riffle_tests {
namespace {

using namespace riffle;

static_assert(facts_of<top_p>() == facts{.keeps_sorted = true, .narrows = narrowing::mass});

TEST(TopP, AgreesWithTheReference) { expect_stage_agrees(variants_of<top_p>(), sizes_of_a_thousand); }
TEST(TopP, AgreesWithTheReferenceOnLongRows) { expect_stage_agrees_on_long_rows(variants_of<top_p>()); }

TEST(TopP, KeepsTheShortestPrefixThatExceedsP) {
    const std::vector<float> row{0.0f, 0.0f, 0.0f, 0.0f};  // a quarter each
    EXPECT_EQ(survivors_of(top_p{.p = 0.2f}, row), (std::vector<token_id>{0}));
    EXPECT_EQ(survivors_of(top_p{.p = 0.25f}, row), (std::vector<token_id>{0, 1}));  // exceeds, not reaches
    EXPECT_EQ(survivors_of(top_p{.p = 0.6f}, row), (std::vector<token_id>{0, 1, 2}));
    EXPECT_EQ(survivors_of(top_p{.p = 0.99f}, row).size(), 4u);
}
TEST(TopP, LargeNucleiOfFlatRows) {
    const std::vector<top_p> several{{0.5f, 0}, {0.9f, 0}, {0.99f, 0}, {0.9999f, 0}, {0.1f, 9000}};
    for (const top_p& stage : several)
        for (const shape s : {shape::flat, shape::random, shape::tied, shape::equal, shape::ascending}) {
            auto c = chain(stage, dist{.seed = 5});
            reference::model model{{stage, dist{.seed = 5}}, {}};
            expect_chain_agreement(c, model, make_row(s, 20000, 3), name_of(s));
        }
}
TEST(TopP, IsMonotoneInP) {
    expect_monotone<top_p>(
        {{-1.0f, 0}, {0.0f, 0}, {0.1f, 0}, {0.100001f, 0}, {0.5f, 0}, {0.9f, 0}, {0.95f, 0}, {0.999f, 0}, {1.0f, 0}});
}
TEST(TopP, IsMonotoneInMinKeep) {
    expect_monotone<top_p>({{0.1f, 0}, {0.1f, 1}, {0.1f, 5}, {0.1f, 500}, {0.1f, 5000}});
}
}  // namespace
}  // namespace riffle_tests
