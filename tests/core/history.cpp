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

// ---- texts that lose tokens

/// A history as a list, in which nothing moves: what is left of the text, with the hashes that it was accepted with.
struct slow_history {
    struct entry {
        taken of;
        std::uint64_t hash;
    };
    std::vector<entry> all;
    std::size_t capacity, remembered = 0;
    std::uint64_t hash_of_none = 0;
    std::size_t whole_from = 0;

    std::uint64_t prefix_hash() const { return remembered ? all.back().hash : hash_of_none; }
    void push(token_id token, bool generated) {
        // splitmix64, which the documents promise to nobody but saved chains
        const std::uint64_t hash =
            integers(prefix_hash() + (std::uint64_t(token) << 1 | std::uint64_t{generated})).next();
        all.push_back({{token, generated}, hash});
        if (remembered == capacity) whole_from = uncountable;
        remembered = std::min(remembered + 1, capacity);
    }
    void forget(std::size_t first, std::size_t count) {
        if (count == 0) return;
        const std::size_t oldest = all.size() - remembered, end = first + count;
        if (first <= oldest && end > oldest) hash_of_none = all[end - 1].hash;
        whole_from = all.size() - count;
        remembered -= end > oldest ? end - std::max(first, oldest) : 0;
        all.erase(all.begin() + std::ptrdiff_t(first), all.begin() + std::ptrdiff_t(end));
    }
    void pop() {
        all.pop_back();
        --remembered;
        if (whole_from != uncountable) whole_from = std::min(whole_from, all.size());
    }
};
void expect_same(const history& found, const slow_history& expected) {
    ASSERT_EQ(found.written(), expected.all.size());
    ASSERT_EQ(found.remembered(), expected.remembered);
    ASSERT_EQ(found.hash_of_none(), expected.hash_of_none);
    ASSERT_EQ(found.whole_from(), expected.whole_from);
    ASSERT_EQ(found.prefix_hash(), expected.prefix_hash());
    std::vector<token_id> newest;
    found.each_recent(found.remembered(), [&](token_id token) { newest.push_back(token); });
    for (std::size_t back = 0; back < expected.remembered; ++back) {
        const slow_history::entry& one = expected.all[expected.all.size() - 1 - back];
        ASSERT_EQ(found.recent(back).token, one.of.token) << back;
        ASSERT_EQ(found.recent(back).generated, one.of.generated) << back;
        ASSERT_EQ(found.recent(back).prefix_hash, one.hash) << back;
        ASSERT_EQ(newest[back], one.of.token) << back;
    }
}

