// A matcher as a stage of any chain, and beside one: what is legal, what is refused, going back, the laws of both ways.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/batch.hpp>
#include <riffle/constraint.hpp>
#include <riffle/llama_exact.hpp>
#include <riffle/riffle.hpp>
#include <riffle/settings.hpp>

#include "constraint/grammar_texts.hpp"
#include "integers.hpp"

namespace riffle_tests::constraint_constrain {
namespace {

using namespace riffle;
using grammar_texts::small_model;
using grammar_texts::tokens;

grammar_matcher matcher_of(const char* source, const grammar_limits& limits = {}) {
    const parsed<riffle::grammar> g = parse_gbnf(source, "root", limits);
    EXPECT_TRUE(g.ok()) << g.problem().message();
    return {*g, tokens()};
}
const char* const json = R"(
root ::= value
value ::= object | array | string | [0-9]{1,5} | "true" | "false" | "null"
object ::= "{" (string ":" value ("," string ":" value)*)? "}"
array ::= "[" (value ("," value)*)? "]"
string ::= "\"" [^"\\\x00-\x1F]{0,12} "\""
)";

/// A row in which every token has a chance; longer than the vocabulary.
std::vector<float> row_of(std::uint64_t seed) {
    integers random(seed);
    std::vector<float> row(tokens().size() + 37);
    for (float& logit : row) logit = random.real(-4, 4);
    for (std::size_t i = tokens().size(); i < row.size(); ++i) row[i] = 30.0f;  // padding, the likeliest of all
    return row;
}
auto usual(grammar_matcher m, std::uint64_t seed = 1) {
    return constrain{std::move(m)} | penalties{.last_n = 16, .repeat = 1.2f} | top_k{.k = 40} | top_p{.p = 0.95f} |
           temperature{.t = 0.9f} | dist{.seed = seed};
}
using usual_chain = decltype(usual(grammar_matcher()));
const grammar_matcher& matcher_in(const usual_chain& c) { return get<constrain<grammar_matcher>>(c).matcher; }

std::string text_of(std::span<const token_id> ids) {
    std::string all;
    for (const token_id id : ids) all.append(tokens().piece(id).data(), tokens().piece(id).size());
    return all;
}

/// Samples until the text is finished; at each step the token is legal, and the one that a mask of the same words
/// gives.
std::vector<token_id> written(usual_chain c, std::size_t most, std::uint64_t seed) {
    std::vector<token_id> text;
    while (text.size() < most) {
        const std::vector<float> row = row_of(seed + text.size());
        const auto words = matcher_in(c).legal_words();
        auto masked = mask{{words.begin(), words.end()}} | penalties{.last_n = 16, .repeat = 1.2f} | top_k{.k = 40} |
                      top_p{.p = 0.95f} | temperature{.t = 0.9f} | dist{.seed = seed};
        for (const token_id id : text) masked.accept(id);
        const token_id token = c.sample(row);
        EXPECT_EQ(token, masked.peek(row));
        EXPECT_GE(token, 0) << c.last_status().message().c_str();
        if (token < 0) break;
        text.push_back(token);
        if (c.last_step().finished) break;
    }
    return text;
}

TEST(Constrain, WritesWhatTheGrammarTakes) {
    std::size_t finished = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        std::vector<token_id> text = written(usual(matcher_of(json), seed), 60, seed);
        grammar_matcher again = matcher_of(json);
        for (const token_id id : text) ASSERT_FALSE(again.accept(id).refused) << text_of(text);
        finished += again.is_complete();
    }
    EXPECT_GT(finished, 10u);
}

TEST(Constrain, GivesTheSameTokensInEveryKindOfChain) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        usual_chain typed = usual(matcher_of(json), seed);
        dynamic_chain held;
        held.push(constrain{matcher_of(json)});
        held.push(penalties{.last_n = 16, .repeat = 1.2f});
        held.push(top_k{.k = 40});
        held.push(top_p{.p = 0.95f});
        held.push(temperature{.t = 0.9f});
        ASSERT_TRUE(held.push(dist{.seed = seed}));
        any_pipeline any = usual(matcher_of(json), seed);
        std::vector<usual_chain> one{usual(matcher_of(json), seed)};
        batch many;
        for (std::size_t i = 0; i < 30 && !typed.last_step().finished; ++i) {
            const std::vector<float> row = row_of(seed + i);
            const token_id expected = typed.sample(row);
            EXPECT_EQ(held.sample(row), expected);
            EXPECT_EQ(any.sample(row), expected);
            token_id of_batch = null_token;
            EXPECT_TRUE(many.sample(one, logit_rows(row.data(), 1, row.size()), {&of_batch, 1}));
            EXPECT_EQ(of_batch, expected);
            EXPECT_EQ(held.last_step().finished, typed.last_step().finished);
        }
    }
}

