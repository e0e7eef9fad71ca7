// What chains under llama_exact promise: one meaning whatever type they have, copies that are the peer's clones, going
// back exactly, looking closer without drawing, and llama.cpp's own numbers through them.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/llama_exact.hpp>

#include "integers.hpp"

namespace riffle_tests::exact_chains {
namespace {

using namespace riffle;
using exact_chain = basic_dynamic_chain<llama_exact>;
using tokens_of = std::vector<token_id>;

constexpr float infinity = std::numeric_limits<float>::infinity();

std::vector<float> row_at(std::size_t step, std::size_t size = 600) {
    integers random(step * 7919 + size);
    std::vector<float> row(size);
    for (float& logit : row) logit = random.real(-3, 3) + random.real(-3, 3);
    return row;
}
template <class Chain>
token_id next(Chain& c, std::size_t step) {
    return c.sample(row_at(step));
}
template <class Chain>
tokens_of samples(Chain& c, std::size_t first, std::size_t count) {
    tokens_of all;
    for (std::size_t i = first; i < first + count; ++i) all.push_back(next(c, i));
    return all;
}

/// Candidates of their own, in the order given.
struct list {
    explicit list(std::vector<token_data> tokens, bool sorted = false)
        : all(std::move(tokens)), c{all.data(), all.size(), -1, sorted} {}
    explicit list(const std::vector<float>& row) : list(in_order(row)) {}
    static std::vector<token_data> in_order(const std::vector<float>& row) {
        std::vector<token_data> all;
        for (const float logit : row) all.push_back({token_id(all.size()), logit, 0.0f});
        return all;
    }
    tokens_of ids() const {
        tokens_of found;
        for (const auto& token : c) found.push_back(token.id);
        return found;
    }
    token_id chosen() const { return c.selected < 0 ? null_token : c[std::size_t(c.selected)].id; }

