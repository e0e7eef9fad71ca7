// GBNF, the notation of grammars: what each of its constructs matches, and what is refused, where, and in which words.

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "constraint/grammar_texts.hpp"

namespace riffle_tests::constraint_gbnf {
namespace {

using namespace riffle;
using grammar_texts::begins;
using grammar_texts::expect_texts;
using grammar_texts::small_model;
using grammar_texts::takes;
using grammar_texts::tokens;

std::string repeated(std::string_view part, std::size_t times) {
    std::string all;
    for (std::size_t i = 0; i < times; ++i) all += part;
    return all;
}

/// Where a problem lies, in which rule, and what it is.
struct expected_problem {
    std::size_t offset, line, column;
    std::string where, sentence;
};
void expect_problem(std::string_view source, const expected_problem& expected, const grammar_limits& limits = {},
                    std::string_view root = "root") {
    SCOPED_TRACE(source.substr(0, 200));
    const parsed<grammar> g = parse_gbnf(source, root, limits);
    ASSERT_FALSE(g.ok());
    EXPECT_FALSE(bool(*g));
    EXPECT_EQ(g.problem().sentence, expected.sentence);
    EXPECT_EQ(g.problem().where, expected.where);
    EXPECT_EQ(g.problem().offset, expected.offset);
    EXPECT_EQ(g.problem().line, expected.line);
    EXPECT_EQ(g.problem().column, expected.column);
}
/// On the first line, in the rule root, where all characters are bytes.
void expect_problem_at(std::string_view source, std::size_t offset, const std::string& sentence,
                       const grammar_limits& limits = {}) {
    expect_problem(source, {offset, 1, offset + 1, "root", sentence}, limits);
}

// ---- rules and lines

TEST(GbnfRules, ALiteralIsItsText) {
    expect_texts(R"(root ::= "abc")", {"abc"}, {"", "ab", "abcd", "ABC", " abc"});
    expect_texts(R"(root ::= "")", {""}, {"a", " "});
    expect_texts(R"(root ::= "a" "" "b")", {"ab"}, {"a", "b", "a b"});
    expect_texts(R"(root::="a""b")", {"ab"}, {"a", "a\"\"b"});
    expect_texts("root ::=\t\"a\"\t \"b\" ", {"ab"}, {"a\tb"});
    expect_texts(R"(root ::= "日本" "é😀")", {"日本é😀"}, {"日本", "日", "日本é"});
    expect_texts(R"(root ::= "# | ( ) [ ] { } < > ! * + ? .")", {"# | ( ) [ ] { } < > ! * + ? ."}, {"#", "# "});
}
TEST(GbnfRules, AlternativesAreOneOfTheirParts) {
    expect_texts(R"(root ::= "a" | "b" "c" | "d")", {"a", "bc", "d"}, {"", "b", "ac", "ad", "abc"});
    expect_texts(R"(root ::= "yes" | "no" | "none" | "n")", {"yes", "no", "none", "n"}, {"", "y", "non", "nono"});
    expect_texts(R"(root ::= "a" |)", {"a", ""}, {"b", "aa"});
    expect_texts(R"(root ::= | "a")", {"a", ""}, {"b"});
    expect_texts(R"(root ::= "a" | | "b")", {"a", "", "b"}, {"ab"});
    expect_texts("root ::= ", {""}, {"a"});
    expect_texts("root ::=", {""}, {"a"});
    expect_texts(R"(root ::= "a" | "a")", {"a"}, {"", "aa"});
    expect_texts(R"(root ::= "a" | [b] | "c" | [d-f] | "gh")", {"a", "b", "c", "d", "e", "f", "gh"}, {"g", "h", ""});
}
TEST(GbnfRules, GroupsBindAlternatives) {
    expect_texts(R"(root ::= "a" ("b" | "c") "d")", {"abd", "acd"}, {"ab", "cd", "ad", "abcd"});
    expect_texts(R"(root ::= (("a")))", {"a"}, {"", "(a)"});
    expect_texts(R"(root ::= ())", {""}, {"a"});
    expect_texts(R"(root ::= "a" () "b")", {"ab"}, {"a"});
    expect_texts(R"(root ::= ( | "a") "b")", {"ab", "b"}, {"a", ""});
    expect_texts(R"(root ::= ("a"|"b")("c"|"d"))", {"ac", "ad", "bc", "bd"}, {"ab", "cd"});
}
TEST(GbnfRules, NamesHaveLettersDigitsAndTwoSigns) {
    expect_texts(
        "root ::= a-b a_b A9 9 - _\na-b ::= \"1\"\na_b ::= \"2\"\nA9 ::= \"3\"\n9 ::= \"4\"\n- ::= \"5\"\n_ ::= \"6\"",
        {"123456"}, {"12345", "1", ""});
    expect_texts("root ::= Root ROOT\nRoot ::= \"a\"\nROOT ::= \"b\"", {"ab"}, {"aa", "bb"});
    expect_texts("root ::= a-very-long_name-" + repeated("x", 3000) + "\na-very-long_name-" + repeated("x", 3000) +
                     " ::= \"a\"",
                 {"a"}, {"", "aa"});
}
TEST(GbnfRules, ARuleMayComeBeforeOrBehindItsUse) {
    expect_texts("a ::= \"1\"\nroot ::= a b\nb ::= \"2\"", {"12"}, {"1", "2", "21"});
    expect_texts("a ::= b\nb ::= c\nc ::= \"x\"\nroot ::= a a", {"xx"}, {"x"});
}
TEST(GbnfRules, AnotherRootMayBeNamed) {
    const std::string two = "root ::= \"r\"\nother_root ::= \"o\" root?";
    EXPECT_TRUE(takes(two, "r"));
    EXPECT_FALSE(takes(two, "o"));
    EXPECT_TRUE(takes(two, "o", "other_root"));
    EXPECT_TRUE(takes(two, "or", "other_root"));
    EXPECT_FALSE(takes(two, "r", "other_root"));
    EXPECT_TRUE(takes("start ::= \"s\"", "s", "start"));
}
TEST(GbnfRules, ThatAreNotUsedMatter) {
    expect_texts("root ::= \"a\"\nunused ::= \"b\"", {"a"}, {"b", "ab"});
    expect_problem("root ::= \"a\"\nunused ::= missing", {24, 2, 12, "", "there is no rule called missing"});
}
TEST(GbnfRules, ThatCallThemselvesAreReadToAnyDepth) {
    expect_texts(R"g(root ::= "(" root ")" | "")g", {"", "()", repeated("(", 40) + repeated(")", 40)},
                 {"(", ")", "(()", "())", ")("});
    expect_texts(R"(root ::= "a" root | "b")", {"b", "ab", repeated("a", 60) + "b"}, {"", "a", "ba"});
    expect_texts("root ::= a\na ::= \"x\" b | \"\"\nb ::= \"y\" a", {"", "xy", "xyxy"}, {"x", "xyx", "y"});
    expect_texts(R"(root ::= "a" root "a" | "b" root "b" | "c")", {"c", "aca", "abcba", "bacab"},
                 {"acb", "ab", "abcab"});
    const std::string deep = repeated("(", 20000) + repeated(")", 20000);
    EXPECT_TRUE(takes(R"g(root ::= "(" root ")" | "")g", deep));
    EXPECT_FALSE(takes(R"g(root ::= "(" root ")" | "")g", deep + ")"));
}

TEST(GbnfLines, EndInAnyOfThreeWays) {
    for (const std::string end : {"\n", "\r", "\r\n", "\n\n\n", "\r\r", " \n\t \r\n"}) {
        SCOPED_TRACE(testing::PrintToString(end));
        expect_texts("root ::= a b" + end + "a ::= \"1\"" + end + "b ::= \"2\"" + end, {"12"}, {"1", "2"});
        expect_texts("root ::= \"a\" |" + end + "\"b\" |" + end + " \"c\"", {"a", "b", "c"}, {"", "ab"});
        expect_texts("root ::= (" + end + "\"a\"" + end + "|" + end + "\"b\"" + end + ")" + end, {"a", "b"},
                     {"", "ab"});
        expect_texts("root ::= (\"a\"" + end + "*" + end + "\"b\"" + end + "{" + end + "2" + end + "," + end + "3" +
                         end + "}" + end + ")",
                     {"bb", "abb", "aabbb"}, {"b", "ab", "bbbb", "abbbb"});
        expect_texts("root ::=" + end + "\"a\"", {"a"}, {""});
        expect_texts(end + "root ::= \"a\"", {"a"}, {""});
    }
}
TEST(GbnfLines, EndARuleOutsideGroups) {
    expect_problem("root ::= \"a\"\n\"b\"",
                   {13, 2, 1, "", "a rule must begin with its name, of letters, digits, - and _"});
    expect_problem("root ::= \"a\"\n| \"b\"",
                   {13, 2, 1, "", "a | must end the line before, where alternatives go on on the next"});
    expect_problem("root ::= \"a\"\n*", {13, 2, 1, "", "a rule must begin with its name, of letters, digits, - and _"});
    expect_problem("root\n::= \"a\"", {4, 1, 5, "root", "::= must follow the name of a rule"});
    expect_problem("root ::= \"a\"{\n2}", {12, 1, 13, "root", "a repetition is written {2}, {2,} or {2,5}"});
}
TEST(GbnfLines, MayHaveComments) {
    expect_texts("# one\nroot ::= \"a\" # two \" ( [\n# three ::=\n", {"a"}, {"", "a "});
    expect_texts("root ::= \"a\" | # the other\n \"b\" # end", {"a", "b"}, {"ab"});
    expect_texts("root ::= ( # open\n # nothing\n \"a\" # first\n | \"b\" # second\n) \"c\"#", {"ac", "bc"},
                 {"a", "c"});
    expect_texts("root ::= # here\n \"a\"", {"a"}, {""});
    expect_texts("root ::= # here\r \"a\"", {"a"}, {""});
    expect_problem("root # of all\n::= \"a\"", {13, 1, 14, "root", "::= must follow the name of a rule"});
}

// ---- escapes

TEST(GbnfEscapes, AreCharacters) {
    expect_texts(R"(root ::= "\x41\u00e9\U0001F600")", {"Aé😀"}, {"A", "Aé"});
    expect_texts(R"(root ::= "\t\r\n\\\"\[\]\-")", {"\t\r\n\\\"[]-"}, {"trn", ""});
    expect_texts(R"(root ::= [\t\r\n\\\"\[\]\-])", {"\t", "\r", "\n", "\\", "\"", "[", "]", "-"},
                 {"t", "r", "n", "x", ""});
    expect_texts(R"(root ::= [\x41-\x43\u00e9\U0001F600-\U0001F602])", {"A", "B", "C", "é", "😀", "😁", "😂"},
                 {"D", "@", "è", "😃"});
    // \xHH is a code point, not a byte.
    expect_texts(R"(root ::= "\xe9")", {"é"}, {"\xE9"});
    expect_texts(R"(root ::= "\xC3\xA9")", {"Ã©"}, {"é"});
    expect_texts(R"(root ::= [\x80-\xff])", {"\xC2\x80", "é", "ÿ"}, {"\x80", "\x7F", "Ā"});
    // Digits of both cases, and no more of them than belong there.
    expect_texts(R"(root ::= "\x4a\x4A\u004a1\U0000004a1")", {"JJJ1J1"}, {"JJJJ"});
    expect_texts(R"(root ::= "\\x41")", {"\\x41"}, {"A", "\\A"});
    expect_texts(R"(root ::= "\U0010FFFF\uD7FF\uE000\uFFFF")", {"\xF4\x8F\xBF\xBF\xED\x9F\xBF\xEE\x80\x80\xEF\xBF\xBF"},
                 {""});
}
TEST(GbnfEscapes, ThatAreNoneAreRefused) {
    const std::string unknown = "there is no such escape: \\x \\u \\U \\t \\r \\n \\\\ \\\" \\[ \\] and \\- are known";
    for (const char c :
         std::string_view("abcdefghijklmopqsvwyzABCDEFGHIJKLMNOPQRSTVWXYZ0123456789'/.^$*+?(){}|<> \n")) {
        for (const bool is_class : {false, true}) {
            std::string source = is_class ? "root ::= [a\\" : "root ::= \"a\\";
            source += c;
            source += is_class ? "0000000000]" : "0000000000\"";
            expect_problem_at(source, 11, unknown);
        }
    }
    expect_problem_at("root ::= \"\\é\"", 10, unknown);
    const std::string few = "this escape has too few hexadecimal digits: \\x has 2, \\u 4, \\U 8";
    for (const std::string digits : {"x", "x4", "xg0", "x4g", "x ", "u", "u1", "u12", "u123", "u123g", "U", "U0000004",
                                     "U0000004g", "x-1", "x+1"}) {
        expect_problem_at("root ::= \"a\\" + digits + "\"", 11, few);
        expect_problem_at("root ::= [a\\" + digits + "]", 11, few);
    }
    expect_problem_at("root ::= \"\\x4", 10, few);
    expect_problem_at("root ::= \"\\", 10, "the text ends behind this \\");
    expect_problem_at("root ::= [\\", 10, "the text ends behind this \\");
    for (const std::string none :
         {"uD800", "uDBFF", "uDC00", "uDFFF", "U0000D800", "U00110000", "UFFFFFFFF", "U80000041"}) {
        expect_problem_at("root ::= \"a\\" + none + "\"", 11, "this is no character of Unicode");
        expect_problem_at("root ::= [a\\" + none + "]", 11, "this is no character of Unicode");
        expect_problem_at("root ::= [a-\\" + none + "]", 12, "this is no character of Unicode");
    }
}
TEST(GbnfEscapes, NulIsACharacterThatNoTokenBeginsWith) {
    for (const std::string nul : {"\\x00", "\\u0000", "\\U00000000"}) {
        expect_texts("root ::= \"a" + nul + "b\"", {std::string("a\0b", 3)}, {"ab", "a"});
        expect_texts("root ::= [" + nul + "]", {std::string(1, '\0')}, {"0", ""});
        const grammar_matcher m(*parse_gbnf("root ::= \"" + nul + "\""), tokens());
        EXPECT_FALSE(m.allows(0));
        EXPECT_EQ(m.legal_count(), 0u);
        EXPECT_EQ(m.check().code(), status_code::dead_end);
    }
    // Written as itself, in a literal, a class, and a comment.
    expect_texts(std::string("root ::= \"a\0b\" [\0]", 18) + "# " + std::string(1, '\0'), {std::string("a\0b\0", 4)},
                 {"ab"});
    expect_problem_at(std::string("root ::= \0", 10), 9,
                      "a rule name, a literal, a class, a group or a token is expected here");
    // A token may hold one, but not begin with one.
    vocabulary v;
    v.add({"a\0", 2});
    v.add({"\0a", 2});
    const grammar_matcher m(*parse_gbnf(R"(root ::= [\x00a]*)"), vocabulary_trie(v));
    EXPECT_TRUE(m.allows(0));
    EXPECT_FALSE(m.allows(1));
    EXPECT_EQ(m.legal_count(), 1u);
}

// ---- classes

TEST(GbnfClasses, AreOneCharacterOfThem) {
    expect_texts("root ::= [abc]", {"a", "b", "c"}, {"", "d", "ab"});
    expect_texts("root ::= [a-cx-z0-9]", {"a", "b", "c", "x", "z", "0", "9"}, {"d", "w", "-", ""});
    expect_texts("root ::= [a-a]", {"a"}, {"b", "-"});
    expect_texts("root ::= [aab-da-c]", {"a", "b", "c", "d"}, {"e", "-"});
    expect_texts("root ::= [#\"|()*+?{}<>!.,]", {"#", "\"", "|", "(", ".", "!"}, {"a", ""});
    expect_texts("root ::= [a^]", {"a", "^"}, {"b"});
}
TEST(GbnfClasses, TakeALineEndAndABracketThatOpens) {
    expect_texts("root ::= [a\nb]", {"a", "b", "\n"}, {"\r", ""});
    expect_texts("root ::= [a[b]", {"a", "b", "["}, {"]", ""});
    expect_texts("root ::= \"a\nb\"", {"a\nb"}, {"ab", "a\\nb"});
}
TEST(GbnfClasses, TakeADashAtTheFrontAndAtTheEnd) {
    expect_texts("root ::= [-a]", {"-", "a"}, {"b", ""});
    expect_texts("root ::= [a-]", {"-", "a"}, {"b", ""});
    expect_texts("root ::= [-]", {"-"}, {"a", ""});
    expect_texts("root ::= [^-]", {"a", "é"}, {"-", ""});
    expect_texts("root ::= [^a-]", {"b", "\n"}, {"a", "-"});
    expect_texts("root ::= [a-c-]", {"a", "b", "c", "-"}, {"d"});
    expect_texts("root ::= [a-c-e]", {"a", "b", "c", "-", "e"}, {"d"});
    expect_texts("root ::= [+--]", {"+", ",", "-"}, {"*", "."});
    expect_texts("root ::= [--/]", {"-", ".", "/"}, {",", "0"});
    expect_texts(R"(root ::= [a\-c])", {"a", "-", "c"}, {"b"});
}
TEST(GbnfClasses, OfCharactersBeyondAscii) {
    expect_texts("root ::= [é]", {"é"}, {"\xC3", "\xA9", "è", "e"});
    expect_texts("root ::= [à-ö]", {"à", "é", "ö"}, {"ÿ", "a", "\xC3"});
    expect_texts("root ::= [ぁ-ゖァ-ヺ一-龯]", {"あ", "ゖ", "ア", "日", "一"}, {"a", "ー", "、"});
    expect_texts("root ::= [😀-😎]+", {"😀", "😎😁"}, {"😏", "😀x"});
    expect_texts("root ::= [~-À]", {"~", "\x7F", "\xC2\x80", "À"}, {"}", "Á", "\x80"});
    expect_texts("root ::= [\xDF\xBF-\xE0\xA0\x80]", {"\xDF\xBF", "\xE0\xA0\x80"},
                 {"\xDF\xBE", "\xE0\xA0\x81", "\xE0\x80\x80"});
    expect_texts("root ::= [\\uD7FF-\\uE000]", {"\xED\x9F\xBF", "\xEE\x80\x80"}, {"\xED\xA0\x80", "\xED\xBF\xBF"});
    expect_texts("root ::= [\\uFFFF-\\U00010000]", {"\xEF\xBF\xBF", "\xF0\x90\x80\x80"},
                 {"\xEF\xBF\xBE", "\xF0\x8F\xBF\xBF"});
    expect_texts("root ::= [\\x00-\\U0010FFFF]", {"a", std::string(1, '\0'), "😀", "\xF4\x8F\xBF\xBF"},
                 {"\xF4\x90\x80\x80", "\x80"});
}
TEST(GbnfClasses, NegatedAreAllOtherCharacters) {
    expect_texts("root ::= [^a]", {"b", "\n", "\r", "é", "日", "😀", std::string(1, '\0')},
                 {"a", "", "bb", "\xC3", "\xFF"});
    expect_texts("root ::= [^a-z0-9]", {"A", "-", "é"}, {"a", "m", "5"});
    expect_texts("root ::= [^^]", {"a", "]"}, {"^"});
    expect_texts("root ::= [^é]", {"è", "e", "日"}, {"é", "\xC3"});
    expect_texts(R"(root ::= [^\n]*)", {"", "abc é"}, {"\n", "a\nb"});
    expect_texts(R"(root ::= "\"" [^"\\]* "\"")", {"\"\"", "\"日本\n\""}, {"\"", "\"\\\"", "\"\"\""});
    expect_texts("root ::= [^\\x01-\\U0010FFFF]", {std::string(1, '\0')}, {"a", "\x01"});
}
TEST(GbnfClasses, ADotIsAnyCharacter) {
    expect_texts("root ::= .",
                 {"a", ".", "\n", "\r", "\x7F", "é", "日", "😀", std::string(1, '\0'), "\xF4\x8F\xBF\xBF"},
                 {"", "ab", "\x80", "\xC3", "\xFF"});
    expect_texts("root ::= .. | \"x\" .*", {"ab", "é日", "x", "xabc"}, {"a", "abc"});
    expect_texts("root ::= .{2,3}", {"ab", "日本語"}, {"a", "abcd", "日"});
}
TEST(GbnfClasses, WithoutCharactersAreRefused) {
    const std::string empty = "a class without characters matches nothing";
    expect_problem_at("root ::= []", 9, empty);
    expect_problem_at("root ::= \"a\" []a]", 13, empty);
    expect_problem_at("root ::= [^\\x00-\\U0010FFFF]", 9, empty);
    const parsed<grammar> g = parse_gbnf("root ::= [^]");
    EXPECT_FALSE(g.ok());
    EXPECT_EQ(g.problem().offset, 9u);
}
TEST(GbnfClasses, FromMoreToLessAreRefused) {
    const std::string falls = "this range ends before it begins";
    expect_problem_at("root ::= [z-a]", 10, falls);
    expect_problem_at("root ::= [abz-a]", 12, falls);
    expect_problem_at("root ::= [^z-a]", 11, falls);
    expect_problem_at("root ::= [\\x62-\\x61]", 10, falls);
    expect_problem_at("root ::= [é-a]", 10, falls);
    expect_problem("root ::= [éz-a]", {12, 1, 12, "root", falls});
}

