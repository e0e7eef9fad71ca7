#include <algorithm>
#include <optional>
#include <vector>

#include <riffle/exact/full_row.hpp>

#include "wide/rows.hpp"

namespace {

using namespace riffle;
using namespace riffle_tests;

/// A row in the hands of the peer's samplers, and its logits as a plain list beside it.
struct row_in_use {
    explicit row_in_use(std::size_t size) : logits(logits_of(family::random, size)), given(logits) {
        const std::size_t count = block_count(size);
        blocks.resize(count);
        copies.resize(count * block_size);
        block_maxima.resize(count + 16);
        r.assign(given, blocks.data(), copies.data(), &edits);
    }
    void begin(bool known) {
        const auto found = wide::find_max(r, block_maxima.data());
        used.emplace(r, block_maxima.data(), nullptr, nullptr, nullptr, known ? &found : nullptr);
    }
    void set(std::size_t id, float logit) {
        *used->at(token_id(id)) = logit;
        logits[id] = logit;
    }
    void halve(bool keeping_what_is_known) {
        const auto half = [](float logit) { return logit * 0.5f; };
        detail::row& all = keeping_what_is_known ? used->changed(half) : used->changed();
        for (std::size_t b = 0; b < all.blocks(); ++b) {
            float* const block = all.own(b);
            std::transform(block, block + block_size, block, half);
        }
        std::transform(logits.begin(), logits.end(), logits.begin(), half);
    }
    void expect_what_is_known() {
        ASSERT_EQ(used->maximum(), *std::max_element(logits.begin(), logits.end()));
        for (std::size_t b = 0; b < r.blocks(); ++b) {
            const std::size_t from = b * block_size, to = std::min(from + block_size, logits.size());
            ASSERT_EQ(used->block_maxima()[b],
                      *std::max_element(logits.begin() + std::ptrdiff_t(from), logits.begin() + std::ptrdiff_t(to)))
                << "block " << b;
        }
    }

    std::vector<float> logits, given;
    std::vector<const float*> blocks;
    std::vector<float> copies, block_maxima;
    detail::kept_edits edits;
    detail::row r;
    std::optional<exact::full_row> used;
};

// Edits that are kept and edits of copies, of logits that were the maximum and that become it, asked for or not between
// them; maps ahead of edits and behind.
TEST(FullRow, KnowsItsMaximaBehindEveryChange) {
    at_every_width([](int) {
        integers random(31);
        for (int round = 0; round < 1500; ++round) {
            row_in_use x(1 + random.below(3000));
            const auto anywhere = [&] { return std::size_t(random.below(std::uint32_t(x.logits.size()))); };
            if (random.below(4) == 0) x.r.at(anywhere()) += 0.0f;  // an edit ahead of who looks first
            x.begin(random.below(3) > 0);
            const std::uint32_t changes = 1 + random.below(40);
            for (std::uint32_t i = 0; i < changes; ++i) {
                const auto greatest =
                    std::size_t(std::max_element(x.logits.begin(), x.logits.end()) - x.logits.begin());
                switch (random.below(12)) {
                case 0: x.halve(true); break;
                case 1: x.halve(false); break;
                case 2:
                case 3: ASSERT_NO_FATAL_FAILURE(x.expect_what_is_known()) << "round " << round; break;
                case 4: x.set(greatest, -40.0f); break;
                case 5: x.set(greatest, random.real(-9, 9)); break;
                case 6: x.set(anywhere(), 30.0f + random.real(0, 9)); break;
                case 7:
                    for (std::uint32_t j = 0; j < 20; ++j)  // more of a block than are kept
                        x.set(std::min(anywhere() / block_size * block_size + j, x.logits.size() - 1),
                              random.real(-9, 9));
                    break;
                default: x.set(anywhere(), random.real(-9, 9));
                }
            }
            ASSERT_NO_FATAL_FAILURE(x.expect_what_is_known()) << "round " << round;
        }
    });
}

TEST(FullRow, SaysThatAnEditedRowIsNoLongerOrdinary) {
    for (const float logit : {not_a_number, inf})
        for (const bool copied : {false, true}) {
            row_in_use x(2000);
            x.begin(true);
            EXPECT_TRUE(x.used->ordinary());
            if (copied)
                for (std::size_t id = 512; id < 512 + 40; ++id) x.set(id, 1.0f);
            x.set(530, logit);
            EXPECT_FALSE(x.used->ordinary());
        }
}

TEST(FullRow, HasNoTokenOutsideOfIt) {
    row_in_use x(300);
    x.begin(true);
    EXPECT_EQ(x.used->at(-1), nullptr);
    EXPECT_EQ(x.used->at(300), nullptr);
    EXPECT_FALSE(x.used->touched());
    EXPECT_NE(x.used->at(299), nullptr);
    EXPECT_TRUE(x.used->touched());
}

}  // namespace
