#include <array>

#include "samplers/single.hpp"

namespace riffle_tests {
namespace {

using namespace riffle;

static_assert(facts_of<temperature>() == facts{.maps = true, .monotone = true, .narrows = narrowing::rank});

TEST(Temperature, AgreesWithTheReference) { expect_stage_agrees(variants_of<temperature>(), sizes_of_a_thousand); }
TEST(Temperature, AgreesWithTheReferenceOnLongRows) { expect_stage_agrees_on_long_rows(variants_of<temperature>()); }

TEST(Temperature, OneChangesNothing) {
    const std::vector<float> row{1.0f, 0.3f, -2.7f};
    auto c = chain(temperature{.t = 1.0f});
    auto memory = candidates_of(row);
    candidates left{memory.data(), memory.size(), -1, false};
    EXPECT_TRUE(c.apply(left));
    EXPECT_EQ(difference({left.data, left.size}, {{0, 1.0f}, {1, 0.3f}, {2, -2.7f}}), "");
}
TEST(Temperature, InfinityMakesLegalTokensEqual) {
    auto c = temperature{.t = infinity} | top_k{.k = 2} | greedy{};
    EXPECT_EQ(c.sample(std::vector<float>{-infinity, -3.0f, 8.0f, 1.0f}), 1);
    ASSERT_EQ(c.survivors().size(), 2u);
    EXPECT_EQ(c.survivors()[1].id, 2);
    EXPECT_EQ(c.survivors()[1].logit, 0.0f);
}
// One lane has its own arithmetic, which does not overflow: products beside the greatest float and half a step beyond,
// where it rounds away. 18631 * 1801 = 2^25 - 1.
TEST(Temperature, OneLaneEndsWhereTheOthersDo) {
    const std::array<float, 1> scale = temperature{.t = 0x1p-43f / 1801.0f}.parameters();
    ASSERT_EQ(scale[0], 0x1p43f * 1801.0f);
    int infinite = 0;
    const std::uint32_t tie = reference::bits_of(0x1p60f * 18631.0f);
    for (std::uint32_t bits = tie - 50; bits <= tie + 50; ++bits)
        for (const float logit : {reference::float_of(bits), -reference::float_of(bits)}) {
            const float one = temperature::map(lanes<1>(logit), std::array<lanes<1>, 1>{scale[0]})[0];
            const float wide = canonical(temperature::map(lanes<4>(logit), std::array<lanes<4>, 1>{scale[0]}))[0];
            ASSERT_EQ(one, wide) << std::hexfloat << logit;
            infinite += wide == -infinity;
        }
    EXPECT_EQ(infinite, 51);
}
TEST(Temperature, MergedNeighboursAreTiesByLowestId) {
    // two neighbouring floats that a temperature merges: the lower one has the lower id and must be kept
    for (const float t : {1.25f, 0.8f, 3.0f, 1.0f / 0.8f}) {
        int merged = 0;
        const std::uint32_t first = reference::bits_of(1.7f);
        for (std::uint32_t bits = first; bits < first + 64; ++bits) {
            const float low = reference::float_of(bits), high = reference::float_of(bits + 1);
            const float scale = reference::rounded(1.0f / t);
            const bool equal = reference::rounded(low * scale) == reference::rounded(high * scale);
            merged += equal;
            auto c = temperature{.t = t} | top_k{.k = 1} | greedy{};
            EXPECT_EQ(c.sample(std::vector<float>{low, high, 0.0f}), equal ? 0 : 1);
        }
        EXPECT_GT(merged, 0) << t;
    }
}
}  // namespace
}  // namespace riffle_tests
