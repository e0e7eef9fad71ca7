#include <string>

#include <riffle/wide/gather.hpp>

#include "rows.hpp"

namespace {

using namespace riffle;
using namespace riffle_tests;
using mask_words = std::vector<std::uint32_t>;

bool legal(const mask_words& words, std::size_t id) {
    return id / 32 < words.size() && (words[id / 32] >> (id % 32) & 1);
}

/// Masks over `size` ids: none, all, some, few, whole blocks, a missing tail, more words than ids.
std::vector<mask_words> masks(std::size_t size) {
    const std::size_t count = (size + 31) / 32;
    integers random(size);
    std::vector<mask_words> all(7);
    all[1].assign(count, ~0u);
    all[6].assign(count + 20, ~0u);
    for (std::size_t w = 0; w < count; ++w) {
        all[2].push_back(std::uint32_t(random.next()));
        all[3].push_back(random.below(20) ? 0 : 1u << random.below(32));
        all[4].push_back(w / 8 % 2 ? ~0u : 0u);
        if (w < count / 2) all[5].push_back(std::uint32_t(random.next()) | 1);
    }
    return all;
}

template <class F>
void each_mask(const stored_row& row, F f) {
    int number = 0;
    for (const auto& words : masks(row.logits.size())) {
        SCOPED_TRACE("mask " + std::to_string(number++));
        f(words);
    }
}

TEST(Gather, FindsTheLegalInAscendingId) {
    each_row([](stored_row& row) {
        each_mask(row, [&](const mask_words& words) {
            std::vector<token_data> out(row.r.blocks() * 256);
            const std::size_t n = wide::find_legal(row.r, words, out.data());
            std::size_t i = 0;
            for (std::size_t id = 0; id < row.logits.size(); ++id) {
                if (!legal(words, id)) continue;
                ASSERT_LT(i, n);
                ASSERT_EQ(out[i].id, token_id(id));
                ASSERT_EQ(std::bit_cast<int>(out[i].logit), std::bit_cast<int>(row.logits[id]))
                    << "as it stands in the row";
                ++i;
            }
            EXPECT_EQ(i, n);
            for (const std::size_t enough : {std::size_t{0}, std::size_t{1}, n, n + 1, std::size_t{1} << 40}) {
                const std::size_t counted = wide::count_legal(words, row.logits.size(), enough);
                EXPECT_LE(counted, n);
                EXPECT_GE(counted, std::min(n, enough));
            }
        });
    });
}

TEST(Gather, HidesTheIllegal) {
    each_row([](stored_row& row) {
        each_mask(row, [&](const mask_words& words) {
            at_every_width([&](int) {
                stored_row fresh(row.logits);
                wide::hide_illegal(fresh.r, words);
                for (std::size_t id = 0; id < row.logits.size(); ++id) {
                    const float expected = legal(words, id) ? row.logits[id] : -inf;
                    ASSERT_EQ(std::bit_cast<int>(fresh.r.logit(id)), std::bit_cast<int>(expected)) << id;
                }
                for (std::size_t i = row.logits.size() % 256; i % 256; ++i)
                    ASSERT_EQ(fresh.r.block(row.r.blocks() - 1)[i], -inf);
                for (std::size_t i = 0; i < row.logits.size(); ++i)
                    ASSERT_EQ(std::bit_cast<int>(fresh.logits[i]), std::bit_cast<int>(row.logits[i]));
            });
        });
    });
}

TEST(Gather, HidingFindsTheMaximaOfWhatIsLeft) {
    each_row([](stored_row& row) {
        each_mask(row, [&](const mask_words& words) {
            at_every_width([&](int) {
                stored_row fresh(row.logits);
                std::vector<float> maxima(fresh.r.blocks(), 77.0f), expected(fresh.r.blocks(), 77.0f);
                const wide::row_maximum found = wide::hide_illegal(fresh.r, words, maxima.data());
                const wide::row_maximum again = wide::find_max(fresh.r, expected.data());
                EXPECT_EQ(std::bit_cast<int>(found.logit), std::bit_cast<int>(again.logit));
                EXPECT_EQ(found.saw_nan, again.saw_nan);
                EXPECT_EQ(maxima, expected);
            });
        });
    });
}

TEST(Gather, HidingCopiesMixedBlocksOnly) {
    stored_row row(logits_of(family::random, 4 * 256));
    mask_words words(32, ~0u);
    words[8] = 0xff;                                     // block 1 is mixed
    for (std::size_t w = 16; w < 24; ++w) words[w] = 0;  // block 2 is empty
    wide::hide_illegal(row.r, words);
    EXPECT_EQ(row.r.block(0), row.logits.data());
    EXPECT_EQ(row.r.block(1), row.copies.data() + 256);
    EXPECT_EQ(row.r.block(2), illegal_block.logits);
    EXPECT_EQ(row.r.block(3), row.logits.data() + 3 * 256);
}

}  // namespace