// ---- a prompt, refusals, ends

TEST(Constrain, TokensOfAPromptAreNotTheGrammars) {
    usual_chain c = usual(matcher_of("root ::= \"ab\""));
    const token_id prompt[] = {'x', 'y', small_model::tool, small_model::end};
    EXPECT_TRUE(c.prompt(prompt));
    EXPECT_EQ(matcher_in(c).mark(), 0u);
    const token_id first = c.sample(row_of(1));
    EXPECT_TRUE(first == 'a' || text_of({&first, 1}) == "ab");
}

TEST(Constrain, ATokenThatIsNotAllowedChangesNothing) {
    usual_chain c = usual(matcher_of("root ::= \"a\" \"b\""));
    ASSERT_FALSE(c.accept('a').refused);
    const checkpoint before = c.mark();
    const token_id next = c.peek(row_of(3));
    for (const token_id wrong : {token_id('a'), token_id('x'), token_id(small_model::end), token_id(100000)}) {
        const step s = c.accept(wrong);
        EXPECT_TRUE(s.refused);
        EXPECT_EQ(s.state.code(), status_code::stage_failed);
        EXPECT_STREQ(s.state.message().c_str(), "constrain: a stage failed, or refused the token");
        EXPECT_EQ(c.last_step().state.code(), status_code::stage_failed);
        EXPECT_EQ(c.mark().prefix_hash, before.prefix_hash);
        EXPECT_EQ(c.peek(row_of(3)), next);
    }
    EXPECT_TRUE(c.accept('b').finished);
}

TEST(Constrain, SaysThatTheTextHasEnded) {
    auto c = usual(matcher_of("root ::= [a-c]{1,3}"));
    std::vector<float> row(tokens().size(), 0.0f);
    row['b'] = 50.0f;
    EXPECT_EQ(c.sample(row), 'b');
    EXPECT_FALSE(c.last_step().finished);
    row[small_model::end] = 90.0f;
    EXPECT_EQ(c.sample(row), small_model::end);
    EXPECT_TRUE(c.last_step().finished);
    EXPECT_EQ(c.sample(row), null_token);
    EXPECT_EQ(c.last_status().code(), status_code::no_legal_token);
    c.reset();
    EXPECT_EQ(c.peek(row), 'b');
}

TEST(Constrain, NamesAByteAtADeadEnd) {
    vocabulary few;
    few.add("a");
    few.add("bc");
    few.add("</s>", token_role::control | token_role::end_of_generation);
    const auto g = parse_gbnf("root ::= \"a\" [q-t]");
    auto c = usual(grammar_matcher(*g, vocabulary_trie(few)));
    const std::vector<float> row(3, 0.0f);
    EXPECT_EQ(c.sample(row), 0);
    EXPECT_EQ(c.sample(row), null_token);
    EXPECT_EQ(c.last_status().code(), status_code::dead_end);
    EXPECT_STREQ(c.last_status().message().c_str(),
                 "constrain: the next byte = 113 may come, but no token begins with it");
    // Nor is one chosen from candidates.
    std::array<token_data, 3> data{{{0, 1.0f, 0.0f}, {1, 2.0f, 0.0f}, {2, 3.0f, 0.0f}}};
    candidates all{data.data(), data.size(), -1, false};
    EXPECT_EQ(c.apply(all).code(), status_code::dead_end);
}

