// Grammars where one allocation fails: a problem or a status says so, nothing has changed, and the next attempt goes
// well. Once warm, a matcher asks for no memory.

#include <cstring>
#include <string>
#include <vector>

#include <riffle/constraint.hpp>

#include "embedding/chains.hpp"
#include "embedding/failing_texts.hpp"
#include "embedding/sweep.hpp"

namespace riffle_tests::failing_grammars {
namespace {

using namespace riffle;

const vocabulary& words() {
    static const vocabulary all = [] {
        vocabulary v;
        for (int b = 0; b < 256; ++b) {
            const char c = char(b);
            v.add({&c, 1});
        }
        for (const char* piece : {"ab", "abc", "\",", "\":", "{\"", "</s>", "<tool>"}) v.add(piece);
        v.add("<end>", token_role::end_of_generation | token_role::control);
        return v;
    }();
    return all;
}
constexpr const char* source = R"(
root ::= object
object ::= "{" pair ("," pair)* "}"
pair ::= "\"" [^"]{0,200} "\":" (object | [0-9]{1,12} | <tool> | word)
word ::= "true" | "false" | [a-z]+
)";
constexpr const char* written = "{\"abc\":{\"x\":12,\"a longer name\":true},\"y\":abba}";

/// Reads the text token by token, with a look at each mask, until something goes wrong.
status read_on(grammar_matcher& m) {
    for (std::size_t at = std::size_t(m.mark()); written[at] != '\0'; ++at) {
        if (const status s = (m.check)(); !s.ok()) return s;
        if (m.legal_count() == 0 || m.legal_words().empty()) return status_code::out_of_memory;
        if (const step s = m.accept(token_id(std::uint8_t(written[at]))); s.refused) return s.state;
    }
    return {};
}
/// Nothing has been worked out yet.
grammar_matcher fresh_matcher() { return {*parse_gbnf(source), vocabulary_trie(words())}; }

TEST(FailingAllocation, OfAGrammarThatIsRead) {
    fail_each_allocation_of_reading([] { return parse_gbnf(source); });
}

TEST(FailingAllocation, OfAVocabularyTrie) {
    const auto nothing = [] { return vocabulary_trie(); };
    const auto make = [](vocabulary_trie& t) {
        t = vocabulary_trie(words());
        return (t.check)();
    };
    fail_each_allocation(
        nothing, make, [&](vocabulary_trie& t, const outcome&) { EXPECT_TRUE(make(t).ok()); },
        [](vocabulary_trie& t) { EXPECT_EQ(t.size(), words().size()); });
}

TEST(FailingAllocation, OfAMatcherThatIsMade) {
    struct parts {
        parsed<grammar> language = parse_gbnf(source);
        vocabulary_trie trie{words()};
        grammar_matcher made{};
    };
    const auto make = [](parts& p) {
        p.made = grammar_matcher(*p.language, p.trie);
        return (p.made.check)();
    };
    fail_each_allocation([] { return parts(); }, make, [&](parts& p, const outcome&) { EXPECT_TRUE(make(p).ok()); },
                         [](parts& p) { EXPECT_TRUE(p.made.allows('{')); });
}

TEST(FailingAllocation, OfAMatcherThatReadsOn) {
    fail_each_allocation(
        fresh_matcher, read_on,
        [](grammar_matcher& m, const outcome&) {
            const std::uint64_t before = m.mark();
            EXPECT_FALSE(m.accept(100000).state.ok());
            EXPECT_EQ(m.mark(), before);
            EXPECT_TRUE(read_on(m).ok()) << "what is missing is made the next time";
            EXPECT_TRUE(m.is_complete());
        },
        [](grammar_matcher& m) { EXPECT_TRUE(m.is_complete()); });
}

TEST(FailingAllocation, OfAMatcherThatMovesToFreshCaches) {
    const auto tiny = [] {
        grammar_limits limits;
        limits.states = 8;
        return grammar_matcher(*parse_gbnf(source, "root", limits), vocabulary_trie(words()));
    };
    fail_each_allocation(
        tiny, read_on, [](grammar_matcher& m, const outcome&) { EXPECT_TRUE(read_on(m).ok()); },
        [](grammar_matcher& m) { EXPECT_TRUE(m.is_complete()); });
}

TEST(Allocations, NoneOfAConstrainedChainOnceWarm) {
    std::vector<float> row(words().size());
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = float(i * 7919 % 101) * 0.1f;
    auto chain = constrain{fresh_matcher()} | penalties{.repeat = 1.2f} | top_k{.k = 40} | temperature{.t = 0.8f} |
                 dist{.seed = 5};
    const auto write = [&] {
        std::string all;
        for (int i = 0; i < 60 && !chain.last_step().finished; ++i)
            if (const token_id token = chain.sample(row); token >= 0) all += char(token);
        return all;
    };
    const std::string text = write();
    chain.reset();
    const std::string expected = text;
    const allocations seen;
    const token_id first = chain.sample(row);
    for (int i = 1; i < 60 && !chain.last_step().finished; ++i) chain.sample(row);
    EXPECT_EQ(seen.count(), 0u);
    EXPECT_EQ(char(first), expected[0]);

    grammar_matcher m = fresh_matcher();
    ASSERT_TRUE(read_on(m).ok());
    m.reset();
    const allocations of_matcher;
    EXPECT_TRUE(read_on(m).ok());
    EXPECT_EQ(of_matcher.count(), 0u);
}

/// Copies of the grammar and of the trie are one pair: what one matcher has worked out, all have.
TEST(Allocations, NoneOfAMatcherOfAPairThatIsWarm) {
    const parsed<grammar> g = parse_gbnf(source);
    const vocabulary_trie trie(words());
    grammar_matcher first(*g, trie);
    ASSERT_TRUE(read_on(first).ok());
    const auto legal_after = [](grammar_matcher m, std::vector<std::size_t>& counts) {
        for (std::size_t& count : counts) {
            count = m.legal_count();
            if (count > 0) (void)m.accept(m.legal_ids().empty() ? '{' : m.legal_ids()[0]);
        }
    };
    std::vector<std::size_t> expected(20), found(20);
    legal_after(grammar_matcher(*g, trie), expected);
    const allocations seen;
    const grammar language = *g;
    const vocabulary_trie same = trie;
    legal_after(grammar_matcher(language, same), found);
    EXPECT_EQ(seen.count(), 0u);
    EXPECT_EQ(found, expected);
    static_assert(sizeof(grammar_matcher) < 800);
}

/// Each of them keeps the caches it stands in, and those that come after are smaller.
TEST(GrammarMatcher, ManyThatStayBehindTakeAFewCaches) {
    grammar_limits limits;
    limits.automaton_bytes = limits.mask_bytes = 4 << 20;
    const parsed<grammar> g =
        parse_gbnf(R"gbnf(root ::= ("(" root ")" | "[" root "]" | "{" root "}" | "x")+)gbnf", "root", limits);
    const vocabulary_trie trie(words());
    const grammar_matcher start(*g, trie);
    std::vector<grammar_matcher> behind;
    behind.reserve(40);
    const std::size_t before = living_bytes();
    std::uint32_t random = 1;
    for (int n = 0; n < 40; ++n) {
        for (int walk = 0; walk < 1000; ++walk) {
            grammar_matcher m = start;
            for (int depth = 0; depth < 30; ++depth) {
                random = random * 1664525u + 1013904223u;
                ASSERT_FALSE(m.accept(token_id("([{"[(random >> 16) % 3])).refused);
            }
            ASSERT_EQ(m.legal_count(), 4u);
            if (walk == 0) behind.push_back(m);
        }
    }
    const std::size_t taken = living_bytes() - before;
    RecordProperty("bytes", int(taken));
    EXPECT_LT(taken, 40u << 20);
    for (grammar_matcher& m : behind) EXPECT_FALSE(m.accept('x').refused);
}

/// Of a text that can be read in very many ways, the caches of a matcher are large, and it keeps them.
TEST(GrammarMatcher, ManyThatStayBehindNeverTakeMoreThanTheirShare) {
    const parsed<grammar> g = parse_gbnf(R"gbnf(
        root ::= x{0,1000} "y"
        x ::= "a" x{0,1000} "b" | "a" x{0,999} "c" | [a-z]{3,4}
    )gbnf");
    ASSERT_TRUE(g) << g.problem().message();
    vocabulary letters;
    for (char letter = 'a'; letter <= 'z'; ++letter) letters.add({&letter, 1});
    const vocabulary_trie trie(letters);
    const std::size_t before = living_bytes();
    const char* const crowded = "grammar_limits: automaton_bytes = 50331648 leaves no room beside what other "
                                "matchers of the grammar hold";
    std::vector<grammar_matcher> behind;
    std::uint32_t random = 40;
    status refused;
    while (std::strcmp(refused.message().c_str(), crowded) != 0) {
        ASSERT_LT(behind.size(), 200u) << "what they hold is not bounded";
        grammar_matcher m(*g, trie);
        refused = {};
        for (int n = 0; n < 240 && refused.ok(); ++n) {
            random = random * 1664525u + 1013904223u;
            refused = m.accept((random >> 16) % 3 == 0 ? token_id((random >> 20) % 26) : 0).state;
            (void)m.legal_count();
        }
        behind.push_back(m);
        ASSERT_LT(living_bytes() - before, 220u << 20);
    }
    EXPECT_GT(behind.size(), 10u);
    grammar_matcher last = behind.back();
    behind.clear();
    EXPECT_FALSE(last.accept(0).refused) << "there is room again";
}

}  // namespace
}  // namespace riffle_tests::failing_grammars
