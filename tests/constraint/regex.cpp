// Automata of regular expressions: the language is std::regex's where both know the syntax, and look-ahead, boundaries
// and limits are as ECMA-262 has them.
#include <cstdint>
#include <regex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/constraint/regex/automaton_operations.hpp>
#include <riffle/constraint/regex/regex_automaton.hpp>

#include "integers.hpp"

namespace {

using namespace riffle;
using automaton = detail::character_automaton;
using riffle_tests::integers;

struct made {
    automaton language;
    std::string problem;
};
made make(const std::string& pattern, detail::regex_match match = detail::regex_match::search) {
    detail::regex_reader<detail::regex> reader{text(pattern)};
    if (!reader.read()) return {{}, reader.problem()};
    made all;
    detail::regex_automaton<detail::regex> of(reader.made());
    if (!of.make(match, all.language)) all.problem = of.problem();
    return all;
}
bool matches(const std::string& pattern, const std::string& text_of,
             detail::regex_match match = detail::regex_match::search) {
    const made m = make(pattern, match);
    EXPECT_EQ(m.problem, "") << pattern;
    return m.language.label_of(text_of) != 0;
}

/// A pattern that std::regex reads too, over few characters. What is repeated in what is repeated, and what may be
/// empty there, takes libstdc++ exponential time, so there is none of that.
class random_pattern {
public:
    explicit random_pattern(std::uint64_t seed) : random_(seed) {}
    std::string make(int depth = 2, bool in_repetition = false) {
        std::string all = sequence(depth, in_repetition);
        while (random_.below(4) == 0) all += "|" + sequence(depth, in_repetition);
        return all;
    }

private:
    std::string sequence(int depth, bool in_repetition) {
        std::string all;
        for (std::uint32_t n = random_.below(4) + (in_repetition ? 1 : 0); n > 0; --n) all += item(depth, in_repetition);
        return all;
    }
    std::string item(int depth, bool in_repetition) {
        if (!in_repetition && random_.below(6) == 0) {
            static const char* const places[] = {"^", "$", "\\b", "\\B"};
            return places[random_.below(4)];
        }
        static const char* const often[] = {"*", "+", "?", "{2}", "{1,3}", "{2,}", "{0,2}?", "*?"};
        const std::string times = !in_repetition && random_.below(2) != 0 ? often[random_.below(8)] : "";
        if (depth == 0 || random_.below(3) != 0) return character() + times;
        return "(" + make(depth - 1, in_repetition || !times.empty()) + ")" + times;
    }
    std::string character() {
        static const char* const all[] = {"a",    "b",    " ",    "_",    "[ab]",    "[^a]",  ".",
                                          "\\w", "\\d", "\\s", "\\W", "[\\d-]", "[a-c_]"};
        return all[random_.below(13)];
    }
    integers random_;
};

TEST(Regex, AgreesWithTheStandardLibraryOnRandomPatternsAndTexts) {
    integers random(1);
    std::size_t both[2] = {};
    for (std::uint64_t seed = 0; seed < 1500; ++seed) {
        const std::string pattern = random_pattern(seed).make();
        const std::regex standard(pattern);
        const made search = make(pattern), whole = make(pattern, detail::regex_match::whole);
        ASSERT_EQ(search.problem + whole.problem, "") << pattern;
        for (int i = 0; i < 40; ++i) {
            std::string of(random.below(8), ' ');
            for (char& c : of) c = "abc_ 1-."[random.below(8)];
            const bool is_found = std::regex_search(of, standard), is_matched = std::regex_match(of, standard);
            ASSERT_EQ(search.language.label_of(of) != 0, is_found) << pattern << " in '" << of << "'";
            ASSERT_EQ(whole.language.label_of(of) != 0, is_matched) << pattern << " is '" << of << "'";
            ++both[is_found];
        }
    }
    EXPECT_GT(both[0], 5000u);
    EXPECT_GT(both[1], 5000u);
}
TEST(Regex, LooksAhead) {
    EXPECT_TRUE(matches("^(?!foo)[a-z]+$", "bar"));
    EXPECT_FALSE(matches("^(?!foo)[a-z]+$", "foobar"));
    EXPECT_TRUE(matches("^(?=.*[0-9])(?=.*[a-z]).{4,8}$", "ab12"));
    EXPECT_FALSE(matches("^(?=.*[0-9])(?=.*[a-z]).{4,8}$", "abcd"));
    EXPECT_FALSE(matches("^(?=.*[0-9])(?=.*[a-z]).{4,8}$", "a1"));
    EXPECT_TRUE(matches("^a(?!b)", "ac"));
    EXPECT_FALSE(matches("^a(?!b)", "ab"));
    EXPECT_TRUE(matches("a(?!b)", "abac"));
    EXPECT_TRUE(matches("^(?!\\bfoo\\b)", "food"));
    EXPECT_FALSE(matches("^(?!\\bfoo\\b)", "foo d"));
    EXPECT_TRUE(matches("^(?:(?!x).*)$", "y"));
    EXPECT_FALSE(matches("^(?:(?!x).*)$", "xy"));
    EXPECT_TRUE(matches("^x$|^(?!y)a", "x"));
    EXPECT_TRUE(matches("^x$|^(?!y)a", "a"));
    EXPECT_FALSE(matches("^x$|^(?!y)a", "ya"));
}
TEST(Regex, ReadsWhatEcmaScriptReads) {
    EXPECT_TRUE(matches("^\\u00e9\\xe9\\u{1F600}$", "\xC3\xA9\xC3\xA9\xF0\x9F\x98\x80"));
    EXPECT_TRUE(matches("^\\ud83d\\ude00$", "\xF0\x9F\x98\x80"));
    EXPECT_TRUE(matches("^[^a]$", "\xF0\x9F\x98\x80"));
    EXPECT_TRUE(matches("^{}{a}{,}$", "{}{a}{,}"));
    EXPECT_TRUE(matches("^\\/\\-\\_\\@\\.$", "/-_@."));
    EXPECT_TRUE(matches("^[\\w.-]+$", "a.b-c"));
    EXPECT_TRUE(matches("^[]-a]$", "-a]") == false);  // [] is a class without characters
    EXPECT_TRUE(matches("^[\\]-a]$", "^"));
    EXPECT_TRUE(matches("^(?<year>\\d{4})$", "2026"));
    EXPECT_FALSE(matches("^.$", "\n"));
    EXPECT_FALSE(matches("^a$", "a\n"));
    EXPECT_TRUE(matches("^\\s$", "\xC2\xA0"));
    EXPECT_FALSE(matches("^\\d$", "\xD9\xA3"));
    EXPECT_TRUE(matches("^[\\b]\\cA\\0$", std::string("\b\1\0", 3)));
    EXPECT_TRUE(matches("", "anything"));
    EXPECT_TRUE(matches("[^]", "\n"));
}
TEST(Regex, SaysWhatIsWrong) {
    EXPECT_EQ(make("(a").problem, "this ( is never closed");
    EXPECT_EQ(make("a)").problem, "this ) has no matching (");
    EXPECT_EQ(make("[a").problem, "this [ is never closed");
    EXPECT_EQ(make("*a").problem, "there is nothing before this to repeat");
    EXPECT_EQ(make("a**").problem, "there is nothing before this to repeat");
    EXPECT_EQ(make("a{3,2}").problem, "the maximum of this repetition is below its minimum");
    EXPECT_EQ(make("[b-a]").problem, "this range ends before it begins");
    EXPECT_EQ(make("(a)\\1").problem, "back references are not supported: what they match is no regular language");
    EXPECT_EQ(make("(?<=a)b").problem, "look-behind is not supported");
    EXPECT_EQ(make("\\p{L}").problem, "classes by Unicode property (\\p{...}) are not supported; write a class of ranges");
    EXPECT_EQ(make("^((?!a).)*$").problem,
              "look-ahead is supported only outside of groups that are repeated or have alternatives");
    EXPECT_EQ(make("x{,5}").problem, "write {0,n} in place of {,n}");
    EXPECT_EQ(make("\\Z").problem, "ECMA-262 has no such escape");
    EXPECT_EQ(make("a{99999999}").problem, "more repetitions than the limit allows");
    EXPECT_EQ(make("(a|b)*a(a|b){20}").problem, "its automaton has more states than the limit allows");
    EXPECT_EQ(make(std::string(200, '(') + std::string(200, ')')).problem, "groups are nested too deeply");
}
TEST(Regex, OfNothing) {
    EXPECT_TRUE(make("[]").language.empty());
    EXPECT_TRUE(make("a\\bb").language.empty());
    EXPECT_TRUE(make("a^").language.empty());
}
TEST(CharacterAutomata, AreAsSmallAsCanBe) {
    EXPECT_EQ(make("^[a-z]+$").language.size(), 2u);
    EXPECT_EQ(make("^(ab|cb)*$").language.size(), 2u);
    EXPECT_EQ(make("a").language.size(), 2u);
    EXPECT_EQ(make("").language.size(), 1u);
}

}  // namespace
