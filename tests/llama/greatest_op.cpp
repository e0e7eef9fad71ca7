// The greatest logits as an operation of a graph: those that sorting finds, on every shape of row.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/llama/greatest_op.hpp>

#include "reference/rows.hpp"

namespace riffle_tests::llama_greatest_op {
namespace {

using namespace riffle;

/// What is compared: NaN as -inf.
float value(float logit) { return logit != logit ? illegal_logit : logit; }

TEST(GreatestOp, FindsWhatSortingFinds) {
    llama::detail::greatest_op op;
    std::uint64_t seed = 1;
    for (const std::size_t size : {2u, 100u, 256u, 1000u, 4096u, 40000u}) {
        ASSERT_TRUE(op.reserve(size));
        for (const std::size_t k : {std::size_t{1}, size / 2, std::size_t{48}, std::size_t{240}})
            for (const shape s : all_shapes) {
                if (k == 0 || k >= size) continue;
                SCOPED_TRACE(name_of(s));
                const std::vector<float> row = make_row(s, size, seed++);
                std::vector<std::int32_t> ids(k, -1);
                op.find(row, ids);
                EXPECT_EQ(std::set<std::int32_t>(ids.begin(), ids.end()).size(), k) << "no id twice";
                std::vector<float> found, sorted;
                for (const std::int32_t id : ids) {
                    ASSERT_TRUE(id >= 0 && std::size_t(id) < size);
                    found.push_back(value(row[std::size_t(id)]));
                }
                for (const float logit : row) sorted.push_back(value(logit));
                std::sort(found.begin(), found.end(), std::greater<>());
                std::sort(sorted.begin(), sorted.end(), std::greater<>());
                sorted.resize(k);
                EXPECT_EQ(found, sorted);
            }
    }
}

}  // namespace
}  // namespace riffle_tests::llama_greatest_op