// ---- UTF-8

TEST(GbnfUtf8, PartsOfCharactersMayComeOneByOne) {
    EXPECT_TRUE(begins("root ::= [^é]", "\xC3"));  // è and ö begin with it
    EXPECT_FALSE(begins("root ::= [^é]", "\xC3\xA9"));
    EXPECT_TRUE(begins("root ::= [^é]", "\xC3\xA8"));
    const grammar_matcher m(*parse_gbnf("root ::= [^é]"), tokens());
    EXPECT_TRUE(m.allows(0xC3));
    EXPECT_TRUE(grammar_texts::is_legal(m, 0xC3));
    const grammar_matcher list(*parse_gbnf(R"(root ::= ("- " [^\r\n\x0b\x0c\x85\u2028\u2029]+ "\n")+)"), tokens());
    grammar_matcher in_item = list;
    ASSERT_TRUE(in_item.accept_bytes("- ").ok());
    for (int byte = 0; byte < 256; ++byte) {  // NUL is none of the excluded, but no token begins with it
        const bool is_line_end = byte == 0 || byte == '\n' || byte == '\r' || byte == 0x0B || byte == 0x0C;
        EXPECT_EQ(in_item.allows(byte), byte < 0x80 ? !is_line_end : byte >= 0xC2 && byte <= 0xF4) << byte;
        EXPECT_EQ(grammar_texts::is_legal(in_item, byte), in_item.allows(byte)) << byte;
    }
}
TEST(GbnfUtf8, WhatIsNoneIsNeverLegal) {
    for (const std::string_view any : {".", "[^a]", "[^\\n]", "[\\x00-\\U0010FFFF]"}) {
        const std::string source = "root ::= " + std::string(any) + "*";
        for (const std::string_view bad :
             {"\xC0\xAF", "\xC1\xBF", "\xED\xA0\x80", "\xED\xBF\xBF", "\xE0\x80\x80", "\xE0\x9F\xBF",
              "\xF0\x80\x80\x80", "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF8\x88\x80\x80",
              "\xFC\x84\x80\x80\x80\x80", "\x80", "\xBF", "\xC3\x41", "\xE6\x97x", "\xFE", "\xFF"})
            EXPECT_FALSE(begins(source, bad)) << source << " took " << testing::PrintToString(std::string(bad));
        const grammar_matcher m(*parse_gbnf(source), tokens());
        for (int byte = 0x80; byte < 256; ++byte) {
            EXPECT_EQ(m.allows(byte), byte >= 0xC2 && byte <= 0xF4) << byte;
            EXPECT_EQ(grammar_texts::is_legal(m, byte), m.allows(byte)) << byte;
        }
        EXPECT_EQ(m.expected_bytes().contains(0xF5), false);
        EXPECT_EQ(m.expected_bytes().contains(0xC1), false);
    }
}
TEST(GbnfUtf8, ATokenOfABrokenCharacterIsNotLegal) {
    token_id broken = null_token;
    for (token_id id = small_model::first_longer; std::size_t(id) < tokens().size(); ++id)
        if (tokens().piece(id) == text("\xC3\x41")) broken = id;
    ASSERT_NE(broken, null_token);
    for (const std::string_view source : {"root ::= [\\u0080-\\u07FF]", "root ::= [\\u0080-\\u07FF]*", "root ::= .*",
                                          "root ::= [^b]{0,9}", "root ::= [\\u0080-\\u07FF] \"A\""}) {
        const grammar_matcher m(*parse_gbnf(source), tokens());
        EXPECT_FALSE(m.allows(broken)) << source;
        EXPECT_FALSE(grammar_texts::is_legal(m, broken)) << source;
        EXPECT_TRUE(m.allows(0xC3)) << source;
    }
}
TEST(GbnfUtf8, AGrammarMustBeWrittenInIt) {
    for (const std::string_view bad :
         {"\x80", "\xC0\xAF", "\xED\xA0\x80", "\xF8\x88\x80\x80", "\xF4\x90\x80\x80", "\xC3", "\xE6\x97", "\xFF"}) {
        expect_problem("root ::= \"" + std::string(bad) + "\"", {10, 1, 11, "", "this byte is not UTF-8"});
        expect_problem("root ::= \"é\" # \n#日" + std::string(bad), {21, 2, 3, "", "this byte is not UTF-8"});
        expect_problem(std::string(bad), {0, 1, 1, "", "this byte is not UTF-8"});
    }
}

