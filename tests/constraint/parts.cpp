// Grammars put together from parts: literals, choices, sequences, alternatives, repetitions and free text, beside slow
// readers of the same.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/constraint.hpp>

namespace riffle_tests::constraint_parts {
namespace {

using namespace riffle;

vocabulary bytes_and_end() {
    vocabulary words;
    for (int i = 0; i < 256; ++i) {
        const char byte = char(i);
        words.add(text(&byte, 1));
    }
    words.add("</s>", token_role::end_of_generation | token_role::control);
    return words;
}
bool takes(const grammar& language, const std::string& whole) {
    static const vocabulary_trie bytes(bytes_and_end());
    grammar_matcher m(language, bytes);
    EXPECT_TRUE((m.check)().ok() || whole.empty()) << (m.check)().message().c_str();
    return m.accept_bytes(whole).ok() && m.is_complete();
}

TEST(GrammarParts, AreTexts) {
    const grammar hello = literal("hello");
    EXPECT_TRUE(takes(hello, "hello"));
    EXPECT_FALSE(takes(hello, "hell"));
    EXPECT_FALSE(takes(hello, "hello "));
    EXPECT_TRUE(takes(literal(""), ""));
    EXPECT_TRUE(takes(literal("日本 \"\\\n"), "日本 \"\\\n"));
    const grammar action = choice({"REPLY", "REPLY_THREAD", "STOP"});
    for (const char* one : {"REPLY", "REPLY_THREAD", "STOP"}) EXPECT_TRUE(takes(action, one));
    for (const char* none : {"REPL", "REPLY_", "STOPS", "", "reply"}) EXPECT_FALSE(takes(action, none));
    EXPECT_TRUE(takes(choice({"", "a"}), ""));
    EXPECT_TRUE(takes(choice({"a", "a"}), "a"));
    EXPECT_TRUE(takes(choice(std::vector<std::string>{"x", "yé"}), "yé"));
}

TEST(GrammarParts, AreJoined) {
    const grammar whole = sequence({literal("{\"action\": \""), choice({"REPLY", "STOP"}), literal("\"}")});
    EXPECT_TRUE(takes(whole, "{\"action\": \"STOP\"}"));
    EXPECT_FALSE(takes(whole, "{\"action\": \"STOP\""));
    EXPECT_TRUE(takes(sequence(std::vector<grammar>{}), ""));
    const grammar either = any_of({literal("a"), whole, literal("b")});
    EXPECT_TRUE(takes(either, "b"));
    EXPECT_TRUE(takes(either, "{\"action\": \"REPLY\"}"));
    EXPECT_TRUE(takes(any_of(std::vector<grammar>{literal("z")}), "z"));
    const grammar again = repeat(either, 2, 3);
    EXPECT_TRUE(takes(again, "ab"));
    EXPECT_TRUE(takes(again, "bb{\"action\": \"REPLY\"}"));
    EXPECT_FALSE(takes(again, "a"));
    EXPECT_FALSE(takes(again, "abab"));
    EXPECT_TRUE(takes(repeat(literal("ab"), 0), ""));
    EXPECT_TRUE(takes(repeat(literal("ab"), 0), "abababab"));
    EXPECT_TRUE(takes(repeat(literal(""), 5), ""));
    EXPECT_TRUE(takes(repeat(literal("a"), 10'000, 10'000), std::string(10'000, 'a')));
    EXPECT_FALSE(takes(repeat(literal("a"), 10'000, 10'000), std::string(9'999, 'a')));
}

TEST(GrammarParts, AreOfAnyOrigin) {
    const parsed<grammar> number = parse_gbnf("root ::= digit+\ndigit ::= [0-9]");
    const parsed<grammar> list = parse_gbnf("root ::= \"[\" (root | digit)* \"]\"\ndigit ::= [a-c]");
    const parsed<grammar> word = parse_regex("[x-z]{2}");
    ASSERT_TRUE(number && list && word);
    const grammar all = sequence({*number, literal(" "), *list, literal(" "), *word, *number});
    EXPECT_TRUE(takes(all, "12 [a[b]c] xy3"));  // two rules called digit
    EXPECT_FALSE(takes(all, "12 [a[b]1] xy3"));
    EXPECT_FALSE(takes(all, "a [] xy3"));
    const parsed<grammar> back = parse_gbnf(to_gbnf(all));
    ASSERT_TRUE(back) << back.problem().message();
    EXPECT_TRUE(takes(*back, "12 [a[b]c] xy3"));
    EXPECT_FALSE(takes(*back, "12 [a[b]1] xy3"));
}

TEST(GrammarParts, MayNameTokens) {
    vocabulary words = bytes_and_end();
    words.add("<call>", token_role::control);
    const grammar call = sequence({*parse_gbnf("root ::= <call>"), literal("x"), *parse_gbnf("root ::= <[257]>")});
    grammar_matcher m(call, vocabulary_trie(words));
    ASSERT_TRUE((m.check)().ok());
    EXPECT_FALSE(m.allows('<'));
    EXPECT_FALSE(m.accept(257).refused);
    EXPECT_FALSE(m.accept('x').refused);
    EXPECT_TRUE(m.accept(257).finished);
}

TEST(GrammarParts, AreFreeTexts) {
    EXPECT_TRUE(takes(free_text(), ""));
    EXPECT_TRUE(takes(free_text(), "anything\n日本"));
    EXPECT_FALSE(takes(free_text(), "\xff"));
    EXPECT_FALSE(takes(free_text(), "\xe6\x97"));
    const grammar quoted = sequence({literal("\""), free_text_until("\"")});
    EXPECT_TRUE(takes(quoted, "\"a b\""));
    EXPECT_FALSE(takes(quoted, "\"a b"));
    EXPECT_FALSE(takes(quoted, "\"a \" b\""));
    const grammar aab = free_text_until("aab");
    EXPECT_TRUE(takes(aab, "aaaaab"));
    EXPECT_FALSE(takes(aab, "aabaab"));
    const grammar ends = free_text_until({"</a>", "</", "日本", "a>x"});
    EXPECT_TRUE(takes(ends, "..</"));
    EXPECT_FALSE(takes(ends, "..</a>"));
    EXPECT_TRUE(takes(ends, "日日本"));
    EXPECT_TRUE(takes(ends, "<a>x"));
}

TEST(GrammarParts, WithoutALanguageSayWhy) {
    const grammar not_utf8 = literal("ab\xff");
    EXPECT_FALSE(not_utf8);
    EXPECT_EQ(not_utf8.problem().message(), "this text is not UTF-8");
    EXPECT_EQ(not_utf8.problem().offset, 2u);
    EXPECT_EQ(choice(std::vector<std::string>{}).problem().message(), "a choice has nothing to choose from");
    EXPECT_EQ(any_of(std::vector<grammar>{}).problem().message(), "there are no alternatives");
    EXPECT_EQ(repeat(literal("a"), 3, 2).problem().message(), "a repetition has a maximum below its minimum");
    EXPECT_EQ(repeat(literal("a"), 3'000'000).problem().message(),
              "a repetition has a number that is larger than the limit allows");
    EXPECT_EQ(free_text_until("").problem().message(), "free text ends with an empty text, which is everywhere");
    EXPECT_EQ(free_text_until(std::initializer_list<text>{}).problem().message(), "free text has no end");
    EXPECT_EQ(free_text_until("\xc3").problem().message(), "this text is not UTF-8");
    EXPECT_EQ(literal(std::string(1000, 'a'), {.nodes = 100}).problem().message(),
              "the grammar is larger than the limit allows");
    // The part's problem is the whole's.
    for (const grammar& whole : {sequence({literal("a"), not_utf8}), any_of({not_utf8, literal("a")}),
                                 repeat(not_utf8, 1), sequence({any_of({repeat(not_utf8, 0)})})}) {
        EXPECT_FALSE(whole);
        EXPECT_EQ(whole.problem().message(), "this text is not UTF-8");
        grammar_matcher m(whole, vocabulary_trie(bytes_and_end()));
        EXPECT_STREQ((m.check)().message().c_str(), "constrain: grammar = 0 has a problem: see problem()");
        EXPECT_TRUE(m.accept('a').refused);
        EXPECT_EQ(to_gbnf(whole), "");
    }
    EXPECT_EQ(sequence({literal("a"), grammar()}).problem().message(), "this grammar is not set");
    EXPECT_EQ(literal("a").problem().message(), "");
}

TEST(GrammarParts, MayBeNestedAndManyDeep) {
    grammar deep = literal("x");
    for (int i = 0; i < 300; ++i) deep = i % 3 == 0 ? any_of({deep, literal("y")}) : sequence({literal("("), deep});
    EXPECT_TRUE(deep) << deep.problem().message();
    EXPECT_TRUE(takes(deep, "((y"));
    EXPECT_TRUE(takes(deep, std::string(200, '(') + "x"));
    EXPECT_FALSE(takes(deep, std::string(201, '(') + "x"));
    std::vector<grammar> many;
    for (int i = 0; i < 500; ++i) many.push_back(sequence({literal("<f=n" + std::to_string(i) + ">"), free_text_until("</f>")}));
    const grammar any = any_of(many);
    EXPECT_TRUE(takes(any, "<f=n77>..</f>"));
    EXPECT_FALSE(takes(any, "<f=n500>..</f>"));
}

// ---- every tokenisation

TEST(GrammarParts, AreReadInEveryTokenisation) {
    vocabulary words = bytes_and_end();
    const token_id first = token_id(words.size());
    for (const char* piece : {"RE", "PLY", "REPLY", "Y\"", "Y\"}", "LY_", "\"}", "{\"a\": \"R"}) words.add(piece);
    const vocabulary_trie trie(words);
    const grammar whole = sequence({literal("{\"a\": \""), choice({"REPLY", "REPLY_A"}), literal("\"}")});
    std::mt19937 random(7);
    std::set<token_id> used;
    for (int round = 0; round < 500; ++round) {
        grammar_matcher m(whole, trie);
        std::string said;
        while (!m.is_complete()) {
            std::vector<token_id> legal;
            for (token_id id = 0; std::size_t(id) < words.size(); ++id)
                if (m.allows(id)) legal.push_back(id);
            ASSERT_FALSE(legal.empty());
            const token_id token = legal[random() % legal.size()];
            m.accept(token);
            used.insert(token);
            said.append(words.piece(token).data(), words.piece(token).size());
        }
        EXPECT_TRUE(said == "{\"a\": \"REPLY\"}" || said == "{\"a\": \"REPLY_A\"}") << said;
    }
    for (token_id id = first; std::size_t(id) < words.size(); ++id) EXPECT_TRUE(used.count(id)) << id;  // also beyond an end
}

// ---- at random

/// A part with its meaning: at which places a text of it may end that begins at a place.
struct known_part {
    grammar made;
    std::function<std::set<std::size_t>(const std::string&, std::size_t)> ends;
};
known_part random_part(std::mt19937& random, int depth) {
    const auto word = [&] {
        std::string w;
        for (std::size_t i = random() % 3; i-- > 0;) w += char('a' + random() % 2);
        return w;
    };
    switch (depth == 0 ? random() % 3 : random() % 6) {
    case 0: {
        const std::string w = word();
        return {literal(w), [w](const std::string& t, std::size_t at) {
                    return t.compare(at, w.size(), w) == 0 ? std::set<std::size_t>{at + w.size()}
                                                           : std::set<std::size_t>{};
                }};
    }
    case 1: {
        std::vector<std::string> all(1 + random() % 4);
        for (std::string& w : all) w = word();
        return {choice(all), [all](const std::string& t, std::size_t at) {
                    std::set<std::size_t> ends;
                    for (const std::string& w : all)
                        if (t.compare(at, w.size(), w) == 0) ends.insert(at + w.size());
                    return ends;
                }};
    }
    case 2: {
        const std::vector<std::string> all{word() + 'a', word() + 'b'};
        return {free_text_until({text(all[0]), text(all[1])}), [all](const std::string& t, std::size_t at) {
                    for (std::size_t end = at; end <= t.size(); ++end)
                        for (const std::string& w : all)
                            if (end - at >= w.size() && t.compare(end - w.size(), w.size(), w) == 0)
                                return std::set<std::size_t>{end};
                    return std::set<std::size_t>{};
                }};
    }
    case 3: {
        std::vector<known_part> parts;
        std::vector<grammar> made;
        for (std::size_t i = random() % 4; i-- > 0;) {
            parts.push_back(random_part(random, depth - 1));
            made.push_back(parts.back().made);
        }
        return {sequence(made), [parts](const std::string& t, std::size_t at) {
                    std::set<std::size_t> places{at};
                    for (const known_part& part : parts) {
                        std::set<std::size_t> next;
                        for (const std::size_t place : places) next.merge(part.ends(t, place));
                        places = next;
                    }
                    return places;
                }};
    }
    case 4: {
        std::vector<known_part> parts;
        std::vector<grammar> made;
        for (std::size_t i = 1 + random() % 3; i-- > 0;) {
            parts.push_back(random_part(random, depth - 1));
            made.push_back(parts.back().made);
        }
        return {any_of(made), [parts](const std::string& t, std::size_t at) {
                    std::set<std::size_t> ends;
                    for (const known_part& part : parts) ends.merge(part.ends(t, at));
                    return ends;
                }};
    }
    default: {
        const known_part part = random_part(random, depth - 1);
        const std::uint32_t least = std::uint32_t(random() % 3);
        const std::uint32_t most = random() % 2 ? unlimited : least + std::uint32_t(random() % 3);
        return {repeat(part.made, least, most), [part, least, most](const std::string& t, std::size_t at) {
                    std::set<std::size_t> places{at}, ends;
                    for (std::uint32_t i = 0; i <= t.size() + least && i <= most && !places.empty(); ++i) {
                        if (i >= least) ends.insert(places.begin(), places.end());
                        std::set<std::size_t> next;
                        for (const std::size_t place : places) next.merge(part.ends(t, place));
                        places = next;
                    }
                    return ends;
                }};
    }
    }
}

TEST(GrammarParts, MeanWhatSlowReadersSay) {
    std::mt19937 random(36);
    std::vector<std::string> texts{""};
    for (std::size_t i = 0; texts.size() < 1 + 2 + 4 + 8 + 16 + 32 + 64 + 128; ++i) {
        texts.push_back(texts[i] + 'a');
        texts.push_back(texts[i] + 'b');
    }
    for (int round = 0; round < 400; ++round) {
        const known_part part = random_part(random, 3);
        ASSERT_TRUE(part.made) << part.made.problem().message();
        for (const std::string& t : texts) {
            const bool expected = part.ends(t, 0).count(t.size()) != 0;
            ASSERT_EQ(takes(part.made, t), expected) << t << '\n' << to_gbnf(part.made);
        }
    }
}

}  // namespace
}  // namespace riffle_tests::constraint_parts
