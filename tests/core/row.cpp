#include <algorithm>
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
    detail::row r;
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

// Edits that are kept beside the row.

/// The same row with memory for them.
struct edited_row : counting_row {
    explicit edited_row(std::size_t size) : counting_row(size) {
        r.assign(logits, blocks.data(), copies.data(), &edits);
    }
    void add_half(std::size_t id) {
        r.edit(token_id(id), [](float logit) { return logit + 0.5f; });
    }
    bool is_copied(std::size_t b) const { return blocks[b] != logits.data() + b * block_size; }
    detail::kept_edits edits;
};
/// What each logit should be: its id, and a half more for those.
void expect_halves_at(edited_row& row, const std::vector<std::size_t>& ids) {
    std::vector<float> expected(row.r.blocks() * block_size, -inf);
    for (std::size_t i = 0; i < row.r.size(); ++i) expected[i] = float(i);
    for (const std::size_t id : ids) expected[id] = float(id) + 0.5f;
    for (std::size_t i = 0; i < row.r.size(); ++i) ASSERT_EQ(row.r.logit(i), expected[i]) << i;
    for (std::size_t b = 0; b < row.r.blocks(); ++b) {
        const float* const block = row.r.block(b);
        for (std::size_t i = 0; i < block_size; ++i)
            ASSERT_EQ(block[i], expected[b * block_size + i]) << b << ", " << i;
    }
}