TEST(Constrain, ADefaultMatcherLetsNothingThrough) {
    auto c = usual(grammar_matcher());
    EXPECT_EQ(c.sample(row_of(1)), null_token);
    EXPECT_STREQ(c.last_status().message().c_str(), "constrain: grammar = 0 is not set");
    EXPECT_TRUE(c.accept('a').refused);
}

TEST(Constrain, AChainInAnotherOrderIsRefusedAtRunTime) {
    for (const bool is_appended : {false, true}) {
        dynamic_chain c, more;
        c.push(min_p{});
        EXPECT_EQ(more.push(constrain{matcher_of(json)}).code(), status_code::ok);
        const status s = is_appended ? c.append(more) : c.push(constrain{matcher_of(json)});
        EXPECT_EQ(s.code(), status_code::chain_malformed);
        EXPECT_STREQ(s.message().c_str(),
                     "constrain: place = 2 is behind a stage that narrows, and a constraint comes first");
    }
    // Behind what masks, edits and maps it may stand.
    dynamic_chain c;
    c.push(mask{std::vector<std::uint32_t>(20, ~0u)});
    c.push(logit_bias{});
    c.push(soft_cap{});
    c.push(constrain{matcher_of(json)});
    EXPECT_TRUE(c.push(greedy{}));
    EXPECT_GE(c.sample(row_of(1)), 0);
}

// ---- going back

TEST(Constrain, GoesBackWithItsChain) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        usual_chain c = usual(matcher_of(json), seed);
        std::vector<token_id> text;
        std::vector<checkpoint> marks{c.mark()};
        integers random(seed);
        for (int i = 0; i < 120; ++i) {
            const std::uint64_t choice = random.below(10);
            if (choice < 7 && !matcher_in(c).is_finished()) {
                const token_id token = c.sample(row_of(seed + text.size()));
                ASSERT_GE(token, 0);
                text.push_back(token);
                marks.push_back(c.mark());
            } else if (choice < 9) {
                const std::size_t back = random.below(std::uint32_t(text.size() + 1));
                const status s = choice == 7 ? c.rewind(back) : c.rollback(marks[text.size() - back]);
                ASSERT_TRUE(s.ok()) << s.message().c_str();
                text.resize(text.size() - back);
                marks.resize(text.size() + 1);
            } else {
                c = i % 2 == 0 ? usual_chain(c) : c.fork(0);
            }
            usual_chain replayed = usual(matcher_of(json), seed);
            for (const token_id id : text) replayed.accept(id);
            ASSERT_TRUE(std::ranges::equal(matcher_in(c).legal_words(), matcher_in(replayed).legal_words()));
            ASSERT_EQ(c.peek(row_of(seed + text.size())), replayed.peek(row_of(seed + text.size())));
        }
    }
}

TEST(Constrain, TakesEightBytesOfAMark) {
    auto with = constrain{matcher_of(json)} | dist{};
    EXPECT_EQ(with.view().saved_bytes(), 8u);
}

TEST(Constrain, AForkGoesOnFromTheSamePlace) {
    usual_chain c = usual(matcher_of("root ::= [a-z]{3,90} \".\""));
    for (std::size_t i = 0; i < 2; ++i) c.sample(row_of(i));
    usual_chain fork = c.fork(3);
    EXPECT_TRUE(std::ranges::equal(matcher_in(c).legal_words(), matcher_in(fork).legal_words()));
    c.retry();
    EXPECT_TRUE(std::ranges::equal(matcher_in(c).legal_words(), matcher_in(fork).legal_words()));
    while (!matcher_in(fork).is_finished() && fork.sample(row_of(77)) >= 0) {}
    EXPECT_FALSE(matcher_in(c).mark() == matcher_in(fork).mark());
}

// ---- masks of others, and matchers of the user's

