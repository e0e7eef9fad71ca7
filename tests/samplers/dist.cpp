#include "samplers/chi_square.hpp"
#include "samplers/single.hpp"

namespace riffle_tests {
namespace {

using namespace riffle;

static_assert(facts_of<dist>() == facts{.keeps_sorted = true, .draws = true, .selects = selecting::by_mass});

TEST(Dist, WhatWeighsNothingIsNeverDrawn) {
    std::vector<float> row(300, -20.9f);
    row[17] = 0.0f;
    row[200] = -0.0f;
    auto wide = chain(dist{.seed = 1});
    auto narrow = top_k{.k = 300} | dist{.seed = 1};
    for (int i = 0; i < 2000; ++i) {
        const token_id token = wide.sample(row);
        EXPECT_TRUE(token == 17 || token == 200);
        EXPECT_EQ(narrow.sample(row), token);
    }
}

TEST(Dist, DrawsFromGreatLogitsUnderFastToo) {
    // what a fused product rounds differently is more than the range of weights here
    std::vector<float> row(1000, 0.0f);
    std::vector<double> distribution(1000, 0.0);
    for (std::size_t i = 0; i < row.size(); i += 2) {
        row[i] = 1.1e9f;
        distribution[i] = 1.0 / 500;
    }
    for (const int width : lane_widths()) {
        const at_width forced(width);
        auto c = with<fast>(temperature{.t = 0.8f} | dist{.seed = 22});
        expect_drawn_from(
            distribution, 20000, [&](std::size_t) { return c.sample(row); }, "great logits");
    }
}

}  // namespace
}  // namespace riffle_tests
