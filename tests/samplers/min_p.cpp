#include "samplers/single.hpp"

namespace riffle_tests {
namespace {

using namespace riffle;

static_assert(facts_of<min_p>() == facts{.keeps_sorted = true, .narrows = narrowing::threshold});

TEST(MinP, AgreesWithTheReference) { expect_stage_agrees(variants_of<min_p>(), sizes_of_a_thousand); }
TEST(MinP, AgreesWithTheReferenceOnLongRows) { expect_stage_agrees_on_long_rows(variants_of<min_p>()); }

TEST(MinP, KeepsWhatIsLikelyEnough) {
    const std::vector<float> row{0.0f, -0.6f, -0.8f, -3.0f};  // half as likely is -0.693
    EXPECT_EQ(survivors_of(min_p{.p = 0.5f}, row), (std::vector<token_id>{0, 1}));
    EXPECT_EQ(survivors_of(min_p{.p = 0.01f}, row).size(), 4u);
}
TEST(MinP, AboveOneKeepsOneOrMinKeep) {
    const std::vector<float> row{0.0f, 3.0f, 3.0f, 2.0f, -infinity};
    for (const float p : {1.5f, 1e30f, infinity}) {
        EXPECT_EQ(survivors_of(min_p{.p = p}, row), (std::vector<token_id>{1})) << p;
        EXPECT_EQ(survivors_of(min_p{.p = p, .min_keep = 3}, row), (std::vector<token_id>{1, 2, 3})) << p;
        EXPECT_EQ(survivors_of(min_p{.p = p, .min_keep = std::numeric_limits<std::size_t>::max()}, row).size(), 4u)
            << p;
    }
    EXPECT_EQ(survivors_of(min_p{.p = 1.0f}, row), (std::vector<token_id>{1, 2}));
}
TEST(MinP, IsMonotoneInP) {
    expect_monotone<min_p>({{infinity, 0}, {1.0f, 0}, {0.99f, 0}, {0.5f, 0}, {0.05f, 0}, {1e-10f, 0}, {0.0f, 0}});
}
TEST(MinP, IsIdempotent) { expect_idempotent(variants_of<min_p>()); }
}  // namespace
}  // namespace riffle_tests
