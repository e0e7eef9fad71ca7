#include <vector>

#include <riffle/wide/max.hpp>

#include "rows.hpp"

namespace {

using namespace riffle;
using namespace riffle_tests;

TEST(Max, IsTheGreatestOfEveryBlockAndOfTheRow) {
    each_row([](stored_row& row) {
        float expected = -inf;
        bool any_nan = false;
        for (const float l : row.logits) {
            if (l > expected) expected = l;
            any_nan |= std::isnan(l);
        }
        at_every_width([&](int) {
            std::vector<float> block_maxima(row.r.blocks(), 123.0f);
            const auto found = wide::find_max(row.r, block_maxima.data());
            EXPECT_EQ(found.logit, expected);
            EXPECT_EQ(found.saw_nan, any_nan);
            for (std::size_t b = 0; b < row.r.blocks(); ++b)
                ASSERT_EQ(block_maxima[b], row.block_maxima[b]) << "block " << b;
        });
    });
}

TEST(Max, SeesNaNAtEveryPlace) {
    for (std::size_t at = 0; at < 300; ++at)
        for (const float nan : {not_a_number, -not_a_number, std::bit_cast<float>(0x7f800001u)}) {
            std::vector<float> logits(300, at % 2 ? inf : -inf);
            stored_row none(logits);
            logits[at] = nan;
            stored_row one(logits);
            at_every_width([&](int) {
                float block_maxima[2];
                EXPECT_FALSE(wide::find_max(none.r, block_maxima).saw_nan);
                EXPECT_TRUE(wide::find_max(one.r, block_maxima).saw_nan);
            });
        }
}

// Wherever the greatest or a NaN stands, it is found; a NaN hides nothing beside it.
TEST(Max, FindsItAtEveryPlace) {
    for (std::size_t at = 0; at < 300; ++at) {
        std::vector<float> logits(300, -5.0f);
        logits[at] = 7.0f;
        stored_row plain(logits);
        logits[(at + 1) % 300] = not_a_number;
        logits[(at + 299) % 300] = -not_a_number;
        logits[(at + 16) % 300] = not_a_number;
        stored_row with_nan(logits);
        at_every_width([&](int) {
            float block_maxima[2];
            EXPECT_EQ(wide::find_max(plain.r, block_maxima).logit, 7.0f);
            EXPECT_FALSE(wide::find_max(plain.r, block_maxima).saw_nan);
            EXPECT_EQ(wide::find_max(with_nan.r, block_maxima).logit, 7.0f);
            EXPECT_TRUE(wide::find_max(with_nan.r, block_maxima).saw_nan);
        });
    }
}

TEST(Max, InfinitiesAreNoNaN) {
    std::vector<float> logits(1000, 1.0f);
    logits[3] = inf;
    logits[700] = -inf;
    logits[701] = greatest_logit;
    logits[702] = greatest_logit;
    stored_row row(logits);
    at_every_width([&](int) {
        std::vector<float> block_maxima(row.r.blocks());
        const auto found = wide::find_max(row.r, block_maxima.data());
        EXPECT_EQ(found.logit, inf);
        EXPECT_FALSE(found.saw_nan);
    });
}

/// The maxima of the groups too, of a row of which the greatest logits, others and NaN were edited.
TEST(Max, OfGroupsOfEditedRows) {
    each_row([](stored_row& row) {
        at_every_width([&](int width) {
            const std::size_t lanes_now = std::size_t(width);
            std::vector<float> block_maxima(row.r.blocks()), groups(wide::group_count(row.r)),
                expected(wide::group_count(row.r), -inf);
            for (std::size_t i = 0; i < row.logits.size(); ++i) {
                float& greatest = expected[i / 256 * lanes_now + i % lanes_now];
                if (row.logits[i] > greatest) greatest = row.logits[i];
            }
            (void)wide::find_max(row.r, block_maxima.data(), groups.data());
            EXPECT_EQ(groups, expected);
            for (std::size_t b = 0; b < row.r.blocks(); ++b)
                ASSERT_EQ(block_maxima[b], row.block_maxima[b]) << "block " << b;
        });
    });
}

/// An edit that takes the greatest logit away, one that makes another the greatest, and one beside it.
TEST(Max, FollowsEveryEdit) {
    for (const std::size_t at : {256u, 257u, 300u, 511u, 512u}) {
        std::vector<float> logits(8 * 256, -1.0f);
        logits[at] = 9.0f;
        logits[1500] = 5.0f;
        stored_row row(logits);
        detail::kept_edits edits;
        at_every_width([&](int) {
            float block_maxima[8];
            row.r.assign(row.logits, row.blocks.data(), row.copies.data(), &edits);
            EXPECT_EQ(wide::find_max(row.r, block_maxima).logit, 9.0f);
            row.r.at(at) = 2.0f;
            EXPECT_EQ(wide::find_max(row.r, block_maxima).logit, 5.0f);
            EXPECT_EQ(block_maxima[at / 256], 2.0f);
            row.r.at(at) = -inf;
            EXPECT_EQ(wide::find_max(row.r, block_maxima).logit, 5.0f);
            EXPECT_EQ(block_maxima[at / 256], -1.0f);
            row.r.at(at ^ 1) = 6.0f;
            row.r.at(1500) = not_a_number;
            const auto found = wide::find_max(row.r, block_maxima);
            EXPECT_EQ(found.logit, 6.0f);
            EXPECT_TRUE(found.saw_nan);
            EXPECT_EQ(block_maxima[at / 256], 6.0f);
            EXPECT_EQ(block_maxima[1500 / 256], -1.0f);
            EXPECT_EQ(wide::first_at_least(row.r, block_maxima, 6.0f), at ^ 1);
        });
    }
}

TEST(Max, FirstAtLeastIsTheLowestId) {
    each_row([](stored_row& row) {
        for (const float cut : {lowest, -3.0f, 0.0f, 2.0f, 8.9f, greatest(row.logits), inf}) {
            std::size_t expected = 0;
            while (expected < row.logits.size() && !(row.logits[expected] >= cut)) ++expected;
            EXPECT_EQ(wide::first_at_least(row.r, row.block_maxima.data(), cut), expected) << cut;
        }
    });
}

}  // namespace