TEST(Constrain, ReadsWordsWithASign) {
    const std::vector<std::int32_t> words{0, 0, std::int32_t(0x80000000u)};
    auto c = constrain{std::span<const std::int32_t>(words)} | greedy{};
    EXPECT_EQ(c.sample(row_of(1)), 95);
}
TEST(Constrain, ReadsWordsThatLieElsewhere) {
    std::vector<std::uint32_t> words(10);
    auto c = constrain{std::span<const std::uint32_t>(words)} | greedy{};
    static_assert(std::is_same_v<decltype(c), pipeline<reproducible, constrain<legal_words_view>, greedy>>);
    for (const token_id only : {7, 64, 300}) {
        std::fill(words.begin(), words.end(), 0u);
        words[std::size_t(only) / 32] = 1u << (only % 32);
        if (only == 300) EXPECT_EQ(c.sample(std::vector<float>(320, 1.0f)), 300);
        else EXPECT_EQ(c.sample(row_of(1)), only);
    }
    std::fill(words.begin(), words.end(), 0u);
    EXPECT_EQ(c.sample(row_of(1)), null_token);
    EXPECT_EQ(c.last_status().code(), status_code::no_legal_token);
    EXPECT_FALSE(c.accept(5).refused) << "whoever makes the words hears of tokens himself";
}

TEST(Constrain, ReadsWordsThatLieElsewhereInEveryKindOfChain) {
    std::vector<std::uint32_t> words(10);
    const constrain first{std::span<const std::uint32_t>(words)};
    auto typed = first | top_k{.k = 20} | dist{.seed = 4};
    dynamic_chain held;
    held.push(first);
    held.push(top_k{.k = 20});
    ASSERT_TRUE(held.push(dist{.seed = 4}));
    any_pipeline any = first | top_k{.k = 20} | dist{.seed = 4};
    std::vector<decltype(typed)> one{typed};
    auto exact = with<llama_exact>(first | greedy{});
    batch many;
    for (std::size_t step = 0; step < 20; ++step) {
        const bool are_few = step % 2 == 0;
        for (std::size_t w = 0; w < words.size(); ++w) words[w] = (are_few ? 0x10000u : 0x55555555u) << (step + w) % 8;
        const std::vector<float> row = row_of(step);
        const token_id token = typed.sample(row);
        ASSERT_GE(token, 0);
        EXPECT_TRUE(first.matcher.allows(token));
        EXPECT_EQ(held.sample(row), token);
        EXPECT_EQ(any.sample(row), token);
        token_id of_batch = null_token;
        EXPECT_TRUE(many.sample(one, logit_rows(row.data(), 1, row.size()), {&of_batch, 1}));
        EXPECT_EQ(of_batch, token);
        token_id greatest = null_token;
        for (token_id id = 0; id < token_id(row.size()); ++id)
            if (first.matcher.allows(id) && (greatest < 0 || row[std::size_t(id)] > row[std::size_t(greatest)]))
                greatest = id;
        EXPECT_EQ(exact.sample(row), greatest);
    }
}

/// Even and odd ids by turns.
struct by_turns {
    std::array<std::uint32_t, 20> even{}, odd{};
    std::uint64_t taken = 0;

    by_turns() {
        even.fill(0x55555555u);
        odd.fill(0xAAAAAAAAu);
    }
    std::span<const std::uint32_t> legal_words() const noexcept { return taken % 2 == 0 ? even : odd; }
    bool allows(token_id id) const noexcept { return id % 2 == token_id(taken % 2); }
    step accept(token_id) noexcept {
        ++taken;
        return {};
    }
    void reset() noexcept { taken = 0; }
    std::uint64_t mark() const noexcept { return taken; }
    bool rollback(std::uint64_t mark) noexcept {
        taken = mark;
        return true;
    }
};
TEST(Constrain, TakesAMatcherOfTheUsers) {
    auto c = constrain{by_turns()} | dist{.seed = 3};
    for (int i = 0; i < 10; ++i) EXPECT_EQ(c.sample(row_of(std::uint64_t(i))) % 2, i % 2);
    EXPECT_TRUE(c.accept(1).refused);
    EXPECT_TRUE(c.rewind(3));
    EXPECT_EQ(c.sample(row_of(1)) % 2, 1);
    guided both(top_k{} | dist{}, by_turns());
    for (int i = 0; i < 10; ++i) EXPECT_EQ(both.sample(row_of(std::uint64_t(i))) % 2, i % 2);
}

