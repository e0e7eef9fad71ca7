#include "samplers/single.hpp"

namespace riffle_tests {
namespace {

using namespace riffle;

static_assert(facts_of<min_k>() == facts{.sees_weightless = true,
                                         .keeps_sorted = true,
                                         .narrows = narrowing::searched,
                                         .softmax_parts = softmax_part::support});

TEST(MinK, AgreesWithTheReference) { expect_stage_agrees(variants_of<min_k>(), sizes_of_a_thousand); }
TEST(MinK, AgreesWithTheReferenceOnLongRows) { expect_stage_agrees_on_long_rows(variants_of<min_k>()); }

TEST(MinK, CutsAtTheCliff) {
    const std::vector<float> row{9.5f, 10.0f, 9.0f, 2.0f, 1.9f, 1.0f, -infinity};  // gaps 0.5, 0.25, 2.33, ...
    EXPECT_EQ(survivors_of(min_k{.tau = 0.0f}, row), (std::vector<token_id>{0, 1, 2}));
    EXPECT_EQ(survivors_of(min_k{.tau = 45.0f}, row), (std::vector<token_id>{0, 1, 2, 3, 4}));  // 45 / 9
    EXPECT_EQ(survivors_of(min_k{.tau = 44.9f}, row), (std::vector<token_id>{0, 1, 2, 3}));
    EXPECT_EQ(survivors_of(min_k{.tau = infinity}, row).size(), 6u);
}
TEST(MinK, KeepsTiesOfTheLast) {
    const std::vector<float> row{3.0f, 2.0f, 2.0f, 0.0f};
    EXPECT_EQ(survivors_of(min_k{.tau = 0.0f}, row), (std::vector<token_id>{0}));
    EXPECT_EQ(survivors_of(min_k{.tau = 6.0f}, row), (std::vector<token_id>{0, 1, 2}));
    EXPECT_EQ(survivors_of(min_k{}, std::vector<float>(9, 1.0f)).size(), 9u);
}
TEST(MinK, ACliffUnderWhatWeighsCounts) {
    const std::vector<float> row{0.0f, -10.0f, -1000.0f};  // gaps 10 and 495
    EXPECT_EQ(survivors_of(min_k{.tau = 0.0f}, row), (std::vector<token_id>{0, 1}));
    EXPECT_EQ(wide_survivors_of(min_k{.tau = 0.0f} | dist{}, row), (std::vector<token_id>{0, 1}));
    const std::vector<float> deep{0.0f, -30.0f, -1000.0f};
    EXPECT_EQ(survivors_of(min_k{.tau = 0.0f}, deep), (std::vector<token_id>{0, 1}));
    EXPECT_EQ(wide_survivors_of(min_k{.tau = 0.0f} | dist{}, deep), (std::vector<token_id>{0, 1}));
}
TEST(MinK, NoTemperatureMovesTheCliff) {
    for (const shape s : {shape::random, shape::peaked, shape::flat, shape::tied, shape::holes}) {
        auto row = make_row(s, 700, 11);
        const auto left = survivors_of(min_k{.tau = 0.0f}, row);
        for (float& l : row) l *= 0.25f;
        EXPECT_EQ(survivors_of(min_k{.tau = 0.0f}, row), left) << name_of(s);
    }
}
TEST(MinK, IsMonotone) { expect_monotone<min_k>({{0.0f}, {1e-40f}, {3.0f}, {10.0f}, {100.0f}, {5000.0f}, {infinity}}); }
}  // namespace
}  // namespace riffle_tests
