// Rows, strides and memory of a batch.

#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/batch.hpp>
#include <riffle/riffle.hpp>

#include "reference/agreement.hpp"
#include "sizes/numbers.hpp"

namespace riffle_tests::sizes_batch {
namespace {

using namespace riffle;

auto usual() { return top_k{.k = 5} | dist{.seed = 1}; }

TEST(SizesOfBatches, AStrideThatLeadsOutOfMemoryIsRefused) {
    const auto rows = make_row(shape::random, 900, 1);
    batch b;
    for (const std::size_t stride : numbers_around<std::size_t>(300)) {
        if (stride > 300 && stride <= largest_object / sizeof(float) / 3) continue;  // nobody can tell
        std::vector sequences(3, usual());
        std::vector<token_id> tokens(3, 7);
        const status s = b.sample(sequences, logit_rows(rows.data(), 3, 300, stride), tokens);
        EXPECT_EQ(s.ok(), stride == 300) << stride;
        if (stride == 300) continue;
        EXPECT_EQ(s.code(), status_code::invalid_parameter) << stride;
        EXPECT_EQ(tokens, std::vector<token_id>(3, null_token)) << "nothing was sampled";
    }
}
TEST(SizesOfBatches, OtherNumbersOfRowsAreRefused) {
    const auto rows = make_row(shape::random, 900, 1);
    batch b;
    for (const std::size_t count : numbers_around<std::size_t>(3)) {
        std::vector sequences(3, usual());
        std::vector<token_id> tokens(3, 7);
        EXPECT_EQ(b.sample(sequences, logit_rows(rows.data(), count, 300), tokens).ok(), count == 3) << count;
    }
}
TEST(SizesOfBatches, ARowOfMoreLogitsThanIdsIsRefused) {
    const auto row = make_row(shape::random, 300, 1);
    batch b;
    for (const std::size_t columns : numbers_around<std::size_t>(300)) {
        if (columns > 300 && columns < 0x80000000u) continue;  // nobody can tell
        std::vector sequences(1, usual());
        std::vector<token_id> tokens(1);
        const status s = b.sample(sequences, logit_rows(row.data(), 1, columns), tokens);
        const auto expected = columns == 0     ? status_code::empty_row
                              : columns <= 300 ? status_code::ok
                                               : status_code::row_too_long;
        EXPECT_EQ(s.code(), expected) << columns;
    }
}
TEST(SizesOfBatches, ReserveIsTrueOrRefused) {
    const auto rows = make_row(shape::random, 900, 1);
    batch b;
    std::vector alone(3, usual());
    for (const std::size_t n : numbers_around<std::size_t>(3)) {
        if (n < 1000 || n > largest_object / 64) {  // what lies between may be there, and takes time
            EXPECT_EQ(b.reserve(n, 1, 1000).ok(), n < 1000) << n;
            EXPECT_EQ(b.reserve(3, n, 1000).code(), status_code::ok) << n;
        }
        if (n < 1000 || n > largest_object) {
            EXPECT_EQ(b.reserve(3, 2, n).ok(), n < 1000) << n;
        }
        std::vector sequences(3, usual());
        std::vector<token_id> tokens(3);
        ASSERT_TRUE(b.sample(sequences, logit_rows(rows.data(), 3, 300), tokens)) << n;
        for (std::size_t i = 0; i < 3; ++i)
            EXPECT_EQ(tokens[i], alone[i].peek(std::span(rows).subspan(300 * i, 300))) << n;
    }
}

}  // namespace
}  // namespace riffle_tests::sizes_batch
