#include "samplers/single.hpp"

namespace riffle_tests {
namespace {

using namespace riffle;

static_assert(facts_of<tail_free>() == facts{.needs_all = true, .keeps_sorted = true, .narrows = narrowing::searched});

TEST(TailFree, AgreesWithTheReference) { expect_stage_agrees(variants_of<tail_free>(), sizes_of_a_thousand); }
TEST(TailFree, AgreesWithTheReferenceOnLongRows) { expect_stage_agrees_on_long_rows(variants_of<tail_free>()); }

TEST(TailFree, CutsWhereTheProbabilitiesStopBending) {
    const auto row = logits_of({0.5, 0.3, 0.1, 0.05, 0.05});  // bends 0, 0.15, 0.05
    EXPECT_EQ(survivors_of(tail_free{.z = 0.5f}, row), (std::vector<token_id>{0}));
    EXPECT_EQ(survivors_of(tail_free{.z = 0.5f, .centred = true}, row), (std::vector<token_id>{0, 1}));
    EXPECT_EQ(survivors_of(tail_free{.z = 0.8f}, row), (std::vector<token_id>{0, 1}));
    EXPECT_EQ(survivors_of(tail_free{.z = 0.8f, .centred = true}, row), (std::vector<token_id>{0, 1, 2}));
    EXPECT_EQ(survivors_of(tail_free{.z = 0.8f, .min_keep = 4}, row), (std::vector<token_id>{0, 1, 2, 3}));
}
TEST(TailFree, KeepsOneOrMinKeepAtZeroAndBelow) {
    // of equal tokens at the top too, which do not bend
    for (const std::vector<float>& row :
         {std::vector<float>{1.0f, 3.0f, 2.0f, -infinity, 0.0f}, std::vector<float>{0.0f, 1.0f, 1.0f, 1.0f, 1.0f}})
        for (const float z : {0.0f, -1.0f, -infinity}) {
            EXPECT_EQ(survivors_of(tail_free{.z = z}, row), (std::vector<token_id>{1})) << z;
            EXPECT_EQ(survivors_of(tail_free{.z = z, .min_keep = 2}, row), (std::vector<token_id>{1, 2})) << z;
            EXPECT_EQ(survivors_of(tail_free{.z = z, .min_keep = 900}, row).size(), row[3] == 1.0f ? 5u : 4u) << z;
        }
}
TEST(TailFree, LeavesTwoTokensAlone) {
    for (const bool centred : {false, true}) {
        EXPECT_EQ(survivors_of(tail_free{0.1f, 0, centred}, std::vector<float>{0.0f, -9.0f}).size(), 2u);
        EXPECT_EQ(survivors_of(tail_free{0.1f, 0, centred}, std::vector<float>{0.0f}).size(), 1u);
    }
}
TEST(TailFree, IsMonotone) {
    for (const bool centred : {false, true}) {
        std::vector<tail_free> rising, keeping;
        for (const float z : {-1.0f, 0.0f, 0.1f, 0.5f, 0.500001f, 0.9f, 0.999f, 1.0f})
            rising.push_back({z, 0, centred});
        for (const std::size_t least : {0u, 1u, 7u, 500u, 5000u}) keeping.push_back({0.5f, least, centred});
        expect_monotone(rising);
        expect_monotone(keeping);
    }
}
}  // namespace
}  // namespace riffle_tests