// ---- beside a chain

/// constraints.md 4.2: p = (A .5 illegal, B .3, C .2), top_p .8.
TEST(Guided, BothWaysHaveTheirLaws) {
    vocabulary abc;
    for (const char* piece : {"A", "B", "C"}) abc.add(piece);
    const vocabulary_trie trie(abc);
    const auto g = parse_gbnf("root ::= [BC] [BC]");
    const std::vector<float> row{std::log(0.5f), std::log(0.3f), std::log(0.2f)};
    const int draws = 40000;
    const auto share_of_b = [&](grammar_use when) {
        guided both(top_p{.p = 0.79f} | dist{.seed = 11}, grammar_matcher(*g, trie));
        int count = 0;
        for (int i = 0; i < draws; ++i) {
            both.chain().retry();
            const token_id token = both.peek(row, when);
            EXPECT_NE(token, 0);
            count += token == 1;
        }
        return double(count) / draws;
    };
    // F keeps A and B: .625 and .375. G keeps both of B .6, C .4. Afterwards: .375 + .625 * .6 = .75.
    EXPECT_NEAR(share_of_b(grammar_use::first), 0.6, 0.015);
    EXPECT_NEAR(share_of_b(grammar_use::afterwards), 0.75, 0.015);
}

TEST(Guided, FirstIsAConstraintAheadOfTheChain) {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        usual_chain ahead = usual(matcher_of(json), seed);
        guided beside(penalties{.last_n = 16, .repeat = 1.2f} | top_k{.k = 40} | top_p{.p = 0.95f} |
                          temperature{.t = 0.9f} | dist{.seed = seed},
                      matcher_of(json));
        for (std::size_t i = 0; i < 30 && !matcher_in(ahead).is_finished(); ++i) {
            const std::vector<float> row = row_of(seed + i);
            EXPECT_EQ(beside.peek(row, grammar_use::first), ahead.peek(row));
            EXPECT_EQ(beside.sample(row, grammar_use::first), ahead.sample(row));
        }
    }
}

TEST(Guided, LooksAtWhatWasChosenAndGoesBack) {
    guided both(top_k{.k = 5} | dist{.seed = 2}, matcher_of("root ::= [a-c]{32} \"z\""));
    const auto start = both.mark();
    std::vector<token_id> text;
    for (std::size_t i = 0; i < 4; ++i) text.push_back(both.sample(row_of(i)));
    EXPECT_EQ(text_of(text).find_first_not_of("abc"), std::string::npos) << text_of(text);
    EXPECT_TRUE(both.accept('q').refused);
    EXPECT_EQ(both.accept('q').state.code(), status_code::stage_failed);
    EXPECT_TRUE(both.rollback(start));
    EXPECT_EQ(both.matcher().mark(), 0u);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(both.sample(row_of(i)), text[i]);
    both.reset();
    EXPECT_EQ(both.sample(row_of(0)), text[0]);
    guided nothing(top_k{} | dist{}, grammar_matcher());
    EXPECT_EQ(nothing.sample(row_of(1)), null_token);
    EXPECT_EQ(nothing.last_status().code(), status_code::invalid_parameter);
    EXPECT_EQ(both.sample({}), null_token);
    EXPECT_EQ(both.last_status().code(), status_code::empty_row);
}

TEST(Guided, PeekChangesNothing) {
    guided both(top_k{.k = 9} | dist{.seed = 3}, matcher_of("root ::= [a-c]{32} \"z\""));
    std::size_t second_draws = 0;
    for (std::size_t i = 0; i < 32; ++i) {
        const std::vector<float> row = row_of(i);
        for (const grammar_use when : {grammar_use::first, grammar_use::afterwards}) {
            const token_id token = both.peek(row, when);
            EXPECT_EQ(both.peek(row, when), token);
            guided other = both;
            EXPECT_EQ(other.sample(row, when), token);
        }
        second_draws += !both.matcher().allows(both.chain().peek(row));
        both.sample(row);
    }
    EXPECT_GT(second_draws, 10u);
}

