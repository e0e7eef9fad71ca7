#include "samplers/single.hpp"

namespace riffle_tests {
namespace {

using namespace riffle;

static_assert(facts_of<typical>() ==
              facts{.keeps_sorted = true, .narrows = narrowing::searched, .softmax_parts = softmax_part::distances});

TEST(Typical, AgreesWithTheReference) { expect_stage_agrees(variants_of<typical>(), sizes_of_a_thousand); }
TEST(Typical, AgreesWithTheReferenceOnLongRows) { expect_stage_agrees_on_long_rows(variants_of<typical>()); }

TEST(Typical, KeepsWhatIsNearestToTheEntropyFirst) {
    // entropy 1.21 nats; surprises 0.69, 1.39, 2.08, 2.08
    const auto row = logits_of({0.5, 0.25, 0.125, 0.125});
    EXPECT_EQ(survivors_of(typical{.p = 0.2f}, row), (std::vector<token_id>{1}));
    EXPECT_EQ(survivors_of(typical{.p = 0.3f}, row), (std::vector<token_id>{0, 1}));
    EXPECT_EQ(survivors_of(typical{.p = 0.8f}, row), (std::vector<token_id>{0, 1, 2}));
    EXPECT_EQ(survivors_of(typical{.p = 0.9f}, row), (std::vector<token_id>{0, 1, 2, 3}));
}
TEST(Typical, TheLikeliestTokenMayBeDropped) {
    std::vector<float> row(100, 0.0f);
    row[50] = 3.0f;  // a sixth of the mass, and far from the entropy of 3.8 nats
    const auto left = survivors_of(typical{.p = 0.5f}, row);
    EXPECT_FALSE(is_subset({50}, left));
    EXPECT_EQ(wide_survivors_of(typical{.p = 0.5f} | gumbel{}, row), left);
}
TEST(Typical, KeepsOneOrMinKeepAtZeroAndBelow) {
    const auto row = logits_of({0.5, 0.25, 0.125, 0.125});
    for (const float p : {0.0f, -0.0f, -1.0f, -infinity}) {
        EXPECT_EQ(survivors_of(typical{.p = p}, row), (std::vector<token_id>{1})) << p;
        EXPECT_EQ(survivors_of(typical{.p = p, .min_keep = 3}, row), (std::vector<token_id>{0, 1, 2})) << p;
    }
}
TEST(Typical, WhatWeighsNothingIsDropped) {
    const std::vector<float> row{0.0f, -21.0f, -1.0f, -infinity};
    EXPECT_EQ(survivors_of(typical{.p = 0.999999f, .min_keep = 9}, row), (std::vector<token_id>{0, 2}));
}
TEST(Typical, KnowsADistributionAtTheLowestFloat) {
    for (const float l : {-3.2e38f, std::numeric_limits<float>::lowest()}) {
        const std::vector<float> row{l, l};
        EXPECT_EQ(wide_survivors_of(typical{.p = 0.9f} | gumbel{}, row), (std::vector<token_id>{0, 1})) << l;
    }
}
TEST(Typical, NeedsMoreCandidatesWhereThoseItKnowsHaveJustTheShare) {
    softmax_statistics of_all;  // of which the candidates are a part
    of_all.maximum = 0.0f;
    of_all.mass = std::uint64_t{8} << 30;
    const auto keeps = [&](float p) {
        std::vector<token_data> memory{{0, 0.0f, 0.0f}, {1, 0.0f, 0.0f}, {2, 0.0f, 0.0f}, {3, 0.0f, 0.0f}};
        candidates c{memory.data(), memory.size(), -1, false};
        return typical{.p = p}.keep(c, of_all, -9.0f);
    };
    EXPECT_TRUE(keeps(0.4999999f));
    EXPECT_FALSE(keeps(0.5f)) << "their mass has to exceed the share";
    EXPECT_FALSE(keeps(0.6f));
}

TEST(Typical, IsMonotoneInP) {
    expect_monotone<typical>({{-1.0f}, {0.0f}, {0.1f}, {0.100001f}, {0.5f}, {0.9f}, {0.95f}, {0.999f}, {1.0f}});
}
TEST(Typical, IsMonotoneInMinKeep) {
    expect_monotone<typical>({{0.1f, 0}, {0.1f, 1}, {0.1f, 5}, {0.1f, 500}, {0.1f, 5000}});
}
}  // namespace
}  // namespace riffle_tests