// ---- repetitions

TEST(GbnfRepetitions, OfALiteralOrAClassOrAGroupOrARule) {
    for (const std::string_view what : {"\"ab\"", "(\"a\" \"b\")", "ab", "(\"ab\" | \"ab\")"}) {
        const auto with = [&](std::string_view how) {
            return "root ::= " + std::string(what) + std::string(how) + "\nab ::= [a] \"b\"";
        };
        expect_texts(with("*"), {"", "ab", "abab", "ababab"}, {"a", "aba", "abb"});
        expect_texts(with("+"), {"ab", "abab", "ababab"}, {"", "a", "aba", "abb"});
        expect_texts(with("?"), {"", "ab"}, {"abab", "a"});
        expect_texts(with("{0}"), {""}, {"ab", "a"});
        expect_texts(with("{0,0}"), {""}, {"ab"});
        expect_texts(with("{1}"), {"ab"}, {"", "abab"});
        expect_texts(with("{5}"), {repeated("ab", 5)}, {repeated("ab", 4), repeated("ab", 6), ""});
        expect_texts(with("{2,}"), {repeated("ab", 2), repeated("ab", 30)}, {"ab", ""});
        expect_texts(with("{0,}"), {"", "ab", repeated("ab", 30)}, {"a"});
        expect_texts(with("{2,4}"), {repeated("ab", 2), repeated("ab", 3), repeated("ab", 4)},
                     {"", "ab", repeated("ab", 5)});
        expect_texts(with("{9,}"), {repeated("ab", 9), repeated("ab", 20)}, {repeated("ab", 8), ""});
        expect_texts(with("{9}"), {repeated("ab", 9)}, {repeated("ab", 8), repeated("ab", 10)});
        expect_texts(with("{8,9}"), {repeated("ab", 8), repeated("ab", 9)}, {repeated("ab", 7), repeated("ab", 10)});
        expect_texts(with("{0,100}"), {"", repeated("ab", 50), repeated("ab", 100)}, {repeated("ab", 101), "a"});
    }
    expect_texts("root ::= .*", {"", "a", "é\n"}, {"\xC3"});
    expect_texts("root ::= \"x\" [a-c]{10,12} \"c\"", {"x" + repeated("a", 10) + "c", "x" + repeated("c", 13)},
                 {"x" + repeated("c", 10), "x" + repeated("c", 14), "xc"});
}
TEST(GbnfRepetitions, MayHaveBlanks) {
    expect_texts("root ::= \"a\" *", {"", "aa"}, {"b"});
    expect_texts("root ::= \"a\"\t+ \"b\" ?", {"a", "aab"}, {"", "b"});
    expect_texts("root ::= \"a\" { 2 , 3 } \"b\"{ 1 }", {"aab", "aaab"}, {"ab", "aaaab"});
    expect_texts("root ::= \"a\"{2 ,}", {"aa", "aaaa"}, {"a"});
    expect_texts("root ::= \"a\"{002,0003}", {"aa", "aaa"}, {"a", "aaaa"});
    expect_texts("root ::= ( \"a\" # how often\n {2} )", {"aa"}, {"a", "aaa"});
}
TEST(GbnfRepetitions, OfRepetitions) {
    expect_texts("root ::= \"a\"{2}{3}", {repeated("a", 6)}, {"aa", "aaaaa", repeated("a", 7)});
    expect_texts("root ::= \"a\"{2,3}{2}", {"aaaa", "aaaaa", "aaaaaa"}, {"aaa", "aaaaaaa"});
    expect_texts("root ::= \"a\"*+", {"", "aa"}, {"b"});
    expect_texts("root ::= \"a\"+?", {"", "a", "aa"}, {"b"});
    expect_texts("root ::= \"a\"?{3}", {"", "a", "aaa"}, {"aaaa"});
    expect_texts("root ::= (\"a\"{10} \"b\"){10}", {repeated(repeated("a", 10) + "b", 10)},
                 {repeated(repeated("a", 10) + "b", 9), repeated(repeated("a", 9) + "b", 10)});
    expect_texts("root ::= (\"a\"{0,20} \"b\"){0,20} \"c\"", {"c", "bbc", "aaabc", repeated("b", 20) + "c"},
                 {"", "ac", repeated("b", 21) + "c", repeated("a", 21) + "bc"});
    expect_texts("root ::= \"a\"{3}*", {"", "aaa", "aaaaaa"}, {"a", "aaaa"});
    expect_texts("root ::= \"a\"{11}*", {"", repeated("a", 11), repeated("a", 33)}, {"a", repeated("a", 12)});
    expect_texts("root ::= \"a\"{3,}{3}", {repeated("a", 9), repeated("a", 10)}, {repeated("a", 8)});
}
TEST(GbnfRepetitions, OfWhatMayBeNothing) {
    for (const std::string_view nothing :
         {"\"\"*", "\"\"+", "\"\"?", "\"\"{3}", "\"\"{100}", "\"\"{0,100}", "\"\"{100,}", "(\"\"*)*", "()*", "(|)+",
          "empty*", "empty{20}", "(empty | \"\")+"})
        expect_texts("root ::= " + std::string(nothing) + "\nempty ::=", {""}, {"a"});
    expect_texts("root ::= (\"a\"?)*", {"", "a", "aaa"}, {"b"});
    expect_texts("root ::= (\"a\"*)*", {"", "a", "aaa"}, {"b"});
    expect_texts("root ::= (\"a\"* \"b\"*)+", {"", "a", "ba", "abab"}, {"c"});
    expect_texts("root ::= (\"a\"?){3}", {"", "a", "aaa"}, {"aaaa"});
    expect_texts("root ::= (\"a\"?){20}", {"", "a", repeated("a", 20)}, {repeated("a", 21)});
    expect_texts("root ::= (\"a\"?){10,20}", {"", "a", repeated("a", 20)}, {repeated("a", 21)});
    expect_texts("root ::= (\"a\" | \"\"){10,} \"b\"", {"b", "ab", repeated("a", 40) + "b"}, {"", "a"});
}
TEST(GbnfRepetitions, HoldToTheEnd) {
    const std::string letters = repeated("x", 5000);
    for (const std::string_view what : {"[a-z]", "(\"x\" | \"y\")", "\"x\""}) {
        const auto with = [&](std::string_view how) { return "root ::= " + std::string(what) + std::string(how); };
        EXPECT_FALSE(takes(with("{0,2001}"), letters));
        EXPECT_TRUE(takes(with("{0,2001}"), repeated("x", 2001)));
        EXPECT_FALSE(takes(with("{0,2001}"), repeated("x", 2002)));
        EXPECT_TRUE(takes(with("{0,10000}"), letters));
        EXPECT_TRUE(takes(with("{0,10000}"), repeated("x", 10000)));
        EXPECT_FALSE(takes(with("{0,10000}"), repeated("x", 10001)));
        EXPECT_TRUE(takes(with("{5000}"), letters));
        EXPECT_FALSE(takes(with("{5001}"), letters));
        EXPECT_FALSE(takes(with("{5001,}"), letters));
        EXPECT_FALSE(takes(with("{4999}"), letters));
        EXPECT_TRUE(takes(with("{4999,}"), letters));
    }
    EXPECT_TRUE(begins("root ::= [a-z]{1000000}", letters));
    EXPECT_FALSE(takes("root ::= [a-z]{1000000}", letters));
}
TEST(GbnfRepetitions, ThatAreNoneAreRefused) {
    const std::string form = "a repetition is written {2}, {2,} or {2,5}";
    for (const std::string_view bad : {"{}", "{,}", "{,3}", "{a}", "{-1}", "{1,2,3}", "{1,a}", "{1;2}", "{1 2}", "{ }",
                                       "{1", "{1,", "{1,2", "{", "{\"a\"}", "{1.5}", "{+1}"})
        expect_problem_at("root ::= \"a\"" + std::string(bad), 12, form);
    const std::string nothing = "there is nothing before this to repeat";
    for (const std::string_view bad : {"*", "+", "?", "{2}"}) {
        expect_problem_at("root ::= " + std::string(bad), 9, nothing);
        expect_problem_at("root ::= \"a\" | " + std::string(bad), 15, nothing);
        expect_problem_at("root ::= ( " + std::string(bad), 11, nothing);
    }
    const std::string falls = "the maximum of this repetition is below its minimum";
    expect_problem_at("root ::= \"a\"{3,2}", 12, falls);
    expect_problem_at("root ::= \"a\"{1,0}", 12, falls);
    expect_problem_at("root ::= \"a\" {100,99}", 13, falls);
}

