// reserve, scratch_bytes and use_storage.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/chain/dynamic_chain.hpp>
#include <riffle/riffle.hpp>

#include "reference/agreement.hpp"

namespace riffle_tests::chain_storage {
namespace {

using namespace riffle;

auto usual() {
    return penalties{.last_n = 32, .repeat = 1.2f} | temperature{.t = 0.8f} | top_p{.p = 0.9f} | dist{.seed = 42};
}
std::vector<float> row_at(std::size_t step, std::size_t size = 1000) { return make_row(shape::flat, size, step); }

template <class Chain>
std::vector<token_id> stream(Chain& c, std::size_t count, std::size_t size = 1000) {
    std::vector<token_id> tokens;
    for (std::size_t i = 0; i < count; ++i) tokens.push_back(c.sample(row_at(i, size)));
    return tokens;
}

TEST(Storage, ReserveChangesNoToken) {
    auto c = usual(), reserved = usual();
    EXPECT_TRUE(reserved.reserve(1000));
    EXPECT_TRUE(reserved.reserve(10));
    EXPECT_EQ(stream(c, 10), stream(reserved, 10));
    EXPECT_TRUE(reserved.reserve(5000, 3000));
    EXPECT_EQ(stream(c, 10, 4000), stream(reserved, 10, 4000));
}

TEST(Storage, OfTheCallerServesAtAnyAlignment) {
    for (const std::size_t offset : {0u, 1u, 7u, 63u}) {
        auto c = usual(), placed = usual();
        std::vector<std::byte> bytes(placed.scratch_bytes(1000) + offset, std::byte{0xA5});
        ASSERT_TRUE(placed.use_storage(std::span(bytes).subspan(offset), 1000)) << offset;
        EXPECT_EQ(stream(c, 150), stream(placed, 150)) << offset;  // more tokens than the window
        EXPECT_EQ(stream(c, 3, 17), stream(placed, 3, 17)) << offset;
    }
}

TEST(Storage, TooSmallIsRefusedWithASentence) {
    auto c = usual();
    std::vector<std::byte> bytes(c.scratch_bytes(1000) - 1);
    EXPECT_EQ(c.use_storage(bytes, 1000).code(), status_code::storage_too_small);
    EXPECT_STREQ(c.use_storage(bytes, 1000).message().c_str(), "the storage is smaller than scratch_bytes(V)");
    EXPECT_EQ(c.use_storage({}, 1000).code(), status_code::storage_too_small);
    EXPECT_NE(c.sample(row_at(0)), null_token);  // the heap still serves
}

TEST(Storage, AGreaterRowIsRefusedAndASmallerOneServed) {
    auto c = usual();
    std::vector<std::byte> bytes(c.scratch_bytes(1000));
    ASSERT_TRUE(c.use_storage(bytes, 1000));
    EXPECT_EQ(c.sample(row_at(0, 2000)), null_token);
    EXPECT_EQ(c.last_status().code(), status_code::storage_too_small);
    EXPECT_NE(c.sample(row_at(0, 1000)), null_token);
    EXPECT_NE(c.sample(row_at(0, 20)), null_token);
}

TEST(Storage, KeepsTheHistory) {
    auto c = usual(), placed = usual();
    EXPECT_EQ(stream(c, 60), stream(placed, 60));
    const checkpoint m = placed.mark();
    std::vector<std::byte> bytes(placed.scratch_bytes(1000));
    ASSERT_TRUE(placed.use_storage(bytes, 1000));
    EXPECT_EQ(placed.mark().prefix_hash, m.prefix_hash);
    EXPECT_EQ(stream(c, 60), stream(placed, 60));
    ASSERT_TRUE(placed.rollback(m));
    EXPECT_EQ(placed.mark().prefix_hash, m.prefix_hash);
}

TEST(Storage, AssigningLeavesItWhereItIs) {
    std::vector<std::byte> bytes(usual().scratch_bytes(1000));
    auto placed = usual();
    ASSERT_TRUE(placed.use_storage(bytes, 1000));
    stream(placed, 20);

    auto other = usual();
    stream(other, 5);
    auto expected = other, moved = other;
    placed = std::move(moved);
    EXPECT_EQ(stream(placed, 10), stream(expected, 10));
    EXPECT_EQ(placed.sample(row_at(0, 100000)), null_token) << "it still does not go to the heap";
    EXPECT_EQ(placed.last_status().code(), status_code::storage_too_small);
    placed = usual();
    EXPECT_EQ(placed.sample(row_at(0, 100000)), null_token);

    // And what was moved from does not live in that memory.
    moved = other;
    stream(moved, 1);
    placed = std::move(moved);
    std::fill(bytes.begin(), bytes.end(), std::byte{0xA5});
    moved.reset();
    EXPECT_NE(moved.sample(row_at(0, 5000)), null_token);
}

TEST(Storage, CopiesLiveOnTheHeap) {
    auto c = usual();
    auto copy = c;
    {
        std::vector<std::byte> bytes(c.scratch_bytes(1000));
        auto placed = c;
        ASSERT_TRUE(placed.use_storage(bytes, 1000));
        stream(placed, 40);
        stream(c, 40);
        copy = placed;
        bytes.assign(bytes.size(), std::byte{0xFF});
    }
    EXPECT_EQ(stream(copy, 40, 1500), stream(c, 40, 1500));
}

TEST(Storage, AnEndlessHistoryFillsAndThenSaysSo) {
    // a window longer than any text is as good as endless
    for (const std::int32_t last_n : {-1, (1 << 20) + 1, std::numeric_limits<std::int32_t>::max()}) {
        auto c = penalties{.last_n = last_n, .repeat = 1.1f} | greedy{};
        std::vector<std::byte> bytes(c.scratch_bytes(50, 400));
        EXPECT_LT(bytes.size(), 1u << 20);
        ASSERT_TRUE(c.use_storage(bytes, 50, 400));
        const auto row = row_at(0, 50);
        for (int i = 0; i < 400; ++i) ASSERT_NE(c.sample(row), null_token) << i;
        std::size_t taken = 0;
        while (taken < 1000 && c.accept(1).state.ok()) ++taken;
        EXPECT_LT(taken, 1000u);
        EXPECT_EQ(c.last_step().state.code(), status_code::storage_too_small);
    }
    auto c = penalties{.last_n = 1 << 20, .repeat = 1.1f} | greedy{};
    EXPECT_GT(c.scratch_bytes(50), std::size_t{1 << 20} * sizeof(token_id));
}

TEST(Storage, ScratchBytesGrowWithTheRow) {
    const auto c = usual();
    EXPECT_LT(c.scratch_bytes(1000), c.scratch_bytes(2000));
    EXPECT_LT(c.scratch_bytes(1000), c.scratch_bytes(1000, 100000));
    dynamic_chain d;
    d.push(top_k{});
    d.push(dist{});
    std::vector<std::byte> bytes(d.scratch_bytes(1000));
    ASSERT_TRUE(d.use_storage(bytes, 1000));
    auto typed = top_k{} | dist{};
    EXPECT_EQ(stream(d, 10), stream(typed, 10));
    any_pipeline any = typed;
    std::vector<std::byte> more(any.scratch_bytes(1000));
    ASSERT_TRUE(any.use_storage(more, 1000));
    EXPECT_EQ(stream(any, 10), stream(typed, 10));
}

TEST(Storage, ALongerWindowIsServedFromTheHeapAndRefusedInBorrowedMemory) {
    auto c = usual();
    stream(c, 20);
    get<penalties>(c).last_n = 500;
    EXPECT_NE(c.sample(row_at(0)), null_token);
    auto placed = usual();
    std::vector<std::byte> bytes(placed.scratch_bytes(1000));
    ASSERT_TRUE(placed.use_storage(bytes, 1000));
    get<penalties>(placed).last_n = 5000;
    EXPECT_EQ(placed.sample(row_at(0)), null_token);
    EXPECT_EQ(placed.last_status().code(), status_code::storage_too_small);
}

}  // namespace
}  // namespace riffle_tests::chain_storage
