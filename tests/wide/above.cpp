#include <riffle/wide/above.hpp>

#include "rows.hpp"

namespace {

using namespace riffle;
using namespace riffle_tests;

TEST(Above, GathersInAscendingId) {
    each_row([](stored_row& row) {
        for (const float cut : {lowest, -3.0f, 0.0f, 1.999f, 8.9f, greatest(row.logits), inf}) {
            if (cut == -inf) continue;
            std::vector<token_id> expected;
            for (std::size_t i = 0; i < row.logits.size(); ++i)
                if (row.logits[i] >= cut) expected.push_back(token_id(i));
            at_every_width([&](int) {
                std::vector<token_data> out(row.r.blocks() * 256 + 1, {-7, -7.0f, -7.0f});
                const std::size_t n =
                    wide::find_above(row.r, row.block_maxima.data(), 0, row.r.blocks(), cut, out.data());
                ASSERT_EQ(n, expected.size());
                for (std::size_t i = 0; i < n; ++i) {
                    ASSERT_EQ(out[i].id, expected[i]);
                    ASSERT_EQ(std::bit_cast<int>(out[i].logit),
                              std::bit_cast<int>(row.logits[std::size_t(expected[i])]))
                        << "as it stands in the row";
                }
                EXPECT_EQ(out[n].id, -7) << "nothing is written behind the last";
            });
        }
    });
}

TEST(Above, TakesSomeBlocksOnly) {
    stored_row row(logits_of(family::random, 2000));
    at_every_width([&](int) {
        std::vector<token_data> out(2048);
        std::size_t n = 0;
        for (std::size_t b = 0; b < row.r.blocks(); b += 3)
            n += wide::find_above(row.r, row.block_maxima.data(), b, std::min(b + 3, row.r.blocks()), 2.0f,
                                  out.data() + n);
        std::size_t i = 0;
        for (std::size_t id = 0; id < 2000; ++id) {
            if (row.logits[id] >= 2.0f) {
                ASSERT_EQ(out[i++].id, token_id(id));
            }
        }
        EXPECT_EQ(i, n);
        EXPECT_EQ(wide::find_above(row.r, row.block_maxima.data(), 2, 2, 2.0f, out.data()), 0u);
    });
}

TEST(Above, StopsSoonBehindTheMostThatAreWanted) {
    stored_row row(logits_of(family::random, 32000));
    at_every_width([&](int) {
        std::vector<token_data> all(32000), some(32000);
        const std::size_t n = wide::find_above(row.r, row.block_maxima.data(), 0, row.r.blocks(), 0.0f, all.data());
        for (const std::size_t most : {std::size_t{0}, std::size_t{1}, std::size_t{1000}, n - 1, n, n + 1}) {
            const std::size_t found =
                wide::find_above(row.r, row.block_maxima.data(), 0, row.r.blocks(), 0.0f, some.data(), most);
            if (most >= n) {
                EXPECT_EQ(found, n);
            } else {
                EXPECT_GT(found, most);
            }
            EXPECT_LE(found, std::min(n, most + block_size));
        }
    });
}

TEST(Above, HidesWhatIsBelow) {
    each_row([](stored_row& given) {
        for (const float cut : {lowest, -3.0f, 0.0f, 1.999f, 8.9f, inf})
            at_every_width([&](int) {
                stored_row row(given.logits), one(given.logits);
                wide::hide_below(row.r, row.block_maxima.data(), cut);
                for (std::size_t b = 0; b < one.r.blocks(); ++b) wide::hide_below(one.r, b, cut);
                std::vector<float> block_maxima(row.r.blocks(), -inf);
                for (std::size_t i = 0; i < given.logits.size(); ++i) {
                    const float left = given.logits[i] >= cut ? given.logits[i] : -inf;
                    ASSERT_EQ(std::bit_cast<int>(row.r.logit(i)), std::bit_cast<int>(left));
                    ASSERT_EQ(std::bit_cast<int>(one.r.logit(i)), std::bit_cast<int>(left));
                    if (left > block_maxima[i / 256]) block_maxima[i / 256] = left;
                }
                EXPECT_TRUE(std::equal(block_maxima.begin(), block_maxima.end(), row.block_maxima.begin()));
            });
    });
}

TEST(Above, CountsValues) {
    for (const auto which : families) {
        auto values = logits_of(which, 1600);
        for (const float cut : {-inf, lowest, -1.0f, 0.0f, 2.0f, inf}) {
            std::size_t expected = 0;
            for (const float v : values) expected += v >= cut;
            at_every_width([&](int) { EXPECT_EQ(wide::count_at_least(values.data(), values.size(), cut), expected); });
        }
    }
    EXPECT_EQ(wide::count_at_least(nullptr, 0, 0.0f), 0u);
}

}  // namespace
