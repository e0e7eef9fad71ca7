#include <algorithm>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/core/token_sequences.hpp>

#include "integers.hpp"

namespace {

using namespace riffle;
using riffle_tests::integers;
using sequences = std::vector<std::vector<token_id>>;

sequences beginning_with(const token_sequences& all, token_id head) {
    const auto found = all.beginning_with(head);
    return {found.begin(), found.end()};
}

TEST(TokenSequences, AreFoundByTheirFirstToken) {
    integers random(1);
    for (int n = 0; n < 300; ++n) {
        sequences given;
        for (auto count = random.below(12); count > 0; --count) {
            given.emplace_back();
            for (auto length = random.below(4); length > 0; --length) given.back().push_back(random.between(-1, 3));
        }
        std::set<std::vector<token_id>> distinct(given.begin(), given.end());  // in lexicographic order
        distinct.erase(std::vector<token_id>{});
        const token_sequences all(given);
        EXPECT_EQ(all.size(), distinct.size());
        EXPECT_EQ(all.empty(), distinct.empty());
        EXPECT_EQ(sequences(all.begin(), all.end()), sequences(distinct.begin(), distinct.end()));
        for (token_id head = -2; head < 5; ++head) {
            sequences expected;
            for (const auto& s : distinct)
                if (s[0] == head) expected.push_back(s);
            EXPECT_EQ(beginning_with(all, head), expected) << head;
            EXPECT_EQ(all.contains_alone(head), distinct.contains({head})) << head;
        }
    }
}
TEST(TokenSequences, TheLongestThatATextBeginsWith) {
    integers random(2);
    for (int n = 0; n < 2000; ++n) {
        sequences given;
        for (auto count = random.below(12); count > 0; --count) {
            given.emplace_back();
            for (auto length = random.below(6); length > 0; --length) given.back().push_back(random.between(0, 2));
        }
        const token_sequences all(given);
        std::vector<token_id> text(random.below(8));
        for (auto& token : text) token = random.between(0, 2);
        std::size_t longest = 0;
        for (const auto& s : given)
            if (s.size() <= text.size() && std::equal(s.begin(), s.end(), text.begin()))
                longest = std::max(longest, s.size());
        EXPECT_EQ(all.longest_beginning([&](std::size_t i) { return text[i]; }, text.size()), longest);
    }
}
TEST(TokenSequences, AskForNoMoreOfATextThanOneOfThemBeginsWith) {
    const token_sequences all{{1, 2, 3, 4}, {1, 2, 3, 5, 6}, {7}};
    const auto asked_for = [&](const std::vector<token_id>& text) {
        std::size_t asked = 0;
        all.longest_beginning([&](std::size_t i) { return ++asked, text[i]; }, text.size());
        return asked;
    };
    EXPECT_EQ(asked_for({1, 2, 3, 5, 7, 7}), 5u);
    EXPECT_EQ(asked_for({1, 2, 4, 5}), 3u);
    EXPECT_EQ(asked_for({7, 7, 7}), 1u);
    EXPECT_EQ(asked_for({8, 1}), 1u);
}
TEST(TokenSequences, ShorterOnesStandAheadOfLongerOnesThatTheyBegin) {
    const token_sequences all{{5, 1}, {5}, {}, {5, 1, 2}, {5}, {4, 9}};
    EXPECT_EQ(beginning_with(all, 5), (sequences{{5}, {5, 1}, {5, 1, 2}}));
    EXPECT_TRUE(beginning_with(token_sequences(), 5).empty());
    EXPECT_FALSE(token_sequences().contains_alone(5));
}

}  // namespace
