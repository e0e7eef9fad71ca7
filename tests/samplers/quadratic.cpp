#include "samplers/single.hpp"

namespace riffle_tests {
namespace {

using namespace riffle;

static_assert(facts_of<quadratic>() == facts{.adjusts = true});

TEST(Quadratic, AgreesWithTheReference) { expect_stage_agrees(variants_of<quadratic>(), sizes_of_a_thousand); }
TEST(Quadratic, AgreesWithTheReferenceOnLongRows) { expect_stage_agrees_on_long_rows(variants_of<quadratic>()); }

TEST(Quadratic, BendsByTheDistanceUnderTheMaximum) {
    const std::vector<float> row{4.0f, 3.0f, 2.0f, -infinity};
    EXPECT_EQ(logits_after(quadratic{.factor = 0.25f, .curve = 1.0f}, row),
              (std::vector<float>{4.0f, 3.75f, 3.0f, -infinity}));
    EXPECT_EQ(logits_after(quadratic{.factor = 0.25f, .curve = 3.0f}, row),
              (std::vector<float>{4.0f, 3.75f, 2.0f, -infinity}));
    EXPECT_EQ(logits_after(quadratic{.factor = 0.25f, .curve = 2.0f}, row),
              (std::vector<float>{4.0f, 3.75f, 2.5f, -infinity}));
}
TEST(Quadratic, KeepsTheOrderForCurvesOfOneToThree) {
    for (const float curve : {1.0f, 1.5f, 2.9f, 3.0f})
        for (const shape s : all_shapes) {
            auto row = make_row(s, 300, 4);
            const auto bent = logits_after(quadratic{.factor = 0.3f, .curve = curve}, row);
            std::vector<std::size_t> order(row.size());
            for (std::size_t i = 0; i < row.size(); ++i) order[i] = i;
            for (float& l : row) l = reference::canonical(l);
            std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return row[a] > row[b]; });
            for (std::size_t i = 1; i < order.size(); ++i)
                EXPECT_GE(bent[order[i - 1]], bent[order[i]]) << name_of(s) << ", curve " << curve;
        }
}
TEST(Quadratic, FarTokensCanRiseOutsideThoseCurves) {
    const std::vector<float> row{0.0f, -1.0f, -100.0f};
    const quadratic stage{.factor = 0.1f, .curve = 0.5f};
    const auto bent = logits_after(stage, row);
    EXPECT_GT(bent[2], bent[0]);
    EXPECT_EQ((stage | greedy{}).peek(row), 2);
    EXPECT_EQ((stage | top_k{1} | greedy{}).peek(row), 2);
    EXPECT_EQ((stage | dist{}).peek(row), 2);
}
TEST(Quadratic, AGreatMaximumSwallowsNoDifference) {
    const auto distribution = [](const std::vector<float>& row) {
        auto c = quadratic{.factor = 0.001f} | dist{};
        std::vector<float> p;
        for (const auto& token : c.distribution(row)) p.push_back(token.p);
        return p;
    };
    const std::vector<float> far{1e9f, 1e9f - 64.0f, 1e9f - 128.0f}, near{0.0f, -64.0f, -128.0f};  // a unit there: 64
    EXPECT_EQ(distribution(far), distribution(near));
    EXPECT_GT(distribution(far)[0], 50.0f * distribution(far)[1]);
    // +inf forces a token, and leaves the others apart.
    const std::vector<float> forced{infinity, 0.0f, -1.0f};
    EXPECT_EQ(distribution(forced).front(), 1.0f);
    const auto bent = logits_after(quadratic{.factor = 0.5f}, forced);
    EXPECT_EQ(bent[0], 0.0f);
    EXPECT_LT(bent[1], -1e11f);
    const auto low = logits_after(quadratic{.factor = 0.5f}, std::vector<float>{-1e9f, -infinity, -2e9f});
    EXPECT_EQ(low[0], 0.0f);
    EXPECT_LT(low[2], -1e11f);
}
}  // namespace
}  // namespace riffle_tests