TEST(RowEdits, AreKeptBesideBlocksThatStayWhereTheyAre) {
    edited_row c(9 * block_size + 20);
    for (const std::size_t id : {3 * block_size, 4 * block_size - 1, 5 * block_size + 77}) c.add_half(id);
    for (std::size_t b = 0; b < 9; ++b) {
        EXPECT_FALSE(c.is_copied(b)) << b;
        EXPECT_EQ(c.r.unedited(b), c.logits.data() + b * block_size) << b;
    }
    EXPECT_EQ(c.r.edit_count(), 3u);
    EXPECT_EQ(c.r.block(2), c.logits.data() + 2 * block_size);
    expect_halves_at(c, {3 * block_size, 4 * block_size - 1, 5 * block_size + 77});
    for (std::size_t i = 0; i < c.logits.size(); ++i)
        ASSERT_EQ(c.logits[i], float(i)) << "the caller's row is not ours";
}
TEST(RowEdits, OfOneTokenFollowOneAnother) {
    edited_row c(8 * block_size);
    for (const std::size_t id : {700u, 701u, 700u}) c.add_half(id);
    EXPECT_EQ(c.r.logit(700), 701.0f);
    EXPECT_EQ(c.r.block(2)[700 - 512], 701.0f);
    EXPECT_EQ(c.r.edit_count(), 2u);
    c.r.edit(700, [](float logit) {
        EXPECT_EQ(logit, 701.0f);
        return 1.0f;
    });
    EXPECT_EQ(c.r.logit(700), 1.0f);
}
TEST(RowEdits, TwoBlocksCanBeReadAtATime) {
    edited_row c(8 * block_size);
    for (const std::size_t id : {0u, 256u, 512u}) c.add_half(id);
    const float* const first = c.r.block(0);
    const float* const second = c.r.block(1);
    EXPECT_EQ(first[0], 0.5f);
    EXPECT_EQ(second[0], 256.5f);
    EXPECT_EQ(c.r.block(2)[0], 512.5f);
    EXPECT_EQ(second[0], 256.5f);
}
TEST(RowEdits, OfManyLanesCopyTheBlock) {
    edited_row c(100 * block_size);
    std::vector<std::size_t> ids;
    for (std::size_t i = 0; i <= tuning::edits_of_block; ++i) {
        EXPECT_FALSE(c.is_copied(4)) << i;
        ids.push_back(4 * block_size + 15 * i);
        c.add_half(ids.back());
    }
    EXPECT_TRUE(c.is_copied(4));
    ids.push_back(5 * block_size - 1);
    c.add_half(ids.back());
    expect_halves_at(c, ids);
}
TEST(RowEdits, OfMoreThanHalfTheBlocksCopyTheRest) {
    for (const std::size_t blocks : {1u, 2u, 11u, 600u}) {
        edited_row c(blocks * block_size);
        std::vector<std::size_t> ids;
        for (std::size_t b = 0; b < blocks; ++b) {
            ids.push_back(b * block_size + b % block_size);
            c.add_half(ids.back());
        }
        const std::size_t kept = std::min(blocks / 2, detail::kept_edits::most);
        EXPECT_EQ(c.r.edit_count(), kept);
        for (std::size_t b = 0; b < blocks; ++b) EXPECT_EQ(c.is_copied(b), b >= kept) << b;
        expect_halves_at(c, ids);
    }
}
TEST(RowEdits, OfBlocksThatShareAListStayApart) {
    edited_row c(3 * detail::kept_edits::lists * block_size);
    const std::vector<std::size_t> ids{5 * block_size + 9, (5 + detail::kept_edits::lists) * block_size + 9,
                                       (5 + 2 * detail::kept_edits::lists) * block_size + 10, 5 * block_size + 10};
    for (const std::size_t id : ids) c.add_half(id);
    EXPECT_EQ(c.r.edit_count(), 4u);
    expect_halves_at(c, ids);
    c.r.own(5)[9] = 1.0f;
    EXPECT_EQ(c.r.logit(ids[0]), 1.0f);
    EXPECT_EQ(c.r.logit(ids[3]), float(ids[3]) + 0.5f);
    EXPECT_EQ(c.r.block(5 + detail::kept_edits::lists)[9], float(ids[1]) + 0.5f);
}
TEST(RowEdits, GoIntoTheCopyAndEndWithTheBlock) {
    edited_row c(8 * block_size);
    c.add_half(30);
    c.add_half(300);
    c.add_half(600);
    EXPECT_EQ(c.r.own(0)[30], 30.5f);
    c.add_half(30);
    EXPECT_EQ(c.r.logit(30), 31.0f);
    c.r.hide(1);
    EXPECT_EQ(c.r.logit(300), -inf);
    EXPECT_EQ(c.r.block(1), illegal_block.logits);
    std::fill_n(c.r.own_unfilled(2), block_size, 7.0f);
    EXPECT_EQ(c.r.logit(600), 7.0f);
    EXPECT_EQ(c.r.block(2)[600 - 512], 7.0f);
    c.r.assign(c.logits, c.blocks.data(), c.copies.data(), &c.edits);
    EXPECT_EQ(c.r.edit_count(), 0u);
    expect_halves_at(c, {});
}
TEST(RowEdits, SeeAndLeaveCanonicalLogits) {
    edited_row c(4 * block_size);
    c.logits[5] = std::numeric_limits<float>::quiet_NaN();
    c.logits[6] = inf;
    EXPECT_FALSE(c.r.saw_nan());
    c.r.edit(5, [](float logit) {
        EXPECT_EQ(logit, -inf);
        return 2.0f;
    });
    EXPECT_TRUE(c.r.saw_nan());
    EXPECT_FALSE(c.r.saw_infinity());
    c.r.edit(6, [](float logit) {
        EXPECT_EQ(logit, std::numeric_limits<float>::max());
        return std::numeric_limits<float>::quiet_NaN();
    });
    EXPECT_TRUE(c.r.saw_infinity());
    EXPECT_EQ(c.r.logit(5), 2.0f);
    EXPECT_EQ(c.r.block(0)[6], -inf);
    EXPECT_EQ(c.r.edit_count(), 2u);
}
TEST(RowEdits, OfALastBlockGoIntoItsCopy) {
    edited_row c(6 * block_size + 30);
    c.add_half(6 * block_size + 29);
    EXPECT_EQ(c.r.edit_count(), 0u);
    expect_halves_at(c, {6 * block_size + 29});
}
TEST(RowEdits, OfARowThatIsACopyAreMadeThere) {
    edited_row c(4 * block_size);
    c.r.assign(c.copies.data(), c.copies.size(), c.blocks.data(), c.copies.data(), &c.edits);
    c.copies[300] = 4.0f;
    c.add_half(300);
    EXPECT_EQ(c.copies[300], 4.5f);
    EXPECT_EQ(c.r.edit_count(), 0u);
}

static_assert(block_count(0) == 0 && block_count(1) == 1 && block_count(256) == 1 && block_count(257) == 2);

}  // namespace
}  // namespace riffle_tests::core_row
