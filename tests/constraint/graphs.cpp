// Expressions that are graphs: of arcs that nothing is remembered of, that are counted, and that come once at most. Which
// bytes may follow, and where a text may end, is what a search over all walks finds.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/constraint/compile_grammar.hpp>
#include <riffle/constraint/gbnf.hpp>
#include <riffle/constraint/gbnf_writer.hpp>
#include <riffle/constraint/grammar_matcher.hpp>
#include <riffle/constraint/regex/parse_regex.hpp>

#include "constraint/walks.hpp"
#include "integers.hpp"

namespace {

using namespace riffle;
using riffle_tests::integers;
using memory = detail::walk_memory;

/// A graph whose arcs are words, and what is remembered of a walk, once more and slowly.
struct slow_graph {
    struct arc {
        std::uint32_t from, to, bit;
        std::string word;
    };
    std::vector<bool> may_end;
    std::vector<arc> arcs;
    memory remembers = memory::nothing;
    std::uint32_t least = 0, most = ~0u;
    std::uint64_t required = 0;

    /// A node, what was remembered, and of the arc that is being read how far.
    using place = std::tuple<std::uint32_t, std::uint64_t, std::size_t, std::size_t>;
    enum : std::size_t { no_arc = 1000 };

    bool ends(const place& p) const {
        const auto& [node, kept, now, read] = p;
        if (now != no_arc || !may_end[node]) return false;
        if (remembers == memory::count) return kept >= least && kept <= most;
        const auto bits = std::uint32_t(std::popcount(kept));
        return remembers == memory::nothing || ((kept & required) == required && bits >= least && bits <= most);
    }
    bool begin_arc(const place& at, std::size_t i, place& to) const {
        const auto& [node, kept, now, read] = at;
        const slow_graph::arc& a = arcs[i];
        if (now != no_arc || a.from != node) return false;
        std::uint64_t next = kept;
        // Behind `least` and `most` arcs more of them make no difference.
        if (remembers == memory::count) next = std::min<std::uint64_t>(kept + 1, most == ~0u ? least : most + 1);
        if (remembers == memory::count && most != ~0u && kept >= most) return false;
        if (remembers == memory::set && a.bit < 64) {
            if ((kept >> a.bit & 1) != 0) return false;
            next = kept | std::uint64_t{1} << a.bit;
        }
        to = {node, next, i, 0};
        return true;
    }
    std::vector<place> behind(const place& at, char c) const {
        std::vector<place> all, begun{at};
        for (std::size_t i = 0; i < arcs.size(); ++i)
            if (place to; begin_arc(at, i, to)) begun.push_back(to);
        for (const auto& [node, kept, now, read] : begun) {
            if (now == no_arc || arcs[now].word[read] != c) continue;
            const bool is_whole = read + 1 == arcs[now].word.size();
            all.push_back(is_whole ? place{arcs[now].to, kept, no_arc, 0} : place{node, kept, now, read + 1});
        }
        return all;
    }
    bool can_end(const place& from, std::map<place, bool>& known) const {
        if (const auto found = known.find(from); found != known.end()) return found->second;
        std::set<place> seen{from};
        std::vector<place> left{from};
        while (!left.empty()) {
            const place p = left.back();
            left.pop_back();
            if (ends(p)) return known[from] = true;
            for (const char c : {'a', 'b', 'c'})
                for (const place& to : behind(p, c))
                    if (seen.insert(to).second) left.push_back(to);
        }
        return known[from] = false;
    }
};

parsed<grammar> compiled(const slow_graph& of) {
    detail::grammar_rules rules;
    detail::expression_graph graph;
    std::vector<detail::expression_id> parts;
    for (const bool end : of.may_end) graph.add_node(end);
    std::map<std::string, detail::expression_id> words;
    for (const slow_graph::arc& a : of.arcs) {
        graph.arcs.push_back({a.from, a.to, a.bit});
        if (!words.contains(a.word)) words[a.word] = rules.add_literal(a.word);
        parts.push_back(words[a.word]);
    }
    graph.bounds = {.memory = of.remembers, .least = of.least, .most = of.most, .required = of.required};
    rules.rules.push_back({"root", rules.add_graph(std::move(graph), parts.data()), 0});
    return detail::compile(std::move(rules), {});
}
slow_graph random_graph(integers& random) {
    slow_graph g;
    static const char* const words[] = {"a", "b", "c", "ab", "ca", "abc"};
    g.remembers = memory(random.below(3));
    if (g.remembers == memory::set) {  // what may follow depends on the arcs that came, not on the node
        g.may_end = {random.below(2) != 0, true};
        for (std::uint32_t n = 1 + random.below(6); n > 0; --n) {
            const std::uint32_t bit = random.below(4) == 0 ? 64 : n;
            const std::string word = words[random.below(6)];
            for (const std::uint32_t from : {0u, 1u}) g.arcs.push_back({from, 1, bit, word});
        }
        g.least = random.below(3);
        if (random.below(2) != 0) g.most = g.least + random.below(3);
        if (random.below(2) != 0) g.required = random.below(32) & ~1u;
        return g;
    }
    const std::uint32_t nodes = 1 + random.below(6);
    for (std::uint32_t n = 0; n < nodes; ++n) g.may_end.push_back(random.below(3) == 0);
    for (std::uint32_t n = 1 + random.below(12); n > 0; --n)
        g.arcs.push_back({random.below(nodes), random.below(nodes), 64, words[random.below(6)]});
    if (g.remembers == memory::count) {
        g.least = random.below(4);
        if (random.below(3) != 0) g.most = g.least + random.below(random.below(2) != 0 ? 12 : 3);
    }
    return g;
}

TEST(Graphs, AreWhatASearchOverAllWalksFinds) {
    const auto words = riffle_tests::constraint_walks::words_of({"a", "b", "c", "ab", "abc", "caab", "bbbbbbbb"});
    const vocabulary_trie trie = riffle_tests::constraint_walks::trie_of(words);
    integers random(3);
    std::size_t taken = 0, without_text = 0;
    for (int round = 0; round < 3000; ++round) {
        const slow_graph g = random_graph(random);
        std::map<slow_graph::place, bool> known;
        const slow_graph::place first{0, 0, slow_graph::no_arc, 0};
        const parsed<grammar> made = compiled(g);
        ASSERT_EQ(made.ok(), g.can_end(first, known)) << round << made.problem().message();
        without_text += !made.ok();
        if (!made) continue;
        ++taken;
        for (int walk = 0; walk < 3; ++walk) {
            grammar_matcher m(*made, trie);
            std::set<slow_graph::place> places{first};
            for (int step = 0; step < 14; ++step) {
                const bool is_complete = std::any_of(places.begin(), places.end(), [&](const auto& p) { return g.ends(p); });
                ASSERT_EQ(m.is_complete(), is_complete) << round;
                std::string may_follow, follows;
                std::map<char, std::set<slow_graph::place>> next;
                for (const char c : {'a', 'b', 'c'}) {
                    for (const auto& p : places)
                        for (const auto& to : g.behind(p, c))
                            if (g.can_end(to, known)) next[c].insert(to);
                    if (next.contains(c)) follows += c;
                    if (m.expected_bytes().contains(std::uint8_t(c))) may_follow += c;
                }
                ASSERT_EQ(may_follow, follows) << round << " step " << step;
                for (std::size_t id = 0; id + 1 < words.size(); ++id) {  // masks, too
                    std::set<slow_graph::place> at = places;
                    for (const char c : words[id].bytes) {
                        std::set<slow_graph::place> to;
                        for (const auto& p : at)
                            for (const auto& q : g.behind(p, c))
                                if (g.can_end(q, known)) to.insert(q);
                        at = std::move(to);
                    }
                    ASSERT_EQ((m.legal_words()[0] >> id & 1) != 0, !at.empty()) << round << " " << words[id].bytes;
                }
                if (follows.empty()) break;
                const char c = follows[random.below(std::uint32_t(follows.size()))];
                ASSERT_FALSE(m.accept(token_id(c - 'a')).refused);
                places = next[c];
            }
        }
    }
    EXPECT_GT(taken, 1000u);
    EXPECT_GT(without_text, 100u);
}
TEST(Graphs, CountFurtherThanAnyToken) {
    // Two letters at a time, an even number of steps: what counts is told apart as far as it makes a difference.
    slow_graph g;
    g.may_end = {true, false};
    g.arcs = {{0, 1, 64, "a"}, {1, 0, 64, "b"}};
    g.remembers = memory::count;
    g.least = 100;
    const parsed<grammar> made = compiled(g);
    ASSERT_TRUE(made.ok());
    const vocabulary_trie trie = riffle_tests::constraint_walks::trie_of(riffle_tests::constraint_walks::words_of({"a", "b"}));
    grammar_matcher m(*made, trie);
    for (int i = 0; i < 300; ++i) {
        EXPECT_EQ(m.is_complete(), i >= 100 && i % 2 == 0) << i;
        ASSERT_FALSE(m.accept(i % 2).refused);
    }
}
TEST(Graphs, GoNowhereFromWhereTheEndIsTooFar) {
    slow_graph g;
    g.may_end = {false, false, false, true};
    g.arcs = {{0, 1, 64, "b"}, {0, 2, 64, "a"}, {1, 1, 64, "b"}, {1, 0, 64, "c"}, {2, 3, 64, "b"}, {2, 1, 64, "a"}};
    g.remembers = memory::count;
    g.most = 2;
    const parsed<grammar> made = compiled(g);
    ASSERT_TRUE(made.ok());
    const vocabulary_trie trie = riffle_tests::constraint_walks::trie_of(riffle_tests::constraint_walks::words_of({"a", "b", "bb", "ab"}));
    grammar_matcher m(*made, trie);
    EXPECT_EQ(m.legal_words()[0], 0b1001u) << "b and bb lead to where the end is three arcs away";
    EXPECT_TRUE(m.accept(1).refused);
}
TEST(Graphs, AreWrittenAsRules) {
    slow_graph g;
    g.may_end = {false, true};
    g.arcs = {{0, 1, 64, "a"}, {1, 1, 64, "b"}};
    EXPECT_EQ(to_gbnf(*compiled(g)), "root ::= graph1-0\ngraph1-0 ::= \"a\" graph1-1\ngraph1-1 ::= \"b\" graph1-1 | \"\"\n");
    EXPECT_TRUE(parse_gbnf(to_gbnf(*compiled(g))).ok());
    g.remembers = memory::count;
    g.least = 2;
    g.most = 5;
    const std::string counted = to_gbnf(*compiled(g));
    EXPECT_NE(counted.find("# from graph1-0 on as many parts as this: at least 2, at most 5\n"), std::string::npos) << counted;
    EXPECT_TRUE(parse_gbnf(counted).ok()) << counted;
}

bool matches(const parsed<grammar>& g, const std::string& bytes) {
    static const vocabulary_trie trie = riffle_tests::constraint_walks::trie_of(riffle_tests::constraint_walks::words_of({"a"}));
    grammar_matcher m(*g, trie);
    return m.accept_bytes(bytes).ok() && m.is_complete();
}
TEST(ParseRegex, ReadsAWholeText) {
    const parsed<grammar> time = parse_regex("([01]\\d|2[0-3]):[0-5]\\d");
    ASSERT_TRUE(time.ok());
    EXPECT_TRUE(matches(time, "23:59"));
    EXPECT_FALSE(matches(time, "24:00"));
    EXPECT_FALSE(matches(time, "x23:59"));
    EXPECT_TRUE(matches(parse_regex("^a{1,100000}$"), std::string(1000, 'a')));
    EXPECT_TRUE(matches(parse_regex("\\bfoo\\b( |$)"), "foo "));
    EXPECT_TRUE(matches(parse_regex("(?!ab)[abc]+"), "acb"));
    EXPECT_FALSE(matches(parse_regex("(?!ab)[abc]+"), "abc"));
    EXPECT_TRUE(matches(parse_regex("a|^b$|c$"), "c"));
    EXPECT_TRUE(matches(parse_regex(""), ""));
    EXPECT_TRUE(matches(parse_regex("\xC3\xA9+"), "\xC3\xA9\xC3\xA9"));
}
TEST(ParseRegex, SaysWhereAndWhy) {
    const parsed<grammar> g = parse_regex("ab(c");
    ASSERT_FALSE(g.ok());
    EXPECT_EQ(g.problem().message(), "1:3: this ( is never closed");
    EXPECT_EQ(parse_regex("a^b").problem().sentence, "no text matches the pattern");
    EXPECT_EQ(parse_regex("[]").problem().sentence, "no text matches the pattern");
    EXPECT_EQ(parse_regex("\xFF").problem().sentence, "the pattern is not UTF-8");
    EXPECT_EQ(parse_regex(std::string(2000000, 'a')).problem().sentence, "the pattern is longer than the limit allows");
    EXPECT_FALSE(parse_regex("((((a{1,1000}){1,1000}){1,1000}){1,1000})\\b").ok());
}

}  // namespace
