#include "samplers/single.hpp"

namespace riffle_tests {
namespace {

using namespace riffle;

static_assert(facts_of<top_n_sigma>() == facts{.keeps_sorted = true, .narrows = narrowing::deviation});

TEST(TopNSigma, AgreesWithTheReference) { expect_stage_agrees(variants_of<top_n_sigma>(), sizes_of_a_thousand); }
TEST(TopNSigma, AgreesWithTheReferenceOnLongRows) { expect_stage_agrees_on_long_rows(variants_of<top_n_sigma>()); }

TEST(TopNSigma, KeepsWhatIsWithinNDeviations) {
    const std::vector<float> row{4.0f, 2.0f, 2.0f, 0.0f};  // mean 2, deviation sqrt(2)
    EXPECT_EQ(survivors_of(top_n_sigma{.n = 1.0f}, row), (std::vector<token_id>{0}));
    EXPECT_EQ(survivors_of(top_n_sigma{.n = 1.5f}, row), (std::vector<token_id>{0, 1, 2}));
    EXPECT_EQ(survivors_of(top_n_sigma{.n = 3.0f}, row).size(), 4u);
}
TEST(TopNSigma, InfinityKeepsAllThatAreLegal) {
    for (const std::vector<float>& row :
         {std::vector<float>{4.0f, 2.0f, -infinity}, {1.0f, 0.99999994f, -infinity}, {1.0f, 1.0f, -infinity}})
        EXPECT_EQ(survivors_of(top_n_sigma{.n = infinity}, row), (std::vector<token_id>{0, 1}));
}
TEST(TopNSigma, LeavesASingleCandidateAlone) {
    EXPECT_EQ(survivors_of(top_n_sigma{.n = 1.0f}, std::vector<float>{-4.0f}).size(), 1u);
    EXPECT_EQ(survivors_of(top_n_sigma{.n = 1.0f}, std::vector<float>{-infinity, 1.0f, -infinity}),
              (std::vector<token_id>{1}));
}
TEST(TopNSigma, EqualLogitsAllStay) {
    EXPECT_EQ(survivors_of(top_n_sigma{.n = 0.001f}, std::vector<float>(50, 2.5f)).size(), 50u);
}
TEST(TopNSigma, IsMonotoneInN) {
    expect_monotone<top_n_sigma>({{1e-6f}, {0.5f}, {1.0f}, {1.001f}, {2.0f}, {10.0f}, {infinity}});
}
}  // namespace
}  // namespace riffle_tests
