#include "samplers/single.hpp"

namespace riffle_tests {
namespace {

using namespace riffle;

static_assert(facts_of<eta_cutoff>() ==
              facts{.keeps_sorted = true, .narrows = narrowing::likelihood, .softmax_parts = softmax_part::distances});

TEST(EtaCutoff, AgreesWithTheReference) { expect_stage_agrees(variants_of<eta_cutoff>(), sizes_of_a_thousand); }
TEST(EtaCutoff, AgreesWithTheReferenceOnLongRows) { expect_stage_agrees_on_long_rows(variants_of<eta_cutoff>()); }

TEST(EtaCutoff, TheFlatterTheDistributionTheLowerTheCut) {
    const std::vector<float> even(1000, 1.0f);  // a thousandth each; entropy 6.9, so eta = 1e-4
    EXPECT_EQ(survivors_of(eta_cutoff{.epsilon = 0.01f}, even).size(), 1000u);
    EXPECT_EQ(survivors_of(epsilon_cutoff{.epsilon = 0.01f}, even).size(), 1u);
    const auto sure = logits_of({0.989, 0.006, 0.005});  // entropy 0.07: sqrt(0.01) / exp(0.07) is above 0.01
    EXPECT_EQ(survivors_of(eta_cutoff{.epsilon = 0.01f}, sure), (std::vector<token_id>{0}));
}
TEST(EtaCutoff, KeepsWhatEpsilonCutoffKeeps) {
    for (const shape s : all_shapes)
        for (const float epsilon : {1e-4f, 0.01f, 0.3f, 2.0f}) {
            const auto row = make_row(s, 700, 5);
            EXPECT_TRUE(is_subset(survivors_of(epsilon_cutoff{.epsilon = epsilon}, row),
                                  survivors_of(eta_cutoff{.epsilon = epsilon}, row)))
                << name_of(s) << ", " << epsilon;
        }
}
TEST(EtaCutoff, KeepsOneOrMinKeepAtOneAndAboveOfASureDistribution) {
    const std::vector<float> row{0.0f, -50.0f, -60.0f, -infinity};
    for (const float epsilon : {1.5f, 7.0f, infinity}) {
        EXPECT_EQ(survivors_of(eta_cutoff{.epsilon = epsilon}, row), (std::vector<token_id>{0})) << epsilon;
        EXPECT_EQ(survivors_of(eta_cutoff{.epsilon = epsilon, .min_keep = 2}, row), (std::vector<token_id>{0, 1}));
    }
}
TEST(EtaCutoff, IsMonotone) {
    expect_monotone<eta_cutoff>({{1.0f}, {0.5f}, {0.1f}, {0.01f}, {0.00999999f}, {1e-4f}, {1e-20f}, {0.0f}});
    expect_monotone<eta_cutoff>({{0.5f, 0}, {0.5f, 1}, {0.5f, 5}, {0.5f, 500}, {0.5f, 5000}});
}
}  // namespace
}  // namespace riffle_tests
