#include "samplers/single.hpp"

namespace riffle_tests {
namespace {

using namespace riffle;

static_assert(facts_of<top_k>() == facts{.keeps_sorted = true, .narrows = narrowing::rank});

TEST(TopK, AgreesWithTheReference) { expect_stage_agrees(variants_of<top_k>(), sizes_of_a_thousand); }
TEST(TopK, AgreesWithTheReferenceOnLongRows) { expect_stage_agrees_on_long_rows(variants_of<top_k>()); }

TEST(TopK, KeepsKTiesByLowestId) {
    const std::vector<float> row{1.0f, 2.0f, 2.0f, 2.0f, 0.0f};
    EXPECT_EQ(survivors_of(top_k{.k = 2}, row), (std::vector<token_id>{1, 2}));
    EXPECT_EQ(survivors_of(top_k{.k = 4}, row), (std::vector<token_id>{0, 1, 2, 3}));
    EXPECT_EQ(survivors_of(top_k{.k = 99}, row).size(), 5u);
}
TEST(TopK, IsOffAtZeroAndBelow) {
    const std::vector<float> row{1.0f, -infinity, 2.0f};
    for (const std::int32_t k : {0, -1, std::numeric_limits<std::int32_t>::min()})
        EXPECT_EQ(survivors_of(top_k{.k = k}, row).size(), 3u) << k;
    EXPECT_EQ(survivors_of(top_k{.k = 3}, row).size(), 2u);  // on, it drops what is illegal
}
TEST(TopK, EveryKOnEveryWayToTheBound) {
    // k by blocks, by groups and by a histogram
    std::vector<top_k> many;
    for (const std::int32_t k : {1,  2,  3,   7,   8,   9,   15,  16,  17,   31,   32,   33,   63,
                                 64, 65, 127, 128, 129, 250, 500, 999, 2000, 4000, 5999, 6000, 6001})
        many.push_back({k});
    constexpr std::array<std::size_t, 1> size{6000};
    expect_stage_agrees(many, size);
}
TEST(TopK, IsMonotoneInK) { expect_monotone<top_k>({{1}, {2}, {3}, {10}, {11}, {100}, {700}, {800}}); }
TEST(TopK, IsIdempotent) { expect_idempotent(variants_of<top_k>()); }
}  // namespace
}  // namespace riffle_tests
