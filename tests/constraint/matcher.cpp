// Matchers: going back and forth, copies, what is refused, what is certain, dead ends. Beside replays with the slow
// reference, which begins anew each time.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "constraint/walks.hpp"

namespace riffle_tests::constraint_matcher {
namespace {

using namespace riffle;
using namespace constraint_walks;

riffle::grammar grammar_of(const char* source, const grammar_limits& limits = {}) {
    const parsed<riffle::grammar> g = parse_gbnf(source, "root", limits);
    EXPECT_TRUE(g.ok()) << g.problem().message();
    return *g;
}
grammar_limits tiny_limits() {
    grammar_limits tiny;
    tiny.states = 4;
    tiny.automaton_bytes = 1000;
    tiny.mask_bytes = 1;
    return tiny;
}

// ---- going back and forth

/// What has come to a matcher: tokens, and bytes that were given as such.
struct happening {
    std::int32_t token = -1;
    std::string bytes{};
};
using history = std::vector<happening>;

slow::text replayed(const slow::productions& g, const slow::words& words, const history& all) {
    slow::text text(g, words);
    for (const happening& h : all) EXPECT_TRUE(h.token >= 0 ? text.take(h.token) : text.take_bytes(h.bytes));
    return text;
}

/// A matcher, what should have come to it, and how far it can go back.
struct pupil {
    grammar_matcher matcher;
    history come{};
    std::size_t oldest = 0;

