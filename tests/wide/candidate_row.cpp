// The passes between llama.cpp's candidates and a row, which need no llama.h, beside plain loops at every lane width.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/core/candidates.hpp>
#include <riffle/core/row.hpp>
#include <riffle/llama/array/write_back.hpp>
#include <riffle/wide/candidate_row.hpp>

#include "integers.hpp"
#include "lane_widths.hpp"

namespace riffle_tests::candidate_row {
namespace {

using namespace riffle;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

/// Candidates of all tokens, and the memory that a copy of their logits takes.
struct copied_row {
    explicit copied_row(const std::vector<float>& row)
        : logits(row), tokens(row.size()), copies(block_count(row.size()) * block_size, 99.0f),
          block_maxima(block_count(row.size())), blocks(block_count(row.size())) {
        for (std::size_t i = 0; i < row.size(); ++i) tokens[i] = {token_id(i), row[i], float(i) / 7.0f};
    }
    candidates all() { return {tokens.data(), tokens.size(), -1, false}; }
    wide::row_found copy() { return wide::copy_logits(all(), copies.data(), block_maxima.data()); }
    detail::row as_row() {
        detail::row r;
        r.assign({copies.data(), logits.size()}, blocks.data(), copies.data());
        return r;
    }

    std::vector<float> logits;
    std::vector<token_data> tokens;
    std::vector<float> copies, block_maxima;
    std::vector<const float*> blocks;
};
std::vector<float> random_logits(integers& random, std::size_t size) {
    std::vector<float> logits(size);
    for (float& logit : logits) logit = float(random.between(-4000, 4000)) / 256.0f;
    return logits;
}
constexpr std::size_t sizes[] = {1, 3, 255, 256, 257, 1024, 1500, 4096, 5001};

TEST(CandidateRow, LogitsAndMaximaAreCopied) {
    at_every_width([](int) {
        integers random(1);
        for (const std::size_t size : sizes) {
            copied_row c(random_logits(random, size));
            if (size > 3) c.tokens[size / 2].logit = c.logits[size / 2] = -infinity;
            const auto found = c.copy();
            EXPECT_TRUE(found.is_row) << size;
            EXPECT_FALSE(found.maximum.saw_nan);
            EXPECT_EQ(found.maximum.logit, *std::max_element(c.logits.begin(), c.logits.end()));
            EXPECT_TRUE(std::equal(c.logits.begin(), c.logits.end(), c.copies.begin()));
            for (std::size_t b = 0; b < c.block_maxima.size(); ++b) {
                const auto first = c.copies.begin() + std::ptrdiff_t(b * block_size);
                EXPECT_EQ(c.block_maxima[b], *std::max_element(first, first + std::ptrdiff_t(block_size)));
            }
            for (std::size_t i = size; i < c.copies.size(); ++i) EXPECT_EQ(c.copies[i], illegal_logit);
        }
    });
}
/// Wherever in a vector it stands.
TEST(CandidateRow, OneTokenElsewhereIsNoRow) {
    at_every_width([](int) {
        integers random(2);
        for (const std::size_t size : {std::size_t{257}, std::size_t{1024}}) {
            copied_row c(random_logits(random, size));
            for (std::size_t i = 0; i < size; ++i) {
                for (const token_id other : {token_id(i) + 1, -1, token_id(i) ^ token_id(0x40000000)}) {
                    c.tokens[i].id = other;
                    EXPECT_FALSE(c.copy().is_row) << i;
                }
                c.tokens[i].id = token_id(i);
            }
            std::swap(c.tokens[7], c.tokens[8]);
            EXPECT_FALSE(c.copy().is_row);
        }
    });
}
TEST(CandidateRow, PIsSeen) {
    at_every_width([](int) {
        integers random(4);
        copied_row c(random_logits(random, 600));
        for (auto& token : c.tokens) token.p = 0.0f;
        EXPECT_FALSE(c.copy().has_p);
        for (auto& token : c.tokens) {
            token.p = -0.0f;
            EXPECT_TRUE(c.copy().has_p) << token.id;
            token.p = 0.0f;
        }
    });
}
TEST(CandidateRow, NanIsSeenAndPassedOver) {
    at_every_width([](int) {
        integers random(3);
        for (const std::size_t size : {std::size_t{257}, std::size_t{1024}})
            for (std::size_t i = 0; i < size; ++i) {
                copied_row c(random_logits(random, size));
                c.tokens[i].logit = -not_a_number;
                c.logits[i] = illegal_logit;
                const auto found = c.copy();
                EXPECT_TRUE(found.maximum.saw_nan) << i;
                EXPECT_EQ(found.maximum.logit, *std::max_element(c.logits.begin(), c.logits.end()));
            }
        copied_row both(random_logits(random, 1024));
        both.tokens[0].logit = infinity;
        both.tokens[1000].logit = -infinity;
        EXPECT_FALSE(both.copy().maximum.saw_nan);
        EXPECT_EQ(both.copy().maximum.logit, infinity);
    });
}
/// A row with a few logits that are not canonical, at every place of a vector.
std::vector<float> odd_logits(integers& random, std::size_t size) {
    constexpr float odd[] = {infinity, -infinity, not_a_number, -not_a_number, -0.0f, 1e-40f, -1e-40f};
    auto logits = random_logits(random, size);
    for (std::size_t i = 0; i < size; i += 13) logits[i] = odd[i % std::size(odd)];
    return logits;
}
TEST(CandidateRow, EveryTokenIsFilledIn) {
    at_every_width([](int) {
        integers random(6);
        for (const std::size_t size : sizes)
            for (const bool is_odd : {false, true}) {
                copied_row c(is_odd ? odd_logits(random, size) : random_logits(random, size));
                detail::row r;
                r.assign(c.logits, c.blocks.data(), c.copies.data());
                std::vector<token_data> as_it_is(c.copies.size(), {-1, 5.0f, 5.0f}), made_canonical = as_it_is;
                EXPECT_FALSE(wide::fill_candidates(r, false, as_it_is.data()));
                EXPECT_EQ(wide::fill_candidates(r, true, made_canonical.data()), is_odd);
                for (std::size_t i = 0; i < size; ++i) {
                    ASSERT_EQ(as_it_is[i].id, token_id(i));
                    ASSERT_EQ(made_canonical[i].id, token_id(i));
                    ASSERT_EQ(std::bit_cast<int>(as_it_is[i].logit), std::bit_cast<int>(c.logits[i]));
                    ASSERT_EQ(std::bit_cast<int>(made_canonical[i].logit), std::bit_cast<int>(canonical(c.logits[i])));
                    ASSERT_EQ(as_it_is[i].p, 0.0f);
                    ASSERT_EQ(made_canonical[i].p, 0.0f);
                }
            }
    });
}
TEST(CandidateRow, EveryLogitIsMadeCanonical) {
    at_every_width([](int) {
        integers random(7);
        for (const std::size_t size : {0u, 1u, 15u, 16u, 17u, 48u, 300u})
            for (std::size_t at = 0; at < size; ++at) {
                copied_row c(random_logits(random, size));
                c.tokens[at].logit = at % 2 ? not_a_number : -0.0f;
                std::vector<token_data> expected = c.tokens;
                expected[at].logit = at % 2 ? -infinity : 0.0f;
                candidates all = c.all();
                wide::make_candidates_canonical(all);
                ASSERT_EQ(std::memcmp(c.tokens.data(), expected.data(), size * sizeof(token_data)), 0) << at;
            }
    });
}
template <bool Canonical>
void expect_written(copied_row& c, const llama::detail::written& what) {
    const std::vector<token_data> before = c.tokens;
    detail::row r = c.as_row();
    wide::run<llama::detail::write_back_pass<Canonical>>(r, static_cast<const float*>(c.block_maxima.data()), what,
                                                         c.tokens.data());
    for (std::size_t i = 0; i < c.tokens.size(); ++i) {
        const float logit = c.copies[i];
        ASSERT_EQ(c.tokens[i].id, before[i].id);
        ASSERT_EQ(c.tokens[i].logit, Canonical ? canonical(logit) : logit);
        if (!what.p) {
            ASSERT_EQ(c.tokens[i].p, before[i].p);
        } else {
            const double p = double(what.scale) * std::exp(double(c.tokens[i].logit) - double(what.maximum));
            ASSERT_NEAR(c.tokens[i].p, p, 1e-6) << i << " of " << c.tokens.size();
        }
    }
}
TEST(CandidateRow, LogitsAndSharesAreWrittenBack) {
    at_every_width([](int) {
        integers random(4);
        for (const std::size_t size : sizes) {
            copied_row c(random_logits(random, size));
            const auto found = c.copy();
            double whole = 0.0;
            for (const float logit : c.logits) whole += std::exp(double(logit) - double(found.maximum.logit));
            expect_written<false>(c, llama::detail::written());
            expect_written<false>(c, llama::detail::with_p(found.maximum.logit, 1.0 / whole));
            expect_written<true>(c, llama::detail::with_p(found.maximum.logit, 1.0 / whole));
            for (float& logit : c.copies) logit *= 0.5f;
            if (size > 3) c.copies[2] = illegal_logit, c.copies[1] = 1e-40f;
            expect_written<true>(c, llama::detail::written());
        }
    });
}
/// What is written behind the last candidate is nobody's.
TEST(CandidateRow, NothingIsWrittenBehindTheEnd) {
    at_every_width([](int) {
        integers random(5);
        copied_row c(random_logits(random, 300));
        c.copy();
        c.tokens.resize(512, {-5, -6.0f, -7.0f});
        detail::row r = c.as_row();
        wide::run<llama::detail::write_back_pass<false>>(r, static_cast<const float*>(c.block_maxima.data()),
                                                         llama::detail::with_p(20.0f, 0.5), c.tokens.data());
        for (std::size_t i = 300; i < c.tokens.size(); ++i) {
            EXPECT_EQ(c.tokens[i].id, -5);
            EXPECT_EQ(c.tokens[i].logit, -6.0f);
            EXPECT_EQ(c.tokens[i].p, -7.0f);
        }
    });
}

}  // namespace
}  // namespace riffle_tests::candidate_row
