#include "samplers/single.hpp"

namespace riffle_tests {
namespace {

using namespace riffle;

static_assert(facts_of<epsilon_cutoff>() == facts{.keeps_sorted = true, .narrows = narrowing::likelihood});

TEST(EpsilonCutoff, AgreesWithTheReference) { expect_stage_agrees(variants_of<epsilon_cutoff>(), sizes_of_a_thousand); }
TEST(EpsilonCutoff, AgreesWithTheReferenceOnLongRows) {
    expect_stage_agrees_on_long_rows(variants_of<epsilon_cutoff>());
}

TEST(EpsilonCutoff, KeepsWhatIsLikelyEnough) {
    const auto row = logits_of({0.05, 0.6, 0.25, 0.1});
    EXPECT_EQ(survivors_of(epsilon_cutoff{.epsilon = 0.2f}, row), (std::vector<token_id>{1, 2}));
    EXPECT_EQ(survivors_of(epsilon_cutoff{.epsilon = 0.09f}, row), (std::vector<token_id>{1, 2, 3}));
    EXPECT_EQ(survivors_of(epsilon_cutoff{.epsilon = 0.01f}, row).size(), 4u);
}
TEST(EpsilonCutoff, KeepsOneOrMinKeepWhereNoneIs) {
    const std::vector<float> row(4, 0.0f);  // a quarter each
    for (const float epsilon : {0.3f, 1.0f, 7.0f, infinity}) {
        EXPECT_EQ(survivors_of(epsilon_cutoff{.epsilon = epsilon}, row), (std::vector<token_id>{0})) << epsilon;
        EXPECT_EQ(survivors_of(epsilon_cutoff{.epsilon = epsilon, .min_keep = 3}, row),
                  (std::vector<token_id>{0, 1, 2}));
        EXPECT_EQ(survivors_of(epsilon_cutoff{.epsilon = epsilon, .min_keep = 300}, row).size(), 4u);
    }
}
TEST(EpsilonCutoff, IsMonotone) {
    expect_monotone<epsilon_cutoff>({{1.0f}, {0.5f}, {0.1f}, {0.01f}, {0.00999999f}, {1e-4f}, {1e-20f}, {0.0f}});
    expect_monotone<epsilon_cutoff>({{0.5f, 0}, {0.5f, 1}, {0.5f, 5}, {0.5f, 500}, {0.5f, 5000}});
}
TEST(EpsilonCutoff, IsIdempotentWhereItDropsLittle) {
    const auto row = logits_of({0.6, 0.3, 0.0999, 0.0001});
    EXPECT_EQ(survivors_of(epsilon_cutoff{.epsilon = 0.01f}, row), (std::vector<token_id>{0, 1, 2}));
}
}  // namespace
}  // namespace riffle_tests
