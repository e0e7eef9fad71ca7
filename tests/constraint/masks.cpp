// The masks of matchers, and all else that can be asked of them, beside brute force over every token with the slow
// reference: random grammars, random vocabularies, usual and tiny limits, fresh and warmed matchers.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "constraint/walks.hpp"

namespace riffle_tests::constraint_masks {
namespace {

using namespace riffle;
using namespace constraint_walks;

grammar_limits tiny_limits(integers& random) {
    static constexpr std::size_t bytes[] = {0, 1, 300, 5000, 40000};
    grammar_limits tiny;
    tiny.states = 1 + random.below(64);
    tiny.automaton_bytes = bytes[random.below(5)];
    tiny.mask_bytes = bytes[random.below(5)];
    return tiny;
}

/// A token to go on with: any that is legal, and an end only now and then.
std::int32_t token_to_take(integers& random, const slow::words& words, const tokens& legal) {
    std::int32_t id = legal[random.below(std::uint32_t(legal.size()))];
    for (int attempt = 0; attempt < 6; ++attempt) {
        const slow::word& w = words[std::size_t(id)];
        if (!w.is_end && w.bytes.size() < 100) break;
        id = legal[random.below(std::uint32_t(legal.size()))];
    }
    return id;
}

struct counts {
    std::size_t masks = 0, ends = 0, dead_ends = 0, tokens = 0, given_up = 0;
};

/// Walks with matchers of all kinds side by side.
void walk(const slow::grammar& g, const slow::words& words, std::uint64_t seed, counts& seen) {
    integers random(seed);
    const std::string source = slow::gbnf_of(g);
    SCOPED_TRACE(source);
    const vocabulary_trie trie = trie_of(words);
    const slow::productions productions(g);
    const parsed<riffle::grammar> usual = parse_gbnf(source);
    const parsed<riffle::grammar> tiny = parse_gbnf(source, "root", tiny_limits(random));
    ASSERT_TRUE(usual.ok()) << usual.problem().message();
    ASSERT_TRUE(tiny.ok()) << tiny.problem().message();
    for (int n = 0; n < 3; ++n) {
        const parsed<riffle::grammar> again = parse_gbnf(source);
        slow::text text(productions, words);
        std::vector<grammar_matcher> matchers{grammar_matcher(*usual, trie), grammar_matcher(*tiny, trie),
                                              grammar_matcher(*again, trie)};
        tokens taken;
        for (int step = 0; step < 8 && text.length() < 330 && text.ways() < 400; ++step) {
            SCOPED_TRACE("after" + printed(words, taken));
            const tokens legal = text.legal();
            if (text.has_given_up()) {
                ++seen.given_up;
                return;
            }
            for (std::size_t k = 0; k < matchers.size(); ++k) {
                SCOPED_TRACE(k == 0 ? "usual limits" : k == 1 ? "tiny limits" : "fresh");
                expect_agrees(matchers[k], text, words, legal);
                if (!text.is_complete() || !legal.empty()) {
                    EXPECT_EQ(matchers[k].check().code(), code_of(text, legal))
                        << matchers[k].check().message().c_str();
                }
            }
            if (::testing::Test::HasFailure()) return;
            ++seen.masks;
            if (legal.empty()) {
                text.has_ended() ? ++seen.ends : ++seen.dead_ends;
                break;
            }
            const std::int32_t next = token_to_take(random, words, legal);
            taken.push_back(next);
            ++seen.tokens;
            ASSERT_TRUE(text.take(next));
            for (grammar_matcher& m : matchers) {
                const riffle::step s = m.accept(next);
                EXPECT_TRUE(s.state.ok()) << s.state.message().c_str();
                EXPECT_FALSE(s.refused);
                EXPECT_EQ(s.finished, text.is_finished()) << "after" << printed(words, taken);
            }
        }
    }
}

void walk_all(std::uint64_t first_seed, int grammars, std::size_t size) {
    counts seen;
    for (int i = 0; i < grammars && !::testing::Test::HasFailure(); ++i) {
        const std::uint64_t seed = first_seed + std::uint64_t(i);
        SCOPED_TRACE("seed " + std::to_string(seed));
        const slow::words words = slow::random_words(seed, size);
        walk(slow::random_grammar(seed, words).make(), words, seed, seen);
    }
    if (::testing::Test::HasFailure()) return;
    EXPECT_GT(seen.masks, std::size_t(grammars) * 3) << "walks are too short to say much";
    EXPECT_GT(seen.ends, 0u);
    EXPECT_LT(seen.given_up, std::size_t(grammars) / 8);
    EXPECT_GT(seen.tokens, std::size_t(grammars) * 2);
}

TEST(GrammarMasks, AgreeWithBruteForce) { walk_all(1000, 120, 200); }
TEST(GrammarMasks, AgreeWithBruteForceInSmallVocabularies) { walk_all(5000, 120, 60); }
TEST(GrammarMasks, AgreeWithBruteForceInLargerVocabularies) { walk_all(9000, 20, 900); }
/// Few are more than 64 there.
TEST(GrammarMasks, AgreeWithBruteForceInAVocabularyOfThousands) { walk_all(12000, 10, 9000); }

}  // namespace
}  // namespace riffle_tests::constraint_masks
