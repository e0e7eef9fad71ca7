#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/core/phrases.hpp>

#include "integers.hpp"

namespace {

using namespace riffle;
using riffle_tests::integers;

std::string lower(std::string s) {
    for (char& c : s)
        if (c >= 'A' && c <= 'Z') c = char(c - 'A' + 'a');
    return s;
}
/// The longest phrase that a text ends with, by looking.
std::size_t longest_at_end(const std::vector<std::string>& phrases, std::string all, bool same_case) {
    std::size_t longest = 0;
    if (!same_case) all = lower(all);
    for (std::string phrase : phrases) {
        if (!same_case) phrase = lower(phrase);
        if (phrase.size() > longest && all.ends_with(phrase)) longest = phrase.size();
    }
    return longest;
}

TEST(Phrases, TheLongestThatEndsAtEachByte) {
    integers random(1);
    const auto any = [&](std::uint32_t longest) {
        std::string s;
        for (auto n = random.below(longest); n > 0; --n) s += "abA\xC3"[random.below(4)];
        return s;
    };
    for (int n = 0; n < 400; ++n) {
        std::vector<std::string> phrases;
        for (auto count = random.below(6); count > 0; --count) phrases.push_back(any(6));
        const bool same_case = n % 2;
        const std::vector<text> views(phrases.begin(), phrases.end());
        const phrase_set set(std::span<const text>(views), same_case);
        const std::string fed = any(60);
        std::uint32_t at = 0;
        for (std::size_t i = 0; i < fed.size(); ++i) {
            at = set.follow(at, fed[i]);
            ASSERT_EQ(set.ending_at(at), longest_at_end(phrases, fed.substr(0, i + 1), same_case)) << fed << " " << i;
        }
    }
}
TEST(Phrases, OfNothingEndNowhere) {
    for (const phrase_set& set : {phrase_set(), phrase_set{}, phrase_set{""}, phrase_set{"", ""}}) {
        EXPECT_TRUE(set.empty());
        EXPECT_EQ(set.follow(0, 'a'), 0u);
        EXPECT_EQ(set.ending_at(0), 0u);
        EXPECT_EQ(set.ending_at(12345), 0u);
    }
    EXPECT_FALSE(phrase_set{"a"}.empty());
}

}  // namespace