// ---- tokens

bool takes_tokens(std::string_view source, const std::vector<token_id>& all) {
    const parsed<grammar> g = parse_gbnf(source);
    EXPECT_TRUE(g.ok()) << g.problem().message();
    grammar_matcher m(*g, tokens());
    EXPECT_TRUE(m.check().code() != status_code::invalid_parameter) << m.check().message().c_str();
    for (const token_id id : all) {
        const bool legal = m.allows(id);
        EXPECT_EQ(grammar_texts::is_legal(m, id), legal) << source << ", token " << id;
        EXPECT_EQ(!m.accept(id).refused, legal);
        if (!legal) return false;
    }
    return m.is_complete();
}

TEST(GbnfTokens, AreTakenAsAWhole) {
    const token_id tool = small_model::tool, im_start = small_model::im_start;
    EXPECT_TRUE(takes_tokens("root ::= <[257]>", {tool}));
    EXPECT_TRUE(takes_tokens("root ::= <tool>", {tool}));
    EXPECT_FALSE(takes_tokens("root ::= <tool>", {im_start}));
    EXPECT_FALSE(takes_tokens("root ::= <tool>", {}));
    EXPECT_FALSE(takes_tokens("root ::= <tool>", {'<', 't', 'o', 'o', 'l', '>'}));
    EXPECT_FALSE(takes_tokens("root ::= <tool>", {'<'}));
    EXPECT_TRUE(takes_tokens("root ::= <|im_start|> \"a\" <[257]>", {im_start, 'a', tool}));
    EXPECT_FALSE(takes_tokens("root ::= <|im_start|> \"a\" <[257]>", {im_start, tool}));
    EXPECT_TRUE(takes_tokens("root ::= <tool>{2,3} | <[97]>", {tool, tool, tool}));
    EXPECT_FALSE(takes_tokens("root ::= <tool>{2,3} | <[97]>", {tool, tool, tool, tool}));
    EXPECT_TRUE(takes_tokens("root ::= <tool>{20}", std::vector<token_id>(20, tool)));
    EXPECT_FALSE(takes_tokens("root ::= <tool>{20}", std::vector<token_id>(21, tool)));
    EXPECT_TRUE(takes_tokens("root ::= <tool>{2,3} | <[97]>", {'a'}));
    EXPECT_TRUE(takes_tokens("root ::= (<tool> | \"a\")*", {'a', tool, 'a', 'a', tool}));
    EXPECT_TRUE(takes_tokens("root ::= <[0097]>", {'a'}));
    // By its text alone it is the same; a token whose text is longer is not it.
    EXPECT_FALSE(takes_tokens("root ::= <[97]> \"b\"", {small_model::first_longer}));
    EXPECT_TRUE(takes_tokens("root ::= <[97]> \"b\"", {'a', 'b'}));
    const grammar_matcher by_reference(*parse_gbnf("root ::= <[97]>"), tokens());
    grammar_matcher m = by_reference;
    EXPECT_FALSE(m.accept_bytes("a").ok());
    EXPECT_FALSE(m.is_complete());
}
TEST(GbnfTokens, NegatedAreAnyOtherToken) {
    const token_id tool = small_model::tool, im_start = small_model::im_start;
    for (const std::string_view source : {"root ::= !<[257]>", "root ::= !<tool>"}) {
        EXPECT_TRUE(takes_tokens(source, {'a'}));
        EXPECT_TRUE(takes_tokens(source, {im_start}));
        EXPECT_TRUE(takes_tokens(source, {0x80}));
        EXPECT_TRUE(takes_tokens(source, {small_model::first_longer}));
        EXPECT_FALSE(takes_tokens(source, {tool}));
        EXPECT_FALSE(takes_tokens(source, {0}));  // begins with NUL
        EXPECT_FALSE(takes_tokens(source, {small_model::none}));
        EXPECT_FALSE(takes_tokens(source, {small_model::end}));
        const grammar_matcher m(*parse_gbnf(source), tokens());
        for (token_id id = 0; std::size_t(id) < tokens().size(); ++id)
            EXPECT_EQ(grammar_texts::is_legal(m, id), m.allows(id)) << id;
        EXPECT_EQ(m.legal_count(), tokens().size() - 4);
    }
    EXPECT_TRUE(takes_tokens("root ::= <tool> (!<|im_start|>)* <|im_start|>", {tool, 'a', tool, 0xFF, im_start}));
    EXPECT_FALSE(takes_tokens("root ::= <tool> (!<|im_start|>)* <|im_start|>", {tool, 'a', im_start, 'a'}));
}
TEST(GbnfTokens, ControlTokensMatchByReferenceAlone) {
    EXPECT_FALSE(takes_tokens("root ::= \"<tool>\"", {small_model::tool}));
    EXPECT_TRUE(takes_tokens("root ::= \"<tool>\"", {'<', 't', 'o', 'o', 'l', '>'}));
    EXPECT_FALSE(takes_tokens("root ::= .*", {small_model::tool}));
    EXPECT_FALSE(takes_tokens("root ::= .*", {small_model::im_start}));
}
TEST(GbnfTokens, AnEndIsLegalWhereTheTextIsComplete) {
    grammar_matcher m(*parse_gbnf("root ::= \"a\" \"b\"?"), tokens());
    EXPECT_FALSE(m.allows(small_model::end));
    EXPECT_FALSE(m.accept('a').finished);
    EXPECT_TRUE(m.allows(small_model::end));
    EXPECT_TRUE(m.accept(small_model::end).finished);
    EXPECT_TRUE(m.is_finished());
    EXPECT_EQ(m.check().code(), status_code::no_legal_token);
    EXPECT_TRUE(m.accept('b').refused);
    EXPECT_TRUE(m.accept(small_model::end).refused);
    EXPECT_TRUE(takes_tokens("root ::= \"a\" </s> \"b\"", {'a', small_model::end, 'b'}));
}
TEST(GbnfTokens, WithoutATextOrAnIdAreRefused) {
    expect_problem_at("root ::= <>", 9, "a token without a text or an id");
    expect_problem_at("root ::= \"a\" !<>", 13, "a token without a text or an id");
    expect_problem_at("root ::= <tool", 9, "this < is never closed");
    expect_problem("root ::= <tool\n>", {9, 1, 10, "root", "this < is never closed"});
    expect_problem_at("root ::= !", 9, "a token must follow this !: !<[12]> or !<text>");
    expect_problem_at("root ::= ! <[1]>", 9, "a token must follow this !: !<[12]> or !<text>");
    expect_problem_at("root ::= !\"a\"", 9, "a token must follow this !: !<[12]> or !<text>");
    for (const std::string_view bad : {"<[1>", "<[1]", "<[12", "<[1]]>", "<[1 ]>", "<[1,2]>", "<[1x]>", "<[1] >"})
        expect_problem_at("root ::= " + std::string(bad), 9, "a token by its id is written <[12]>");
    for (const std::string_view bad : {"<[2147483648]>", "<[4294967296]>", "<[99999999999999999999999999]>"})
        expect_problem_at("root ::= " + std::string(bad), 9, "there are no tokens with such an id");
}
TEST(GbnfTokens, ThatTheVocabularyLacksAreNamedByTheMatcher) {
    const auto problem_of = [](std::string_view source) {
        const parsed<grammar> g = parse_gbnf(source);
        EXPECT_TRUE(g.ok()) << g.problem().message();
        const grammar_matcher m(*g, tokens());
        EXPECT_EQ(m.check().code(), status_code::invalid_parameter);
        EXPECT_EQ(m.legal_count(), 0u);
        EXPECT_TRUE(m.legal_words().empty());
        EXPECT_FALSE(m.allows('a'));
        return std::string(m.check().message().c_str());
    };
    EXPECT_EQ(problem_of("root ::= \"a\" <[2147483647]>"), "grammar: the token at byte = 13 is not in the vocabulary");
    EXPECT_EQ(problem_of("root ::= <[" + std::to_string(tokens().size()) + "]>"),
              "grammar: the token at byte = 9 is not in the vocabulary");
    EXPECT_EQ(problem_of("root ::= <no such token>"), "grammar: the token at byte = 9 is not in the vocabulary");
    EXPECT_EQ(problem_of("root ::= !<tools>"), "grammar: the token at byte = 9 is not in the vocabulary");
    EXPECT_EQ(problem_of("root ::= <tool> | <tools>"), "grammar: the token at byte = 18 is not in the vocabulary");
    EXPECT_EQ(problem_of("root ::= <[256]>"), "grammar: the token at byte = 9 is never legal, since it has no text");
    EXPECT_EQ(problem_of("root ::= <[0]>"), "grammar: the token at byte = 9 is never legal, since it has no text");
    EXPECT_TRUE(grammar_matcher(*parse_gbnf("root ::= <[" + std::to_string(tokens().size() - 1) + "]>"), tokens())
                    .check()
                    .ok());
}

