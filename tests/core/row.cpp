#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/core/row.hpp>

namespace riffle_tests::core_row {
namespace {

using namespace riffle;

constexpr float inf = std::numeric_limits<float>::infinity();

/// A row over `size` logits 0, 1, 2, ... and the memory it needs.
struct counting_row {
    explicit counting_row(std::size_t size)
        : logits(size), blocks(block_count(size)), copies(block_count(size) * block_size, -99.0f) {
        for (std::size_t i = 0; i < size; ++i) logits[i] = float(i);
        r.assign(logits, blocks.data(), copies.data());
    }
    std::vector<float> logits;
    std::vector<const float*> blocks;
    std::vector<float> copies;
    row r;
};

TEST(Row, WholeBlocksLieInTheCallersMemory) {
    counting_row c(3 * block_size);
    EXPECT_EQ(c.r.size(), 3 * block_size);
    EXPECT_EQ(c.r.blocks(), 3u);
    for (std::size_t b = 0; b < 3; ++b) EXPECT_EQ(c.r.block(b), c.logits.data() + b * block_size);
}

TEST(Row, TheLastBlockIsPaddedWithIllegalLogits) {
    for (const std::size_t size : {std::size_t{1}, block_size - 1, block_size + 1, 4 * block_size + 3}) {
        counting_row c(size);
        ASSERT_EQ(c.r.blocks(), (size + 255) / 256);
        for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(c.r.logit(i), float(i));
        const float* last = c.r.block(c.r.blocks() - 1);
        for (std::size_t i = size % block_size; i < block_size; ++i) ASSERT_EQ(last[i], -inf);
    }
}

TEST(Row, AnEditCopiesItsBlockOnly) {
    counting_row c(4 * block_size + 10);
    c.r.edit(token_id(block_size + 5), [](float logit) { return logit + 0.5f; });
    EXPECT_EQ(c.r.logit(block_size + 5), float(block_size + 5) + 0.5f);
    EXPECT_EQ(c.logits[block_size + 5], float(block_size + 5)) << "the caller's row is not ours";
    EXPECT_EQ(c.r.block(0), c.logits.data());
    EXPECT_NE(c.r.block(1), c.logits.data() + block_size);
    EXPECT_EQ(c.r.block(2), c.logits.data() + 2 * block_size);
    for (std::size_t i = 0; i < c.r.size(); ++i) {
        if (i != block_size + 5) {
            ASSERT_EQ(c.r.logit(i), float(i));
        }
    }
    c.r.edit(token_id(block_size + 5), [](float logit) { return logit + 1.0f; });
    EXPECT_EQ(c.r.logit(block_size + 5), float(block_size + 5) + 1.5f);
    c.r.edit(token_id(4 * block_size + 9), [](float) { return 2.0f; });
    EXPECT_EQ(c.r.logit(4 * block_size + 9), 2.0f);
}

TEST(Row, EditsSeeAndLeaveCanonicalLogits) {
    counting_row c(10);
    c.logits = {std::numeric_limits<float>::quiet_NaN(), inf, 0x1p-149f, -0.0f, 1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f};
    c.r.assign(c.logits, c.blocks.data(), c.copies.data());
    std::vector<float> seen;
    for (token_id id = 0; id < 4; ++id)
        c.r.edit(id, [&](float logit) {
            seen.push_back(logit);
            return logit;
        });
    EXPECT_EQ(seen, (std::vector<float>{-inf, std::numeric_limits<float>::max(), 0.0f, 0.0f}));
    c.r.edit(4, [](float) { return inf; });
    c.r.edit(5, [](float) { return std::numeric_limits<float>::quiet_NaN(); });
    EXPECT_EQ(c.r.logit(4), std::numeric_limits<float>::max());
    EXPECT_EQ(c.r.logit(5), -inf);
}

TEST(Row, EditsOutsideAreIgnored) {
    counting_row c(300);
    for (const token_id id :
         {-1, 300, 301, 511, 512, std::numeric_limits<token_id>::max(), std::numeric_limits<token_id>::min()})
        c.r.edit(id, [](float) { return 77.0f; });
    for (std::size_t i = 0; i < 300; ++i) ASSERT_EQ(c.r.logit(i), float(i));
    for (std::size_t i = 300 - block_size; i < block_size; ++i) ASSERT_EQ(c.r.block(1)[i], -inf);
}

TEST(Row, OwnAndHide) {
    counting_row c(2 * block_size);
    float* own = c.r.own(1);
    EXPECT_EQ(own[3], float(block_size + 3));
    EXPECT_EQ(c.r.own(1), own);
    own[3] = 1.0f;
    EXPECT_EQ(c.r.logit(block_size + 3), 1.0f);
    c.r.hide(0);
    for (std::size_t i = 0; i < block_size; ++i) ASSERT_EQ(c.r.logit(i), -inf);
    c.r.edit(2, [](float logit) { return logit + 1.0f; });  // an edit behind a mask
    EXPECT_EQ(c.r.logit(2), -inf);
    for (const float logit : illegal_block.logits) ASSERT_EQ(logit, -inf) << "nobody writes to the shared block";
    float* unfilled = c.r.own_unfilled(1);
    EXPECT_EQ(c.r.block(1), unfilled);
}

static_assert(block_count(0) == 0 && block_count(1) == 1 && block_count(256) == 1 && block_count(257) == 2);

}  // namespace
}  // namespace riffle_tests::core_row