TEST(Guided, SaysThatTheTextIsFinished) {
    guided both(top_k{} | dist{}, matcher_of("root ::= [a-c]{3}"));
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_FALSE(both.last_step().finished);
        EXPECT_NE(both.sample(row_of(i)), null_token);
    }
    EXPECT_TRUE(both.last_step().finished);
    EXPECT_TRUE(both.accept('a').refused);
    EXPECT_TRUE(both.last_step().refused);
    both.reset();
    EXPECT_FALSE(both.last_step().refused);
}

TEST(Guided, AsksWordsOfOthers) {
    std::vector<std::uint32_t> words(10);
    for (const token_id id : {'q', 'x', 'z'}) words[std::size_t(id) / 32] |= 1u << (id % 32);
    guided both(top_k{.k = 5} | dist{.seed = 8}, legal_words_view(std::span<const std::uint32_t>(words)));
    for (std::size_t i = 0; i < 40; ++i)
        for (const grammar_use when : {grammar_use::first, grammar_use::afterwards}) {
            const token_id token = both.sample(row_of(i), when);
            EXPECT_TRUE(token == 'q' || token == 'x' || token == 'z') << token;
        }
}

// ---- numerics::llama

TEST(Constrain, UnderLlamaExactNothingIsRemoved) {
    const grammar_matcher m = matcher_of(json);
    auto c = with<llama_exact>(constrain{m} | temperature{.t = 0.5f} | dist{.seed = 4});
    std::vector<token_data> data;
    for (token_id id = 0; id < token_id(tokens().size()) + 9; ++id) data.push_back({id, 1.0f, 0.0f});
    candidates all{data.data(), data.size(), -1, false};
    ASSERT_TRUE(c.apply(all).ok());
    EXPECT_EQ(all.size, data.size());
    for (const token_data& t : all) EXPECT_EQ(t.logit, m.allows(t.id) ? 2.0f : -std::numeric_limits<float>::infinity());
    c = with<llama_exact>(constrain{m} | temperature{.t = 0.5f} | dist{.seed = 4});  // to apply was to draw
    for (std::size_t i = 0; i < 20 && !c.last_step().finished; ++i) {
        const std::vector<float> row = row_of(i);
        const grammar_matcher& now = get<constrain<grammar_matcher>>(c).matcher;
        std::vector<float> masked(row.size(), -std::numeric_limits<float>::infinity());
        for (std::size_t id = 0; id < row.size(); ++id)
            if (now.allows(token_id(id))) masked[id] = row[id];
        auto plain = with<llama_exact>(temperature{.t = 0.5f} | dist{.seed = 4});
        for (std::size_t j = 0; j < i; ++j) plain.sample(row_of(j));  // its generator goes on by a draw each
        EXPECT_EQ(c.sample(row), plain.peek(masked)) << i;
        EXPECT_EQ(c.replays().replays, 0u) << "it has a form on the row";
    }
}

// ---- what it is worth, what must come

TEST(FeasibleMass, IsTheShareOfWhatIsLegal) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        const std::vector<float> row = [&] {
            std::vector<float> r = row_of(seed);
            r.resize(tokens().size());
            return r;
        }();
        const grammar_matcher m = matcher_of(json);
        double all = 0.0, legal = 0.0;
        for (std::size_t id = 0; id < row.size(); ++id) {
            all += std::exp(double(row[id]));
            if (m.allows(token_id(id))) legal += std::exp(double(row[id]));
        }
        EXPECT_NEAR(feasible_mass(row, m), legal / all, 1e-6);
    }
    EXPECT_EQ(feasible_mass({}, matcher_of(json)), 0.0);
    EXPECT_EQ(feasible_mass(std::vector<float>(9, -std::numeric_limits<float>::infinity()), matcher_of(json)), 0.0);
    EXPECT_EQ(feasible_mass(row_of(1), grammar_matcher()), 0.0);
}