// ---- what cannot be meant

TEST(GbnfProblems, OfRules) {
    const std::string begin = "a rule must begin with its name, of letters, digits, - and _";
    const std::string no_root = "there is no rule called root, with which the grammar is to begin";
    expect_problem("", {0, 1, 1, "", no_root});
    expect_problem(" \n# nothing\n", {0, 1, 1, "", no_root});
    expect_problem("a ::= \"b\"", {0, 1, 1, "", no_root});
    expect_problem("Root ::= \"b\"", {0, 1, 1, "", no_root});
    expect_problem("root ::= \"b\"", {0, 1, 1, "", "there is no rule called start, with which the grammar is to begin"},
                   {}, "start");
    expect_problem("root ::= \"b\"", {0, 1, 1, "", "there is no rule called , with which the grammar is to begin"}, {},
                   "");
    expect_problem("::= \"a\"", {0, 1, 1, "", begin});
    expect_problem("\n  (", {3, 2, 3, "", begin});
    expect_problem("é ::= \"a\"", {0, 1, 1, "", begin});
    expect_problem("\xEF\xBB\xBFroot ::= \"a\"", {0, 1, 1, "", "the text begins with a byte order mark"});
    expect_problem("root", {4, 1, 5, "root", "::= must follow the name of a rule"});
    expect_problem("root = \"a\"", {5, 1, 6, "root", "::= must follow the name of a rule"});
    expect_problem("root :: = \"a\"", {5, 1, 6, "root", "::= must follow the name of a rule"});
    expect_problem("root ::", {5, 1, 6, "root", "::= must follow the name of a rule"});
    expect_problem("a.b ::= \"a\"", {1, 1, 2, "a", "::= must follow the name of a rule"});
    expect_problem("root ::= a", {9, 1, 10, "", "there is no rule called a"});
    expect_problem("root ::= \"é日😀\" b a\na ::= c\nb ::= \"\"", {31, 2, 7, "", "there is no rule called c"});
    expect_problem("root ::= \"a\"\nb ::= \"b\"\nroot ::= \"c\"",
                   {23, 3, 1, "root", "this rule is defined a second time"});
    expect_problem("root ::= \"a\"\r\nroot ::= \"a\"", {14, 2, 1, "root", "this rule is defined a second time"});
    expect_problem("a ::= \"\"\ra ::= \"\"", {9, 2, 1, "a", "this rule is defined a second time"});
}
TEST(GbnfProblems, OfBracketsAndQuotes) {
    expect_problem_at("root ::= \"a", 9, "this \" is never closed");
    expect_problem_at("root ::= \"a\" \"", 13, "this \" is never closed");
    expect_problem_at("root ::= \"a\\\"", 9, "this \" is never closed");
    expect_problem_at("root ::= [a", 9, "this [ is never closed");
    expect_problem_at("root ::= [", 9, "this [ is never closed");
    expect_problem_at("root ::= [^", 9, "this [ is never closed");
    expect_problem_at("root ::= [a-", 9, "this [ is never closed");
    expect_problem_at("root ::= [a\\]", 9, "this [ is never closed");
    expect_problem_at("root ::= (\"a\"", 9, "this ( is never closed");
    expect_problem_at("root ::= (\"a\" ((\"b\")", 14, "this ( is never closed");
    expect_problem_at("root ::= (", 9, "this ( is never closed");
    expect_problem_at("root ::= (\"a\" |", 9, "this ( is never closed");
    expect_problem_at("root ::= )", 9, "this ) has no matching (");
    expect_problem_at("root ::= (\"a\"))", 14, "this ) has no matching (");
    expect_problem_at("root ::= 'a'", 9, "literals have double quotes");
    expect_problem_at("root ::= ]", 9, "this ] has no matching [");
    expect_problem_at("root ::= [a]]", 12, "this ] has no matching [");
    expect_problem_at("root ::= (\"a\"]", 13, "this ] has no matching [");
    const std::string nothing = "a rule name, a literal, a class, a group or a token is expected here";
    for (const std::string_view bad :
         {"}", "/", "\\", ">", ",", ";", "&", "$", "=", ":", "%", "^", "~", "`", "@", "\x01", "\x7F"}) {
        expect_problem_at("root ::= " + std::string(bad), 9, nothing);
        expect_problem_at("root ::= \"a\" " + std::string(bad), 13, nothing);
        expect_problem_at("root ::= (\"a\"" + std::string(bad), 13, nothing);
    }
    expect_problem("root ::= é", {9, 1, 10, "root", nothing});
    expect_problem("root ::= \"日\" 日", {15, 1, 14, "root", nothing});
    expect_problem("root ::= \"a\" b ::= \"c\"", {15, 1, 16, "root", nothing});
}
TEST(GbnfProblems, OfLeftRecursion) {
    const std::string left =
        "left recursion: this rule begins with itself; write it with * or +, or with itself at the end";
    expect_problem("root ::= root \"a\" | \"b\"", {0, 1, 1, "root", left});
    expect_problem("root ::= \"x\" | root", {0, 1, 1, "root", left});
    expect_problem("root ::= \"x\" | (root)*", {0, 1, 1, "root", left});
    expect_problem("root ::= \"x\" | root{9}", {0, 1, 1, "root", left});
    expect_problem("root ::= \"\" root | \"b\"", {0, 1, 1, "root", left});
    expect_problem("root ::= \"a\"? root \"c\" | \"b\"", {0, 1, 1, "root", left});
    expect_problem("root ::= \"a\"* root \"c\" | \"b\"", {0, 1, 1, "root", left});
    expect_problem("root ::= \"a\"{0,20} root \"c\" | \"b\"", {0, 1, 1, "root", left});
    expect_problem("root ::= (\"a\" | \"\"){20} root \"c\" | \"b\"", {0, 1, 1, "root", left});
    expect_problem("root ::= \"x\" a\na ::= a \"y\" | \"z\"", {15, 2, 1, "a", left});
    // Hidden behind rules that may be nothing.
    expect_problem("root ::= a root \"y\" | \"x\"\na ::= b\nb ::= \"\" | \"z\"", {0, 1, 1, "root", left});
    for (const std::string_view source :
         {"root ::= a \"x\" | \"q\"\na ::= b \"y\"\nb ::= root \"z\"",
          "root ::= a\na ::= b | \"x\"\nb ::= c\nc ::= a \"y\"",
          "root ::= \"(\" a \")\"\na ::= e e e b | \"x\"\nb ::= e a \"y\"\ne ::= \"\" | \"e\" e"}) {
        const parsed<grammar> g = parse_gbnf(source);
        EXPECT_FALSE(g.ok()) << source;
        EXPECT_EQ(g.problem().sentence, left) << source;
        EXPECT_NE(g.problem().line, 0u);
    }
    // None: something is read first.
    expect_texts("root ::= a root \"y\" | \"x\"\na ::= b\nb ::= \"z\"", {"x", "zxy", "zzxyy"}, {"", "z", "zx"});
    expect_texts("root ::= \"a\"{1,20} root \"c\" | \"b\"", {"b", "abc", "aaabc"}, {"a", "ab", "aabcbc"});
    expect_texts("root ::= \"a\" | root{0} \"b\"", {"a", "b"}, {"", "ab"});
}
TEST(GbnfProblems, OfLeftRecursionWhereNoTextIs) {
    // The alternative that begins with itself comes to no end either: it is a problem, not an alternative less.
    const std::string left =
        "left recursion: this rule begins with itself; write it with * or +, or with itself at the end";
    expect_problem("root ::= \"x\" | a\na ::= a \"y\"", {17, 2, 1, "a", left});
}
TEST(GbnfProblems, OfNoText) {
    const std::string endless = "this rule never comes to an end, so no text is legal";
    expect_problem("root ::= \"a\" root", {0, 1, 1, "root", endless});
    expect_problem("# nothing\n root ::= \"(\" root \")\" | \"[\" root \"]\"", {11, 2, 2, "root", endless});
    expect_problem("a ::= \"b\" a\nroot ::= \"x\" a", {12, 2, 1, "root", endless});
    expect_problem("root ::= \"a\" b\nb ::= \"c\" c\nc ::= \"d\" b", {0, 1, 1, "root", endless});
    // An alternative that never ends is none.
    expect_texts("root ::= \"a\" | \"b\" a\na ::= \"x\" a", {"a"}, {"b", "bx"});
    EXPECT_FALSE(begins("root ::= \"a\" | \"b\" a\na ::= \"x\" a", "b"));
    EXPECT_FALSE(begins("root ::= \"a\" | \"b\" a{1,20}\na ::= \"x\" a", "b"));
    expect_texts("root ::= \"a\" | \"b\" a{0,20}\na ::= \"x\" a", {"a", "b"}, {"bx"});
    expect_texts("root ::= \"a\" | \"b\" a*\na ::= \"x\" a", {"a", "b"}, {"bx"});
}
TEST(GbnfWarnings, NameRulesThatNothingUses) {
    const parsed<grammar> g = parse_gbnf("root ::= a\na ::= \"x\"\n  b ::= c\nc ::= b \"y\" | \"z\"");
    ASSERT_TRUE(g.ok());
    ASSERT_EQ(g.warnings().size(), 2u);
    EXPECT_EQ(g.warnings()[0].message(), "3:3: in b: this rule is never used");
    EXPECT_EQ(g.warnings()[1].message(), "4:1: in c: this rule is never used");
}
TEST(GbnfWarnings, AreAFewOfMany) {
    std::string source = "root ::= \"x\"";
    for (char c = 'a'; c <= 'z'; ++c) ((source += "\n") += c) += " ::= \"y\"";
    EXPECT_EQ(parse_gbnf(source).warnings().size(), 16u);
}
TEST(GbnfProblems, InWords) {
    const parsed<grammar> g = parse_gbnf("root ::= \"é\" a\na ::= [z-a]");
    EXPECT_EQ(g.problem().message(), "2:8: in a: this range ends before it begins");
    EXPECT_TRUE(g.warnings().empty());
    EXPECT_EQ(parse_gbnf("").problem().message(),
              "1:1: there is no rule called root, with which the grammar is to begin");
    const parsed<grammar> good = parse_gbnf("root ::= \"a\"");
    EXPECT_TRUE(good.problem().sentence.empty());
    EXPECT_TRUE(bool(good.value()));
#if defined(__cpp_exceptions)
    try {
        g.value();
        ADD_FAILURE() << "value() must throw";
    } catch (const parse_error& e) {
        EXPECT_EQ(std::string(e.what()), g.problem().message());
    }
#else
    EXPECT_FALSE(bool(g.value()));
#endif
}