    void note(happening h) {
        come.push_back(std::move(h));
        if (come.size() > oldest + grammar_matcher::rollback_depth)
            oldest = come.size() - grammar_matcher::rollback_depth;
    }
};

void expect_replays(const pupil& p, const slow::productions& g, const slow::words& words) {
    slow::text text = replayed(g, words, p.come);
    const tokens legal = text.legal();
    if (text.has_given_up()) return;
    expect_agrees(p.matcher, text, words, legal);
    EXPECT_EQ(p.matcher.mark(), p.come.size());
}

/// Something at random is asked of a matcher.
void act(pupil& p, integers& random, const slow::productions& g, const slow::words& words) {
    const std::uint32_t what = random.below(10);
    if (what < 5) {
        const tokens legal = ids_of(p.matcher.legal_words());
        if (legal.empty()) return;
        const std::int32_t id = legal[random.below(std::uint32_t(legal.size()))];
        const slow::word& w = words[std::size_t(id)];
        if (w.bytes.size() > 100 || (w.is_end && random.below(3) != 0)) return;
        EXPECT_FALSE(p.matcher.accept(id).refused);
        p.note({id});
    } else if (what == 5) {
        const auto id = std::int32_t(random.below(std::uint32_t(words.size() + 2))) - 1;
        if (p.matcher.allows(id)) return;
        const riffle::step s = p.matcher.accept(id);
        EXPECT_TRUE(s.refused);
        EXPECT_EQ(s.state.code(), status_code::stage_failed);
        EXPECT_FALSE(s.finished);
    } else if (what == 6) {
        slow::text text = replayed(g, words, p.come);
        std::string bytes;
        for (std::uint32_t i = random.below(4); i > 0; --i) bytes += slow::utf8(slow::random_character(random));
        if (random.below(3) == 0 && !bytes.empty()) bytes.pop_back();
        const bool is_taken = text.take_bytes(bytes);
        EXPECT_EQ(p.matcher.accept_bytes(bytes).code(), is_taken ? status_code::ok : status_code::stage_failed);
        if (is_taken) p.note({-1, bytes});
    } else if (what < 9) {
        const std::uint64_t mark = random.below(std::uint32_t(p.come.size() + 3));
        const status s = p.matcher.rollback(mark);
        if (mark > p.come.size()) {
            EXPECT_EQ(s.code(), status_code::mark_unknown);
        } else if (mark < p.oldest) {
            EXPECT_EQ(s.code(), status_code::rewind_too_far);
        } else {
            EXPECT_TRUE(s.ok());
            p.come.resize(std::size_t(mark));
        }
    } else if (random.below(4) == 0) {
        p.matcher.reset();
        p.come.clear();
        p.oldest = 0;
    }
}

TEST(GrammarMatcher, EqualsAReplayWhateverWasDone) {
    for (std::uint64_t seed = 20000; seed < 20040 && !HasFailure(); ++seed) {
        integers random(seed);
        const slow::words words = slow::random_words(seed, 90);
        const slow::grammar g = slow::random_grammar(seed, words).make();
        const slow::productions productions(g);
        const std::string source = slow::gbnf_of(g);
        SCOPED_TRACE(source);
        const vocabulary_trie trie = trie_of(words);
        const riffle::grammar of = grammar_of(source.c_str(), seed % 2 == 0 ? grammar_limits{} : tiny_limits());
        std::vector<pupil> all(3, pupil{grammar_matcher(of, trie)});
        for (int i = 0; i < 60 && !HasFailure(); ++i) {
            pupil& one = all[random.below(3)];
            if (random.below(6) == 0) one = all[random.below(3)];
            act(one, random, productions, words);
            expect_replays(one, productions, words);
        }
    }
}

TEST(GrammarMatcher, GoesBackBy128Tokens) {
    for (const grammar_limits& limits : {grammar_limits{}, tiny_limits()}) {
        const slow::words words = words_of({"a", "b", "ab"});
        grammar_matcher m(grammar_of(R"(root ::= "a"{200} "b"{200})", limits), trie_of(words));
        for (int i = 0; i < 300; ++i) ASSERT_FALSE(m.accept(i < 200 ? 0 : 1).refused) << i;
        EXPECT_EQ(m.mark(), 300u);
        EXPECT_EQ(m.rollback(301).code(), status_code::mark_unknown);
        EXPECT_EQ(m.rollback(171).code(), status_code::rewind_too_far);
        EXPECT_EQ(m.rollback(0).code(), status_code::rewind_too_far);
        EXPECT_EQ(m.mark(), 300u) << "nothing has changed";
        EXPECT_EQ(ids_of(m.legal_words()), tokens{1});
        EXPECT_TRUE(m.rollback(300).ok());
        EXPECT_TRUE(m.rollback(172).ok());
        EXPECT_EQ(m.mark(), 172u);
        EXPECT_EQ(ids_of(m.legal_words()), tokens{0});
        EXPECT_EQ(m.rollback(173).code(), status_code::mark_unknown);
        for (int i = 172; i < 199; ++i) ASSERT_FALSE(m.accept(0).refused) << i;
        EXPECT_EQ(ids_of(m.legal_words()), (tokens{0, 2}));
    }
}
/// What is more than 128 tokens behind the farthest place is not kept, so no way leads there.
TEST(GrammarMatcher, GoesBackByNoMoreIn2Steps) {
    const slow::words words = words_of({"a", "b", "c"});
    grammar_matcher m(grammar_of(R"(root ::= "a"{100} "b"{200} "c"*)"), trie_of(words));
    for (int i = 0; i < 200; ++i) ASSERT_FALSE(m.accept(i < 100 ? 0 : 1).refused) << i;
    ASSERT_TRUE(m.rollback(100).ok());
    EXPECT_EQ(ids_of(m.legal_words()), tokens{1});
    const status s = m.rollback(50);
    EXPECT_EQ(s.code(), status_code::rewind_too_far) << "the state after 50 tokens is that of 179 by now";
    EXPECT_EQ(m.mark(), s.ok() ? 50u : 100u);
    EXPECT_EQ(ids_of(m.legal_words()), s.ok() ? tokens{0} : tokens{1});
}
TEST(GrammarMatcher, GoesBackFromAnEnd) {
    for (const grammar_limits& limits : {grammar_limits{}, tiny_limits()}) {
        const slow::words words = words_of({"a"});
        grammar_matcher m(grammar_of(R"(root ::= "a"*)", limits), trie_of(words));
        m.accept(0);
        EXPECT_TRUE(m.accept(1).finished);
        EXPECT_TRUE(m.is_complete());
        EXPECT_TRUE(m.is_finished());
        EXPECT_EQ(m.check().code(), status_code::no_legal_token);
        EXPECT_EQ(m.mark(), 2u);
        for (const token_id id : {0, 1, 2, -1}) {
            const riffle::step s = m.accept(id);
            EXPECT_TRUE(s.refused) << id;
            EXPECT_EQ(s.state.code(), status_code::stage_failed);
        }
        EXPECT_EQ(m.accept_bytes("a").code(), status_code::stage_failed);
        EXPECT_EQ(m.mark(), 2u);
        const grammar_matcher copy = m;
        EXPECT_TRUE(copy.is_finished());
        EXPECT_TRUE(m.rollback(1).ok());
        EXPECT_FALSE(m.is_finished());
        EXPECT_EQ(ids_of(m.legal_words()), (tokens{0, 1}));
        EXPECT_TRUE(copy.is_finished());
        m.accept(1);
        m.reset();
        EXPECT_EQ(m.mark(), 0u);
        EXPECT_EQ(ids_of(m.legal_words()), (tokens{0, 1}));
    }
}
/// Words are as many as the vocabulary needs where nothing is wrong with the matcher. Nothing is: its text has ended.
TEST(GrammarMatcher, HasAsManyWordsAlsoBehindTheEnd) {
    const slow::words words = words_of(std::vector<std::string>(100, "a"));
    grammar_matcher m(grammar_of(R"(root ::= "a")"), trie_of(words));
    m.accept(0);
    EXPECT_EQ(m.legal_words().size(), 4u);
    m.accept(100);
    EXPECT_EQ(m.legal_words().size(), 4u);
    EXPECT_EQ(m.legal_count(), 0u);
}

// ---- copies

TEST(GrammarMatcher, CopiesGoOnByThemselves) {
    const slow::words words = words_of({"a", "b"});
    grammar_matcher one(grammar_of(R"(root ::= "a" "b" | "b" "a"+)"), trie_of(words));
    grammar_matcher other = one;
    one.accept(0);
    other.accept(1);
    EXPECT_EQ(ids_of(one.legal_words()), tokens{1});
    EXPECT_EQ(ids_of(other.legal_words()), tokens{0});
    other = one;
    EXPECT_EQ(ids_of(other.legal_words()), tokens{1});
    one.reset();
    EXPECT_EQ(ids_of(other.legal_words()), tokens{1});
    EXPECT_EQ(ids_of(one.legal_words()), (tokens{0, 1}));
}
/// The words that a matcher shows lie in memory of its own: a matcher of a larger vocabulary needs more of it.
TEST(GrammarMatcher, TakesTheCopyOfOneWithALargerVocabulary) {
    std::vector<std::string> many(5000, "b");
    many[4999] = "a";
    const slow::words few = words_of({"a"}), larger = words_of(many);
    grammar_matcher m(grammar_of(R"(root ::= "a")"), trie_of(few));
    EXPECT_EQ(ids_of(m.legal_words()), tokens{0});
    const grammar_matcher of_many(grammar_of(R"(root ::= "a")"), trie_of(larger));
    m = of_many;
    EXPECT_EQ(ids_of(m.legal_words()), tokens{4999});
    EXPECT_EQ(m.legal_words().size(), 157u);
    m = grammar_matcher(grammar_of(R"(root ::= "a")"), trie_of(few));
    EXPECT_EQ(ids_of(m.legal_words()), tokens{0});
}
TEST(GrammarMatcher, OutlivesItsGrammarAndVocabulary) {
    const slow::words words = words_of({"a", "b"});
    grammar_matcher m;
    {
        const vocabulary_trie trie = trie_of(words);
        const riffle::grammar g = grammar_of(R"(root ::= "a" [ab]*)");
        m = grammar_matcher(g, trie);
    }
    EXPECT_FALSE(m.accept(0).refused);
    EXPECT_EQ(ids_of(m.legal_words()), (tokens{0, 1, 2}));
    EXPECT_EQ(m.trie().size(), 3u);
}

// ---- what is refused

TEST(GrammarMatcher, RefusesWhatIsNotLegalAndDoesNotChange) {
    const slow::words words = words_of({"a", "b", "", "ab", "abc"});  // and 5 is the end
    grammar_matcher m(grammar_of(R"(root ::= "ab")"), trie_of(words));
    for (const token_id id : {1, 2, 4, 5, 6, 1000000, -1, -100, 0x7FFFFFFF}) {
        const riffle::step s = m.accept(id);
        EXPECT_TRUE(s.refused) << id;
        EXPECT_FALSE(s.finished) << id;
        EXPECT_EQ(s.state.code(), status_code::stage_failed) << id;
        EXPECT_EQ(m.can_accept(id).code(), status_code::stage_failed) << id;
        EXPECT_FALSE(m.allows(id)) << id;
    }
    EXPECT_EQ(m.mark(), 0u);
    EXPECT_EQ(ids_of(m.legal_words()), (tokens{0, 3}));
    EXPECT_EQ(m.refused_at(4), 2u);
    EXPECT_EQ(m.refused_at(3), 2u) << "as many as it has bytes: it does not fail";
    EXPECT_EQ(m.refused_at(1), 0u);
    EXPECT_EQ(m.refused_at(5), 0u);
    EXPECT_EQ(m.refused_at(-1), 0u);
}
TEST(GrammarMatcher, TakesAllBytesOrNone) {
    const slow::words words = words_of({"a", "b"});
    grammar_matcher m(grammar_of(R"(root ::= "aé" "b")"), trie_of(words));
    EXPECT_EQ(m.accept_bytes("ab").code(), status_code::stage_failed);
    EXPECT_EQ(m.accept_bytes("a\xC3\xA9"
                             "bb")
                  .code(),
              status_code::stage_failed);
    EXPECT_EQ(m.mark(), 0u);
    EXPECT_EQ(ids_of(m.legal_words()), tokens{0});
    EXPECT_TRUE(m.accept_bytes("a\xC3").ok());
    EXPECT_EQ(m.mark(), 1u) << "some bytes count as one token";
    EXPECT_EQ(m.expected_bytes().size(), 1u);
    EXPECT_TRUE(m.accept_bytes("\xA9").ok());
    EXPECT_TRUE(m.accept_bytes("").ok());
    EXPECT_EQ(m.mark(), 3u);
    EXPECT_TRUE(m.accept_bytes("b").ok());
    EXPECT_TRUE(m.is_finished());
    EXPECT_EQ(m.accept_bytes("b").code(), status_code::stage_failed);
    EXPECT_TRUE(m.rollback(1).ok());
    EXPECT_EQ(m.expected_bytes().first(), 0xA9);
}

TEST(GrammarMatcher, OfNoGrammarHasNoLegalToken) {
    const slow::words words = words_of({"a"});
    for (grammar_matcher m : {grammar_matcher(), grammar_matcher(riffle::grammar(), trie_of(words))}) {
        EXPECT_EQ(m.check().code(), status_code::invalid_parameter);
        EXPECT_STREQ(m.check().message().c_str(), "constrain: grammar = 0 is not set");
        EXPECT_TRUE(m.legal_words().empty());
        EXPECT_TRUE(m.legal_ids().empty());
        EXPECT_EQ(m.legal_count(), 0u);
        EXPECT_EQ(m.legal().count, 0u);
        EXPECT_FALSE(m.legal().contains(0));
        EXPECT_FALSE(m.allows(0));
        EXPECT_TRUE(m.accept(0).refused);
        EXPECT_FALSE(m.accept_bytes("a").ok());
        EXPECT_EQ(m.refused_at(0), 0u);
        EXPECT_TRUE(m.expected_bytes().empty());
        EXPECT_FALSE(m.is_complete());
        EXPECT_FALSE(m.is_finished());
        EXPECT_TRUE(m.forced_run().empty());
        EXPECT_TRUE(m.rollback(0).ok());
        EXPECT_EQ(m.rollback(1).code(), status_code::mark_unknown);
        m.reset();
        EXPECT_EQ(m.mark(), 0u);
        EXPECT_FALSE(m.allows(0));
    }
}

TEST(GrammarMatcher, OfNoGrammarHasNoForcedBytes) {
    EXPECT_TRUE(grammar_matcher().forced_bytes().empty());
    const slow::words words = words_of({"a"});
    EXPECT_TRUE(grammar_matcher(grammar_of("root ::= <[7]>"), trie_of(words)).forced_bytes().empty());
}

// ---- tokens that a grammar names

TEST(GrammarMatcher, SaysWhichTokenTheVocabularyLacks) {
    slow::words words = words_of({"a", "", "<s>"});  // and 3 is the end
    words.push_back({"<|x|>", true});
    const vocabulary_trie trie = trie_of(words);
    const auto check = [&](const char* source) {
        const grammar_matcher m(grammar_of(source), trie);
        EXPECT_EQ(m.legal_count() > 0, m.check().ok());
        return std::string(m.check().message().c_str());
    };
    EXPECT_EQ(check("root ::= <[4]>"), "ok");
    EXPECT_EQ(check("root ::= <|x|>"), "ok");
    EXPECT_EQ(check("root ::= <s>"), "ok");
    EXPECT_EQ(check("root ::= \"a\" | <[5]>"), "grammar: the token at byte = 15 is not in the vocabulary");
    EXPECT_EQ(check("root ::= !<[5]>"), "grammar: the token at byte = 9 is not in the vocabulary");
    EXPECT_EQ(check("root ::= \"a\" <|y|>"), "grammar: the token at byte = 13 is not in the vocabulary");
    EXPECT_EQ(check("root ::= <[1]>"), "grammar: the token at byte = 9 is never legal, since it has no text");
}
TEST(GrammarMatcher, ReadsAControlTokenByReferenceOnly) {
    slow::words words = words_of({"<", "|x|>", "a"});
    words.push_back({"<|x|>", true});  // 4
    words.push_back({"<|x|>"});        // 5, the same as text
    grammar_matcher by_bytes(grammar_of(R"(root ::= "<|x|>" "a")"), trie_of(words));
    EXPECT_EQ(ids_of(by_bytes.legal_words()), (tokens{0, 5}));
    grammar_matcher by_reference(grammar_of(R"(root ::= <|x|> "a")"), trie_of(words));
    EXPECT_EQ(ids_of(by_reference.legal_words()), tokens{4});
    EXPECT_EQ(by_reference.expected_bytes().size(), 0u);
    EXPECT_FALSE(by_reference.accept_bytes("<").ok());
    EXPECT_FALSE(by_reference.accept(4).refused);
    EXPECT_EQ(ids_of(by_reference.legal_words()), tokens{2});
    grammar_matcher others(grammar_of(R"(root ::= !<|x|> "a")"), trie_of(words));
    EXPECT_EQ(ids_of(others.legal_words()), (tokens{0, 1, 2, 5})) << "no end among them";
}
TEST(GrammarMatcher, ReadsATokenAtTheBoundaryOfTokensOnly) {
    const slow::words words = words_of({"a", "ab", "b", "bc", "c"});
    grammar_matcher m(grammar_of(R"(root ::= "a" <[2]> "c")"), trie_of(words));
    EXPECT_EQ(ids_of(m.legal_words()), tokens{0}) << "not ab, whose b is no token of its own";
    m.accept(0);
    EXPECT_EQ(ids_of(m.legal_words()), tokens{2});
    m.accept(2);
    EXPECT_EQ(ids_of(m.legal_words()), tokens{4});
}
/// A token that is legal by its bytes and as a whole is read both ways.
TEST(GrammarMatcher, ReadsATokenBothWays) {
    const slow::words words = words_of({"a", "b", "c"});
    grammar_matcher m(grammar_of(R"(root ::= "a" "b" | <[0]> "c")"), trie_of(words));
    EXPECT_EQ(ids_of(m.legal_words()), tokens{0});
    m.accept(0);
    EXPECT_EQ(ids_of(m.legal_words()), (tokens{1, 2}));
    m.reset();
    EXPECT_TRUE(m.accept_bytes("a").ok());
    EXPECT_EQ(ids_of(m.legal_words()), tokens{1}) << "bytes are no token";
}

// ---- dead ends

TEST(GrammarMatcher, NamesTheByteThatNoTokenHas) {
    const slow::words words = words_of({"a", "\xC3"});
    grammar_matcher m(grammar_of(R"(root ::= "a" [xyz] | "é")"), trie_of(words));
    EXPECT_TRUE(m.check().ok());
    grammar_matcher other = m;
    EXPECT_FALSE(m.accept(0).refused);
    EXPECT_EQ(m.check().code(), status_code::dead_end);
    EXPECT_EQ(m.legal_count(), 0u);
    EXPECT_EQ(m.legal_words().size(), 1u);
    EXPECT_EQ(std::string(m.check().message().c_str()),
              "constrain: the next byte = 120 may come, but no token begins with it");
    EXPECT_FALSE(other.accept(1).refused);
    EXPECT_EQ(other.check().code(), status_code::dead_end);
    EXPECT_NE(std::string(other.check().message().c_str()).find("the next byte = 169 "), std::string::npos);
    EXPECT_TRUE(other.rollback(0).ok());
    EXPECT_TRUE(other.check().ok());
}
TEST(GrammarMatcher, NamesAByteThatNoTokenGoesOnFrom) {
    const slow::words words = words_of({"ac", "x"});
    const grammar_matcher m(grammar_of(R"(root ::= "ab")"), trie_of(words));
    EXPECT_STREQ(m.check().message().c_str(),
                 "constrain: the next byte = 97 may come, but no token that begins with it goes on as it should");
    const grammar_matcher other(grammar_of(R"(root ::= "ab" | "zx")"), trie_of(words));
    EXPECT_STREQ(other.check().message().c_str(),
                 "constrain: the next byte = 122 may come, but no token begins with it");
}
TEST(GrammarMatcher, TakesLimitsOfEverySize) {
    const slow::words words = words_of({"a", "b"});
    for (const std::uint32_t most : {0u, 1u, 1u << 28, (1u << 28) + 1, 1u << 31, ~0u - 1, ~0u}) {
        grammar_limits states, configurations, bytes;
        states.states = configurations.configurations = most;
        bytes.automaton_bytes = bytes.mask_bytes = std::size_t(0) - 1 - most;
        for (const grammar_limits& limits : {states, configurations, bytes}) {
            grammar_matcher m(grammar_of(R"(root ::= "ab"+)", limits), trie_of(words));
            if (limits.configurations == 0) {
                EXPECT_EQ(m.check().code(), status_code::stage_failed);
                continue;
            }
            EXPECT_EQ(m.legal_count(), 1u);
            EXPECT_TRUE(m.allows(0));
        }
    }
}
/// Nothing has to follow where the text is complete, so no byte is missing: it is the end that the vocabulary lacks.
TEST(GrammarMatcher, NamesNoByteWhereTheTextIsComplete) {
    slow::words words = words_of({"a"});
    words.pop_back();
    for (const char* source : {R"(root ::= "a")", R"(root ::= "a" "b"?)"}) {
        grammar_matcher m(grammar_of(source), trie_of(words));
        m.accept(0);
        EXPECT_TRUE(m.is_complete());
        EXPECT_FALSE(m.check().ok());
        EXPECT_EQ(std::string(m.check().message().c_str()).find("must follow"), std::string::npos)
            << m.check().message().c_str();
    }
}

// ---- what is certain

/// Tokens and bytes that must follow, one by one with the reference.
void expect_certain(const grammar_matcher& m, slow::text text, const slow::words& words) {
    slow::text ahead = text;
    tokens run;
    while (run.size() < 12) {
        const tokens legal = ahead.legal();
        if (ahead.has_given_up()) return;
        if (legal.size() != 1 || words[std::size_t(legal[0])].is_end) break;
        run.push_back(legal[0]);
        ahead.take(legal[0]);
    }
    EXPECT_EQ(m.forced_run(12), run);
    std::array<token_id, 3> memory{-7, -7, -7};
    const std::size_t written = m.forced_run(std::span<token_id>(memory.data(), 2));
    EXPECT_EQ(written, run.size() < 2 ? run.size() : 2);
    EXPECT_EQ(tokens(memory.begin(), memory.begin() + std::ptrdiff_t(written)),
              tokens(run.begin(), run.begin() + std::ptrdiff_t(written)));
    EXPECT_EQ(memory[2], -7);
    EXPECT_EQ(m.forced_run(std::span<token_id>()), 0u);

    ahead = text;
    std::string bytes;
    while (bytes.size() < 20 && !ahead.is_complete() && !ahead.may_be_a_token()) {
        std::string next;
        for (unsigned b = 0; b < 256; ++b)
            if (ahead.may_follow(std::uint8_t(b))) next += char(b);
        if (next.size() != 1 || !ahead.take_bytes(next)) break;
        bytes += next;
    }
    EXPECT_EQ(printed(m.forced_bytes(20)), printed(bytes));
    EXPECT_EQ(printed(m.forced_bytes(2)), printed(bytes.substr(0, 2)));
    EXPECT_TRUE(m.forced_bytes(0).empty());
}

TEST(GrammarMatcher, KnowsWhatMustFollow) {
    std::size_t forced = 0;
    for (std::uint64_t seed = 30000; seed < 30150 && !HasFailure(); ++seed) {
        integers random(seed);
        const slow::words words = slow::random_words(seed, 40);
        const slow::grammar g = slow::random_grammar(seed, words).make();
        const slow::productions productions(g);
        const std::string source = slow::gbnf_of(g);
        SCOPED_TRACE(source);
        grammar_matcher m(grammar_of(source.c_str(), seed % 3 == 0 ? tiny_limits() : grammar_limits{}), trie_of(words));
        slow::text text(productions, words);
        for (int i = 0; i < 6; ++i) {
            const std::uint64_t mark = m.mark();
            expect_certain(m, text, words);
            EXPECT_EQ(m.mark(), mark);
            forced += m.forced_run(1).size();
            const tokens legal = ids_of(m.legal_words());
            if (legal.empty() || text.ways() > 300) break;
            const std::int32_t id = legal[random.below(std::uint32_t(legal.size()))];
            if (words[std::size_t(id)].bytes.size() > 100) break;
            EXPECT_FALSE(m.accept(id).refused);
            EXPECT_TRUE(text.take(id));
        }
    }
    EXPECT_GT(forced, 20u) << "hardly ever must a token follow";
}
TEST(GrammarMatcher, EndsAForcedRunWhereALimitRefusesATokenOfTheMask) {
    const vocabulary_trie trie = trie_of(words_of({"a", "b", "c", "x", "y"}));
    grammar_matcher m(grammar_of("root ::= s\ns ::= \"a\" s \"b\" \"c\" | \"a\" s | \"x\" \"y\" \"y\""), trie);
    for (int i = 0; i < 500; ++i) ASSERT_FALSE(m.accept(0).refused);
    ASSERT_FALSE(m.accept(3).refused);
    const tokens run = m.forced_run(12);
    ASSERT_LE(run.size(), 2u);
    for (const token_id token : run) ASSERT_FALSE(m.accept(token).refused);
    EXPECT_EQ(m.legal_count(), 1u);
    EXPECT_TRUE(m.accept(4).refused) << "else the run would have gone on";
}
TEST(GrammarMatcher, SaysWhereATextIsNestedTooDeeplyAndGoesOn) {
    grammar_matcher m(grammar_of(R"gbnf(root ::= "(" root ")" | "x")gbnf"), trie_of(words_of({"(", ")", "x"})));
    std::size_t open = 0;
    status refused;
    while ((refused = m.accept(0).state).ok() && open < 10'000'000) ++open;
    EXPECT_GT(open, 100'000u);
    EXPECT_STREQ(refused.message().c_str(),
                 "grammar_limits: automaton_bytes = 50331648 is too small for a text nested as deeply as this");
    EXPECT_EQ(m.mark(), open);
    ASSERT_TRUE(m.accept(2).state.ok());
    for (std::size_t i = 0; i < open; ++i) ASSERT_TRUE(m.accept(1).state.ok()) << i;
    EXPECT_TRUE(m.is_complete());
}
/// Of as many loops over sets of characters not all have a slice; allows() uses none.
TEST(GrammarMatcher, HasTheMasksOfMoreLoopsThanSlicesAreKept) {
    const slow::words words = slow::random_words(40, 400);
    const vocabulary_trie trie = trie_of(words);
    for (unsigned first = 0; first < 3; ++first) {
        std::string source = "root ::= ";
        for (unsigned i = 0; i < 45; ++i) {
            const char low = char('a' + i % 9), high = char('b' + (i + first) % 19);
            if (i > 0) source += "|";
            source += "\"";
            source += char('0' + i / 9);
            source += char('a' + i % 9);
            source += "\" [";
            source += (std::min)(low, high);
            source += "-";
            source += (std::max)(low, high);
            source += " ]+ \"!\"";
        }
        const grammar_matcher begin(grammar_of(source.c_str()), trie);
        for (unsigned i = 0; i < 45; ++i) {
            grammar_matcher m = begin;
            const char prefix[] = {char('0' + i / 9), char('a' + i % 9)};
            ASSERT_TRUE(m.accept_bytes({prefix, 2}).ok());
            const auto legal = m.legal_words();
            for (std::size_t id = 0; id < words.size(); ++id)
                ASSERT_EQ((legal[id / 32] >> (id % 32) & 1) != 0, m.allows(token_id(id))) << source << " at " << i;
        }
    }
}
TEST(GrammarMatcher, EndsAForcedRunAtABranchAndAtTheEnd) {
    const slow::words words = words_of({"a", "b", "c"});
    const vocabulary_trie trie = trie_of(words);
    EXPECT_EQ(grammar_matcher(grammar_of(R"(root ::= "abc")"), trie).forced_run(), (tokens{0, 1, 2}));
    EXPECT_EQ(grammar_matcher(grammar_of(R"(root ::= "ab" [ac])"), trie).forced_run(), (tokens{0, 1}));
    EXPECT_EQ(grammar_matcher(grammar_of(R"(root ::= "a" "b"?)"), trie).forced_run(), tokens{0});
    EXPECT_EQ(grammar_matcher(grammar_of(R"(root ::= "a" root)"
                                         R"( | "b")"),
                              trie)
                  .forced_run(),
              tokens{});
    EXPECT_EQ(grammar_matcher(grammar_of(R"(root ::= "a"{100})"), trie).forced_run(), tokens(64, 0));
    EXPECT_EQ(grammar_matcher(grammar_of(R"(root ::= "a"{300} "b")"), trie).forced_run(1000).size(), 301u);
    EXPECT_EQ(grammar_matcher(grammar_of(R"(root ::= "aé" [bc])"), trie).forced_bytes(), "a\xC3\xA9");
    EXPECT_EQ(grammar_matcher(grammar_of(R"(root ::= "a" [é-ê])"), trie).forced_bytes(), "a\xC3");
    EXPECT_EQ(grammar_matcher(grammar_of(R"(root ::= "ab" <[2]>)"), trie).forced_bytes(), "ab");
    EXPECT_EQ(grammar_matcher(grammar_of(R"(root ::= "a"{9000})"), trie).forced_bytes(), std::string(4096, 'a'));
}

// ---- texts of the language

/// Cuts bytes into tokens at random; false where the vocabulary cannot spell them.
bool cut(const std::string& bytes, const slow::words& words, integers& random, tokens& into) {
    for (std::size_t at = 0; at < bytes.size();) {
        tokens fitting;
        for (std::size_t i = 0; i < words.size(); ++i)
            if (words[i].is_read_by_bytes() && bytes.compare(at, words[i].bytes.size(), words[i].bytes) == 0)
                fitting.push_back(std::int32_t(i));
        if (fitting.empty()) return false;
        into.push_back(fitting[random.below(std::uint32_t(fitting.size()))]);
        at += words[std::size_t(into.back())].bytes.size();
    }
    return true;
}

TEST(GrammarMatcher, TakesTextsOfTheLanguageHoweverTheyAreCut) {
    std::size_t taken = 0, long_ones = 0;
    for (std::uint64_t seed = 40000; seed < 40200 && !HasFailure(); ++seed) {
        integers random(seed);
        slow::words words = slow::random_words(seed, 120);
        for (unsigned b = 1; b < 256; ++b) words.push_back({std::string(1, char(b))});
        const slow::grammar g = slow::random_grammar(seed, words).make();
        const std::string source = slow::gbnf_of(g);
        SCOPED_TRACE(source);
        const vocabulary_trie trie = trie_of(words);
        const riffle::grammar of = grammar_of(source.c_str(), seed % 2 == 0 ? grammar_limits{} : tiny_limits());
        slow::random_text writer(g, words, seed);
        for (int n = 0; n < 10; ++n) {
            if (!writer.make()) continue;
            tokens all;
            bool can_be_cut = true;
            for (const auto& part : writer.parts) {
                if (part.token >= 0) all.push_back(part.token);
                else can_be_cut = can_be_cut && cut(part.bytes, words, random, all);
            }
            if (!can_be_cut) continue;
            SCOPED_TRACE("the text is" + printed(words, all));
            grammar_matcher m(of, trie);
            for (const std::int32_t id : all) {
                ASSERT_TRUE(m.legal().contains(id)) << id << " at " << m.mark();
                ASSERT_FALSE(m.accept(id).refused) << id << " at " << m.mark();
            }
            EXPECT_TRUE(m.is_complete());
            EXPECT_TRUE(m.accept(0).finished) << "an end";
            ++taken;
            long_ones += all.size() > 20;
        }
    }
    EXPECT_GT(taken, 700u);
    EXPECT_GT(long_ones, 30u);
}
TEST(GrammarMatcher, SaysWhichLimitItsBeginningIsBeyond) {
    grammar_limits one;
    one.configurations = 1;
    const slow::words words = slow::random_words(1, 60);
    const grammar_matcher m(grammar_of("root ::= [a-c] \"x\" | [b-d] \"y\"", one), trie_of(words));
    EXPECT_EQ((m.check)().code(), status_code::stage_failed);
    EXPECT_STREQ((m.check)().message().c_str(),
                 "grammar_limits: configurations = 1 is too small for a text as ambiguous as this");
    EXPECT_EQ(m.legal_count(), 0u);
}
TEST(GrammarMatcher, CanBeUsedWhenItWasMovedFrom) {
    const slow::words words = slow::random_words(1, 60);
    grammar_matcher from(grammar_of("root ::= [a-z]+"), trie_of(words));
    const std::size_t count = from.legal_count();
    ASSERT_GT(count, 0u);
    grammar_matcher to = std::move(from);
    EXPECT_EQ(to.legal_count(), count);
    EXPECT_EQ(from.legal_count(), count);  // NOLINT(bugprone-use-after-move)
    from.reset();
    EXPECT_TRUE((from.check)().ok());
}
/// Where all bytes are tokens, a walk by the masks never comes to a dead end. Few are still on their way after 200
/// tokens, or are cut short at a token of many bytes.
TEST(GrammarMatcher, WalksComeToAnEndOrSayThatTheyCannot) {
    std::size_t ends = 0, dead_ends = 0, others = 0;
    for (std::uint64_t seed = 50000; seed < 50200 && !HasFailure(); ++seed) {
        integers random(seed);
        slow::words words = slow::random_words(seed, 60);
        const bool has_all_bytes = seed % 2 == 0;
        if (has_all_bytes)
            for (unsigned b = 1; b < 256; ++b) words.push_back({std::string(1, char(b))});
        const slow::grammar g = slow::random_grammar(seed, words).make();
        const std::string source = slow::gbnf_of(g);
        SCOPED_TRACE(source);
        grammar_matcher m(grammar_of(source.c_str()), trie_of(words));
        bool is_over = false, is_stuck = false;
        for (int i = 0; i < 200 && !is_over; ++i) {
            const tokens legal = ids_of(m.legal_words());
            EXPECT_EQ(m.check().ok(), !legal.empty());
            if (legal.empty()) {
                EXPECT_EQ(m.check().code(), status_code::dead_end);
                EXPECT_FALSE(m.is_complete()) << "there is an end in the vocabulary";
                EXPECT_FALSE(has_all_bytes && !m.expected_bytes().contains(0)) << "after " << i;
                is_stuck = true;
                break;
            }
            const bool may_end = m.is_complete() && i > 3;
            std::int32_t id = may_end ? 0 : legal[random.below(std::uint32_t(legal.size()))];
            for (int k = 0; k < 9 && words[std::size_t(id)].bytes.size() > 100; ++k)
                id = legal[random.below(std::uint32_t(legal.size()))];
            if (words[std::size_t(id)].bytes.size() > 100) break;  // texts that stay short
            const riffle::step s = m.accept(id);
            EXPECT_FALSE(s.refused) << id;
            EXPECT_EQ(s.finished, m.is_finished());
            is_over = m.check().code() == status_code::no_legal_token;
        }
        ends += is_over;
        dead_ends += is_stuck;
        others += !is_over && !is_stuck;
    }
    EXPECT_GT(ends, 100u);
    EXPECT_GT(dead_ends, 5u);
    EXPECT_LT(others, 20u) << "of 200";
}

}  // namespace
}  // namespace riffle_tests::constraint_matcher