TEST(ForcedTokens, AreTheTokenisersAndStopWhereALongerTokenFits) {
    const grammar_matcher m = matcher_of("root ::= \"{\\\"ab\\\":\" (\"true\" | \"10\" [0-9]*) \"}\"");
    const auto tokenise = [](text t) {  // the longest piece each time
        std::vector<token_id> all;
        while (!t.empty()) {
            token_id longest = token_id(std::uint8_t(t[0]));
            for (std::size_t id = small_model::first_longer; id < tokens().size(); ++id)
                if (t.starts_with(tokens().piece(token_id(id))) &&
                    tokens().piece(token_id(id)).size() > tokens().piece(longest).size())
                    longest = token_id(id);
            all.push_back(longest);
            t = t.part(tokens().piece(longest).size());
        }
        return all;
    };
    EXPECT_EQ(m.forced_bytes(), "{\"ab\":");
    EXPECT_EQ(text_of(forced_tokens(m, tokenise)), "{\"ab\":");
    EXPECT_TRUE(m.forced_run().empty()) << "{ is legal, and {\" too";
    // Behind `ab` a token `abc` would fit: what stands in its place is left to the model.
    const grammar_matcher open = matcher_of("root ::= \"xab\" [a-z]*");
    EXPECT_EQ(text_of(forced_tokens(open, tokenise)), "x");
    // A tokeniser of SentencePiece begins a text with a blank.
    const auto with_blank = [&](text t) {
        std::string more = " ";
        more.append(t.data(), t.size());
        return tokenise(text(more));
    };
    EXPECT_EQ(text_of(forced_tokens(m, with_blank)), "{\"ab\":");
}

/// A text one by one, and by runs of what is certain: where the two first differ, or the number of steps.
template <class Chain>
std::size_t steps_alike(Chain one_by_one, std::size_t steps, std::size_t& forced) {
    Chain by_runs = one_by_one;
    for (std::size_t i = 0; i < steps; ++i) {
        const token_id token = one_by_one.sample(row_of(i));
        const auto run = get<constrain<grammar_matcher>>(by_runs).matcher.forced_run();
        forced += !run.empty();
        if (run.empty() ? by_runs.sample(row_of(i)) != token : run[0] != token) return i;
        if (!run.empty()) {
            EXPECT_FALSE(by_runs.accept(run[0]).refused);
        }
    }
    return steps;
}
TEST(ForcedTokens, SamplingGivesTheTokensOfAForcedRun) {
    const auto m = [] { return matcher_of("root ::= [a-z]{2} \"=QXY\" [0-9]{2} \"=Z\" [a-z]"); };
    std::size_t forced = 0;
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        EXPECT_EQ(steps_alike(usual(m(), seed), 11, forced), 11u);
        EXPECT_EQ(steps_alike(constrain{m()} | min_p{.p = 0.01f} | gumbel{.seed = seed}, 11, forced), 11u);
        EXPECT_EQ(steps_alike(constrain{m()} | xtc{.threshold = 0.01f, .seed = seed} | dist{.seed = seed}, 11, forced),
                  11u);
        EXPECT_EQ(steps_alike(with<fast>(constrain{m()} | top_k{} | dist{.seed = seed}), 11, forced), 11u);
        EXPECT_EQ(steps_alike(with<llama_exact>(constrain{m()} | top_k{} | greedy{}), 11, forced), 11u);
    }
    EXPECT_GT(forced, 500u);
}
/// As forced_run says: what draws under numerics::llama, and what learns from what it chose.
TEST(ForcedTokens, OfChainsThatSampleOnInAnotherWay) {
    const auto m = [] { return matcher_of("root ::= \"=QXY\" [a-z]{20}"); };
    std::size_t forced = 0;
    EXPECT_LT(steps_alike(with<llama_exact>(constrain{m()} | dist{.seed = 1}), 20, forced), 20u);
    EXPECT_LT(steps_alike(constrain{m()} | mirostat_v2{.tau = 1.0f, .eta = 0.5f, .seed = 1}, 20, forced), 20u);
}