// ---- limits: each of them met, and just not met

TEST(GbnfLimits, OfTheText) {
    const std::string source = "root ::= \"a\"";
    grammar_limits limits;
    limits.text_bytes = source.size();
    EXPECT_TRUE(parse_gbnf(source, "root", limits).ok());
    limits.text_bytes = source.size() - 1;
    expect_problem(source, {0, 1, 1, "", "the grammar is longer than the limit allows"}, limits);
    std::string longest = source + "#";
    longest += repeated(" ", (1 << 20) - longest.size());
    EXPECT_TRUE(parse_gbnf(longest).ok());
    expect_problem(longest + " ", {0, 1, 1, "", "the grammar is longer than the limit allows"});
}
TEST(GbnfLimits, OfDepth) {
    const std::string deep = "groups are nested too deeply";
    const auto nested = [](std::size_t n) { return "root ::= " + repeated("(", n) + "\"a\"" + repeated(")", n); };
    grammar_limits limits;
    limits.depth = 3;
    EXPECT_TRUE(parse_gbnf(nested(3), "root", limits).ok());
    expect_problem_at(nested(4), 13, deep, limits);
    limits.depth = 0;
    EXPECT_TRUE(parse_gbnf(nested(0), "root", limits).ok());
    expect_problem_at(nested(1), 10, deep, limits);
    for (const std::uint32_t depth : {1024u, 1u << 20, 1u << 30, ~0u}) {
        limits.depth = depth;
        EXPECT_TRUE(parse_gbnf(nested(1024), "root", limits).ok()) << depth;
        expect_problem_at(nested(1025), 9 + 1025, deep, limits);
        expect_problem_at(nested(200000), 9 + 1025, deep, limits);
        EXPECT_TRUE(parse_gbnf("root ::= \"a\"*", "root", limits).ok()) << depth;
    }
    EXPECT_TRUE(takes(nested(256), "a"));
    expect_problem_at(nested(257), 9 + 257, deep);
    expect_problem_at("root ::= " + repeated("(", 200000), 9 + 257, deep);
    expect_problem_at("root ::= " + repeated("( ", 200000), 9 + 2 * 257, deep);
    EXPECT_TRUE(takes("root ::= " + repeated("(", 256) + repeated("\"\")", 256) + repeated("(\"a\")", 1000),
                      repeated("a", 1000)));
    // A rule is a level of its own, however many call each other.
    std::string chained = "root ::= r0\n";
    for (int i = 0; i < 5000; ++i)
        chained += "r" + std::to_string(i) + " ::= \"a\" r" + std::to_string(i + 1) + " | \"b\"\n";
    EXPECT_TRUE(takes(chained + "r5000 ::= \"c\"", repeated("a", 5000) + "c"));
}
TEST(GbnfLimits, OfDepthOfGroupsWithAlternativesAndRepetitions) {
    // Groups within groups count, not what they hold.
    std::string source = "\"x\"";
    for (int i = 0; i < 256; ++i) source = "(\"a\" | \"b\" " + source + ")*";
    const parsed<grammar> g = parse_gbnf("root ::= " + source);
    EXPECT_TRUE(g.ok()) << g.problem().message();
}
TEST(GbnfLimits, OfRepetitionsOfRepetitions) {
    const parsed<grammar> g = parse_gbnf("root ::= \"a\"" + repeated("*", 100000));
    EXPECT_FALSE(g.ok());
    EXPECT_EQ(g.problem().sentence, "repetitions are nested too deeply");
    EXPECT_TRUE(parse_gbnf("root ::= \"a\"" + repeated("*", 500)).ok());
    EXPECT_TRUE(parse_gbnf("root ::= \"a\"" + repeated("?", 500)).ok());
}
TEST(GbnfLimits, OfRepetitions) {
    const auto with = [](std::string_view how) { return "root ::= \"a\"" + std::string(how); };
    grammar_limits limits;
    limits.repetitions = 20;
    const std::string many = "more than 20 repetitions, which is the limit";
    for (const std::string_view good : {"{20}", "{20,}", "{0,20}", "{20,20}"})
        EXPECT_TRUE(parse_gbnf(with(good), "root", limits).ok()) << good;
    for (const std::string_view bad : {"{21}", "{21,}", "{0,21}", "{21,21}", "{1,99999999999999999999}"})
        expect_problem_at(with(bad), 12, many, limits);
    const std::string usual = "more than 1000000 repetitions, which is the limit";
    for (const std::string_view good : {"{1000000}", "{1000000,}", "{0,1000000}"})
        EXPECT_TRUE(parse_gbnf(with(good)).ok()) << good;
    for (const std::string_view bad : {"{1000001}", "{1000001,}", "{0,1000001}", "{4294967295}", "{4294967296}",
                                       "{18446744073709551616}", "{0,4294967295}", "{0,4294967296}"})
        expect_problem_at(with(bad), 12, usual);
}
TEST(GbnfLimits, OfRules) {
    grammar_limits limits;
    limits.rules = 3;
    const std::string three = "root ::= a b\na ::= \"a\"\nb ::= \"b\"\n";
    EXPECT_TRUE(parse_gbnf(three, "root", limits).ok());
    expect_problem(three + "c ::= \"c\"", {33, 4, 1, "c", "the grammar has more rules than the limit allows"}, limits);
    limits.rules = 2;
    EXPECT_EQ(parse_gbnf(three, "root", limits).problem().sentence, "the grammar has more rules than the limit allows");
    std::string most = "root ::= \"a\"\n";
    for (int i = 1; i < 65536; ++i) most += "r" + std::to_string(i) + "::=\"\"\n";
    EXPECT_TRUE(parse_gbnf(most).ok());
    const parsed<grammar> more = parse_gbnf(most + "r ::= \"\"");
    EXPECT_EQ(more.problem().sentence, "the grammar has more rules than the limit allows");
    EXPECT_EQ(more.problem().line, 65537u);
    EXPECT_EQ(more.problem().offset, most.size());
}
TEST(GbnfLimits, OfNodes) {
    const std::string large = "the grammar is larger than the limit allows";
    std::size_t least = 0;
    for (std::uint32_t nodes = 0; nodes < 200 && least == 0; ++nodes) {
        grammar_limits limits;
        limits.nodes = nodes;
        const parsed<grammar> g = parse_gbnf("root ::= \"0123456789\"", "root", limits);
        if (g) least = nodes;
        else EXPECT_EQ(g.problem().sentence, large) << nodes;
    }
    EXPECT_GT(least, 9u);
    EXPECT_LT(least, 30u);
    EXPECT_TRUE(parse_gbnf("root ::= \"" + repeated("a", 200000) + "\"").ok());
    const parsed<grammar> g = parse_gbnf("root ::= \"" + repeated("a", 300000) + "\"");
    EXPECT_FALSE(g.ok());
    EXPECT_EQ(g.problem().sentence, large);
}

