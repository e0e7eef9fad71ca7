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

}  // namespace
}  // namespace riffle_tests
