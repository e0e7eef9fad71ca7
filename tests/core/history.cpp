#include <cstdint>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/core/history.hpp>

#include "integers.hpp"

namespace {

using namespace riffle;
using riffle_tests::integers;

struct taken {
    token_id token;
    bool generated;
};

history with_room(std::size_t capacity) {
    history h;
    EXPECT_TRUE(h.reserve(capacity));
    return h;
}

/// Everything that is remembered is what the plain list has.
void expect_same(const history& found, const std::vector<taken>& expected) {
    ASSERT_EQ(found.written(), expected.size());
    ASSERT_LE(found.remembered(), expected.size());
    for (std::size_t back = 0; back < found.remembered(); ++back) {
        EXPECT_EQ(found.recent(back).token, expected[expected.size() - 1 - back].token);
        EXPECT_EQ(found.recent(back).generated, expected[expected.size() - 1 - back].generated);
    }
}
/// The line of a history that took these tokens and nothing else.
std::uint64_t line_of(const std::vector<taken>& tokens) {
    history h = with_room(tokens.size() + 1);
    for (const auto& t : tokens) h.push(t.token, t.generated);
    return h.prefix_hash();
}

TEST(History, RemembersTheNewestTokens) {
    history h = with_room(200);
    std::vector<taken> all;
    integers random(21);
    for (int i = 0; i < 1000; ++i) {
        const taken t{token_id(random.below(50)), random.below(4) != 0};
        h.push(t.token, t.generated);
        all.push_back(t);
        ASSERT_EQ(h.remembered(), std::min<std::size_t>(all.size(), 200));
    }
    expect_same(h, all);
    EXPECT_EQ(h.prefix_hash(), line_of(all));
}

TEST(History, EmptyHasLineZero) {
    const history h;
    EXPECT_EQ(h.prefix_hash(), 0u);
    EXPECT_EQ(h.written(), 0u);
    EXPECT_EQ(h.remembered(), 0u);
    EXPECT_TRUE(h.can_pop(0, 10));
    EXPECT_FALSE(h.can_pop(1, 10));
    EXPECT_FALSE(h.lost());
}

TEST(History, LinesTellHistoriesApart) {
    EXPECT_EQ(line_of({{1, true}, {2, true}}), line_of({{1, true}, {2, true}}));
    EXPECT_NE(line_of({{1, true}, {2, true}}), line_of({{2, true}, {1, true}}));
    EXPECT_NE(line_of({{1, true}}), line_of({{1, false}}));
    EXPECT_NE(line_of({{0, true}}), line_of({{0, true}, {0, true}}));
    EXPECT_NE(line_of({{0, false}}), 0u);
}

// Random pushes and pops against a list; a pop that can_pop allows leaves `window` tokens to look at, or all there ever
// were.
TEST(History, GoesBackAsFarAsItCan) {
    constexpr std::int32_t window = 64;
    constexpr std::size_t capacity = window + rollback_depth + 1;
    history h = with_room(capacity);
    std::vector<taken> all;
    integers random(22);
    for (int round = 0; round < 3000; ++round) {
        if (random.below(3) != 0) {
            const taken t{token_id(random.below(9)), random.below(2) != 0};
            h.push(t.token, t.generated);
            all.push_back(t);
        } else {
            const std::size_t count = random.below(8);
            if (!h.can_pop(count, window)) continue;
            for (std::size_t i = 0; i < count; ++i) h.pop(), all.pop_back();
            EXPECT_GE(h.remembered(), std::min<std::size_t>(window, all.size()));
        }
        ASSERT_EQ(h.prefix_hash(), line_of(all));
    }
    expect_same(h, all);
}

TEST(History, GoesBackAtLeast128TokensAndNotFurther) {
    constexpr std::int32_t window = 10;
    history h = with_room(window + rollback_depth + 1);
    for (int i = 0; i < 500; ++i) h.push(i, true);
    EXPECT_TRUE(h.can_pop(rollback_depth, window));
    EXPECT_FALSE(h.can_pop(rollback_depth + 1, window));
    for (std::size_t i = 0; i < rollback_depth; ++i) h.pop();
    EXPECT_FALSE(h.can_pop(2, window));
    EXPECT_GE(h.remembered(), std::size_t{window});
    EXPECT_EQ(h.recent(0).token, 500 - 1 - token_id(rollback_depth));
    for (std::size_t i = 0; i < rollback_depth; ++i) h.push(7, true);
    EXPECT_TRUE(h.can_pop(rollback_depth, window));
}

// A window of -1 looks at everything: once something is forgotten nothing can be taken back exactly.
TEST(History, OfAnEndlessWindowGoesBackOnlyWhileItHasAll) {
    history h = with_room(200);
    for (int i = 0; i < 200; ++i) h.push(i, true);
    EXPECT_TRUE(h.can_pop(rollback_depth, -1));
    h.push(200, true);
    EXPECT_FALSE(h.can_pop(1, -1));
    EXPECT_TRUE(h.can_pop(0, -1));
    EXPECT_TRUE(h.can_pop(1, 64));
}

TEST(History, GoesBackToItsStart) {
    history h = with_room(300);
    for (int i = 0; i < 100; ++i) h.push(i, true);
    EXPECT_TRUE(h.can_pop(100, 64));
    EXPECT_TRUE(h.can_pop(100, -1));
    EXPECT_FALSE(h.can_pop(101, 64));
    for (int i = 0; i < 100; ++i) h.pop();
    EXPECT_EQ(h.prefix_hash(), 0u);
    EXPECT_EQ(h.remembered(), 0u);
}

TEST(History, GrowsAndKeepsWhatItRemembers) {
    history h = with_room(10);
    std::vector<taken> all;
    for (int i = 0; i < 25; ++i) h.push(i, i % 2 == 0), all.push_back({i, i % 2 == 0});
    const std::uint64_t line = h.prefix_hash();
    EXPECT_TRUE(h.reserve(40));
    EXPECT_EQ(h.capacity(), 40u);
    EXPECT_EQ(h.remembered(), 10u);
    EXPECT_EQ(h.prefix_hash(), line);
    for (int i = 25; i < 100; ++i) h.push(i, true), all.push_back({i, true});
    expect_same(h, all);
    EXPECT_EQ(h.remembered(), 40u);
    EXPECT_EQ(h.prefix_hash(), line_of(all));
    EXPECT_TRUE(h.reserve(5));
    EXPECT_EQ(h.capacity(), 40u) << "it never shrinks";
}

TEST(History, CopiesAreTheirOwn) {
    history h = with_room(20);
    std::vector<taken> all;
    for (int i = 0; i < 33; ++i) h.push(i, true), all.push_back({i, true});
    history copy = h;
    h.push(99, true);
    expect_same(copy, all);
    copy.push(98, true);
    EXPECT_EQ(h.recent(0).token, 99);
    EXPECT_EQ(copy.recent(0).token, 98);
    EXPECT_EQ(h.recent(1).token, 32);

    const history moved = std::move(copy);
    EXPECT_EQ(moved.recent(0).token, 98);
    const history& itself = h;
    h = itself;
    EXPECT_EQ(h.recent(0).token, 99);
    h = history();
    EXPECT_EQ(h.written(), 0u);
}

TEST(History, LivesInMemoryOfTheCaller) {
    std::vector<history::entry> memory(30);
    static_assert(history::bytes(30) == 30 * sizeof(history::entry));
    std::vector<taken> all;
    history copy;
    {
        history h = with_room(12);
        for (int i = 0; i < 20; ++i) h.push(i, true), all.push_back({i, true});
        h.use(memory.data(), memory.size());
        EXPECT_EQ(h.capacity(), 30u);
        EXPECT_EQ(h.remembered(), 12u);
        for (int i = 20; i < 90; ++i) h.push(i, true), all.push_back({i, true});
        expect_same(h, all);
        copy = h;
    }
    for (auto& entry : memory) entry.token = -5;  // the copy does not look there
    expect_same(copy, all);
}

TEST(History, KnowsWhetherThereIsRoomForAnother) {
    history large = with_room(12), small = with_room(5);
    EXPECT_TRUE(large.has_room_for(small));
    EXPECT_FALSE(small.has_room_for(large)) << "it would grow to be as large";
    std::vector<history::entry> memory(8);
    history stored = with_room(5);
    stored.use(memory.data(), memory.size());
    for (int i = 0; i < 8; ++i) large.push(i, true);
    EXPECT_TRUE(stored.has_room_for(large));
    large.push(8, true);
    EXPECT_FALSE(stored.has_room_for(large));
    stored = large;
    EXPECT_TRUE(stored.lost());
}

TEST(History, Clear) {
    history h = with_room(10);
    for (int i = 0; i < 25; ++i) h.push(i, true);
    h.clear();
    EXPECT_EQ(h.prefix_hash(), 0u);
    EXPECT_EQ(h.remembered(), 0u);
    h.push(3, false);
    EXPECT_EQ(h.prefix_hash(), line_of({{3, false}}));
}

}  // namespace
