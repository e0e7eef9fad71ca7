#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/core/text.hpp>

#include "integers.hpp"

namespace {

using namespace riffle;
using riffle_tests::integers;

std::string_view seen(text t) { return {t.data(), t.size()}; }

TEST(Text, IsMadeOfWhatHoldsBytes) {
    EXPECT_EQ(seen(text()), "");
    EXPECT_EQ(seen(text(nullptr)), "");
    EXPECT_EQ(seen("literal"), "literal");
    EXPECT_EQ(seen(std::string("a string")), "a string");
    EXPECT_EQ(seen(std::string_view("a view")), "a view");
    EXPECT_EQ(seen(std::vector<char>{'a', '\0', 'b'}), std::string_view("a\0b", 3));
    EXPECT_EQ(seen({"abc", 2}), "ab");
}
TEST(Text, PartsAreThoseOfAStringViewAndEmptyBeyondTheEnd) {
    const std::string_view whole = "a text of some length";
    for (std::size_t first = 0; first < 25; ++first)
        for (const std::size_t count :
             {std::size_t(0), std::size_t(1), std::size_t(7), std::size_t(30), std::string::npos}) {
            const auto expected = first > whole.size() ? "" : whole.substr(first, count);
            EXPECT_EQ(seen(text(whole).part(first, count)), expected) << first << ", " << count;
        }
    EXPECT_EQ(seen(text(whole).part(7)), "of some length");
}
TEST(Text, FindsAndComparesAsAStringViewDoes) {
    integers random(1);
    const auto any = [&] {
        std::string s;
        for (auto n = random.below(6); n > 0; --n) s += "ab\0"[random.below(3)];
        return s;
    };
    for (int n = 0; n < 5000; ++n) {
        const std::string a = any(), b = any();
        EXPECT_EQ(text(a) == text(b), a == b);
        EXPECT_EQ(text(a).starts_with(b), a.starts_with(b));
        EXPECT_EQ(text(a).contains(b), a.find(b) != std::string::npos);
    }
}

}  // namespace
