#include <string_view>

#include <riffle/samplers/parts/dry_breakers.hpp>

#include "exact/forms.hpp"

namespace riffle_tests::exact_breakers {
namespace {

std::vector<std::vector<token_id>> list(const token_sequences& s) { return {s.begin(), s.end()}; }
using sequences = std::vector<std::vector<token_id>>;

TEST(DryBreakers, ATokenThatContainsTheStringBreaksAlone) {
    const vocabulary v = vocabulary_of({"a", "b\n", "\n", "c"});
    EXPECT_EQ(list(dry_breakers(v, {"\n"})), (sequences{{1}, {2}}));
}
TEST(DryBreakers, ATokenThatBeginsItNeedsTheRest) {
    const vocabulary v = vocabulary_of({"xa", "b", "c", "bc", "abc", "a", "y"});
    EXPECT_EQ(list(dry_breakers(v, {"abc"})), (sequences{{0, 3}, {4}, {5, 3}}));
    EXPECT_EQ(list(dry_breakers(v, {"aab"})), (sequences{{0, 5, 1}, {5, 5, 1}}));
}
TEST(DryBreakers, SeveralStringsAndEmptyOnes) {
    const vocabulary v = vocabulary_of({"a", "b"});
    EXPECT_EQ(list(dry_breakers(v, {"", "b", "a", "b"})), (sequences{{0}, {1}}));
    EXPECT_TRUE(dry_breakers(v, std::span<const text>()).empty());
}
TEST(DryBreakers, OfAStringFortyBytesCountAndOfItsRestTwentyTokens) {
    const vocabulary v = vocabulary_of({"x", "a"});
    constexpr std::string_view longer = "xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaabbb", forty = longer.substr(0, 40);
    ASSERT_TRUE(forty.ends_with('a') && longer.size() == 43);
    const auto cut = dry_breakers(v, {text(longer)});
    EXPECT_EQ(list(cut), list(dry_breakers(v, {text(forty)})));
    ASSERT_EQ(cut.size(), 1u);
    EXPECT_EQ(cut.begin()->size(), 21u);
}
TEST(DryBreakers, TheFirstSpaceOfATokenMayBeDropped) {
    const vocabulary v = vocabulary_of({" a", "a", "  a"});
    EXPECT_EQ(list(dry_breakers(v, {" a"})), (sequences{{0}, {2}}));
    EXPECT_EQ(list(dry_breakers(v, {" a"}, true)), (sequences{{2}}));
}
TEST(DryBreakers, EndTheSearchForRepetitions) {
    const vocabulary v = vocabulary_of({"a", "b", "\n", "c"});
    dry spec{.multiplier = 1.0f, .base = 2.0f, .allowed_length = 2, .last_n = 64, .breakers = {}};
    bench b(std::vector<float>(4, 0.0f));
    b.say({0, 1, 3, 2, 0, 1});
    ASSERT_EQ(b.apply(spec), status_code::ok);
    EXPECT_EQ(b.logits(), (std::vector<float>{0.0f, 0.0f, 0.0f, -1.0f}));
    b.load(std::vector<float>(4, 0.0f));
    spec.breakers = dry_breakers(v, {"b"});
    ASSERT_EQ(b.apply(spec), status_code::ok);
    EXPECT_EQ(b.logits(), std::vector<float>(4, 0.0f));
    EXPECT_FALSE(b.c.sorted);
}

}  // namespace
}  // namespace riffle_tests::exact_breakers
