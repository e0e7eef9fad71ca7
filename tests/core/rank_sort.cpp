// sort_without_p against a sort that compares.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/core/rank_sort.hpp>

#include "integers.hpp"

namespace riffle_tests::core_rank_sort {
namespace {

using namespace riffle;
using list = std::vector<token_data>;

bool before(const token_data& a, const token_data& b) { return a.logit != b.logit ? a.logit > b.logit : a.id < b.id; }

void expect_sorted(list all, const std::string& what) {
    list expected = all;
    std::sort(expected.begin(), expected.end(), before);
    candidates c{all.data(), all.size(), -1, false};
    sort_without_p(c);
    EXPECT_TRUE(c.sorted) << what;
    ASSERT_EQ(c.size, expected.size()) << what;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        ASSERT_EQ(all[i].logit, expected[i].logit) << what << ", rank " << i;
        ASSERT_EQ(all[i].id, expected[i].id) << what << ", rank " << i;
    }
}

TEST(RankSort, PutsCandidatesInTheOrderOfRanks) {
    constexpr float inf = std::numeric_limits<float>::infinity(), greatest = std::numeric_limits<float>::max();
    integers random(3);
    for (const std::size_t size : {0u, 1u, 2u, 3u, 1023u, 1024u, 1025u, 4096u, 4097u, 20000u})
        for (const std::uint32_t values : {1u, 2u, 3u, 100u, 1u << 24})
            for (const bool ids_ascend : {true, false}) {
                list all;
                for (std::size_t i = 0; i < size; ++i) {
                    const float logit = (float(random.below(values)) - 0.5f * float(values)) / 1024.0f;
                    const float extremes[] = {-inf, greatest, -greatest, 0.0f};
                    const bool is_extreme = values == 100 && random.below(10) == 0;
                    const token_id any = token_id(random.below(2 * std::uint32_t(size))) - 50;
                    const token_id id = ids_ascend ? token_id(i) : any;
                    all.push_back({id, is_extreme ? extremes[random.below(4)] : logit, 1.0f});
                }
                expect_sorted(all, std::to_string(size) + " of " + std::to_string(values) + " values");
                if (testing::Test::HasFailure()) return;
            }
}
TEST(RankSort, OfRowsInOrder) {
    list rising, falling;
    for (token_id i = 0; i < 5000; ++i) {
        rising.push_back({i, float(i), 0.0f});
        falling.push_back({i, float(-i), 0.0f});
    }
    expect_sorted(rising, "rising");
    expect_sorted(falling, "falling");
}

TEST(RankKey, RisesWithTheRank) {
    integers random(4);
    for (int i = 0; i < 10000; ++i) {
        const token_data a{token_id(random.below(6)) - 3, float(random.below(5)) - 2.0f, 0.0f};
        const token_data b{token_id(random.below(6)) - 3, float(random.below(5)) - 2.0f, 0.0f};
        ASSERT_EQ(rank_key(a) < rank_key(b), before(a, b)) << a.id << " " << b.id;
    }
}

}  // namespace
}  // namespace riffle_tests::core_rank_sort
