// Constraints that triggers wake in the middle of free text, beside a slow reader of the same.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <regex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/constraint.hpp>
#include <riffle/riffle.hpp>

namespace riffle_tests::constraint_triggers {
namespace {

using namespace riffle;
using ids = std::vector<token_id>;

vocabulary words_of(std::initializer_list<const char*> pieces) {
    vocabulary words;
    for (const char* piece : pieces) words.add(piece);
    words.add("</s>", token_role::end_of_generation | token_role::control);
    words.add("<call>", token_role::control);
    return words;
}
grammar read(const char* source) {
    const parsed<grammar> g = parse_gbnf(source);
    EXPECT_TRUE(g.ok()) << g.problem().message();
    return *g;
}
template <class Matcher>
ids legal_of(const Matcher& m, std::size_t vocabulary_size) {
    ids legal;
    const legal_tokens now = m.legal();
    std::size_t counted = 0;
    for (token_id id = 0; std::size_t(id) < vocabulary_size; ++id)
        if (now.contains(id)) legal.push_back(id), ++counted;
    if (!now.are_all && now.count != legal_tokens::unknown) {
        EXPECT_EQ(now.count, counted);
    }
    return legal;
}

// ---- waking

TEST(Triggers, WakeAConstraint) {
    const vocabulary words = words_of({"Hi ", "<to", "ol>", "ol>{", "{", "}", "x", "}x", "ol>?"});
    const vocabulary_trie trie(words);
    const grammar braces = read(R"(root ::= "{" "x"* "}")");
    for (const after_constraint after : {after_constraint::once, after_constraint::free, after_constraint::rearm}) {
        triggered m(grammar_matcher(braces, trie), triggers{.words = {"<tool>"}}, after);
        ASSERT_TRUE((m.check)().ok());
        EXPECT_TRUE(m.legal().are_all);
        for (const token_id token : {0, 6, 1}) EXPECT_FALSE(m.accept(token).refused);
        EXPECT_FALSE(m.is_awake());
        EXPECT_TRUE(m.is_complete());
        EXPECT_EQ(legal_of(m, words.size()), ids({0, 1, 2, 3, 4, 5, 6, 7, 9, 10}));  // not ol>?
        EXPECT_FALSE(m.allows(8));
        EXPECT_TRUE(m.accept(8).refused);
        triggered inside = m;
        EXPECT_FALSE(m.accept(2).refused);
        EXPECT_TRUE(m.is_awake());
        EXPECT_FALSE(m.is_complete());
        EXPECT_EQ(legal_of(m, words.size()), ids({4}));
        ids run(4);
        EXPECT_EQ(m.forced_run(run), 1u);
        EXPECT_FALSE(inside.accept(3).refused);
        EXPECT_EQ(legal_of(inside, words.size()), ids({5, 6}));
        EXPECT_FALSE(inside.accept(6).refused);
        const step end = inside.accept(5);
        EXPECT_FALSE(end.refused);
        EXPECT_EQ(end.finished, after == after_constraint::once);
        EXPECT_EQ(inside.is_finished(), after == after_constraint::once);
        if (after == after_constraint::once) {
            EXPECT_EQ(legal_of(inside, words.size()), ids({9}));
        } else {
            EXPECT_TRUE(inside.legal().are_all);
            inside.accept(1);
            EXPECT_EQ(inside.allows(8), after == after_constraint::free);
            inside.accept(2);
            EXPECT_EQ(inside.is_awake(), after == after_constraint::rearm);
        }
    }
}

TEST(Triggers, MayBeTheBeginningOfWhatTheyWake) {
    const vocabulary words = words_of({"a", "{\"", "b{", "{", "\"", "}", "b{}", "b{\"x"});
    const vocabulary_trie trie(words);
    triggered m(grammar_matcher(read(R"(root ::= "{\"" [a-z]* "\"}")"), trie),
                triggers{.words = {"{"}, .begins = constraint_begins::with_the_trigger});
    EXPECT_EQ(legal_of(m, words.size()), ids({0, 1, 2, 3, 4, 5, 7, 8, 9}));
    EXPECT_FALSE(m.accept(7).refused);
    EXPECT_EQ(legal_of(m, words.size()), ids({0, 4}));
    m.reset();
    EXPECT_FALSE(m.is_awake());
    EXPECT_FALSE(m.accept(2).refused);
    EXPECT_EQ(legal_of(m, words.size()), ids({4}));
}

TEST(Triggers, MayBePatterns) {
    const vocabulary words = words_of({"{", "}", "call", ":", " ", "42", "4", "2:", "2:{", "2:x", "\xC3", "\xA9:{"});
    const vocabulary_trie trie(words);
    triggered m(grammar_matcher(read(R"(root ::= "{" "}")"), trie),
                triggers{.patterns = {R"(call \d+:)", "\xC3\xA9:"}}, after_constraint::rearm);
    ASSERT_TRUE((m.check)().ok()) << m.why().message();
    for (const token_id token : {2, 5, 2, 4, 6}) EXPECT_FALSE(m.accept(token).refused);
    EXPECT_FALSE(m.is_awake());
    EXPECT_FALSE(m.allows(9));  // 2:x
    EXPECT_TRUE(m.allows(8));
    EXPECT_EQ(legal_of(m, words.size()), ids({0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13}));
    m.accept(8);
    EXPECT_TRUE(m.is_awake());
    m.accept(1);
    EXPECT_FALSE(m.is_awake());
    m.accept(10);
    m.accept(11);
    EXPECT_TRUE(m.is_awake());
}

TEST(Triggers, MayBeTokens) {
    const vocabulary words = words_of({"a", "{}", "{"});
    const vocabulary_trie trie(words);
    triggered behind(grammar_matcher(read(R"(root ::= "{}")"), trie), triggers{.tokens = {4}});
    EXPECT_FALSE(behind.accept(0).refused);
    EXPECT_FALSE(behind.accept(4).refused);
    EXPECT_EQ(legal_of(behind, words.size()), ids({1, 2}));
    triggered with(grammar_matcher(read(R"(root ::= <call> "{}")"), trie),
                   triggers{.tokens = {4, 0}, .begins = constraint_begins::with_the_trigger});
    EXPECT_EQ(legal_of(with, words.size()), ids({1, 2, 3, 4}));  // the constraint does not begin with "a"
    EXPECT_FALSE(with.accept(4).refused);
    EXPECT_EQ(legal_of(with, words.size()), ids({1, 2}));
    // By its name a control token is a word, too.
    triggered named(grammar_matcher(read(R"(root ::= "{}")"), trie), triggers{.words = {"call>"}});
    EXPECT_FALSE(named.accept(4).refused);
    EXPECT_TRUE(named.is_awake());
    triggered within(grammar_matcher(read(R"(root ::= "{}")"), trie), triggers{.words = {"call"}});  // of the name
    EXPECT_FALSE(within.accept(4).refused);
    EXPECT_FALSE(within.is_awake());
}

TEST(Triggers, LetFreeTextEndAConstraintThatIsComplete) {
    const vocabulary words = words_of({"<", "1", "2", " ", "x", "<a", "<1", ","});
    const vocabulary_trie trie(words);
    triggered m(grammar_matcher(read("root ::= [0-9]+"), trie), triggers{.words = {"<"}}, after_constraint::rearm);
    m.accept(0);
    EXPECT_EQ(legal_of(m, words.size()), ids({1, 2}));
    m.accept(1);
    EXPECT_TRUE(m.is_complete());
    EXPECT_EQ(legal_of(m, words.size()), ids({0, 1, 2, 3, 4, 6, 7, 8, 9}));  // all but <a
    EXPECT_TRUE(m.accept(5).refused);
    m.accept(2);
    EXPECT_TRUE(m.is_awake());
    m.accept(4);
    EXPECT_FALSE(m.is_awake());
    m.accept(6);
    EXPECT_TRUE(m.is_awake());
    triggered once(grammar_matcher(read("root ::= [0-9]+"), trie), triggers{.words = {"<"}});
    once.accept(0);
    once.accept(1);
    EXPECT_EQ(legal_of(once, words.size()), ids({1, 2, 8}));
    EXPECT_TRUE(once.accept(8).finished);
}

TEST(Triggers, WakeOtherMatchersToo) {
    const vocabulary words = words_of({"go", "@", "@go", "stop", "x"});
    const vocabulary_trie trie(words);
    const ids go{0}, stop{3};
    const token_leaf leaves[] = {{"go", go}, {"stop", stop}};
    triggered m(trie, trie_matcher(*make_token_trie("p", leaves, words)), triggers{.words = {"@"}},
                after_constraint::rearm);
    EXPECT_EQ(legal_of(m, words.size()), ids({0, 1, 3, 4, 5, 6}));  // @go goes on in the middle of a token
    for (int round = 0; round < 3; ++round) {
        m.accept(1);
        EXPECT_EQ(legal_of(m, words.size()), ids({0, 3}));
        m.accept(3);
        EXPECT_FALSE(m.is_awake());
        m.accept(4);
    }
}

TEST(Triggers, ThatCannotBeUsedSayWhy) {
    const vocabulary words = words_of({"a"});
    const vocabulary_trie trie(words);
    const grammar_matcher a(literal("a"), trie);
    const std::pair<triggers, std::string> wrong[] = {
        {{}, "there are no triggers"},
        {{.words = {"x", ""}}, "an empty word is everywhere"},
        {{.patterns = {"a*"}}, "in a*: the pattern matches the empty text"},
        {{.patterns = {"a", "("}}, "in (: this ( is never closed"},
        {{.patterns = {"a[^\\s\\S]"}}, "in a[^\\s\\S]: no text matches the pattern"},
        {{.patterns = {"a"}, .begins = constraint_begins::with_the_trigger},
         "a constraint cannot begin with a pattern's match, only behind it"},
    };
    for (const auto& [by, message] : wrong) {
        triggered m(a, by);
        EXPECT_STREQ((m.check)().message().c_str(), "triggered: triggers = 0 cannot be used: see why()");
        EXPECT_EQ(m.why().message(), message);
        EXPECT_TRUE(m.accept(0).refused);
        EXPECT_FALSE(m.allows(0));
        EXPECT_EQ(legal_of(m, words.size()), ids());
    }
    EXPECT_FALSE((triggered(vocabulary_trie(), a, triggers{.words = {"x"}}).check)().ok());
    triggered without(grammar_matcher(), triggers{.words = {"x"}});
    EXPECT_FALSE((without.check)().ok());
    triggered good(a, triggers{.words = {"x"}});
    EXPECT_EQ(good.why().message(), "");
}

TEST(Triggers, WorkInAChain) {
    const vocabulary words = words_of({"talk ", "<t>", "{", "}", "x"});
    const vocabulary_trie trie(words);
    auto c = constrain{triggered(grammar_matcher(read(R"(root ::= "{" [x]{2,3} "}")"), trie), triggers{.words = {"<t>"}},
                                 after_constraint::rearm)} |
             temperature{.t = 1.5f} | dist{.seed = 3};
    const std::vector<float> row(words.size() - 2, 0.0f);
    std::string said;
    for (int i = 0; i < 3000; ++i) {
        const token_id token = c.sample(row);
        ASSERT_NE(token, null_token) << c.last_status().message().c_str();
        said.append(words.piece(token).data(), words.piece(token).size());
    }
    std::size_t calls = 0;
    for (std::size_t at = 0; (at = said.find("<t>", at)) != std::string::npos; at += 3, ++calls)
        if (at + 8 < said.size()) {
            EXPECT_TRUE(std::regex_search(said.begin() + std::ptrdiff_t(at), said.end(), std::regex("^<t>\\{x{2,3}\\}")));
        }
    EXPECT_GT(calls, 100u);
}

TEST(Triggers, AreFoundInAMillionBytes) {
    const vocabulary words = words_of({"aaaaaaaaaa", "aab", "{"});
    const vocabulary_trie trie(words);
    triggered m(grammar_matcher(read(R"(root ::= "{")"), trie),
                triggers{.words = {std::string(200, 'a') + "b"}, .patterns = {"a{100}c"}});
    for (int i = 0; i < 100'000; ++i) ASSERT_FALSE(m.accept(0).refused);
    EXPECT_FALSE(m.is_awake());
    m.accept(1);
    EXPECT_TRUE(m.is_awake());
}

// ---- at random, beside a slow reader

/// Free text until a word ends, then a text of a set, then free text again; by looking at all of it each time.
struct slow_triggers {
    std::vector<std::string> words;
    std::vector<std::string> language;  ///< none is the beginning of another one
    bool with_the_trigger;
    std::vector<std::regex> patterns = {};  ///< each with a $ at its end

    /// Whether the bytes may have come, and whether they lie within a constraint.
    struct answer {
        bool is_legal = true, is_inside = false;
    };
    answer read(const std::string& all, const std::vector<std::size_t>& token_ends) const {
        std::size_t free_from = 0;
        for (std::size_t end = 1; end <= all.size(); ++end) {
            std::optional<std::size_t> longest;
            for (const std::string& w : words)
                if (w.size() <= end - free_from && all.compare(end - w.size(), w.size(), w) == 0)
                    longest = std::max(longest.value_or(0), w.size());
            for (const std::regex& p : patterns)
                if (std::regex_search(all.begin() + std::ptrdiff_t(free_from), all.begin() + std::ptrdiff_t(end), p))
                    longest = longest.value_or(0);
            if (!longest) continue;
            const std::string rest = all.substr(end - (with_the_trigger ? *longest : 0));
            bool is_whole = false, is_begun = false;
            for (const std::string& text : language) {
                if (rest.compare(0, text.size(), text) == 0) {
                    is_whole = true;
                    end = end - (with_the_trigger ? *longest : 0) + text.size();
                    break;
                }
                is_begun |= text.compare(0, rest.size(), rest) == 0;
            }
            if (!is_whole) return {is_begun, is_begun};
            // A constraint ends with a token.
            if (std::find(token_ends.begin(), token_ends.end(), end) == token_ends.end()) return {false, true};
            free_from = end;
        }
        return {};
    }
};

void expect_what_a_slow_reader_says(unsigned seed, int rounds, int steps, bool with_patterns) {
    std::mt19937 random(seed);
    const auto word = [&](std::size_t least, std::size_t most) {
        std::string w;
        for (std::size_t i = least + random() % (most - least + 1); i-- > 0;) w += char('a' + random() % 2);
        return w;
    };
    for (int round = 0; round < rounds; ++round) {
        vocabulary words;
        for (int i = 0; i < 14; ++i) words.add(word(1, 4));
        words.add("</s>", token_role::end_of_generation | token_role::control);
        const vocabulary_trie trie(words);
        slow_triggers slow{{word(1, 4), word(1, 4)}, {}, !with_patterns && random() % 2 == 0};
        std::vector<std::string> patterns;
        if (with_patterns) {
            slow.words = {word(4, 6)};
            for (const char* pattern : {"^b?a", "^aa|bab", "a{3,}b", "(ab){2}|^bb", "b[ab]b[ab]b", "^[ab]{5}a"})
                if (random() % 3 == 0) patterns.push_back(pattern);
            for (const std::string& pattern : patterns) slow.patterns.emplace_back("(?:" + pattern + ")$");
        }
        for (int i = 0; i < 3; ++i) slow.language.push_back((slow.with_the_trigger ? slow.words[random() % 2] : "") + word(3, 3));
        std::sort(slow.language.begin(), slow.language.end());
        if (slow.with_the_trigger && slow.words[0].size() != slow.words[1].size()) continue;  // one begins another, perhaps
        triggered m(grammar_matcher(choice(slow.language), trie),
                    triggers{.words = slow.words,
                             .patterns = patterns,
                             .begins = slow.with_the_trigger ? constraint_begins::with_the_trigger
                                                             : constraint_begins::behind},
                    after_constraint::rearm);
        ASSERT_TRUE((m.check)().ok()) << (m.check)().message().c_str();
        struct kept {
            std::uint64_t mark;
            std::string said;
            std::vector<std::size_t> ends;
        };
        std::string said;
        std::vector<std::size_t> ends;
        std::vector<kept> marks{{m.mark(), said, ends}};
        for (int i = 0; i < steps; ++i) {
            if (random() % 8 == 0) {
                const kept& back = marks[random() % marks.size()];
                if (back.mark <= m.mark()) {
                    ASSERT_TRUE(m.rollback(back.mark).ok());
                    said = back.said;
                    ends = back.ends;
                    while (marks.back().mark > m.mark()) marks.pop_back();
                }
            }
            ids legal;
            for (token_id token = 0; std::size_t(token) + 1 < words.size(); ++token) {
                std::vector<std::size_t> then = ends;
                const std::string whole = said + std::string(words.piece(token).data(), words.piece(token).size());
                then.push_back(whole.size());
                if (slow.read(whole, then).is_legal) legal.push_back(token);
            }
            ids expected = legal;
            if (!slow.read(said, ends).is_inside) expected.push_back(token_id(words.size() - 1));
            ASSERT_EQ(legal_of(m, words.size()), expected) << said;
            ASSERT_EQ(m.is_awake(), slow.read(said, ends).is_inside) << said;
            for (token_id token = 0; std::size_t(token) + 1 < words.size(); ++token)
                ASSERT_EQ(m.allows(token), std::binary_search(legal.begin(), legal.end(), token));
            if (legal.empty()) break;
            const token_id token = legal[random() % legal.size()];
            ASSERT_FALSE(m.accept(token).refused);
            said.append(words.piece(token).data(), words.piece(token).size());
            ends.push_back(said.size());
            marks.push_back({m.mark(), said, ends});
        }
    }
}

TEST(Triggers, AreWhatASlowReaderSays) { expect_what_a_slow_reader_says(6, 300, 40, false); }
TEST(Triggers, OfPatternsAreWhatASlowReaderSays) { expect_what_a_slow_reader_says(7, 60, 15, true); }

TEST(Triggers, OfPatternsMayLookToTheBeginning) {
    const vocabulary words = words_of({"x", "a", "b", "{", "\xFF", "\xC3", "\xEF\xBF\xBD"});
    const vocabulary_trie trie(words);
    const auto woken_by = [&](const char* pattern, const ids& said) {
        triggered m(grammar_matcher(read(R"(root ::= "{")"), trie), triggers{.patterns = {pattern}}, after_constraint::rearm);
        EXPECT_TRUE((m.check)().ok()) << m.why().message();
        std::size_t i = 0;
        while (i < said.size() && !m.is_awake()) EXPECT_FALSE(m.accept(said[i++]).refused);
        return m.is_awake() ? int(i) : -1;
    };
    EXPECT_EQ(woken_by("^x", {0}), 1);
    for (const token_id ahead : {1, 2, 4, 5}) EXPECT_EQ(woken_by("^x", {ahead, 0, 0}), -1) << ahead;
    EXPECT_EQ(woken_by("^ab", {2, 1, 2}), -1);
    EXPECT_EQ(woken_by("^ab|bb", {1, 1, 2, 2}), 4);
    EXPECT_EQ(woken_by("ab$", {0, 1, 2}), 3);  // the text has not gone on yet
    EXPECT_EQ(woken_by("a.b", {1, 4, 2}), 3);  // what is not UTF-8 is shown as one character
    EXPECT_EQ(woken_by("a\xEF\xBF\xBD" "b", {1, 6, 2}), 3);
    EXPECT_EQ(woken_by("a\xEF\xBF\xBD" "b", {1, 4, 2}), 3);
    EXPECT_EQ(woken_by("a\xEF\xBF\xBD" "b", {1, 5, 2}), 3);  // half a character
    triggered m(grammar_matcher(read(R"(root ::= "{")"), trie), triggers{.patterns = {"^x"}}, after_constraint::rearm);
    for (const token_id token : {0, 3, 0}) EXPECT_FALSE(m.accept(token).refused);
    EXPECT_TRUE(m.is_awake());  // what follows a constrained part begins anew
}

TEST(Triggers, AreTokensOfTheVocabulary) {
    const vocabulary words = words_of({"a", "{"});
    const vocabulary_trie trie(words);
    for (const token_id none : {-1, 4, 100000})
        for (const constraint_begins begins : {constraint_begins::behind, constraint_begins::with_the_trigger}) {
            triggered m(grammar_matcher(literal("{"), trie), triggers{.words = {"a"}, .tokens = {0, none}, .begins = begins});
            EXPECT_FALSE((m.check)().ok());
            EXPECT_EQ(m.why().message(), "the vocabulary has no such token as a trigger");
        }
    triggered m(grammar_matcher(literal("{"), trie), triggers{.words = {"a"}});
    for (const token_id none : {-1, 4, 1000000}) {
        EXPECT_FALSE(m.allows(none));
        EXPECT_TRUE(m.accept(none).refused);
        EXPECT_FALSE(m.can_accept(none).ok());
    }
    EXPECT_EQ(m.mark(), 0u);
}

TEST(Triggers, EndWithTheText) {
    const vocabulary words = words_of({"a", "{", "<t>"});
    const vocabulary_trie trie(words);
    for (const after_constraint then : {after_constraint::once, after_constraint::free, after_constraint::rearm})
        for (const ids& said : {ids{0}, ids{2, 1}}) {
            triggered m(grammar_matcher(literal("{"), trie), triggers{.words = {"<t>"}}, then);
            for (const token_id token : said) m.accept(token);
            const std::uint64_t here = m.mark();
            EXPECT_TRUE(m.accept(3).finished);
            EXPECT_TRUE(m.is_finished());
            EXPECT_TRUE(m.accept(0).refused);
            EXPECT_TRUE(m.accept(3).refused);
            EXPECT_TRUE((m.check)() == status_code::no_legal_token);
            EXPECT_EQ(m.legal().count, 0u);
            ASSERT_TRUE(m.rollback(here).ok());
            EXPECT_TRUE(m.accept(3).finished);
        }
}

TEST(Triggers, TakeBytesInParts) {
    const vocabulary words = words_of({"a", "{", "}", "<t>"});
    const vocabulary_trie trie(words);
    const triggered fresh(grammar_matcher(read(R"(root ::= "{" "}"*)"), trie), triggers{.words = {"<t>"}}, after_constraint::rearm);
    const auto took = [&](triggered<grammar_matcher>& m, std::initializer_list<text> parts) {
        const std::uint64_t earlier = m.mark();
        const bool is_taken = m.accept_parts(std::span<const text>(parts.begin(), parts.size())).ok();
        EXPECT_EQ(m.mark(), earlier + is_taken);
        return is_taken;
    };
    triggered m = fresh;
    EXPECT_TRUE(m.accept_bytes("talk <t>{").ok());
    EXPECT_TRUE(m.is_awake());
    EXPECT_TRUE(m.accept_bytes("}}").ok());
    EXPECT_TRUE(m.accept_bytes("x").ok());  // it was complete: free text
    EXPECT_FALSE(m.is_awake());
    EXPECT_FALSE(m.accept_bytes("<t>x").ok());
    EXPECT_TRUE(took(m, {"<", "t>"}));  // no trigger across parts
    EXPECT_FALSE(m.is_awake());
    EXPECT_FALSE(took(m, {"<t>", "x"}));  // only the last may wake it
    EXPECT_TRUE(took(m, {"a", "<t>{"}));
    EXPECT_TRUE(m.is_awake());
    EXPECT_TRUE(took(m, {"", ""}));  // complete, so free text follows
    triggered begun = fresh;
    begun.accept(3);
    EXPECT_FALSE(took(begun, {"", ""}));  // not complete
    EXPECT_FALSE(begun.accept_bytes("x").ok());
    EXPECT_TRUE(begun.accept_bytes("{").ok());
}

/// A matcher of "ab" that counts its tokens: it forgets what was before a reset, and does not say that it could not.
struct counting_matcher {
    std::uint64_t taken = 0;
    legal_tokens legal() const noexcept { return legal_tokens::of_ids({taken % 2 == 0 ? &letters[0] : &letters[1], 1}); }
    bool allows(token_id token) const noexcept { return token == letters[taken % 2]; }
    step accept(token_id token) noexcept {
        if (!allows(token)) return step::refusal(status_code::stage_failed);
        ++taken;
        return {};
    }
    void reset() noexcept { taken = 0; }
    std::uint64_t mark() const noexcept { return taken; }
    bool rollback(std::uint64_t to) noexcept { return taken = to, true; }
    bool is_complete() const noexcept { return taken == 2; }
    bool is_finished() const noexcept { return taken == 2; }
    static constexpr token_id letters[2] = {0, 1};
};
/// One that says so.
struct whole_marks : counting_matcher {
    static constexpr bool marks_are_whole = true;
};

TEST(Triggers, GoBackBehindABeginningWhereTheConstraintCan) {
    const vocabulary words = words_of({"a", "b", "<t>", "x"});
    const vocabulary_trie trie(words);
    triggered m(trie, counting_matcher(), triggers{.words = {"<t>"}}, after_constraint::rearm);
    const auto talk = [&](auto& of) {
        for (const token_id token : {3, 2, 0, 1, 3, 2, 0}) EXPECT_FALSE(of.accept(token).refused);
    };
    talk(m);
    EXPECT_TRUE(m.rollback(6).ok());
    EXPECT_TRUE(m.rollback(5) == status_code::rewind_too_far);
    EXPECT_EQ(m.mark(), 6u);
    EXPECT_EQ(legal_of(m, words.size()), ids({0}));
    triggered whole(trie, whole_marks(), triggers{.words = {"<t>"}}, after_constraint::rearm);
    talk(whole);
    EXPECT_TRUE(whole.rollback(3).ok());
    EXPECT_EQ(legal_of(whole, words.size()), ids({1}));
}

}  // namespace
}  // namespace riffle_tests::constraint_triggers
