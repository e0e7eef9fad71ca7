#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/core/context.hpp>
#include <riffle/core/token_counts.hpp>

#include "integers.hpp"

namespace {

using namespace riffle;
using riffle_tests::integers;

TEST(TokenCounts, CountAsAMapDoes) {
    integers random(31);
    for (const std::size_t size : {0u, 1u, 2u, 3u, 64u, 1000u})
        for (const std::uint32_t kinds : {1u, 5u, 300u, 2000000000u}) {
            std::vector<token_counts::slot> slots(token_counts::slots_for(size), {-7, 99});  // it clears them itself
            token_counts counts(slots.data(), slots.size());
            std::map<token_id, int> expected;
            for (std::size_t i = 0; i < size; ++i) {
                const auto token = token_id(random.below(kinds));
                counts.add(token);
                ++expected[token];
            }
            for (const auto& [token, count] : expected) EXPECT_EQ(counts.count(token), count);
            for (int i = 0; i < 100; ++i) {
                const auto token = token_id(random.below(2000));
                EXPECT_EQ(counts.count(token), expected.contains(token) ? expected[token] : 0);
            }
            std::size_t used = 0;
            counts.each([&](token_id token, std::int32_t count) {
                ++used;
                EXPECT_EQ(expected[token], count);
            });
            EXPECT_EQ(used, expected.size());
        }
}

TEST(TokenCounts, TakeIdsThatCollide) {
    std::vector<token_counts::slot> slots(token_counts::slots_for(4));
    token_counts counts(slots.data(), slots.size());
    // All ids there are: some share a slot.
    for (const token_id token : {0, -1, std::numeric_limits<token_id>::max(), 16}) counts.add(token);
    counts.add(0);
    EXPECT_EQ(counts.count(0), 2);
    EXPECT_EQ(counts.count(-1), 1);
    EXPECT_EQ(counts.count(std::numeric_limits<token_id>::max()), 1);
    EXPECT_EQ(counts.count(16), 1);
    EXPECT_EQ(counts.count(17), 0);
}

/// The most slots in a row that are taken: what a search goes through at most.
std::size_t longest_run(std::span<const token_counts::slot> slots) {
    std::size_t longest = 0, run = 0;
    for (const auto& slot : slots) {
        run = slot.count ? run + 1 : 0;
        longest = std::max(longest, run);
    }
    return longest;
}

/// Tokens of a vocabulary of a million that a table of so many slots would put side by side, if it hashed them by this
/// function alone.
std::vector<token_id> tokens_side_by_side(std::size_t count, std::size_t slots) {
    std::vector<token_id> chosen;
    for (std::uint32_t token = 0; token < 1000000 && chosen.size() < count; ++token)
        if (((token * 0x9E3779B9u) >> 7 & (slots - 1)) < slots / 16) chosen.push_back(token_id(token));
    return chosen;
}

TEST(TokenCounts, TokensChosenToCollideAreSpreadAnew) {
    for (const std::size_t size : {64u, 1000u, 32767u}) {
        std::vector<token_counts::slot> slots(token_counts::slots_for(3 * size));
        for (const bool raises : {false, true}) {
            token_counts counts(slots.data(), slots.size());
            const auto tokens = tokens_side_by_side(size, slots.size());
            ASSERT_EQ(tokens.size(), size);
            for (int i = 0; i < 3; ++i)
                for (const token_id token : tokens) raises ? counts.raise(token, 2 + i) : counts.add(token);
            EXPECT_LE(longest_run(slots), 100u) << size;
            std::size_t used = 0;
            counts.each([&](token_id, std::int32_t) { ++used; });
            EXPECT_EQ(used, size);
            for (const token_id token : tokens) ASSERT_EQ(counts.count(token), raises ? 4 : 3) << token;
            EXPECT_EQ(counts.count(1000001), 0);
        }
    }
}

/// Those that fill one half of such a table, each in a place of its own.
std::vector<token_id> tokens_that_fill_a_half(std::size_t slots) {
    std::vector<token_id> chosen;
    std::vector<bool> taken(slots / 2);
    for (std::uint32_t token = 0; token < 1000000; ++token)
        if (const std::size_t home = (token * 0x9E3779B9u) >> 7 & (slots - 1); home < slots / 2 && !taken[home]) {
            taken[home] = true;
            chosen.push_back(token_id(token));
        }
    return chosen;
}

TEST(TokenCounts, TokensChosenToFillAHalfAreSpreadAnew) {
    for (const std::size_t size : {256u, 1024u, 16384u}) {
        std::vector<token_counts::slot> slots(size);
        token_counts counts(slots.data(), slots.size());
        const auto tokens = tokens_that_fill_a_half(size);
        ASSERT_EQ(tokens.size(), size / 2);
        for (const token_id token : tokens) counts.add(token);
        EXPECT_EQ(longest_run(slots), size / 2) << "they are what is to be tested";
        counts.settle();
        EXPECT_LE(longest_run(slots), 100u) << size;
        for (const token_id token : tokens) ASSERT_EQ(counts.count(token), 1) << token;
        for (token_id token = 2000000; token < 2001000; ++token) ASSERT_EQ(counts.count(token), 0);
        counts.add(tokens.front());
        EXPECT_EQ(counts.count(tokens.front()), 2);
    }
}

TEST(TokenCounts, NoneIsEmpty) {
    token_counts none;
    none.settle();
    EXPECT_EQ(none.count(3), 0);
    none.each([](token_id token, std::int32_t) { ADD_FAILURE() << token; });
}

TEST(Context, CountsTheWindow) {
    history tokens;
    ASSERT_TRUE(tokens.reserve(20));
    for (int i = 0; i < 50; ++i) tokens.push(i % 5, true);
    std::vector<token_counts::slot> slots(token_counts::slots_for(20));
    const context x(tokens, {}, slots.data());
    EXPECT_EQ(x.count_recent(0).count(4), 0);
    EXPECT_EQ(x.count_recent(1).count(4), 1);
    EXPECT_EQ(x.count_recent(5).count(0), 1);
    EXPECT_EQ(x.count_recent(6).count(4), 2);
    EXPECT_EQ(x.count_recent(20).count(2), 4);
    EXPECT_EQ(x.count_recent(-1).count(2), 4);  // all that is remembered
    EXPECT_EQ(x.count_recent(1000).count(2), 4);
}

}  // namespace