TEST(History, ForgetsAnyPartOfTheText) {
    constexpr std::size_t capacity = 12;
    for (const std::size_t length : {0u, 1u, 5u, 12u, 13u, 30u})
        for (std::size_t first = 0; first <= length; ++first)
            for (std::size_t count = 0; count <= length - first; ++count) {
                history h = with_room(capacity);
                slow_history slow{{}, capacity};
                const auto push = [&](std::size_t i) {
                    h.push(token_id(i), i % 3 != 0);
                    slow.push(token_id(i), i % 3 != 0);
                };
                for (std::size_t i = 0; i < length; ++i) push(i);
                h.forget(first, count);
                slow.forget(first, count);
                expect_same(h, slow);
                const history copy = h;
                expect_same(copy, slow);
                for (std::size_t i = 0; i < 15; ++i) {
                    push(100 + i);
                    expect_same(h, slow);
                    if (HasFatalFailure()) FAIL() << length << " tokens: " << first << ", " << count;
                }
            }
}
TEST(History, ForgetsOverAndOver) {
    std::vector<history::entry> memory(40);
    for (const std::size_t capacity : {1u, 2u, 7u, 33u}) {
        history h = with_room(capacity);
        slow_history slow{{}, capacity};
        integers random(capacity);
        for (int round = 0; round < 4000; ++round) {
            const auto size = std::uint32_t(slow.all.size());
            switch (random.below(16)) {
            case 0: {
                const std::uint32_t first = random.below(size + 1), count = random.below(size - first + 1);
                h.forget(first, count);
                slow.forget(first, count);
                break;
            }
            case 1:
                if (size >= 3) {
                    h.forget(1, 2);
                    slow.forget(1, 2);
                }
                break;
            case 2:
                if (slow.remembered > 1 || (slow.remembered == 1 && slow.all.size() == 1)) {
                    h.pop();
                    slow.pop();
                }
                break;
            case 3: {
                history copy = h;
                h = std::move(copy);
                break;
            }
            case 4: {
                std::size_t next = size - slow.remembered;
                history loaded = with_room(capacity);
                loaded.load(size, slow.remembered, slow.hash_of_none, slow.whole_from, [&] {
                    const slow_history::entry& one = slow.all[next++];
                    return history::entry{one.of.token, one.of.generated, one.hash};
                });
                EXPECT_EQ(next, size);
                h = std::move(loaded);
                break;
            }
            case 5: {  // a push that is undone
                const auto end = h.end_to_restore();
                h.push(77, true);
                h.restore_end(end);
                break;
            }
            case 6:
                if (random.below(40) == 0) {
                    h.clear();
                    slow = slow_history{{}, capacity};
                }
                break;
            default: {
                const auto token = token_id(random.below(1000));
                h.push(token, round % 2 != 0);
                slow.push(token, round % 2 != 0);
            }
            }
            expect_same(h, slow);
            if (HasFatalFailure()) FAIL() << "capacity " << capacity << ", round " << round;
        }
        // into more memory, and into a caller's
        EXPECT_TRUE(h.reserve(capacity + 3));
        slow.capacity = capacity + 3;
        expect_same(h, slow);
        h.use(memory.data(), memory.size());
        slow.capacity = memory.size();
        expect_same(h, slow);
        h.push(5, true);
        slow.push(5, true);
        expect_same(h, slow);
    }
}
TEST(History, GoesBackToWhereItForgotAsLongAsNothingIsOverwritten) {
    history h = with_room(200);
    for (int i = 0; i < 300; ++i) h.push(i, true);
    EXPECT_EQ(h.whole_from(), uncountable);
    EXPECT_FALSE(h.can_pop(1, -1));
    h.forget(250, 50);
    EXPECT_EQ(h.whole_from(), 250u);
    EXPECT_FALSE(h.can_pop(1, -1)) << "the text of before was seen with more in it";
    EXPECT_TRUE(h.can_pop(1, 100));
    for (int i = 0; i < 20; ++i) h.push(i, true);
    EXPECT_TRUE(h.can_pop(20, -1));
    EXPECT_FALSE(h.can_pop(21, -1));
    for (int i = 0; i < 100; ++i) h.push(i, true);  // over the oldest
    EXPECT_EQ(h.whole_from(), uncountable);
    EXPECT_FALSE(h.can_pop(1, -1));
    EXPECT_TRUE(h.can_pop(100, 99));
    EXPECT_FALSE(h.can_pop(101, 99));
    h.forget(0, h.written() - 50);
    EXPECT_TRUE(h.can_pop(50, -1)) << "all that is left is there";
    EXPECT_FALSE(h.can_pop(51, -1));
    EXPECT_EQ(h.recent(0).token, 99);
}
TEST(History, HashesAreThoseOfAllThatWasAccepted) {
    history h = with_room(10);
    for (const token_id token : {1, 2, 3}) h.push(token, true);
    h.forget(0, 2);
    EXPECT_EQ(h.prefix_hash(), line_of({{1, true}, {2, true}, {3, true}}));
    h.push(4, false);
    EXPECT_EQ(h.prefix_hash(), line_of({{1, true}, {2, true}, {3, true}, {4, false}}));
    h.forget(0, 2);
    EXPECT_EQ(h.written(), 0u);
    EXPECT_EQ(h.prefix_hash(), line_of({{1, true}, {2, true}, {3, true}, {4, false}}));
    h.push(5, true);
    EXPECT_EQ(h.prefix_hash(), line_of({{1, true}, {2, true}, {3, true}, {4, false}, {5, true}}));
    h.clear();
    EXPECT_EQ(h.hash_of_none(), 0u);
    h.push(1, true);
    EXPECT_EQ(h.prefix_hash(), line_of({{1, true}}));
}
TEST(History, LoadsAsManyOfTheNewestAsFit) {
    for (const std::size_t capacity : {1u, 4u, 9u, 10u, 20u})
        for (const std::size_t remembered : {0u, 1u, 9u, 10u}) {
            history h = with_room(capacity);
            for (int i = 0; i < 30; ++i) h.push(90 + i, true);
            h.forget(3, 5);
            token_id next = 0;
            h.load(remembered + 100, remembered, 7, uncountable, [&] {
                ++next;
                return history::entry{next, next % 2 == 0, std::uint64_t(next) << 40};
            });
            EXPECT_EQ(std::size_t(next), remembered) << "each is asked for once, whether it fits or not";
            EXPECT_EQ(h.written(), remembered + 100);
            ASSERT_EQ(h.remembered(), std::min(remembered, capacity));
            EXPECT_EQ(h.hash_of_none(), 7u);
            EXPECT_EQ(h.prefix_hash(), remembered ? std::uint64_t(remembered) << 40 : 7u);
            for (std::size_t back = 0; back < h.remembered(); ++back) {
                const auto token = token_id(remembered - back);
                EXPECT_EQ(h.recent(back).token, token);
                EXPECT_EQ(h.recent(back).generated, token % 2 == 0);
            }
            EXPECT_FALSE(h.can_pop(1, -1)) << "not all of the text is there";
        }
    history empty;
    empty.load(0, 0, 3, 0, [] { return history::entry{}; });
    EXPECT_EQ(empty.written(), 0u);
    EXPECT_EQ(empty.prefix_hash(), 3u);
}

}  // namespace
