#include "samplers/single.hpp"

namespace riffle_tests {
namespace {

using namespace riffle;

static_assert(facts_of<soft_cap>() == facts{.maps = true, .monotone = true});

TEST(SoftCap, AgreesWithTheReference) { expect_stage_agrees(variants_of<soft_cap>(), sizes_of_a_thousand); }
TEST(SoftCap, AgreesWithTheReferenceOnLongRows) { expect_stage_agrees_on_long_rows(variants_of<soft_cap>()); }

TEST(SoftCap, StaysWithinTheCap) {
    auto c = soft_cap{.cap = 5.0f} | top_k{.k = 100000} | greedy{};
    for (const shape s : all_shapes) {
        if (c.peek(make_row(s, 300, 3)) < 0) continue;
        for (const auto& token : c.survivors()) {
            EXPECT_LE(token.logit, 5.0f);
            EXPECT_GE(token.logit, -5.0f);
        }
    }
}
TEST(SoftCap, TiesOfTheCapGoToTheLowestId) {
    auto c = soft_cap{.cap = 2.0f} | greedy{};
    EXPECT_EQ(c.sample(std::vector<float>{0.0f, 100.0f, 1000.0f}), 1);
}
}  // namespace
}  // namespace riffle_tests
