// What sits around a grammar where one allocation fails: a status or a problem says so, nothing has changed, and the next
// attempt goes well. Once warm nothing asks for memory.

#include <cstring>
#include <string>
#include <vector>

#include <riffle/constraint.hpp>

#include "embedding/allocations.hpp"
#include "embedding/chains.hpp"
#include "embedding/failing_texts.hpp"
#include "embedding/sweep.hpp"

namespace riffle_tests::failing_constraints {
namespace {

using namespace riffle;

const vocabulary_trie& trie() {
    static const vocabulary_trie made = [] {
        vocabulary v;
        for (int b = 0; b < 256; ++b) {
            const char c = char(b);
            v.add({&c, 1});
        }
        for (const char* piece : {"<think>", "</think>", "<t>", "<t>{", "ab"}) v.add(piece);
        v.add("<end>", token_role::end_of_generation | token_role::control);
        return vocabulary_trie(v);
    }();
    return made;
}
const grammar& braces() {
    static const grammar made = *parse_gbnf(R"(root ::= "{" [a-z]* "}")");
    return made;
}
/// Tokens of a text, byte by byte, with a look at each mask.
template <class Matcher>
status follow(Matcher& m, const char* bytes) {
    for (; *bytes != '\0'; ++bytes) {
        if (const status s = (m.check)(); !s.ok()) return s;
        const legal_tokens legal = m.legal();
        if (!legal.are_all && legal.count == 0) return status_code::out_of_memory;
        if (const step s = m.accept(token_id(std::uint8_t(*bytes))); s.refused) return s.state;
    }
    return {};
}

// ---- grammars from parts

TEST(FailingAllocation, OfGrammarsFromParts) {
    const auto make = [](grammar& g) {
        g = sequence({literal("<"), captured("c", choice({"ab", "ac"})), repeat(braces(), 0, 20), free_text_until("</x>"),
                      tagged_text({tag{.begin = "<t>", .content = braces(), .end = "</t>"}}, {.at_least = 1})});
        if (g) return status();
        EXPECT_EQ(g.problem().sentence, "out of memory");
        return status(status_code::out_of_memory);
    };
    fail_each_allocation([] { return grammar(); }, make, [&](grammar& g, const outcome&) { EXPECT_TRUE(make(g).ok()); },
                         [](grammar& g) { EXPECT_TRUE(g); });
}

TEST(FailingAllocation, OfATextThatIsKeptForCaptures) {
    static const grammar g = sequence({literal("<"), captured("c", *parse_gbnf("root ::= [a-z]+")), literal(">")});
    fail_each_allocation(
        [] { return grammar_matcher(g, trie()); }, [](grammar_matcher& m) { return follow(m, "<abcdefghijklmnopqrstuvwxyz>"); },
        [](grammar_matcher& m, const outcome&) {
            const std::uint64_t mark = m.mark();
            EXPECT_TRUE(m.rollback(0).ok());
            EXPECT_TRUE(follow(m, "<abc>").ok()) << mark;
            EXPECT_EQ(m.captures().at(0).bytes, "abc");
        },
        [](grammar_matcher& m) { EXPECT_EQ(m.captures().at(0).bytes, "abcdefghijklmnopqrstuvwxyz"); });
}

// ---- choices

TEST(FailingAllocation, OfChoices) {
    const auto use = [](choice_matcher& m) {
        if (m.size() == 0) m = choice_matcher(trie(), {"ab", "abc", "b"});
        if (m.size() == 0) return (m.check)();
        choice_matcher copy = m;
        if (const status s = copy.enable(2, false); !s.ok()) return s;
        if (const status s = copy.set_bias(0, 1.0f); !s.ok()) return s;
        if (const status s = follow(copy, "abc"); !s.ok()) return s;
        return copy.chosen() == 1 ? status() : status(status_code::stage_failed);
    };
    fail_each_allocation([] { return choice_matcher(); }, use, [&](choice_matcher& m, const outcome&) { EXPECT_TRUE(use(m).ok()); },
                         [](choice_matcher& m) { EXPECT_TRUE(m.is_enabled(2)); });
}

// ---- triggers and thoughts

TEST(FailingAllocation, OfTriggers) {
    struct held {
        std::vector<triggered<grammar_matcher>> one;  // there is no empty one
    };
    const auto use = [](held& h) {
        static const triggers by{.words = {"<t>"}, .patterns = {"x+y"}};
        h.one.clear();
        h.one.reserve(1);
        h.one.emplace_back(grammar_matcher(braces(), trie()), by, after_constraint::rearm);
        if (const status s = (h.one[0].check)(); !s.ok()) return s;
        return follow(h.one[0], "talk <t>{ab} more xxy{}");
    };
    fail_each_allocation([] { return held(); }, use, [&](held& h, const outcome&) { EXPECT_TRUE(use(h).ok()); },
                         [](held& h) { EXPECT_FALSE(h.one[0].is_awake()); });
}

TEST(FailingAllocation, OfThoughts) {
    struct held {
        std::vector<budgeted<grammar_matcher>> one;
    };
    const auto use = [](held& h) {
        static const reasoning_budget budget{.tokens = 100, .message = "ab"};
        h.one.clear();
        h.one.reserve(1);
        h.one.emplace_back(thought_tags(trie(), budget), grammar_matcher(braces(), trie()));
        if (const status s = (h.one[0].check)(); !s.ok()) return s;
        return follow(h.one[0], "<think>x</think>\n{ab}");
    };
    fail_each_allocation([] { return held(); }, use, [&](held& h, const outcome&) { EXPECT_TRUE(use(h).ok()); },
                         [](held& h) { EXPECT_FALSE(h.one[0].is_thinking()); });
}

// ---- text out

TEST(FailingAllocation, OfStreams) {
    static const std::vector<std::string> stops{"stop", "</s>"};
    struct held {
        text_stream stream{words(), stops};
        std::string shown;
        static const vocabulary& words() {
            static const vocabulary all = [] {
                vocabulary v;
                for (const char* piece : {"ab", "s", "to", "p", "\xE2\x82", "\xAC"}) v.add(piece);
                return v;
            }();
            return all;
        }
    };
    const auto use = [](held& h) {
        h = held();
        for (const token_id token : {0, 4, 5, 1, 2, 0, 1, 2, 3}) {
            const text shown = h.stream.push(token);
            if (const status s = (h.stream.check)(); !s.ok()) return s;
            h.shown.append(shown.data(), shown.size());
        }
        return status();
    };
    fail_each_allocation([] { return held(); }, use, [&](held& h, const outcome&) { EXPECT_TRUE(use(h).ok()); },
                         [](held& h) { EXPECT_EQ(h.shown, "ab\xE2\x82\xACstoab"); });
}

// ---- none once warm

TEST(Allocations, NoneAroundAGrammarOnceWarm) {
    triggered woken(grammar_matcher(braces(), trie()), triggers{.words = {"<t>"}}, after_constraint::rearm);
    budgeted thinking(thought_tags(trie(), reasoning_budget{.tokens = 100}), grammar_matcher(braces(), trie()));
    choice_matcher choices(trie(), {"ab", "abc", "b"});
    vocabulary all;
    for (int b = 0; b < 128; ++b) {
        const char c = char(b);
        all.add({&c, 1});
    }
    text_stream out(all, {"stop"});
    const auto once = [&] {
        EXPECT_TRUE(follow(woken, "talk <t>{ab} more <t>{}").ok());
        thinking.reset();
        EXPECT_TRUE(follow(thinking, "<think>x y z</think>\n{ab}").ok());
        choices.reset();
        EXPECT_TRUE(follow(choices, "abc").ok());
        out.reset();
        for (const char* c = "some text that goes on st"; *c != '\0'; ++c) (void)out.push(token_id(*c));
        (void)out.flush();
    };
    once();
    once();
    const allocations seen;
    once();
    EXPECT_EQ(seen.count(), 0u);
}

}  // namespace
}  // namespace riffle_tests::failing_constraints
