#include "samplers/single.hpp"

namespace riffle_tests {
namespace {

using namespace riffle;

static_assert(facts_of<top_h>() ==
              facts{.keeps_sorted = true, .narrows = narrowing::searched, .softmax_parts = softmax_part::distances});

TEST(TopH, AgreesWithTheReference) { expect_stage_agrees(variants_of<top_h>(), sizes_of_a_thousand); }
TEST(TopH, AgreesWithTheReferenceOnLongRows) { expect_stage_agrees_on_long_rows(variants_of<top_h>()); }

TEST(TopH, KeepsAShareOfTheEntropy) {
    const std::vector<float> even(10, 1.0f);  // a prefix of k has k tenths of it, and log k for itself
    EXPECT_EQ(survivors_of(top_h{.alpha = 0.45f}, even).size(), 4u);
    EXPECT_EQ(survivors_of(top_h{.alpha = 0.45f, .renormalised = true}, even).size(), 2u);
    EXPECT_EQ(survivors_of(top_h{.alpha = 0.75f}, even).size(), 7u);
    EXPECT_EQ(survivors_of(top_h{.alpha = 0.75f, .renormalised = true}, even).size(), 5u);
}
TEST(TopH, KeepsOneAtZeroWhereTheOthersHaveNextToNoEntropy) {
    const std::vector<float> row{0.0f, -20.5f, -20.6f, -20.7f};
    for (const bool renormalised : {false, true})
        for (const float alpha : {0.0f, -1.0f, 1e-45f})
            EXPECT_EQ(survivors_of(top_h{alpha, 0, renormalised}, row), (std::vector<token_id>{0})) << alpha;
}
TEST(TopH, WhatWeighsNothingIsDropped) {
    const std::vector<float> row{0.0f, -21.0f, -1.0f, -infinity};
    EXPECT_EQ(survivors_of(top_h{.alpha = 1.0f, .min_keep = 9}, row), (std::vector<token_id>{0, 2}));
}
TEST(TopH, IsMonotone) {
    for (const bool renormalised : {false, true}) {
        std::vector<top_h> rising, keeping;
        for (const float alpha : {-1.0f, 0.0f, 0.1f, 0.4f, 0.400001f, 0.9f, 1.0f, 1.1f})
            rising.push_back({alpha, 0, renormalised});
        for (const std::size_t least : {0u, 1u, 7u, 500u, 5000u}) keeping.push_back({0.2f, least, renormalised});
        expect_monotone(rising);
        expect_monotone(keeping);
    }
}
}  // namespace
}  // namespace riffle_tests
