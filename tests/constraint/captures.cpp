// The texts of captured parts, while a text is written and afterwards, beside all ways in which a text can be read.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/constraint.hpp>

namespace riffle_tests::constraint_captures {
namespace {

using namespace riffle;
using ids = std::vector<token_id>;

const vocabulary& some_words() {
    static const vocabulary words = [] {
        vocabulary made;
        for (int i = 0; i < 256; ++i) {
            const char byte = char(i);
            made.add(text(&byte, 1));
        }
        for (const char* piece : {"RE", "PLY", "Y\"}", "{\"action\": \"R"}) made.add(piece);
        made.add("<|sep|>", token_role::control);
        made.add("</s>", token_role::end_of_generation | token_role::control);
        return made;
    }();
    return words;
}
const vocabulary_trie& trie() {
    static const vocabulary_trie made(some_words());
    return made;
}
std::string shown(const std::vector<capture>& captures) {
    std::string all;
    for (const capture& c : captures)
        all += c.name + "=" + c.bytes + "@" + std::to_string(c.begin) + (c.is_whole ? " " : "... ");
    return all;
}
std::string captures_of(const grammar& language, const std::string& bytes) {
    grammar_matcher m(language, trie());
    EXPECT_TRUE(m.accept_bytes(bytes).ok()) << bytes;
    return shown(m.captures());
}

TEST(Captures, AreTheTextsOfParts) {
    const grammar g = sequence({literal("{\"action\": \""), captured("action", choice({"REPLY", "REPLY_THREAD", "STOP"})),
                                literal("\", \"to\": \""), captured("to", free_text_until("\"")), literal("}")});
    EXPECT_EQ(captures_of(g, R"({"action": "REPLY", "to": "you"})"), "action=REPLY@12 to=you\"@27 ");
    EXPECT_EQ(captures_of(g, R"({"action": "REPL)"), "action=REPL@12... ");
    EXPECT_EQ(captures_of(g, R"({"action": "REPLY", "to": "yo)"), "action=REPLY@12 to=yo@27... ");
    EXPECT_EQ(captures_of(g, R"({"act)"), "");
    EXPECT_EQ(captures_of(literal("a"), "a"), "");
    EXPECT_EQ(captures_of(captured("all", literal("a")), "a"), "all=a@0 ");
    EXPECT_EQ(captures_of(captured("empty", literal("")), ""), "empty=@0 ");
    EXPECT_EQ(captured("", literal("a")).problem().message(), "a capture has no name");
    EXPECT_TRUE(grammar_matcher().captures().empty());
}

TEST(Captures, MayBeWithinOthersAndComeAgain) {
    const grammar digit = captured("digit", *parse_gbnf("root ::= [0-9]"));
    const grammar list = captured("list", sequence({literal("["), repeat(sequence({digit, literal(",")}), 0), literal("]")}));
    EXPECT_EQ(captures_of(list, "[1,2,3,]"), "list=[1,2,3,]@0 digit=1@1 digit=2@3 digit=3@5 ");
    EXPECT_EQ(captures_of(list, "[1,2"), "list=[1,2@0... digit=1@1 digit=2@3 ");
    const grammar many = captured("many", repeat(digit, 10, 200));
    EXPECT_EQ(captures_of(many, "0123456789").substr(0, 31), "many=0123456789@0 digit=0@0 dig");
    EXPECT_EQ(shown({captures_of(many, std::string(100, '7')).size() > 900 ? capture{} : capture{"x", "", 0, true}}), "=@0 ");
}

TEST(Captures, AreFoundInEveryTokenisation) {
    const grammar g = sequence({literal("{\"action\": \""), captured("action", choice({"REPLY", "STOP"})), literal("\"}")});
    grammar_matcher whole(g, trie());
    whole.accept(259);
    whole.accept('E');
    EXPECT_EQ(shown(whole.captures()), "action=RE@12... ");
    for (const token_id token : ids{'P', 'L', 258}) EXPECT_FALSE(whole.accept(token).refused);  // beyond its end
    EXPECT_EQ(shown(whole.captures()), "action=REPLY@12 ");
    EXPECT_FALSE(whole.accept(261).refused);
    EXPECT_EQ(shown(whole.captures()), "action=REPLY@12 ");
}

TEST(Captures, HaveNoNamesOfTokens) {
    const grammar g = sequence({captured("said", sequence({literal("a"), *parse_gbnf("root ::= <|sep|>"), literal("b")})),
                                captured("rest", free_text())});
    grammar_matcher m(g, trie());
    for (const token_id token : ids{'a', 260, 'b', 'c'}) EXPECT_FALSE(m.accept(token).refused);
    EXPECT_EQ(shown(m.captures()), "said=ab@0 rest=c@9 ");
}

TEST(Captures, GoBackWithTheText) {
    const grammar g = repeat(captured("x", *parse_gbnf("root ::= [a-z]+ \";\"")), 0);
    grammar_matcher m(g, trie());
    m.accept_bytes("ab;");
    const std::uint64_t one = m.mark();
    m.accept_bytes("cd");
    const std::uint64_t two = m.mark();
    grammar_matcher copy = m;
    copy.accept(';');
    m.accept('e');
    m.accept(';');
    EXPECT_EQ(shown(m.captures()), "x=ab;@0 x=cde;@3 ");
    EXPECT_EQ(shown(copy.captures()), "x=ab;@0 x=cd;@3 ");
    ASSERT_TRUE(m.rollback(two).ok());
    EXPECT_EQ(shown(m.captures()), "x=ab;@0 x=cd@3... ");
    ASSERT_TRUE(m.rollback(one).ok());
    EXPECT_EQ(shown(m.captures()), "x=ab;@0 ");
    EXPECT_EQ(shown(copy.captures()), "x=ab;@0 x=cd;@3 ");
    m.accept('z');
    EXPECT_EQ(shown(m.captures()), "x=ab;@0 x=z@3... ");
    ASSERT_TRUE(m.rollback(one).ok());
    EXPECT_TRUE(m.restart().ok());  // another text
    EXPECT_EQ(shown(m.captures()), "");
    m.accept_bytes("q;");
    EXPECT_EQ(shown(m.captures()), "x=q;@0 ");
    ASSERT_TRUE(m.rollback(one).ok());
    EXPECT_EQ(shown(m.captures()), "x=ab;@0 ");
    m.accept_bytes("");
    ASSERT_TRUE(m.rollback(one).ok());
    EXPECT_EQ(shown(m.captures()), "x=ab;@0 ");
    m.reset();
    EXPECT_EQ(shown(m.captures()), "");
}

TEST(Captures, AreFoundInLongAndAmbiguousTexts) {
    const grammar words = repeat(any_of({captured("w", *parse_gbnf("root ::= [a-z]+ \" \"")), literal("x ")}), 0);
    std::string text;
    for (int i = 0; i < 2000; ++i) text += i % 3 ? "word " : "x ";
    grammar_matcher m(words, trie());
    ASSERT_TRUE(m.accept_bytes(text).ok());
    std::string all;
    for (const capture& c : m.captures()) all += c.bytes;
    EXPECT_GE(all.size(), 1333u * 5);
    const parsed<grammar> two_ways = parse_gbnf(R"(root ::= "a" root "b" | "a" root "c" | "x")");
    const grammar deep = captured("deep", *two_ways);
    EXPECT_EQ(captures_of(deep, std::string(500, 'a') + "x" + std::string(500, 'c')).size(), 1001u + 8);
}

// ---- beside all ways to read a text

using found = std::vector<std::tuple<std::string, std::size_t, std::size_t>>;
/// A part with its meaning: all ways to read a text of it from a place, as where it ends and what was captured.
struct known_part {
    grammar made;
    std::function<std::set<std::pair<std::size_t, found>>(const std::string&, std::size_t)> ways;
};
known_part random_part(std::mt19937& random, int depth) {
    switch (depth == 0 ? 0 : random() % 5) {
    case 0: {
        std::string w;
        for (std::size_t i = random() % 3; i-- > 0;) w += char('a' + random() % 2);
        return {literal(w), [w](const std::string& t, std::size_t at) {
                    std::set<std::pair<std::size_t, found>> ways;
                    if (t.compare(at, w.size(), w) == 0) ways.insert({at + w.size(), {}});
                    return ways;
                }};
    }
    case 1: {
        const known_part inner = random_part(random, depth - 1);
        const std::string name(1, char('p' + random() % 4));
        return {captured(name, inner.made), [inner, name](const std::string& t, std::size_t at) {
                    std::set<std::pair<std::size_t, found>> ways;
                    for (const auto& [end, within] : inner.ways(t, at)) {
                        found all{{name, at, end}};
                        all.insert(all.end(), within.begin(), within.end());
                        ways.insert({end, all});
                    }
                    return ways;
                }};
    }
    case 2: {
        const known_part a = random_part(random, depth - 1), b = random_part(random, depth - 1);
        return {any_of({a.made, b.made}), [a, b](const std::string& t, std::size_t at) {
                    auto ways = a.ways(t, at);
                    ways.merge(b.ways(t, at));
                    return ways;
                }};
    }
    case 3: {
        const known_part a = random_part(random, depth - 1), b = random_part(random, depth - 1);
        return {sequence({a.made, b.made}), [a, b](const std::string& t, std::size_t at) {
                    std::set<std::pair<std::size_t, found>> ways;
                    for (const auto& [middle, ahead] : a.ways(t, at))
                        for (const auto& [end, behind] : b.ways(t, middle)) {
                            found all = ahead;
                            all.insert(all.end(), behind.begin(), behind.end());
                            ways.insert({end, all});
                        }
                    return ways;
                }};
    }
    default: {
        const known_part a = random_part(random, depth - 1);
        return {repeat(a.made, 0, 3), [a](const std::string& t, std::size_t at) {
                    std::set<std::pair<std::size_t, found>> ways{{at, {}}}, last = ways;
                    for (int i = 0; i < 3; ++i) {
                        std::set<std::pair<std::size_t, found>> next;
                        for (const auto& [middle, ahead] : last)
                            for (const auto& [end, behind] : a.ways(t, middle)) {
                                found all = ahead;
                                all.insert(all.end(), behind.begin(), behind.end());
                                next.insert({end, all});
                            }
                        ways.insert(next.begin(), next.end());
                        last = next;
                    }
                    return ways;
                }};
    }
    }
}

TEST(Captures, AreThoseOfOneWayToReadTheText) {
    std::mt19937 random(21);
    std::vector<std::string> texts{""};
    for (std::size_t i = 0; texts.size() < 127; ++i) {
        texts.push_back(texts[i] + 'a');
        texts.push_back(texts[i] + 'b');
    }
    int compared = 0;
    for (int round = 0; round < 600; ++round) {
        const known_part part = random_part(random, 4);
        for (const std::string& t : texts) {
            std::set<found> possible;
            for (const auto& [end, all] : part.ways(t, 0))
                if (end == t.size()) possible.insert(all);
            if (possible.empty()) continue;
            grammar_matcher m(part.made, trie());
            ASSERT_TRUE(m.accept_bytes(t).ok());
            found ours;
            for (const capture& c : m.captures()) {
                EXPECT_TRUE(c.is_whole);
                EXPECT_EQ(c.bytes, t.substr(c.begin, c.bytes.size()));
                ours.push_back({c.name, c.begin, c.begin + c.bytes.size()});
            }
            ASSERT_EQ(possible.count(ours), 1u) << t << '\n' << to_gbnf(part.made) << shown(m.captures());
            compared += !ours.empty();
        }
    }
    EXPECT_GT(compared, 500);
}

}  // namespace
}  // namespace riffle_tests::constraint_captures
