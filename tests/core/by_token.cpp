// Changes to a row and to candidates come to the same.

#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/core/by_token.hpp>
#include <riffle/core/row.hpp>
#include <riffle/core/token_set.hpp>

#include "integers.hpp"

namespace {

using namespace riffle;
using riffle_tests::integers;

constexpr float inf = std::numeric_limits<float>::infinity();

/// A row and its candidates, in an order of their own.
struct both {
    explicit both(std::size_t size) : logits(size), blocks(block_count(size)), copies(blocks.size() * block_size) {
        integers random(size);
        for (std::size_t i = 0; i < size; ++i) {
            logits[i] = random.below(10) == 0 ? -inf : random.real(-9, 9);
            memory.push_back({token_id(i), logits[i], 0.0f});
        }
        for (std::size_t i = size; i > 1; --i) std::swap(memory[i - 1], memory[random.below(std::uint32_t(i))]);
        r.assign(logits, blocks.data(), copies.data());
    }
    template <class Change>
    void expect(Change change, const std::vector<float>& expected) {
        candidates c{memory.data(), memory.size(), -1, false};
        change(r);
        change(c);
        for (const auto& t : c) EXPECT_EQ(t.logit, expected[std::size_t(t.id)]) << t.id;
        for (std::size_t i = 0; i < logits.size(); ++i)
            EXPECT_EQ(r.block(i / block_size)[i % block_size], expected[i]) << i;
    }
    std::vector<float> logits;
    std::vector<const float*> blocks;
    std::vector<float> copies;
    std::vector<token_data> memory;
    detail::row r;
};
/// Ids within the row, at its ends, twice, and beyond it.
std::vector<token_id> some_ids(std::size_t size) {
    return {0, 3, 3, token_id(size) - 1, token_id(size), 100000, token_id(size / 2)};
}
constexpr std::size_t sizes[] = {1, 5, 256, 700};

TEST(ByToken, CountedTokensChangeByTheirCount) {
    for (const std::size_t size : sizes) {
        both b(size);
        auto expected = b.logits;
        token_counts::slot slots[64];
        token_counts counts(slots, 64);
        for (const token_id id : some_ids(size)) {
            counts.add(id);
            if (std::size_t(id) < size) expected[std::size_t(id)] -= 0.5f;
        }
        b.expect(
            [&](auto& of) {
                change_counted(of, counts, [](std::int32_t n) { return logit_edit::taking(0.5f * float(n)); });
            },
            expected);
    }
}
TEST(ByToken, TokensOfASetChangeOnce) {
    for (const std::size_t size : sizes) {
        both b(size);
        auto expected = b.logits;
        const auto ids = some_ids(size);
        const token_set set{std::span<const token_id>(ids)};
        for (std::size_t i = 0; i < size; ++i)
            if (set.contains(token_id(i))) expected[i] += 2.0f;
        b.expect([&](auto& of) { change_each(of, set, logit_edit::adding(2.0f)); }, expected);
    }
}
TEST(ByToken, OneTokenChangesAlone) {
    for (const std::size_t size : sizes)
        for (const token_id id : some_ids(size)) {
            both b(size);
            auto expected = b.logits;
            if (std::size_t(id) < size) expected[std::size_t(id)] = -inf;
            b.expect([&](auto& of) { change_one(of, id, logit_edit::banning()); }, expected);
        }
}
TEST(ByToken, WhatComesOutIsCanonical) {
    both b(5);
    auto expected = b.logits;
    expected[2] = -inf;
    b.expect([](auto& of) { change_one(of, 2, logit_edit::taking(std::numeric_limits<float>::quiet_NaN())); },
             expected);
}

}  // namespace