// ---- what stays quick

/// Seconds. Far more than it takes under a sanitizer, far less than what is not linear would.
constexpr double long_time = 10;
class stop_watch {
public:
    double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }

private:
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

TEST(GbnfTime, OfATextThatCanBeReadInManyWays) {
    const stop_watch watch;
    grammar_matcher m(*parse_gbnf(R"(root ::= "a" root "b" | "a" root "c" | "x")"), tokens());
    for (int i = 0; i < 5000; ++i) {
        ASSERT_FALSE(m.accept('a').refused);
        ASSERT_EQ(m.allows('x'), true);
        ASSERT_GT(m.legal_count(), 0u);
    }
    ASSERT_FALSE(m.accept('x').refused);
    for (int i = 0; i < 5000; ++i) {
        ASSERT_FALSE(m.is_complete());
        ASSERT_FALSE(m.accept(i % 3 ? 'b' : 'c').refused);
    }
    EXPECT_TRUE(m.is_complete());
    EXPECT_FALSE(m.allows('b'));
    EXPECT_LT(watch.seconds(), long_time);
}
TEST(GbnfTime, OfRepetitionsOfRepetitionsIsNotThatOfTheirPowers) {
    const stop_watch watch;
    for (const std::string_view how : {"{9}", "+", "{2}", "{2,}", "{0,9}", "*", "?"}) {
        const parsed<grammar> g = parse_gbnf("root ::= \"a\"" + repeated(how, 30));
        EXPECT_TRUE(g.ok()) << g.problem().message();
        EXPECT_TRUE(parse_gbnf("root ::= \"" + repeated("a", 80) + "\"" + repeated(how, 30)).ok());
    }
    EXPECT_LT(watch.seconds(), long_time);
}
TEST(GbnfTime, OfRulesThatDoubleEachOther) {
    const stop_watch watch;
    std::string source = "root ::= r0\n";
    for (int i = 0; i < 60; ++i) {
        const std::string next = "r" + std::to_string(i + 1);
        source += "r" + std::to_string(i) + " ::= " + next + " " + next + "\n";
    }
    EXPECT_TRUE(begins(source + "r60 ::= \"a\"", "aaaa"));
    EXPECT_TRUE(takes(source + "r60 ::= \"a\"?", repeated("a", 100)));
    EXPECT_LT(watch.seconds(), long_time);
}
TEST(GbnfTime, OfManyClasses) {
    const stop_watch watch;
    std::string source = "root ::= ";
    for (int i = 0; i < 20000; ++i)
        source += "[\\u" + std::string(1, "3456789A"[i >> 12]) + std::string(1, "0123456789ABCDEF"[i >> 8 & 15]) +
                  std::string(1, "0123456789ABCDEF"[i >> 4 & 15]) + std::string(1, "0123456789ABCDEF"[i & 15]) + "]";
    EXPECT_TRUE(parse_gbnf(source).ok());
    EXPECT_LT(watch.seconds(), long_time);
}

}  // namespace
}  // namespace riffle_tests::constraint_gbnf