// ---- from settings

TEST(Constrain, ComesFromSettings) {
    vocabulary words;
    for (int b = 0; b < 256; ++b) {
        const char c = char(b);
        words.add({&c, 1});
    }
    words.add("</s>", token_role::control | token_role::end_of_generation);
    chain_settings s;
    ASSERT_TRUE(s.read("top_k=40; grammar=root ::= [a-c]+ \"\\x3B\" ;temp=0.7")) << s.problem();
    EXPECT_EQ(s.grammar, "root ::= [a-c]+ \"\\x3B\"");
    dynamic_chain c;
    EXPECT_EQ(c.view().size(), 0u);
    const status without = s.build(c, &words);
    EXPECT_EQ(without.code(), status_code::invalid_parameter);
    EXPECT_STREQ(without.message().c_str(),
                 "settings: grammar = 22 bytes long, and build was given nothing to read it with (constrain_by_text)");
    EXPECT_EQ(c.view().size(), 0u) << "nothing is built";
    constrain_by_text by_grammar;
    ASSERT_TRUE(s.build(c, &words, by_grammar)) << c.last_status().message().c_str();
    EXPECT_STREQ(c.view().name(0), "constrain");
    EXPECT_STREQ(c.view().name(1), "top_k");
    const token_id first = c.sample(std::vector<float>(257, 0.0f));
    EXPECT_TRUE(first >= 'a' && first <= 'c');

    s.grammar = "root ::= [a-c";  // as a member
    dynamic_chain wrong;
    const status failed = s.build(wrong, &words, by_grammar);
    EXPECT_STREQ(failed.message().c_str(), "settings: grammar at byte = 9 cannot be read");
    EXPECT_EQ(by_grammar.problem().message(), "1:10: in root: this [ is never closed");
    EXPECT_EQ(wrong.view().size(), 0u);
    s.grammar = "root ::= [a-c]";
    EXPECT_STREQ(s.build(wrong, nullptr, by_grammar).message().c_str(), "settings: grammar = 0 needs a vocabulary");
    constrain_by_text by_trie{vocabulary_trie(words)};
    EXPECT_TRUE(s.build(wrong, nullptr, by_trie));
    EXPECT_EQ(wrong.view().size(), 4u);
}

TEST(ToGbnf, IsReadBackAsTheSameLanguage) {
    for (const char* source :
         {json, "root ::= \"a\"", "root ::= \"\" | ()* [^\\x00-\\U0010FFFE]",
          "root ::= (\"a\" | \"b\")+ x{3,} y{2,9}\nx ::= [\\]\\-^a]\ny ::= \"\\\"\\\\\\n\\t\\r\\x01\"",
          "root ::= [é日😀-😂] !<tool> <[3]>? . (\"x\" (\"y\" | \"z\"))?", "root ::= a-b_c\na-b_c ::= [^a-z]"}) {
        const auto g = parse_gbnf(source);
        ASSERT_TRUE(g.ok()) << g.problem().message();
        const std::string written = to_gbnf(*g);
        const auto again = parse_gbnf(written);
        ASSERT_TRUE(again.ok()) << written << again.problem().message();
        EXPECT_EQ(to_gbnf(*again), written);
        grammar_matcher a(*g, tokens()), b(*again, tokens());
        integers random(7);
        for (int i = 0; i < 40; ++i) {
            ASSERT_TRUE(std::ranges::equal(a.legal_words(), b.legal_words())) << written;
            std::vector<token_id> legal;
            for (std::size_t id = 0; id < tokens().size(); ++id)
                if (a.allows(token_id(id))) legal.push_back(token_id(id));
            if (legal.empty()) break;
            const token_id next = legal[random.below(std::uint32_t(legal.size()))];
            a.accept(next);
            b.accept(next);
        }
    }
    EXPECT_EQ(to_gbnf(riffle::grammar()), "");
}

}  // namespace
}  // namespace riffle_tests::constraint_constrain
