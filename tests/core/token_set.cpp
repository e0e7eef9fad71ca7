#include <limits>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/core/id_check.hpp>
#include <riffle/core/token_set.hpp>

#include "integers.hpp"

namespace {

using namespace riffle;
using riffle_tests::integers;

std::vector<token_id> visited(const token_set& s) {
    std::vector<token_id> ids;
    s.each([&](token_id id) { ids.push_back(id); });
    return ids;
}

TEST(TokenSet, VisitsAWordBeyondTheEndAndNoMore) {
    const token_set set{0, 31, 32, 63, 64, 1000, token_set::bound - 1};
    const auto below = [&](std::size_t end) {
        std::vector<token_id> ids;
        set.each_below(end, [&](token_id id) { ids.push_back(id); });
        return ids;
    };
    EXPECT_EQ(below(0), (std::vector<token_id>{0, 31}));
    EXPECT_EQ(below(31), (std::vector<token_id>{0, 31}));
    EXPECT_EQ(below(33), (std::vector<token_id>{0, 31, 32, 63}));
    EXPECT_EQ(below(1001), (std::vector<token_id>{0, 31, 32, 63, 64, 1000}));
    EXPECT_EQ(below(std::size_t(-1)), visited(set));
}
TEST(TokenSet, HoldsWhatASetHolds) {
    integers random(1);
    for (const std::uint32_t bound : {3u, 40u, 5000u}) {
        token_set set;
        std::set<token_id> expected;
        for (int n = 0; n < 2000; ++n) {
            const auto id = token_id(random.below(bound));
            if (random.below(3)) {
                set.add(id);
                expected.insert(id);
            } else {
                set.remove(id);
                expected.erase(id);
            }
            const auto asked = token_id(random.below(2 * bound));
            ASSERT_EQ(set.contains(asked), expected.contains(asked)) << asked;
            ASSERT_EQ(set.empty(), expected.empty());
        }
        EXPECT_EQ(visited(set), std::vector<token_id>(expected.begin(), expected.end()));
    }
}
TEST(TokenSet, ListsItsIdsWhileTheyAreFew) {
    integers random(2);
    for (const std::uint32_t bound : {40u, 257u, 600u}) {
        token_set set;
        bool were_many = false;  // since it was empty
        for (int n = 0; n < 6000; ++n) {
            const auto id = token_id(random.below(bound));
            if (random.below(3) == 0) set.remove(id);
            else set.add(id);
            if (n % 2000 == 1999) set.each([&](token_id any) { set.remove(any); });
            were_many = !set.empty() && (were_many || set.size() > token_set::most_listed);
            const std::vector<token_id> listed(set.ids().begin(), set.ids().end());
            ASSERT_EQ(listed, were_many ? std::vector<token_id>() : visited(set)) << n;
        }
    }
    token_set set{3, 1};
    const token_set copy = set, moved = std::move(set);
    EXPECT_EQ(std::vector<token_id>(copy.ids().begin(), copy.ids().end()), (std::vector<token_id>{1, 3}));
    EXPECT_EQ(std::vector<token_id>(moved.ids().begin(), moved.ids().end()), (std::vector<token_id>{1, 3}));
    EXPECT_TRUE(set.ids().empty());  // what was moved from is an empty set
    set.add(9);
    EXPECT_EQ(set.ids().size(), 1u);
    token_set& same = set;
    set = std::move(same);
    EXPECT_EQ(visited(set), std::vector<token_id>{9});
    set = same;
    EXPECT_EQ(visited(set), std::vector<token_id>{9});
}
TEST(TokenSet, LeavesOutIdsBelowZero) {
    constexpr token_id least = std::numeric_limits<token_id>::min(), greatest = std::numeric_limits<token_id>::max();
    token_set set{-1, least, 7, 0, 7};
    EXPECT_EQ(visited(set), (std::vector<token_id>{0, 7}));
    for (const token_id id : {-1, least, greatest, 8, 31, 32}) EXPECT_FALSE(set.contains(id)) << id;
    set.remove(-1);
    set.remove(greatest);
    EXPECT_EQ(visited(set), (std::vector<token_id>{0, 7}));
    EXPECT_EQ(set.left_out(), least);
    EXPECT_EQ(token_set{7}.left_out(), 0);
}
TEST(TokenSet, OneGreatIdCostsNoMemory) {
    constexpr token_id greatest = std::numeric_limits<token_id>::max(), bound = token_set::bound;
    token_set set{5, greatest, bound};
    EXPECT_EQ(visited(set), (std::vector<token_id>{5}));
    EXPECT_EQ(set.words().size(), 1u);
    EXPECT_EQ(set.left_out(), bound);
    set.add(bound - 1);
    EXPECT_TRUE(set.contains(bound - 1));
    EXPECT_EQ(set.words().size(), std::size_t(bound) / 32);
}
TEST(TokenSet, IdsLeftOutAreComplainedOf) {
    const id_check check(std::numeric_limits<std::size_t>::max());
    EXPECT_STREQ(check("min_tokens", "ends", token_set{5, token_set::bound}).message().c_str(),
                 "min_tokens: ends = 16777216 is outside the vocabulary");
    EXPECT_TRUE(check("min_tokens", "ends", token_set{5, token_set::bound - 1}).ok());
}
TEST(TokenSet, WordsArePackedLowestBitFirst) {
    const std::vector<token_id> ids{0, 31, 32, 97};
    const token_set set{std::span<const token_id>(ids)};
    const auto words = set.words();
    EXPECT_EQ((std::vector<std::uint32_t>(words.begin(), words.end())),
              (std::vector<std::uint32_t>{0x80000001u, 1, 0, 2}));
    EXPECT_TRUE(token_set().words().empty());
    EXPECT_TRUE(token_set().empty());
}

}  // namespace
