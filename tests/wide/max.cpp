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
            std::vector<float> peaks(row.r.blocks(), 123.0f);
            const auto found = wide::find_max(row.r, peaks.data());
            EXPECT_EQ(found.logit, expected);
            EXPECT_EQ(found.saw_nan, any_nan);
            for (std::size_t b = 0; b < row.r.blocks(); ++b) ASSERT_EQ(peaks[b], row.peaks[b]) << "block " << b;
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
                float peaks[2];
                EXPECT_FALSE(wide::find_max(none.r, peaks).saw_nan);
                EXPECT_TRUE(wide::find_max(one.r, peaks).saw_nan);
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
            float peaks[2];
            EXPECT_EQ(wide::find_max(plain.r, peaks).logit, 7.0f);
            EXPECT_FALSE(wide::find_max(plain.r, peaks).saw_nan);
            EXPECT_EQ(wide::find_max(with_nan.r, peaks).logit, 7.0f);
            EXPECT_TRUE(wide::find_max(with_nan.r, peaks).saw_nan);
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
        std::vector<float> peaks(row.r.blocks());
        const auto found = wide::find_max(row.r, peaks.data());
        EXPECT_EQ(found.logit, inf);
        EXPECT_FALSE(found.saw_nan);
    });
}

TEST(Max, FirstAtLeastIsTheLowestId) {
    each_row([](stored_row& row) {
        for (const float cut : {lowest, -3.0f, 0.0f, 2.0f, 8.9f, greatest(row.logits), inf}) {
            std::size_t expected = 0;
            while (expected < row.logits.size() && !(row.logits[expected] >= cut)) ++expected;
            EXPECT_EQ(wide::first_at_least(row.r, row.peaks.data(), cut), expected) << cut;
        }
    });
}

}  // namespace
