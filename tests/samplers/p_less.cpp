#include "samplers/single.hpp"

namespace riffle_tests {
namespace {

using namespace riffle;

static_assert(facts_of<p_less>() == facts{.keeps_sorted = true,
                                          .narrows = narrowing::likelihood,
                                          .softmax_parts = softmax_part::squares | softmax_part::support});

TEST(PLess, AgreesWithTheReference) { expect_stage_agrees(variants_of<p_less>(), sizes_of_a_thousand); }
TEST(PLess, AgreesWithTheReferenceOnLongRows) { expect_stage_agrees_on_long_rows(variants_of<p_less>()); }

TEST(PLess, CutsAtTheProbabilityThatTwoDrawsAgree) {
    const auto row = logits_of({0.6, 0.3, 0.1});  // they agree with 0.46; normalised 0.19
    EXPECT_EQ(survivors_of(p_less{}, row), (std::vector<token_id>{0}));
    EXPECT_EQ(survivors_of(p_less{.normalised = true}, row), (std::vector<token_id>{0, 1}));
    const auto flatter = logits_of({0.3, 0.3, 0.2, 0.2});  // 0.26
    EXPECT_EQ(survivors_of(p_less{}, flatter), (std::vector<token_id>{0, 1}));
}
TEST(PLess, KeepsAllOfEqualTokens) {
    for (const bool normalised : {false, true})
        for (std::size_t size = 1; size < 1500; size += 1 + size / 9)
            for (const float l : {0.0f, 2.5f, -3.4e38f, 3.4e38f}) {
                const std::vector<float> row(size, l);
                EXPECT_EQ(survivors_of(p_less{normalised}, row).size(), size) << l;
                EXPECT_EQ(wide_survivors_of(p_less{normalised} | gumbel{}, row).size(), size) << l;
            }
}
TEST(PLess, TheNormalisedFormKeepsMore) {
    for (const shape s : all_shapes) {
        const auto row = make_row(s, 700, 8);
        EXPECT_TRUE(is_subset(survivors_of(p_less{}, row), survivors_of(p_less{.normalised = true}, row)))
            << name_of(s);
    }
}
TEST(PLess, AlwaysKeepsTheGreatest) {
    for (const shape s : all_shapes) {
        const auto row = make_row(s, 300, 8);
        EXPECT_TRUE(is_subset(survivors_of(top_k{1}, row), survivors_of(p_less{}, row))) << name_of(s);
    }
}
}  // namespace
}  // namespace riffle_tests