    std::vector<token_data> all;
    candidates c;
};

/// A chain of every sampler with a state, but the selectors that exclude each other.
template <class Selector>
auto eventful(Selector selector) {
    return chain<llama_exact>(
        logit_bias{.biases = {{3, 1.0f}, {9, -infinity}}}, penalties{.last_n = 20, .repeat = 1.2f, .frequency = 0.1f},
        top_n_sigma{.n = 3.0f}, top_k{.k = 60}, top_p{.p = 0.95f},
        xtc{.probability = 0.5f, .threshold = 0.05f, .seed = 5}, temperature{.t = 0.9f}, std::move(selector));
}
template <class Visit>
void with_every_selector(Visit visit) {
    visit("dist", eventful(dist{.seed = 7}));
    visit("mirostat", eventful(mirostat{.n_vocab = 600, .seed = 7}));
    visit("mirostat_v2", eventful(mirostat_v2{.tau = 3.0f, .seed = 7}));
    visit("adaptive_p", eventful(adaptive_p{.target = 0.3f, .seed = 7}));
    visit("greedy", eventful(greedy{}));
}

// ---- one meaning

template <class... Stages>
void expect_one_meaning(Stages... stages) {
    auto typed = chain<llama_exact>(stages...);
    exact_chain late;
    (late.push(stages), ...);
    any_pipeline hidden = typed, hidden_late = late;
    auto piped = with<llama_exact>(chain(stages...));
    for (std::size_t i = 0; i < 60; ++i) {
        const auto row = row_at(i, 1 + i * 37);
        const token_id expected = typed.sample(row);
        EXPECT_EQ(late.sample(row), expected) << i;
        EXPECT_EQ(hidden.sample(row), expected) << i;
        EXPECT_EQ(hidden_late.sample(row), expected) << i;
        EXPECT_EQ(piped.sample(row), expected) << i;
    }
    EXPECT_EQ(typed.replays().replays, late.replays().replays);
    EXPECT_EQ(typed.replays().replays, hidden.replays().replays);
    EXPECT_TRUE(typed.mark().stages == late.mark().stages);
    EXPECT_TRUE(typed.mark().stages == hidden_late.mark().stages);
}
TEST(ExactChains, MeanTheSameWhateverTheirType) {
    const temperature warm{.t = 0.8f};
    expect_one_meaning(dist{.seed = 3});
    expect_one_meaning(top_k{.k = 40}, top_p{.p = 0.95f}, min_p{.p = 0.05f}, warm, dist{.seed = 42});
    expect_one_meaning(penalties{.repeat = 1.3f}, typical{.p = 0.9f}, xtc{.probability = 0.5f, .seed = 1},
                       dist{.seed = 1});
    expect_one_meaning(dynamic_temperature{.range = 0.5f}, mirostat_v2{.seed = 9});
    expect_one_meaning(dry{.multiplier = 0.8f}, warm, mirostat{.n_vocab = 600, .seed = 9});
    expect_one_meaning(top_n_sigma{}, adaptive_p{.target = 0.4f, .seed = 9});
    expect_one_meaning(logit_bias{.biases = {{2, 4.0f}, {2, -1.0f}, {5, -infinity}}}, soft_cap{.cap = 5.0f}, greedy{});
}

// ---- memory

TEST(ExactChains, FindMemoryForParametersThatGrow) {
    auto c = chain<llama_exact>(top_k{.k = 60}, logit_bias{}, greedy{});
    const token_id unbiased = next(c, 0);
    ASSERT_NE(unbiased, null_token);
    for (token_id id = 0; id < 4000; ++id) get<1>(c).biases.push_back({id, id == unbiased ? -infinity : 0.0f});
    EXPECT_NE(next(c, 0), null_token) << c.last_status().message().c_str();
    list candidates_of(row_at(0));
    EXPECT_TRUE(c.apply(candidates_of.c).ok());
    EXPECT_NE(candidates_of.chosen(), unbiased);
}
TEST(ExactChains, FindMemoryBehindACloserLook) {
    auto c = chain<llama_exact>(top_k{.k = 60}, penalties{.repeat = 1.2f}, top_p{}, dist{.seed = 3});
    auto same = c;
    ASSERT_FALSE(c.logprobs(row_at(0), 5, before).empty());  // the first use of its scratch, by another plan
    EXPECT_EQ(samples(c, 0, 20), samples(same, 0, 20));
}

// ---- copies

TEST(ExactChains, CopyAsThePeerClones) {
    with_every_selector([](const char* name, auto c) {
        SCOPED_TRACE(name);
        samples(c, 0, 30);
        auto copy = c;
        any_pipeline hidden = c;  // made of a copy
        any_pipeline of_hidden = hidden;
        auto assigned = eventful(get<7>(c));
        assigned = c;
        const bool starts_anew = name == std::string("adaptive_p");
        const auto of_copy = samples(copy, 30, 40);
        EXPECT_EQ(samples(hidden, 30, 40), of_copy);
        EXPECT_EQ(samples(of_hidden, 30, 40), of_copy);
        EXPECT_EQ(samples(assigned, 30, 40), of_copy);
        EXPECT_EQ(samples(c, 30, 40) == of_copy, !starts_anew);
    });
}
TEST(ExactChains, MoveWithEverything) {
    with_every_selector([](const char* name, auto c) {
        SCOPED_TRACE(name);
        auto same = eventful(get<7>(c));
        samples(c, 0, 30), samples(same, 0, 30);
        (void)c.peek(row_at(30)), (void)same.peek(row_at(30));  // pending
        auto moved = std::move(c);
        any_pipeline hidden = std::move(moved);
        hidden.accept(2), same.accept(2);
        EXPECT_EQ(samples(hidden, 30, 40), samples(same, 30, 40));
    });
}
TEST(ExactChains, ACopyOfAdaptivePRestartsItsStreamAndLearnsNothingFromWhatIsPending) {
    const std::vector<float> row{3.0f, 2.0f, 1.0f, 0.0f, -1.0f, -2.0f};
    auto c = chain<llama_exact>(adaptive_p{.target = 0.3f, .decay = 0.9f, .seed = 7});
    for (const token_id token : {1, 1, 3, 1}) EXPECT_EQ(c.sample(row), token);
    auto clone = c;
    const token_id pending = c.peek(row);
    auto between = c;
    between.accept(pending);
    auto other = c;
    other.accept(5);  // another token teaches nothing either
    EXPECT_TRUE(between.mark().stages == other.mark().stages);
    c.accept(pending);
    EXPECT_FALSE(c.mark().stages == between.mark().stages);
    for (const token_id token : {1, 1, 1, 0, 1}) EXPECT_EQ(c.sample(row), token);
    for (const token_id token : {1, 1, 3, 1, 1, 1}) EXPECT_EQ(clone.sample(row), token);
}

// ---- drawing

TEST(ExactChains, PeekDrawsAndAcceptDoesNot) {
    const std::vector<float> equal(256, 0.0f);
    auto c = chain<llama_exact>(dist{.seed = 0});
    const tokens_of stream{151, 216, 219, 216, 159, 98, 76, 14};
    EXPECT_EQ(c.peek(equal), stream[0]);
    EXPECT_EQ(c.peek(equal), stream[1]);
    c.accept(17);
    c.accept(18);
    c.prompt(tokens_of{1, 2, 3});
    EXPECT_EQ(c.sample(equal), stream[2]);
    c.retry();  // the next number is drawn in any case
    EXPECT_EQ(c.sample(equal), stream[3]);
    EXPECT_EQ(c.try_sample(equal).value(), stream[4]);
    list l(equal);
    ASSERT_TRUE(c.apply(l.c).ok());
    EXPECT_EQ(l.chosen(), stream[5]);
    const auto same = c.mark();
    c.retry(), c.retry();
    EXPECT_TRUE(c.mark().stages == same.stages);
    EXPECT_EQ(c.peek(equal), stream[6]);
    EXPECT_EQ(c.peek(equal), stream[7]);
}
TEST(ExactChains, AFailedStepDrawsAsThePeerDoes) {
    const std::vector<float> nothing(256, -infinity), equal(256, 0.0f);
    auto c = chain<llama_exact>(dist{.seed = 0});
    EXPECT_EQ(c.peek(nothing), null_token);
    EXPECT_EQ(c.last_status().code(), status_code::no_legal_token);
    EXPECT_EQ(c.peek(equal), 216);  // the second of the stream
    EXPECT_EQ(c.peek({}), null_token);
    EXPECT_EQ(c.peek(equal), 219);  // no row, no draw
}
TEST(ExactChains, ResetBeginsAnew) {
    with_every_selector([](const char* name, auto c) {
        SCOPED_TRACE(name);
        const auto expected = samples(c, 0, 40);
        c.reset();
        EXPECT_EQ(samples(c, 0, 40), expected);
        (void)c.peek(row_at(0));
        c.reset();
        EXPECT_EQ(samples(c, 0, 40), expected);
    });
}
TEST(ExactChains, ForkAddsToEverySeedAndBeginsStreamsAnew) {
    const auto made = [](std::uint64_t more) {
        return chain<llama_exact>(xtc{.probability = 0.5f, .threshold = 0.02f, .seed = 5 + more},
                                  temperature{.t = 1.5f}, dist{.seed = 7 + more});
    };
    auto c = made(0), second = made(2);
    samples(c, 0, 12);
    auto forked = c.fork(2);
    EXPECT_EQ(get<dist>(forked).seed, 9u);
    EXPECT_EQ(get<xtc>(forked).seed, 7u);
    EXPECT_EQ(samples(forked, 12, 40), samples(second, 12, 40));
    auto zeroth = c.fork(0), fresh = made(0);
    EXPECT_EQ(samples(zeroth, 12, 20), samples(fresh, 12, 20));
    forked.reset(), second.reset();
    EXPECT_EQ(samples(forked, 0, 20), samples(second, 0, 20));
}
TEST(ExactChains, ForkKeepsAveragesAndHistory) {
    auto c = chain<llama_exact>(penalties{.last_n = 8, .repeat = 2.0f}, mirostat_v2{.tau = 3.0f, .seed = 7});
    samples(c, 0, 12);
    auto forked = c.fork(1), same = c.fork(1);
    EXPECT_EQ(samples(forked, 12, 30), samples(same, 12, 30));
    any_pipeline hidden = c;
    any_pipeline hidden_fork = hidden.fork(1);
    auto again = c.fork(1);
    EXPECT_EQ(samples(hidden_fork, 12, 30), samples(again, 12, 30));
    exact_chain late;
    late.push(penalties{.last_n = 8, .repeat = 2.0f});
    late.push(mirostat_v2{.tau = 3.0f, .seed = 7});
    samples(late, 0, 12);
    auto late_fork = late.fork(1);
    auto third = c.fork(1);
    EXPECT_EQ(samples(late_fork, 12, 30), samples(third, 12, 30));
}

// ---- going back

TEST(ExactChains, ComeBackToAMark) {
    with_every_selector([](const char* name, auto c) {
        SCOPED_TRACE(name);
        for (const std::size_t before : {0u, 1u, 40u, 290u}) {
            c.reset();
            samples(c, 0, before);
            const checkpoint mark = c.mark();
            const auto expected = samples(c, before, 100);
            ASSERT_TRUE(c.rollback(mark).ok());
            EXPECT_EQ(samples(c, before, 100), expected) << before;
            ASSERT_TRUE(c.rollback(mark).ok());
            c.prompt(tokens_of{5, 6});
            ASSERT_TRUE(c.rollback(mark).ok());
            EXPECT_EQ(samples(c, before, 3), tokens_of(expected.begin(), expected.begin() + 3)) << before;
        }
    });
}
TEST(ExactChains, ComeBackOverManyWords) {
    // Steps that are not accepted draw: a thousand of them leave the 624 words of the present block far behind.
    with_every_selector([](const char* name, auto c) {
        SCOPED_TRACE(name);
        samples(c, 0, 10);
        const checkpoint mark = c.mark();
        const auto expected = samples(c, 10, 20);
        ASSERT_TRUE(c.rollback(mark).ok());
        const auto row = row_at(1, 50);
        for (int i = 0; i < 1000; ++i) (void)c.peek(row);
        ASSERT_TRUE(c.rollback(mark).ok());
        EXPECT_EQ(samples(c, 10, 20), expected);
    });
}
TEST(ExactChains, RewindIsRollbackToTheMarkBeforeTheStep) {
    with_every_selector([](const char* name, auto c) {
        SCOPED_TRACE(name);
        samples(c, 0, 20);
        const auto expected = samples(c, 20, 30);
        for (const std::size_t count : {30u, 7u, 1u}) {
            ASSERT_TRUE(c.rewind(count).ok());
            EXPECT_EQ(samples(c, 50 - count, count), tokens_of(expected.end() - std::ptrdiff_t(count), expected.end()))
                << count;
        }
    });
}
TEST(ExactChains, RefuseMarksOfOtherLinesAndOtherStages) {
    auto c = eventful(dist{.seed = 7});
    samples(c, 0, 5);
    const checkpoint early = c.mark();
    samples(c, 5, 140);
    EXPECT_EQ(c.rollback(early).code(), status_code::rewind_too_far);
    EXPECT_EQ(c.rewind(129).code(), status_code::rewind_too_far);
    const checkpoint now = c.mark();
    ASSERT_TRUE(c.rewind(3).ok());
    EXPECT_EQ(c.rollback(now).code(), status_code::mark_unknown);
    auto other = chain<llama_exact>(mirostat_v2{});
    EXPECT_EQ(other.rollback(c.mark()).code(), status_code::mark_unknown);
}

// ---- looking closer

TEST(ExactChains, LookingCloserDrawsAndLearnsNothing) {
    with_every_selector([](const char* name, auto c) {
        SCOPED_TRACE(name);
        auto plain = eventful(get<7>(c));
        for (std::size_t i = 0; i < 60; ++i) {
            const auto row = row_at(i);
            const checkpoint before = c.mark();
            EXPECT_FALSE(c.distribution(row).empty());
            EXPECT_FALSE(c.logprobs(row, 5, riffle::before).empty());
            EXPECT_FALSE(c.logprobs(row, 5, riffle::after).empty());
            EXPECT_TRUE(c.mark().stages == before.stages);
            ASSERT_EQ(c.sample(row), plain.sample(row)) << i;
            (void)c.survivors();
        }
    });
}
TEST(ExactChains, LookingBetweenAStepAndItsAcceptanceChangesNothing) {
    with_every_selector([](const char* name, auto c) {
        SCOPED_TRACE(name);
        auto plain = eventful(get<7>(c));
        for (std::size_t i = 0; i < 40; ++i) {
            const auto row = row_at(i);
            const token_id token = c.peek(row);
            ASSERT_EQ(plain.peek(row), token) << i;
            EXPECT_FALSE(c.distribution(row).empty());
            c.accept(token), plain.accept(token);
            EXPECT_TRUE(c.mark().stages == plain.mark().stages) << i;
        }
    });
}
TEST(ExactChains, DistributionIsWhatTheChainDrawsFrom) {
    auto c = chain<llama_exact>(top_k{.k = 3}, temperature{.t = 0.5f}, dist{.seed = 1});
    const auto distribution = c.distribution(std::vector<float>{0.0f, 2.0f, 1.0f, 3.0f, -infinity});
    ASSERT_EQ(distribution.size(), 3u);
    EXPECT_EQ(distribution[0].id, 3);
    EXPECT_EQ(distribution[1].id, 1);
    EXPECT_EQ(distribution[2].id, 2);
    const double total = 1.0 + std::exp(-2.0) + std::exp(-4.0);
    EXPECT_NEAR(double(distribution[0].p), 1.0 / total, 1e-6);
    EXPECT_NEAR(double(distribution[2].p), std::exp(-4.0) / total, 1e-6);
    const auto likely = c.logprobs(std::vector<float>{0.0f, 2.0f, 1.0f, 3.0f, -infinity}, 2);
    ASSERT_EQ(likely.size(), 2u);
    EXPECT_EQ(likely[0].id, 3);
    EXPECT_NEAR(double(likely[0].logprob), -std::log(total), 1e-5);
}
TEST(ExactChains, DistributionOfWeightsThatAreNaNIsTheChoiceOfThePeer) {
    const std::vector<float> row{3.0f, 2.0f, 1.0f, 0.0f};
    auto banned = chain<llama_exact>(top_k{.k = 4}, logit_bias{{{0, -infinity}}}, dist{.seed = 1});
    auto infinite = chain<llama_exact>(dist{.seed = 1});
    const std::vector<float> with_infinity{0.0f, infinity, 0.0f, 2.0f};
    for (int i = 0; i < 20; ++i) {
        const auto distribution = banned.distribution(row);
        ASSERT_EQ(distribution.size(), 1u);
        EXPECT_EQ(distribution[0].id, 3);
        EXPECT_EQ(distribution[0].p, 1.0f);
        EXPECT_EQ(banned.sample(row), 3);
        ASSERT_EQ(infinite.distribution(with_infinity).size(), 1u);
        EXPECT_EQ(infinite.distribution(with_infinity)[0].id, 3);
        EXPECT_EQ(infinite.sample(with_infinity), 3);
    }
}
TEST(ExactChains, DistributionOfSelectorsThatNarrow) {
    const std::vector<float> row{3.0f, 2.0f, 1.0f, 0.0f, -8.0f, -9.0f};
    auto v2 = chain<llama_exact>(mirostat_v2{.tau = 1.5f, .seed = 1});  // mu = 3 bits: the first two
    EXPECT_EQ(v2.distribution(row).size(), 2u);
    auto first = chain<llama_exact>(greedy{});
    ASSERT_EQ(first.distribution(row).size(), 1u);
    EXPECT_EQ(first.distribution(row)[0].id, 0);
    // adaptive_p near to its target: token 1, of p 0.24, is now likelier than token 0, of 0.64.
    auto adaptive = chain<llama_exact>(adaptive_p{.target = 0.25f, .seed = 1});
    const auto distribution = adaptive.distribution(row);
    ASSERT_FALSE(distribution.empty());
    EXPECT_EQ(distribution[0].id, 1);
}
TEST(ExactChains, SurvivorsHoldTheChosenToken) {
    with_every_selector([](const char* name, auto c) {
        SCOPED_TRACE(name);
        for (std::size_t i = 0; i < 20; ++i) {
            const token_id token = next(c, i);
            double total = 0.0;
            bool there = false;
            for (const auto& survivor : c.survivors()) {
                total += double(survivor.p);
                there |= survivor.id == token;
            }
            EXPECT_TRUE(there);
            EXPECT_NEAR(total, 1.0, 1e-5);
        }
        EXPECT_EQ(c.sample(std::vector<float>(10, -infinity)), null_token);
        EXPECT_TRUE(c.survivors().empty());
    });
}

// ---- candidates of the caller

TEST(ExactChains, HonourTheFlagAndTheOrderOfCandidates) {
    auto first_two = chain<llama_exact>(top_k{.k = 2});
    list flagged({{7, 1.0f, 0.0f}, {3, 5.0f, 0.0f}, {4, 9.0f, 0.0f}}, true);
    ASSERT_TRUE(first_two.apply(flagged.c).ok());
    EXPECT_EQ(flagged.ids(), (tokens_of{7, 3}));  // believed
    list open({{7, 1.0f, 0.0f}, {3, 5.0f, 0.0f}, {4, 9.0f, 0.0f}});
    ASSERT_TRUE(first_two.apply(open.c).ok());
    EXPECT_EQ(open.ids(), (tokens_of{4, 3}));
    EXPECT_TRUE(open.c.sorted);

    auto first = chain<llama_exact>(greedy{});
    list ties({{9, 2.0f, 0.0f}, {1, 2.0f, 0.0f}});
    ASSERT_TRUE(first.apply(ties.c).ok());
    EXPECT_EQ(ties.chosen(), 9);  // the first in the array, not the lowest id

    // A draw runs in the order of the array.
    const std::vector<float> equal(256, 0.0f);
    auto draw = chain<llama_exact>(dist{.seed = 0});
    list backwards(equal);
    for (auto& token : backwards.c) token.id = 255 - token.id;
    ASSERT_TRUE(draw.apply(backwards.c).ok());
    EXPECT_EQ(backwards.c.selected, 151);
    EXPECT_EQ(backwards.chosen(), 255 - 151);
    EXPECT_FALSE(backwards.c.sorted);
}
TEST(ExactChains, LeaveTheFlagAsThePeerDoes) {
    const auto flag_after = [](auto stage, bool before) {
        auto c = chain<llama_exact>(stage);
        c.prompt(tokens_of{1, 2, 1, 2});
        list l({{0, 3.0f, 0.0f}, {1, 2.0f, 0.0f}, {2, 1.0f, 0.0f}}, before);
        EXPECT_TRUE(c.apply(l.c).ok());
        return l.c.sorted;
    };
    EXPECT_TRUE(flag_after(logit_bias{.biases = {{0, -9.0f}}}, true));  // not true any more
    EXPECT_FALSE(flag_after(penalties{.repeat = 1.1f}, true));
    EXPECT_TRUE(flag_after(temperature{.t = 0.5f}, true));
    EXPECT_FALSE(flag_after(typical{.p = 0.5f}, true));
    EXPECT_FALSE(flag_after(min_p{.p = 0.1f}, false));
    EXPECT_TRUE(flag_after(top_p{.p = 0.5f}, false));
    EXPECT_TRUE(flag_after(xtc{.probability = 1.0f}, false));
    for (const bool before : {false, true}) {
        EXPECT_EQ(flag_after(top_n_sigma{.n = 1.0f}, before), before);
        EXPECT_EQ(flag_after(adaptive_p{.target = 0.2f}, before), before);  // whose order is another now
        EXPECT_TRUE(flag_after(dynamic_temperature{.t = 1.0f, .range = 0.5f}, before));
        EXPECT_EQ(flag_after(dist{}, before), before);
        EXPECT_FALSE(flag_after(dry{.multiplier = 1.0f, .allowed_length = 1}, before));
        EXPECT_EQ(flag_after(dry{.multiplier = 1.0f, .allowed_length = 9}, before), before);  // too short a text
    }
    auto unmatched = chain<llama_exact>(penalties{.repeat = 1.1f});
    unmatched.prompt(tokens_of{9});
    list l({{0, 3.0f, 0.0f}, {1, 2.0f, 0.0f}}, true);
    EXPECT_TRUE(unmatched.apply(l.c).ok());
    EXPECT_FALSE(l.c.sorted);  // and nothing has changed
    EXPECT_EQ(l.c[0].logit, 3.0f);
}
TEST(ExactChains, RiffleFlagsAsSortedOnlyWhatIs) {
    const auto expect_true = [](auto... stages) {
        auto c = chain(stages...);
        c.prompt(tokens_of{1, 2, 1, 2});
        list l({{0, 3.0f, 0.0f}, {1, 2.0f, 0.0f}, {2, 1.0f, 0.0f}, {3, 0.5f, 0.0f}}, true);
        EXPECT_TRUE(c.apply(l.c).ok());
        EXPECT_TRUE(!l.c.sorted || std::is_sorted(l.c.begin(), l.c.end(), ranks_before));
    };
    expect_true(logit_bias{.biases = {{0, -9.0f}}});
    expect_true(adaptive_p{.target = 0.2f});
    expect_true(penalties{.repeat = 3.0f});
    expect_true(dry{.multiplier = 9.0f, .allowed_length = 1});
    expect_true(top_n_sigma{.n = 0.5f});
    expect_true(xtc{.probability = 1.0f}, logit_bias{.biases = {{1, -9.0f}}});
}
TEST(ExactChains, MayMoveTheBeginningOfCandidates) {
    auto c = chain<llama_exact>(xtc{.probability = 1.0f, .threshold = 0.1f, .seed = 42});
    list l({1.0f, 1.0f, 1.0f, -9.0f});
    ASSERT_TRUE(c.apply(l.c).ok());
    EXPECT_EQ(l.c.data, l.all.data() + 2);
    EXPECT_EQ(l.c.size, 2u);
}
TEST(ExactChains, RefuseCandidatesThatAreNone) {
    auto c = chain<llama_exact>(top_p{.p = 0.5f}, dist{});
    candidates none{nullptr, 3, -1, false};
    EXPECT_EQ(c.apply(none).code(), status_code::bad_candidates);
    list negative(std::vector<token_data>{{-1, 0.0f, 0.0f}});
    EXPECT_EQ(c.apply(negative.c).code(), status_code::bad_candidates);
    candidates empty{nullptr, 0, -1, false};
    EXPECT_EQ(c.apply(empty).code(), status_code::no_legal_token);
}

// ---- what llama.cpp does not have

/// The user's own: a map, and a verb on candidates.
struct halved {
    static constexpr bool monotone = true;
    template <class V>
    static V map(const V& logit) noexcept {
        return logit * V(0.5f);
    }
};
struct not_the_first {
    static constexpr const char* name = "not_the_first";
    static constexpr bool needs_sorted = true;
    void apply(candidates& c) const noexcept {
        if (c.size < 2) return;
        c.keep_if([first = c[0].id](const token_data& token) { return token.id != first; });
    }
};
struct not_again {
    token_id last = null_token;
    void apply(candidates& c) const noexcept {
        c.keep_if([this](const token_data& token) { return token.id != last; });
    }
    void accept(token_id token) noexcept { last = token; }
    void reset() noexcept { last = null_token; }
};

/// By the row and by candidates for all of it.
template <class Chain>
void expect_both_ways(Chain c, std::size_t steps = 40) {
    auto by_candidates = c;
    for (std::size_t i = 0; i < steps; ++i) {
        const auto row = row_at(i, 20 + 31 * i);
        list l(row);
        ASSERT_TRUE(by_candidates.apply(l.c).ok()) << by_candidates.last_status().message().c_str();
        const token_id token = c.peek(row);
        ASSERT_EQ(token, l.chosen()) << i;
        ASSERT_NE(token, null_token);
        c.accept(token), by_candidates.accept(token);
    }
}
TEST(ExactChains, TakeStagesThatLlamaDoesNotHave) {
    const dist draw{.seed = 3};
    expect_both_ways(chain<llama_exact>(soft_cap{.cap = 4.0f}, top_k{.k = 40}, draw));
    expect_both_ways(chain<llama_exact>(top_k{.k = 200}, top_a{.a = 0.3f}, temperature{.t = 0.8f}, draw));
    expect_both_ways(chain<llama_exact>(top_p{.p = 0.9f}, gumbel{.seed = 4}));
    expect_both_ways(chain<llama_exact>(tail_free{}, quadratic{}, draw));
    expect_both_ways(chain<llama_exact>(halved{}, top_k{.k = 40}, not_the_first{}, draw));
    expect_both_ways(chain<llama_exact>(not_again{}, halved{}, greedy{}));
    const std::vector<std::uint32_t> every_third(1000, 0x49249249u);
    expect_both_ways(chain<llama_exact>(mask{.words = every_third}, min_p{.p = 0.1f}, draw));
}
TEST(ExactChains, MeanWithThemWhatTheStagesMean) {
    const std::vector<float> row{1.0f, 4.0f, 3.0f, 2.0f};
    auto second = chain<llama_exact>(temperature{.t = 2.0f}, not_the_first{}, greedy{});
    EXPECT_EQ(second.peek(row), 2);
    auto turns = chain<llama_exact>(not_again{}, greedy{});
    EXPECT_EQ(turns.sample(row), 1);
    EXPECT_EQ(turns.sample(row), 2);
    const checkpoint mark = turns.mark();
    EXPECT_EQ(turns.sample(row), 1);
    ASSERT_TRUE(turns.rollback(mark).ok());
    EXPECT_EQ(turns.sample(row), 1);
    // gumbel draws as in any other chain: by position.
    auto noise = chain<llama_exact>(gumbel{.seed = 4});
    auto reproducible_noise = chain(gumbel{.seed = 4});
    for (std::size_t i = 0; i < 20; ++i) {
        EXPECT_EQ(noise.peek(row_at(i)), noise.peek(row_at(i)));
        EXPECT_EQ(noise.sample(row_at(i)), reproducible_noise.sample(row_at(i)));
    }
    // soft_cap's own arithmetic ahead of a selector of the peer's.
    auto capped = chain<llama_exact>(soft_cap{.cap = 1.0f}, dist{.seed = 0});
    const auto distribution = capped.distribution(row);
    ASSERT_EQ(distribution.size(), 4u);
    EXPECT_NEAR(double(distribution[0].p / distribution[3].p), std::exp(std::tanh(4.0) - std::tanh(1.0)), 1e-4);
}

// ---- llama.cpp's numbers

TEST(ExactChains, DrawTheGoldenTokens) {
    const std::pair<std::uint64_t, tokens_of> golden[] = {
        {0, {151, 216, 219, 216, 159, 98, 76, 14}},
        {1, {255, 238, 32, 255, 60, 101, 99, 171}},
        {42, {203, 46, 199, 152, 114, 25, 117, 85}},
        {4242, {206, 61, 115, 85, 40, 213, 131, 169}},
    };
    const std::vector<float> equal(256, 1.5f);
    for (const auto& [seed, tokens] : golden) {
        auto c = chain<llama_exact>(dist{.seed = seed});
        auto longer = chain<llama_exact>(penalties{}, top_k{.k = 0}, temperature{.t = 0.3f}, dist{.seed = seed});
        for (const token_id token : tokens) {
            EXPECT_EQ(c.sample(equal), token) << seed;
            EXPECT_EQ(longer.sample(equal), token) << seed;
        }
    }
    const std::pair<std::uint64_t, tokens_of> surprising[] = {
        {0, {3, 223, 55, 223, 19, 104, 40, 158}},
        {42, {51, 210, 11, 159, 120, 130, 248, 158}},
    };
    for (const auto& [seed, tokens] : surprising) {
        auto c = chain<llama_exact>(mirostat_v2{.tau = 5.0f, .eta = 0.1f, .seed = seed});
        for (const token_id token : tokens) EXPECT_EQ(c.sample(std::vector<float>(256, 0.0f)), token) << seed;
    }
}
TEST(ExactChains, KeepTheGoldenOrderOfTies) {
    const std::vector<float> equal(300, 0.0f);
    const tokens_of heap{7, 4, 1, 3, 5, 0, 2, 6}, buckets{158, 190, 94, 142, 110, 78, 174, 46, 102, 54, 134, 118},
        nucleus{158, 190, 94, 286, 222, 78};
    auto eight = chain<llama_exact>(top_k{.k = 8});
    list l(equal);
    ASSERT_TRUE(eight.apply(l.c).ok());
    EXPECT_EQ(l.ids(), heap);
    list first(equal);
    auto many = chain<llama_exact>(top_k{.k = 200});
    ASSERT_TRUE(many.apply(first.c).ok());
    first.c.size = 12;
    EXPECT_EQ(first.ids(), buckets);
    list second(equal);
    auto share = chain<llama_exact>(top_p{.p = 0.02f});
    ASSERT_TRUE(share.apply(second.c).ok());
    EXPECT_EQ(second.ids(), nucleus);

    // By the row: a draw shows the order of what was kept.
    auto of_eight = chain<llama_exact>(top_k{.k = 8}, dist{.seed = 42});
    auto of_share = chain<llama_exact>(top_p{.p = 0.02f}, dist{.seed = 42});
    exact::mersenne_twister random(42);
    for (int i = 0; i < 50; ++i) {
        const double u = random.canonical_double();
        EXPECT_EQ(of_eight.sample(equal), heap[std::size_t(std::ceil(8.0 * u)) - 1]);
        EXPECT_EQ(of_share.sample(equal), nucleus[std::size_t(std::ceil(6.0 * u)) - 1]);
    }
    EXPECT_EQ(chain<llama_exact>(top_k{.k = 8}, greedy{}).peek(equal), 7);
}
TEST(ExactChains, FireXtcByItsGoldenStream) {
    auto c = chain<llama_exact>(xtc{.probability = 0.5f, .threshold = 0.1f, .min_keep = 1, .seed = 42});
    for (const std::size_t size : {1u, 4u, 4u, 1u, 4u, 4u, 4u, 4u}) {
        list l(std::vector<float>(4, 0.0f));
        ASSERT_TRUE(c.apply(l.c).ok());
        EXPECT_EQ(l.c.size, size);
    }
}

// ---- parameters

TEST(ExactChains, ParametersMayChangeBetweenSteps) {
    auto c = chain<llama_exact>(top_k{.k = 1}, temperature{.t = 0.0f}, dist{.seed = 0});
    const std::vector<float> equal(256, 0.0f);
    EXPECT_EQ(c.sample(equal), 0);
    get<top_k>(c).k = 0;
    get<temperature>(c).t = 1.0f;
    EXPECT_EQ(c.sample(equal), 216);
    get<temperature>(c).t = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(c.sample(equal), null_token);
    EXPECT_EQ(c.last_status().code(), status_code::invalid_parameter);
    get<temperature>(c).t = 1.0f;
    EXPECT_EQ(c.sample(equal), 219);
}
TEST(ExactChains, InfillWithoutAVocabularyIsRefused) {
    auto c = chain<llama_exact>(infill{}, dist{});
    EXPECT_EQ(c.last_status().code(), status_code::invalid_parameter);
    EXPECT_EQ(c.sample(std::vector<float>{1.0f, 2.0f}), null_token);
}

// ---- parameters that llama.cpp takes and riffle's own forms do not

TEST(ExactChains, APenaltyWindowBelowZeroIsOff) {
    auto plain = chain<llama_exact>(dist{.seed = 4});
    for (const std::int32_t last_n : {-1, -5, std::numeric_limits<std::int32_t>::min()}) {
        auto penalised = chain<llama_exact>(
            penalties{.last_n = last_n, .repeat = 2.0f},
            dry{.multiplier = 5.0f, .allowed_length = 0, .last_n = last_n, .breakers = {{1}}}, dist{.seed = 4});
        EXPECT_TRUE(penalised.last_status().ok()) << penalised.last_status().message().c_str();
        EXPECT_EQ(penalised.scratch_bytes(100, 100000),
                  plain.scratch_bytes(100, 100000) + penalised.scratch_bytes(100) - plain.scratch_bytes(100))
            << "no window, so nothing is kept";
        auto same = plain;
        EXPECT_EQ(samples(penalised, 0, 40), samples(same, 0, 40)) << last_n;
    }
    EXPECT_EQ((penalties{.last_n = -5} | greedy{}).last_status().code(), status_code::invalid_parameter);
    EXPECT_EQ((dry{.last_n = -5} | greedy{}).last_status().code(), status_code::invalid_parameter);
}
TEST(ExactChains, MirostatTakesAnyCountAndThenKeepsOneToken) {
    for (const mirostat& odd : {mirostat{.m = 1, .n_vocab = 600, .seed = 3}, mirostat{.n_vocab = 0, .seed = 3}}) {
        auto c = chain<llama_exact>(odd);
        EXPECT_TRUE(c.last_status().ok()) << c.last_status().message().c_str();
        for (std::size_t step = 0; step < 20; ++step) {
            const auto row = row_at(step);
            const auto greatest = token_id(std::max_element(row.begin(), row.end()) - row.begin());
            EXPECT_EQ(c.sample(row), greatest);
        }
        EXPECT_EQ(chain(odd).last_status().code(), status_code::invalid_parameter);
    }
}
TEST(ExactChains, LookingCloserCountsNoRow) {
    auto c = chain<llama_exact>(top_k{.k = 5}, dist{.seed = 4});
    c.distribution(row_at(0));
    c.logprobs(row_at(0), 3);
    EXPECT_EQ(c.replays().rows, 0u);
    next(c, 0);
    EXPECT_EQ(c.replays().rows, 1u);
}

// ---- llama.cpp's sorted flag, which stands over logits that were changed, deceives nobody else

TEST(ExactChains, LookingCloserRanksWhatTheFlagMisranks) {
    const std::vector<float> row{3.0f, 2.0f, 1.0f, 0.0f, -8.0f, -9.0f};
    auto reshaped = chain<llama_exact>(top_k{.k = 6}, adaptive_p{.target = 0.25f, .seed = 1});
    auto biased = chain<llama_exact>(top_k{.k = 4}, logit_bias{{{0, -10.0f}}}, dist{.seed = 1});
    const auto expect_ranked = [](std::span<const token_data> tokens) {
        EXPECT_FALSE(tokens.empty());
        EXPECT_TRUE(std::is_sorted(tokens.begin(), tokens.end(), ranks_before));
    };
    expect_ranked(reshaped.distribution(row));
    expect_ranked(biased.distribution(row));
    EXPECT_EQ(biased.distribution(row)[0].id, 1);
    ASSERT_EQ(biased.logprobs(row, 1).size(), 1u);
    EXPECT_EQ(biased.logprobs(row, 1)[0].id, 1);
    biased.peek(row);
    expect_ranked(biased.survivors());
    reshaped.peek(row);
    expect_ranked(reshaped.survivors());
}
TEST(ExactChains, StagesThatLlamaDoesNotHaveSortForThemselves) {
    const std::vector<float> row{3.0f, 2.0f, 1.0f, 0.0f};
    auto c = chain<llama_exact>(top_k{.k = 4}, logit_bias{{{0, -10.0f}}}, min_k{.tau = 0.0f}, dist{.seed = 1});
    const auto distribution = c.distribution(row);  // 2, 1, 0, -7: the cliff is behind the third
    std::vector<token_id> ids;
    for (const auto& token : distribution) ids.push_back(token.id);
    EXPECT_EQ(ids, (std::vector<token_id>{1, 2, 3}));
}

// ---- going back on copies

template <class Chain>
void expect_rewound_to_its_beginning(Chain c, const char* what) {
    const token_id first = c.sample(row_at(5)), second = c.sample(row_at(6));
    EXPECT_TRUE(c.rewind(2)) << what;
    EXPECT_EQ(c.sample(row_at(5)), first) << what;
    EXPECT_EQ(c.sample(row_at(6)), second) << what;
}
TEST(ExactChains, CopiesAndForksComeBackToWhereTheyBegan) {
    with_every_selector([](const char* name, auto c) {
        for (const std::size_t steps : {1u, 4u, 12u, 140u}) {
            SCOPED_TRACE(steps);
            samples(c, 0, steps);
            expect_rewound_to_its_beginning(c, name);
            expect_rewound_to_its_beginning(c.fork(2), name);
            expect_rewound_to_its_beginning(any_pipeline(c), name);
            auto fork = c.fork(3);
            EXPECT_EQ(fork.rewind(1).code(), status_code::rewind_too_far) << "behind it lie other streams";
            exact_chain late;
            late.push(get<7>(c));
            samples(late, 0, steps);
            expect_rewound_to_its_beginning(late, name);
            expect_rewound_to_its_beginning(late.fork(2), name);
        }
    });
}

TEST(ExactChains, RewindBehindARollbackKnowsTheOtherLineNoMore) {
    auto c = chain<llama_exact>(not_again{}, greedy{});
    const std::vector<float> row{0.0f, 1.0f, 2.0f, 3.0f, 4.0f};
    const auto m = c.mark();
    c.prompt(tokens_of{4});
    EXPECT_TRUE(c.rollback(m));
    EXPECT_TRUE(c.accept(3).state);
    EXPECT_TRUE(c.rewind(1));
    EXPECT_EQ(c.peek(row), 4) << "4 is in no text";
}
TEST(ExactChains, LookingCloserMeetsNoInfinityAndNoNaN) {
    std::vector<float> row = row_at(1, 1000);
    row[500] = infinity;
    auto c = chain<llama_exact>(logit_bias{{{500, -infinity}}}, greedy{});  // inf - inf
    EXPECT_NE(c.sample(row), null_token);
    auto best = chain<llama_exact>(greedy{});
    EXPECT_EQ(best.sample(row), 500);
    for (const auto tokens : {c.survivors(), best.survivors()}) {
        EXPECT_TRUE(std::is_sorted(tokens.begin(), tokens.end(), ranks_before));
        for (const auto& token : tokens) EXPECT_TRUE(token.p >= 0.0f && token.p <= 1.0f) << token.id;
    }
    EXPECT_EQ(best.distribution(row)[0].p, 1.0f);
    auto skewed = chain<llama_exact>(logit_bias{{{500, -infinity}}}, skew{.seed = 1});
    EXPECT_NE(skewed.sample(row), null_token);
    EXPECT_NE(skewed.sample(row), 500);
}

}  // namespace
}  // namespace riffle_tests::exact_chains
