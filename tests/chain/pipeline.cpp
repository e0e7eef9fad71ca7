// What every chain offers: composing, sampling, accepting, copying.

#include <cstddef>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/chain/dynamic_chain.hpp>
#include <riffle/riffle.hpp>

#include "chain/own_stages.hpp"
#include "reference/agreement.hpp"

namespace riffle_tests::chain_pipeline {
namespace {

using namespace riffle;

constexpr float infinity = std::numeric_limits<float>::infinity();

auto usual() {
    return penalties{.last_n = 8, .repeat = 1.2f} | top_k{.k = 30} | temperature{.t = 0.8f} | dist{.seed = 42};
}
std::vector<float> row_at(std::size_t step) { return make_row(shape::flat, 300, step); }

template <class Chain>
std::vector<token_id> stream(Chain& c, std::size_t count) {
    std::vector<token_id> tokens;
    for (std::size_t i = 0; i < count; ++i) tokens.push_back(c.sample(row_at(i)));
    return tokens;
}

// chain and | make the same type, and nesting leaves no trace.
using flat = pipeline<reproducible, top_k, top_p, temperature, dist>;
static_assert(std::is_same_v<decltype(chain(top_k{}, top_p{}, temperature{}, dist{})), flat>);
static_assert(std::is_same_v<decltype(top_k{} | top_p{} | temperature{} | dist{}), flat>);
static_assert(std::is_same_v<decltype(chain(chain(top_k{}, top_p{}), chain(temperature{}, chain(dist{})))), flat>);
static_assert(std::is_same_v<decltype((top_k{} | top_p{}) | (temperature{} | dist{})), flat>);
static_assert(std::is_same_v<decltype(top_k{} | chain(top_p{}, temperature{}, dist{})), flat>);
static_assert(std::is_same_v<decltype(chain(top_k{}, top_p{} | temperature{}, dist{})), flat>);

// Policies.
static_assert(std::is_same_v<decltype(with<fast>(top_k{} | dist{})), pipeline<fast, top_k, dist>>);
static_assert(std::is_same_v<decltype(chain<fast>(top_k{}, dist{})), pipeline<fast, top_k, dist>>);
static_assert(std::is_same_v<decltype(chain<policies<numerics::fast>>(top_k{}, dist{})), pipeline<fast, top_k, dist>>);
static_assert(std::is_same_v<decltype(with<fast>(top_k{}) | dist{}), pipeline<fast, top_k, dist>>);
static_assert(
    std::is_same_v<decltype(top_k{} | with<fast>(temperature{} | dist{})), pipeline<fast, top_k, temperature, dist>>);
static_assert(std::is_same_v<decltype(chain(dist{}))::policies_type, reproducible>);

// A chain never throws.
static_assert(noexcept(std::declval<flat&>().sample({})));
static_assert(noexcept(std::declval<flat&>().try_sample({})));
static_assert(std::is_copy_constructible_v<flat> && std::is_nothrow_move_constructible_v<flat>);

TEST(Pipeline, NestingKeepsTheParameters) {
    auto c = chain(chain(top_k{.k = 7}, top_p{.p = 0.5f}), temperature{.t = 3.0f} | dist{.seed = 5});
    EXPECT_EQ(get<top_k>(c).k, 7);
    EXPECT_EQ(get<top_p>(c).p, 0.5f);
    EXPECT_EQ(get<2>(c).t, 3.0f);
    EXPECT_EQ(get<dist>(c).seed, 5u);
}

TEST(Pipeline, GetChangesTheNextStep) {
    auto c = top_k{.k = 1} | dist{.seed = 3};
    const auto row = row_at(0);
    c.peek(row);
    EXPECT_EQ(c.survivors().size(), 1u);
    get<top_k>(c).k = 50;
    c.peek(row);
    EXPECT_EQ(c.survivors().size(), 50u);
    get<0>(c).k = 3;
    c.peek(row);
    EXPECT_EQ(c.survivors().size(), 3u);
    const auto& constant = c;
    EXPECT_EQ(get<top_k>(constant).k, 3);
    EXPECT_EQ(get<1>(constant).seed, 3u);
    auto twice = top_k{.k = 5} | temperature{} | top_k{.k = 2} | greedy{};
    get<2>(twice).k = 4;
    twice.peek(row);
    EXPECT_EQ(twice.survivors().size(), 4u);
}

TEST(Pipeline, SampleIsPeekAndAccept) {
    auto sampled = usual(), peeked = usual();
    for (std::size_t i = 0; i < 50; ++i) {
        const token_id token = peeked.peek(row_at(i));
        peeked.accept(token);
        ASSERT_EQ(sampled.sample(row_at(i)), token);
        ASSERT_EQ(sampled.mark().prefix_hash, peeked.mark().prefix_hash);
        ASSERT_EQ(sampled.mark().position, peeked.mark().position);
    }
}

TEST(Pipeline, PeekIsPure) {
    auto c = usual();
    stream(c, 10);
    const checkpoint before_peeking = c.mark();
    const token_id token = c.peek(row_at(3));
    for (int i = 0; i < 5; ++i) {
        c.peek(row_at(std::size_t(i)));
        EXPECT_EQ(c.peek(row_at(3)), token);
    }
    EXPECT_EQ(c.mark().prefix_hash, before_peeking.prefix_hash);
    EXPECT_EQ(c.mark().tokens, 10u);
    EXPECT_EQ(c.mark().position, 10u);
    EXPECT_EQ(c.sample(row_at(3)), token);
}

TEST(Pipeline, TrySampleHasTheStatusBeside) {
    auto c = usual();
    const result<token_id> good = c.try_sample(row_at(0));
    EXPECT_TRUE(good.ok());
    EXPECT_TRUE(bool(good));
    EXPECT_EQ(good.value(), *good);
    EXPECT_EQ(good.value_or(-5), *good);
    EXPECT_TRUE(good.state().ok());
    EXPECT_STREQ(good.state().message().c_str(), "ok");
    const result<token_id> bad = c.try_sample({});
    EXPECT_FALSE(bad.ok());
    EXPECT_EQ(bad.value_or(-5), -5);
    EXPECT_EQ(*bad, null_token);
    EXPECT_EQ(bad.state().code(), status_code::empty_row);
    EXPECT_TRUE(bad.state() == status_code::empty_row);
#if defined(__cpp_exceptions)
    try {
        bad.value();
        FAIL() << "value() of a failure gave a value";
    } catch (const error& e) {
        EXPECT_STREQ(e.what(), "the row has no logits");
    }
#else
    EXPECT_EQ(bad.value(), null_token);
#endif
}

TEST(Pipeline, AFailedStepAcceptsNothing) {
    auto c = usual();
    stream(c, 3);
    const checkpoint m = c.mark();
    EXPECT_EQ(c.sample(std::vector<float>(20, -infinity)), null_token);
    EXPECT_EQ(c.last_status().code(), status_code::no_legal_token);
    EXPECT_TRUE(c.survivors().empty());
    EXPECT_EQ(c.mark().prefix_hash, m.prefix_hash);
    EXPECT_EQ(c.mark().position, m.position);
    EXPECT_NE(c.sample(row_at(3)), null_token);
    EXPECT_TRUE(c.last_status().ok());
}

TEST(Pipeline, CopiesAreClonesWithHistoryAndDraws) {
    auto c = usual();
    stream(c, 20);
    auto copy = c;
    const auto assigned_from = c;
    EXPECT_EQ(stream(c, 20), stream(copy, 20));
    copy = assigned_from;
    auto again = assigned_from;
    EXPECT_EQ(stream(copy, 20), stream(again, 20));
    copy.accept(1);  // and are independent from then on
    EXPECT_NE(copy.mark().prefix_hash, again.mark().prefix_hash);
    auto moved = std::move(copy);
    EXPECT_EQ(moved.mark().tokens, 41u);
    auto& self = moved;
    moved = self;
    EXPECT_EQ(moved.mark().tokens, 41u);
}

TEST(Pipeline, ResetIsTheBeginningWithParametersKept) {
    auto c = usual();
    get<top_k>(c).k = 17;
    const auto first = stream(c, 10);
    c.prompt(std::vector<token_id>{1, 2});
    c.retry();
    c.reset();
    EXPECT_EQ(c.mark().tokens, 0u);
    EXPECT_EQ(c.mark().position, 0u);
    EXPECT_EQ(c.mark().attempt, 0u);
    EXPECT_EQ(get<top_k>(c).k, 17);
    EXPECT_EQ(stream(c, 10), first);
}

TEST(Pipeline, PromptIsHistoryWithoutMovingTheDraws) {
    auto c = temperature{.t = 2.0f} | dist{.seed = 1};
    auto prompted = c;
    EXPECT_TRUE(prompted.prompt(std::vector<token_id>{4, 5, 6}));
    EXPECT_EQ(prompted.mark().tokens, 3u);
    EXPECT_EQ(prompted.mark().position, 0u);
    EXPECT_EQ(stream(c, 10), stream(prompted, 10));
    auto penalised = penalties{.last_n = 4, .presence = 50.0f} | greedy{};
    penalised.prompt(std::vector<token_id>{0, 2});
    EXPECT_EQ(penalised.sample(std::vector<float>{3.0f, 1.0f, 2.0f}), 1);
}

TEST(Pipeline, RetryDrawsAnewUntilAccept) {
    auto drawing = chain(dist{.seed = 11});
    const std::vector<float> level(64, 0.0f);
    reference::model model{{dist{11}}, {}};
    std::vector<token_id> tries;
    for (std::uint32_t attempt = 0; attempt < 8; ++attempt) {
        model.now.at.attempt = attempt;
        EXPECT_EQ(drawing.peek(level), model.run(level).token) << attempt;
        tries.push_back(drawing.peek(level));
        drawing.retry();
    }
    EXPECT_NE(std::count(tries.begin(), tries.end(), tries[0]), 8);
    drawing.accept(3);
    model.accept(3);
    EXPECT_EQ(drawing.peek(level), model.run(level).token);
}

TEST(Pipeline, ForksAreIndependentAndRepeatable) {
    const auto c = chain(dist{.seed = 11});
    const std::vector<float> level(1000, 0.0f);
    reference::model model{{dist{11}}, {}};
    for (const std::uint16_t sequence : {std::uint16_t(0), std::uint16_t(1), std::uint16_t(2), std::uint16_t(65535)}) {
        auto fork = c.fork(sequence);
        model.now = {};
        model.now.at.sequence = sequence;
        for (int step = 0; step < 5; ++step) {
            const token_id token = fork.sample(level);
            EXPECT_EQ(token, model.run(level).token) << sequence << ", " << step;
            model.accept(token);
        }
    }
    dynamic_chain d;
    d.push(dist{.seed = 11});
    EXPECT_EQ(d.fork(2).peek(level), c.fork(2).peek(level));
    EXPECT_EQ(any_pipeline(c).fork(2).peek(level), c.fork(2).peek(level));
}

TEST(Pipeline, InsertingAStageThatDoesNotDrawChangesNoDraw) {
    const std::vector<float> level(100, 0.0f);
    auto c = chain(dist{.seed = 1});
    auto longer = top_k{.k = 0} | temperature{.t = 1.0f} | penalties{} | dist{.seed = 1};
    for (int i = 0; i < 10; ++i) EXPECT_EQ(c.sample(level), longer.sample(level));
}

TEST(Pipeline, LastStatusSpeaksOfTheLastCall) {
    auto c = usual();
    c.sample({});
    EXPECT_STREQ(c.last_status().message().c_str(), "the row has no logits");
    c.sample(row_at(0));
    EXPECT_STREQ(c.last_status().message().c_str(), "ok");
    c.sample(std::vector<float>(5, -infinity));
    EXPECT_STREQ(c.last_status().message().c_str(), "no legal token is left: every logit is -inf, NaN or masked");
}

TEST(Pipeline, SeedsDiffer) {
    const std::uint64_t a = random_seed(), b = random_seed();
    EXPECT_NE(a, b);
}

// ---- numerics::fast

TEST(FastPipeline, ChoosesTheSameWhereNoMassDecides) {
    for (const shape s : all_shapes) {
        const auto row = make_row(s, 700, 5);
        EXPECT_EQ(with<fast>(temperature{.t = 1.25f} | top_k{.k = 1} | dist{}).peek(row),
                  chain(temperature{.t = 1.25f}, top_k{.k = 1}, dist{}).peek(row))
            << name_of(s);
        EXPECT_EQ(with<fast>(temperature{.t = 1.25f} | greedy{}).peek(row),
                  chain(temperature{.t = 1.25f}, greedy{}).peek(row))
            << name_of(s);
    }
}
TEST(FastPipeline, NeverChoosesAnIllegalToken) {
    for (const int width : lane_widths()) {
        const at_width forced(width);
        for (const shape s : all_shapes)
            for (const std::size_t size : {1u, 31u, 300u, 1000u}) {
                const auto row = make_row(s, size, 7);
                auto c = with<fast>(temperature{.t = 1.25f} | dist{.seed = 3});
                auto exact = chain(temperature{.t = 1.25f}, dist{.seed = 3});
                for (int step = 0; step < 4; ++step) {
                    const token_id token = c.sample(row);
                    EXPECT_EQ(token < 0, exact.sample(row) < 0) << name_of(s) << size;
                    if (token < 0) continue;
                    EXPECT_GT(reference::canonical(row[std::size_t(token)]), reference::minus_infinity)
                        << name_of(s) << size;
                }
            }
    }
}

// ---- any_pipeline

TEST(AnyPipeline, SamplesAsTheChainInside) {
    auto c = usual();
    any_pipeline any = c;
    EXPECT_FALSE(any.empty());
    EXPECT_EQ(stream(any, 30), stream(c, 30));
    EXPECT_EQ(any.mark().prefix_hash, c.mark().prefix_hash);
    dynamic_chain d;
    d.push(top_k{.k = 3});
    d.push(dist{});
    any_pipeline other = d;
    EXPECT_EQ(stream(other, 5), stream(d, 5));
}
TEST(AnyPipeline, CopiesCloneAndMovesEmpty) {
    auto c = usual();
    any_pipeline any = c;
    stream(any, 5);
    any_pipeline copy = any;
    any_pipeline moved = std::move(any);
    EXPECT_TRUE(any.empty());  // NOLINT: what a moved-from one answers is the question
    const auto expected = stream(copy, 10);
    EXPECT_EQ(stream(moved, 10), expected);
    any = copy;
    EXPECT_FALSE(any.empty());
    EXPECT_EQ(stream(any, 5), stream(copy, 5));
    any_pipeline empty_copy = std::move(moved);
    any_pipeline of_empty = moved;
    EXPECT_TRUE(of_empty.empty());
    std::vector<any_pipeline> several;
    several.emplace_back(usual());
    several.emplace_back(chain(greedy{}));
    several.push_back(several[0]);
    EXPECT_EQ(several[0].sample(row_at(0)), several[2].sample(row_at(0)));
}
void expect_nothing_of(any_pipeline& any) {
    EXPECT_TRUE(any.empty());
    EXPECT_EQ(any.sample(row_at(0)), null_token);
    EXPECT_EQ(any.last_status().code(), status_code::no_selector);
    EXPECT_EQ(any.try_sample(row_at(0)).state().code(), status_code::no_selector);
    EXPECT_TRUE(any.survivors().empty());
    EXPECT_TRUE(any.distribution(row_at(0)).empty());
    any.reset();
    EXPECT_EQ(any.fork(1).peek(row_at(0)), null_token);
}
TEST(AnyPipeline, EmptyOnesAnswerThatNothingChooses) {
    any_pipeline any = usual();
    any_pipeline taken = std::move(any);
    expect_nothing_of(any);
    EXPECT_NE(taken.sample(row_at(0)), null_token);
    any_pipeline none;  // a member that is set later
    expect_nothing_of(none);
    none = usual();
    EXPECT_EQ(stream(none, 5), stream(any = usual(), 5));
}

// ---- dynamic_chain

TEST(DynamicChain, StagesAreFoundByTypeAndPlace) {
    dynamic_chain d;
    d.push(top_k{.k = 5});
    d.push(dist{.seed = 1});
    ASSERT_NE(d.get_if<top_k>(0), nullptr);
    EXPECT_EQ(d.get_if<top_k>(1), nullptr);
    EXPECT_EQ(d.get_if<dist>(0), nullptr);
    EXPECT_EQ(d.get_if<dist>(2), nullptr);
    d.get_if<top_k>(0)->k = 2;
    d.peek(row_at(0));
    EXPECT_EQ(d.survivors().size(), 2u);
}
TEST(DynamicChain, CopiesAndMoves) {
    dynamic_chain d;
    d.push(penalties{.last_n = -1, .repeat = 1.5f});
    d.push(weary{});
    d.push(dist{.seed = 1});
    stream(d, 5);
    dynamic_chain copy = d;
    const auto expected = stream(copy, 5);
    dynamic_chain moved = std::move(d);
    EXPECT_EQ(stream(moved, 5), expected);
    d = moved;
    EXPECT_EQ(d.mark().prefix_hash, moved.mark().prefix_hash);
    EXPECT_EQ(stream(d, 5), stream(moved, 5));
}
/// The longest window counts, wherever it stands: beside a stage that is off, too.
TEST(Pipeline, RemembersAsFarAsItsLongestWindow) {
    const penalties far{.last_n = 400, .repeat = 4.0f}, off{.last_n = 0};
    const std::vector<float> row{1.0f, 3.0f, 2.0f, 0.5f};
    const auto expect_remembers = [&](auto c) {
        ASSERT_FALSE(c.accept(1).refused);
        for (int i = 0; i < 399; ++i) ASSERT_FALSE(c.accept(3).refused);
        EXPECT_EQ(c.peek(row), 2) << "the first token is the last in the window";
        ASSERT_FALSE(c.accept(3).refused);
        EXPECT_EQ(c.peek(row), 1) << "and has left it";
    };
    expect_remembers(chain(far, off, greedy{}));
    expect_remembers(chain(off, far, greedy{}));
    expect_remembers(chain(far, penalties{.last_n = 20, .repeat = 1.0f}, greedy{}));
}
TEST(DynamicChain, WithoutStagesOrSelectorGivesNoToken) {
    dynamic_chain d;
    EXPECT_EQ(d.sample(row_at(0)), null_token);
    EXPECT_FALSE(d.last_status().ok());
    d.push(top_k{});
    EXPECT_EQ(d.sample(row_at(0)), null_token);
    EXPECT_FALSE(d.last_status().ok());
    auto memory = candidates_of(row_at(0));
    candidates c{memory.data(), memory.size(), -1, false};
    EXPECT_TRUE(d.apply(c));
    EXPECT_EQ(c.size, 40u);
    EXPECT_EQ(c.selected, -1);
}

}  // namespace
}  // namespace riffle_tests::chain_pipeline
