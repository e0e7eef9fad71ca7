// Copies of matchers on several threads at once, over caches that they share: their masks are those of one thread.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "constraint/walks.hpp"

namespace riffle_tests::threads_grammars {
namespace {

using namespace riffle;
using namespace constraint_walks;

/// With nested repetitions, recursion, a class beyond ASCII, and whole tokens.
constexpr const char* source = R"(
root  ::= value+ "b"{3,12} .{0,20}
value ::= "a" value "b" | "a" value " " | pair | [é日]{2,9} " "
pair  ::= <|s|> ([^ab] [a-z]{0,20}){1,3} "\x01" | !<[6]> "a"
)";

struct trace {
    std::vector<tokens> masks;
    tokens taken;
    bool operator==(const trace&) const = default;
};

/// Walks by the masks; now and then back, and on as a copy.
trace walk(grammar_matcher m, const slow::words& words, std::uint64_t seed, int steps) {
    integers random(seed);
    trace all;
    for (int i = 0; i < steps; ++i) {
        const tokens legal = ids_of(m.legal_words());
        all.masks.push_back(legal);
        if (legal.empty()) {
            m.reset();
            continue;
        }
        std::int32_t id = legal[random.below(std::uint32_t(legal.size()))];
        if (words[std::size_t(id)].is_end) id = legal.back();
        all.taken.push_back(id);
        const bool is_allowed = m.allows(id);
        const bool is_refused = m.accept(id).refused;
        if (!is_allowed || is_refused) all.taken.push_back(-1);
        if (random.below(5) == 0) {
            const std::uint64_t mark = m.mark() - random.below(m.mark() < 3 ? 1 : 3);
            if (!m.rollback(mark).ok()) all.taken.push_back(-2);
        }
        if (random.below(7) == 0) m = grammar_matcher(m);
        if (random.below(9) == 0)
            for (const token_id forced : m.forced_run(3)) all.taken.push_back(forced);
    }
    return all;
}

/// All walks begin at once: matchers made beforehand, or each by its own thread.
void expect_equal_walks(const grammar_limits& limits, bool are_copies, int steps) {
    constexpr std::size_t walks = 64;
    const slow::words words = slow::random_words(77, 150);
    const vocabulary_trie trie = trie_of(words);
    const parsed<riffle::grammar> alone = parse_gbnf(source);
    const parsed<riffle::grammar> shared = parse_gbnf(source, "root", limits);
    ASSERT_TRUE(alone.ok()) << alone.problem().message();
    ASSERT_TRUE(shared.ok()) << shared.problem().message();

    std::vector<trace> expected(walks), found(walks);
    for (std::size_t i = 0; i < walks; ++i) expected[i] = walk(grammar_matcher(*alone, trie), words, i % 48, steps);
    const grammar_matcher first(*shared, trie);
    ASSERT_TRUE(first.check().ok()) << first.check().message().c_str();
    std::atomic<bool> may_begin{false};
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < walks; ++i)
        threads.emplace_back([&, i, copy = first] {
            while (!may_begin) std::this_thread::yield();
            found[i] = walk(are_copies ? copy : grammar_matcher(*shared, trie), words, i % 48, steps);
        });
    may_begin = true;
    for (std::thread& t : threads) t.join();
    std::size_t taken = 0;
    for (std::size_t i = 0; i < walks; ++i) {
        EXPECT_EQ(found[i], expected[i]) << "walk " << i;
        EXPECT_EQ(std::count(found[i].taken.begin(), found[i].taken.end(), -1), 0) << "a legal token was refused";
        EXPECT_EQ(std::count(found[i].taken.begin(), found[i].taken.end(), -2), 0);
        taken += found[i].taken.size();
    }
    EXPECT_GT(taken, walks * std::size_t(steps) / 2);
}

TEST(GrammarThreads, ShareWhatOneHasWorkedOut) { expect_equal_walks({}, true, 200); }
TEST(GrammarThreads, MakeTheirOwnMatchers) { expect_equal_walks({}, false, 200); }
TEST(GrammarThreads, MoveToFreshCachesAsTheyFillUp) {
    for (const std::uint32_t states : {1u, 7u, 64u}) {
        grammar_limits tiny;
        tiny.states = states;
        expect_equal_walks(tiny, states == 7, 25);
    }
}
TEST(GrammarThreads, MoveToFreshCachesAsMasksFillThemUp) {
    grammar_limits tiny;
    tiny.mask_bytes = 300;
    expect_equal_walks(tiny, true, 25);
    tiny.automaton_bytes = 3000;
    expect_equal_walks(tiny, false, 25);
}
/// Slices of a vocabulary are shared by grammars, automata of a grammar by vocabularies.
TEST(GrammarThreads, MakeGrammarsOverOneVocabulary) {
    const slow::words words = slow::random_words(78, 120);
    const vocabulary_trie trie = trie_of(words);
    const auto walk_number = [&](std::size_t i) {
        const std::string of = "root ::= [^" + slow::utf8('a' + std::uint32_t(i % 5)) + "]* \"b\" .{0,9}\n";
        const parsed<riffle::grammar> g = parse_gbnf(of);
        EXPECT_TRUE(g.ok());
        const vocabulary_trie own = i % 2 == 0 ? trie : trie_of(words);
        return walk(grammar_matcher(*g, own), words, i, 12);
    };
    std::vector<trace> expected, found(64);
    for (std::size_t i = 0; i < 64; ++i) expected.push_back(walk_number(i));
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < 64; ++i) threads.emplace_back([&, i] { found[i] = walk_number(i); });
    for (std::thread& t : threads) t.join();
    EXPECT_TRUE(found == expected);
}

}  // namespace
}  // namespace riffle_tests::threads_grammars
