// mark, rollback and rewind: exact, or refused with nothing changed.

#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/riffle.hpp>

#include "chain/own_stages.hpp"
#include "chain/same_place.hpp"
#include "reference/rows.hpp"

namespace riffle_tests::chain_going_back {
namespace {

using namespace riffle;

std::vector<float> row_at(std::size_t step) { return make_row(shape::flat, 40, step); }

auto chain_with_state() {
    return chain(penalties{.last_n = 16, .repeat = 1.3f, .frequency = 0.1f}, weary{}, temperature{.t = 0.7f},
                 dist{.seed = 9});
}

/// Tokens of the next `count` steps, by a copy.
template <class Chain>
std::vector<token_id> next_tokens(Chain copy, std::size_t count) {
    std::vector<token_id> tokens;
    for (std::size_t i = 0; i < count; ++i) tokens.push_back(copy.sample(row_at(i)));
    return tokens;
}

template <class Chain>
void expect_exact_rollback(Chain c, std::size_t steps) {
    std::vector<checkpoint> marks;
    std::vector<std::vector<token_id>> futures;
    for (std::size_t i = 0; i < steps; ++i) {
        marks.push_back(c.mark());
        futures.push_back(next_tokens(c, 5));
        if (i % 11 == 3) c.prompt(std::vector<token_id>{token_id(i % 40), 2});
        ASSERT_NE(c.sample(row_at(i)), null_token);
    }
    const std::size_t written = c.mark().tokens;
    for (std::size_t i = 0; i < steps; ++i) {
        Chain copy = c;
        const status s = copy.rollback(marks[i]);
        if (written - marks[i].tokens > 128) {
            ASSERT_EQ(s.code(), status_code::rewind_too_far) << i;
            ASSERT_TRUE(same_place(copy.mark(), c.mark())) << i;
            ASSERT_EQ(next_tokens(copy, 3), next_tokens(c, 3)) << i;
        } else {
            ASSERT_TRUE(s.ok()) << i << ": " << s.message().c_str();
            ASSERT_TRUE(same_place(copy.mark(), marks[i])) << i;
            ASSERT_EQ(next_tokens(copy, 5), futures[i]) << i;
        }
    }
}

TEST(Rollback, IsExactUpTo128TokensBack) { expect_exact_rollback(chain_with_state(), 300); }
TEST(Rollback, IsExactBeforeTheRingIsFull) { expect_exact_rollback(chain_with_state(), 60); }
TEST(Rollback, IsExactWithTheWholeHistory) {
    expect_exact_rollback(chain(penalties{.last_n = -1, .repeat = 1.2f, .presence = 0.1f}, weary{}, gumbel{.seed = 4}),
                          300);
}
TEST(Rollback, IsExactForAWindowLongerThanTheRollback) {
    expect_exact_rollback(chain(penalties{.last_n = 200, .repeat = 1.2f}, dist{.seed = 4}), 420);
}
TEST(Rollback, IsExactForAStageWithItsOwnMark) {
    expect_exact_rollback(odd_ones_out{} | temperature{.t = 0.9f} | dist{.seed = 4}, 40);
}
TEST(Rollback, IsExactAtRunTime) {
    dynamic_chain d;
    d.push(penalties{.last_n = 16, .repeat = 1.3f});
    d.push(weary{});
    d.push(director{.limit = 1 << 30});
    d.push(dist{.seed = 9});
    expect_exact_rollback(d, 200);
}
TEST(Rollback, IsExactBehindAnyPipeline) { expect_exact_rollback(any_pipeline(chain_with_state()), 160); }

TEST(Rollback, Of128IsDoneAndOf129Refused) {
    auto c = chain_with_state();
    for (std::size_t i = 0; i < 50; ++i) c.sample(row_at(i));
    const checkpoint m = c.mark();
    for (std::size_t i = 0; i < 128; ++i) c.sample(row_at(i));
    auto further = c;
    further.sample(row_at(0));
    EXPECT_TRUE(c.rollback(m));
    const checkpoint before_refusal = further.mark();
    EXPECT_EQ(further.rollback(m).code(), status_code::rewind_too_far);
    EXPECT_STREQ(further.rollback(m).message().c_str(), "more than 128 tokens back, or past the start");
    EXPECT_TRUE(same_place(further.mark(), before_refusal));
}

TEST(Rollback, TwiceIsExactOrRefused) {
    // What the first rollback takes off the ring, the second cannot have.
    constexpr std::size_t steps = 250;
    std::vector<checkpoint> marks;
    std::vector<decltype(chain_with_state())> copies;
    auto c = chain_with_state();
    for (std::size_t i = 0; i < steps; ++i) {
        marks.push_back(c.mark());
        copies.push_back(c);
        c.accept(token_id(i % 40));
    }
    const auto expect_exact_or_refused = [&](std::size_t first, std::size_t second) {
        auto twice = c;
        ASSERT_TRUE(twice.rollback(marks[steps - first]));
        const bool done = twice.rollback(marks[steps - first - second]).ok();
        const std::size_t place = steps - first - (done ? second : 0);
        EXPECT_EQ(twice.mark().tokens, place) << first << ", then " << second;
        ASSERT_EQ(next_tokens(twice, 3), next_tokens(copies[place], 3)) << first << ", then " << second;
    };
    for (std::size_t first = 1; first <= 128; ++first) {
        for (std::size_t second = 0; second <= 121; second += 11) expect_exact_or_refused(first, second);
        if (steps - first <= 128) expect_exact_or_refused(first, steps - first);  // to the start
    }
}
/// Keeps nothing, so that a tuple gives it the address of a neighbour.
struct stops_at_two {
    void apply(candidates&) const noexcept {}
    step accept(token_id token) noexcept { return {.finished = token == 2}; }
    void reset() noexcept {}
};
TEST(Rollback, OfAnEmptyStageTouchesNoOther) {
    auto c = chain(temperature{.t = 0.7f}, top_k{.k = 40}, stops_at_two{}, logit_bias{{{1, 1.0f}}}, greedy{});
    const checkpoint m = c.mark();
    c.accept(2);
    EXPECT_TRUE(c.last_step().finished);
    get<top_k>(c).k = 50;
    get<logit_bias>(c).biases = {{3, 2.0f}, {4, 1.0f}};
    ASSERT_TRUE(c.rollback(m));
    EXPECT_EQ(get<top_k>(c).k, 50);
    EXPECT_EQ(get<logit_bias>(c).biases.size(), 2u);
    EXPECT_NE(c.sample(row_at(0)), null_token);
    ASSERT_TRUE(c.rewind(1));
    EXPECT_EQ(get<top_k>(c).k, 50);
    EXPECT_NE(c.sample(row_at(0)), null_token);
}

/// As riffle's own stages: its state ends in padding, into which a compiler may put what stands behind it.
struct counts_in_a_state {
    static constexpr const char* name = "counts_in_a_state";
    static constexpr facts fact{.selects = selecting::own};
    struct state {
        std::uint64_t tokens = 0;
        std::uint32_t last = 0;
    };
    std::int32_t k = 40;
    void prepare(candidates&, const state&) const noexcept {}
    void choose(candidates& c, const draws&, const state&) const noexcept { c.selected = 0; }
    step accept(state& kept, token_id token, const last_choice*) const noexcept {
        ++kept.tokens;
        kept.last = std::uint32_t(token);
        return {};
    }
};
TEST(Rollback, AtRunTimeTouchesNoParameter) {
    dynamic_chain c;
    ASSERT_TRUE(c.push(counts_in_a_state{}));
    const checkpoint m = c.mark();
    c.get_if<counts_in_a_state>(0)->k = 7;
    c.accept(3);
    ASSERT_TRUE(c.rollback(m));
    EXPECT_EQ(c.get_if<counts_in_a_state>(0)->k, 7);
}

/// A caller may go back as far as the last step says, and look at what else it said.
TEST(Rewind, ByNothingKeepsTheLastStep) {
    auto c = chain(stops_at_two{}, greedy{});
    c.accept(2);
    ASSERT_TRUE(c.rewind(std::size_t(c.last_step().rewind)));
    EXPECT_TRUE(c.last_step().finished);
}

/// Of the same size and with the same name, and yet not the same.
template <class Value>
struct keeps {
    Value value{};
    void apply(candidates&) const noexcept {}
    void accept(token_id) noexcept {}
    void reset() noexcept {}
};
TEST(Rollback, MarksOfAChainWithOtherStagesAreRefused) {
    static_assert(sizeof(long long) == sizeof(double));
    const auto expect_refused = [](auto a, auto b) {
        const checkpoint m = a.mark();
        ASSERT_TRUE(a.rollback(m));
        EXPECT_EQ(b.rollback(m).code(), status_code::mark_unknown);
    };
    expect_refused(chain(keeps<long long>{1}, dist{}), chain(keeps<double>{2}, dist{}));
    expect_refused(chain(keeps<double>{}, keeps<int>{}, dist{}), chain(keeps<int>{}, keeps<double>{}, dist{}));
    expect_refused(chain(top_k{}, dist{}), chain(top_p{}, dist{}));
    dynamic_chain d;
    d.push(keeps<double>{});
    d.push(dist{});
    dynamic_chain other;
    other.push(keeps<long long>{});
    other.push(dist{});
    expect_refused(d, other);
    EXPECT_TRUE(d.rollback(dynamic_chain(d).mark()));
}

/// A mark() alone says nothing: the stage is put back whole.
struct counts_and_tells {
    int count = 0;
    int mark() const noexcept { return -1; }
    void apply(candidates&) const noexcept {}
    void accept(token_id) noexcept { ++count; }
    void reset() noexcept { count = 0; }
};
TEST(Rollback, OfAStageWithAMarkAndNoRollbackIsWhole) {
    auto c = chain(counts_and_tells{}, dist{});
    c.accept(1);
    const checkpoint m = c.mark();
    c.accept(1);
    ASSERT_TRUE(c.rollback(m));
    EXPECT_EQ(get<counts_and_tells>(c).count, 1);
}

TEST(Rollback, MarksAheadAreRefused) {
    auto c = chain_with_state();
    for (std::size_t i = 0; i < 10; ++i) c.sample(row_at(i));
    const checkpoint early = c.mark();
    for (std::size_t i = 0; i < 5; ++i) c.sample(row_at(i));
    const checkpoint late = c.mark();
    ASSERT_TRUE(c.rollback(early));
    EXPECT_EQ(c.rollback(late).code(), status_code::mark_unknown);
    EXPECT_TRUE(same_place(c.mark(), early));
}

TEST(Rollback, MarksOfAnotherLineAreRefused) {
    auto c = chain_with_state();
    for (std::size_t i = 0; i < 10; ++i) c.sample(row_at(i));
    auto other = c;
    c.accept(1);
    const checkpoint m = c.mark();
    c.accept(2);
    other.accept(7);
    other.accept(2);
    other.accept(3);
    const checkpoint before_refusal = other.mark();
    const auto future = next_tokens(other, 5);
    EXPECT_EQ(other.rollback(m).code(), status_code::mark_unknown);
    EXPECT_STREQ(other.rollback(m).message().c_str(),
                 "the mark lies ahead, behind other tokens, or is of other stages");
    EXPECT_TRUE(same_place(other.mark(), before_refusal));
    EXPECT_EQ(next_tokens(other, 5), future);
}

TEST(Rollback, AMarkOfTheStartOfAnotherTextIsNotConfusedByPromptsAndTokens) {
    auto c = chain_with_state();
    c.accept(5);
    const checkpoint generated = c.mark();
    c.reset();
    c.prompt(std::vector<token_id>{5});  // the same token, but as a prompt
    c.accept(6);
    EXPECT_EQ(c.rollback(generated).code(), status_code::mark_unknown);
}

TEST(Rollback, MarksAreTakenBackLastInFirstOut) {
    auto c = chain_with_state();
    std::vector<checkpoint> marks;
    for (std::size_t i = 0; i < 30; ++i) {
        marks.push_back(c.mark());
        c.sample(row_at(i));
    }
    while (!marks.empty()) {
        ASSERT_TRUE(c.rollback(marks.back()));
        ASSERT_TRUE(same_place(c.mark(), marks.back()));
        marks.pop_back();
    }
    EXPECT_EQ(c.mark().tokens, 0u);
    auto fresh = chain_with_state();
    EXPECT_EQ(next_tokens(c, 10), next_tokens(fresh, 10));
}

TEST(Rollback, WorksOnACopyOfTheChainThatMadeTheMark) {
    auto c = chain_with_state();
    for (std::size_t i = 0; i < 20; ++i) c.sample(row_at(i));
    const checkpoint m = c.mark();
    const auto future = next_tokens(c, 5);
    auto copy = c;
    for (std::size_t i = 0; i < 20; ++i) copy.sample(row_at(i + 7));
    ASSERT_TRUE(copy.rollback(m));
    EXPECT_EQ(next_tokens(copy, 5), future);
}

TEST(Rollback, RestoresTheAttempt) {
    auto c = chain_with_state();
    for (std::size_t i = 0; i < 3; ++i) c.sample(row_at(i));
    c.retry();
    const checkpoint m = c.mark();
    const auto future = next_tokens(c, 5);
    c.sample(row_at(0));
    ASSERT_TRUE(c.rollback(m));
    EXPECT_EQ(next_tokens(c, 5), future);
}

TEST(Rollback, ToTheSamePlaceChangesNothing) {
    auto c = chain_with_state();
    const checkpoint start = c.mark();
    EXPECT_TRUE(c.rollback(start));
    c.sample(row_at(0));
    const checkpoint m = c.mark();
    EXPECT_TRUE(c.rollback(m));
    EXPECT_TRUE(same_place(c.mark(), m));
}

TEST(Rollback, ThenAnotherTextHasAnotherFuture) {
    auto c = chain(penalties{.last_n = 4, .repeat = 1.0f, .presence = 100.0f}, greedy{});
    const std::vector<float> row{3.0f, 2.0f, 1.0f, 0.0f};
    const checkpoint m = c.mark();
    EXPECT_EQ(c.sample(row), 0);
    EXPECT_EQ(c.sample(row), 1);
    ASSERT_TRUE(c.rollback(m));
    c.accept(1);
    EXPECT_EQ(c.sample(row), 0);
    EXPECT_EQ(c.sample(row), 2);
}

// ---- rewind

TEST(Rewind, TakesBackGeneratedTokensExactly) {
    auto c = chain_with_state();
    std::vector<checkpoint> marks;
    std::vector<std::vector<token_id>> futures;
    for (std::size_t i = 0; i < 250; ++i) {
        marks.push_back(c.mark());
        futures.push_back(next_tokens(c, 3));
        c.sample(row_at(i));
    }
    for (const std::size_t back : {0u, 1u, 2u, 77u, 127u, 128u}) {
        auto copy = c;
        ASSERT_TRUE(copy.rewind(back)) << back;
        if (back == 0) continue;
        ASSERT_TRUE(same_place(copy.mark(), marks[250 - back])) << back;
        ASSERT_EQ(next_tokens(copy, 3), futures[250 - back]) << back;
    }
    const checkpoint now = c.mark();
    EXPECT_EQ(c.rewind(129).code(), status_code::rewind_too_far);
    EXPECT_TRUE(same_place(c.mark(), now));
}

TEST(Rewind, PastTheStartIsRefused) {
    auto c = chain_with_state();
    c.prompt(std::vector<token_id>{1, 2, 3});
    for (std::size_t i = 0; i < 4; ++i) c.sample(row_at(i));
    const checkpoint now = c.mark();
    EXPECT_EQ(c.rewind(5).code(), status_code::rewind_too_far);
    EXPECT_EQ(c.rewind(std::size_t(-1)).code(), status_code::rewind_too_far);
    EXPECT_TRUE(same_place(c.mark(), now));
    EXPECT_TRUE(c.rewind(4));
    EXPECT_EQ(c.mark().tokens, 3u);  // the prompt stays
    EXPECT_EQ(c.rewind(1).code(), status_code::rewind_too_far);
}

TEST(Rewind, TakesPromptTokensBetweenAlong) {
    auto c = chain_with_state();
    for (std::size_t i = 0; i < 4; ++i) c.sample(row_at(i));
    const checkpoint m = c.mark();
    const auto future = next_tokens(c, 5);
    c.sample(row_at(4));
    c.prompt(std::vector<token_id>{8, 8, 9});
    c.sample(row_at(5));
    c.prompt(std::vector<token_id>{7});
    ASSERT_TRUE(c.rewind(2));
    EXPECT_TRUE(same_place(c.mark(), m));
    EXPECT_EQ(next_tokens(c, 5), future);
}

TEST(Rewind, CountsPromptTokensAgainstTheReach) {
    auto c = chain_with_state();
    for (std::size_t i = 0; i < 200; ++i) c.sample(row_at(i));
    c.prompt(std::vector<token_id>(127, 3));
    auto copy = c;
    EXPECT_TRUE(copy.rewind(1));
    c.prompt(std::vector<token_id>{4});
    const checkpoint now = c.mark();
    EXPECT_EQ(c.rewind(1).code(), status_code::rewind_too_far);
    EXPECT_TRUE(same_place(c.mark(), now));
}

/// However a chain went back before, a rewind that is granted is exact.
template <class Chain>
void expect_exact_or_refused(Chain c) {
    std::vector<checkpoint> marks;
    for (std::size_t i = 0; i < 190; ++i) {
        marks.push_back(c.mark());
        c.sample(row_at(i));
    }
    auto twice = c;
    ASSERT_TRUE(twice.rewind(128));
    if (twice.rewind(60)) {
        EXPECT_TRUE(same_place(twice.mark(), marks[2]));
    } else {
        EXPECT_TRUE(same_place(twice.mark(), marks[62]));
    }
    auto after_rollback = c;
    ASSERT_TRUE(after_rollback.rollback(marks[62]));
    if (after_rollback.rewind(60)) {
        EXPECT_TRUE(same_place(after_rollback.mark(), marks[2]));
    } else {
        EXPECT_TRUE(same_place(after_rollback.mark(), marks[62]));
    }
}
TEST(Rewind, AfterGoingBackIsExactOrRefused) { expect_exact_or_refused(chain_with_state()); }
TEST(Rewind, AfterGoingBackIsExactOrRefusedWithALongWindow) {
    expect_exact_or_refused(chain(penalties{.last_n = 64, .repeat = 1.1f}, weary{}, dist{}));
}
TEST(Rewind, AfterGoingBackIsExactOrRefusedWithTheWholeHistory) {
    expect_exact_or_refused(chain(penalties{.last_n = -1, .repeat = 1.1f}, weary{}, dist{}));
}

TEST(Rewind, OnACopyIsExact) {
    auto c = chain_with_state();
    std::vector<checkpoint> marks;
    for (std::size_t i = 0; i < 20; ++i) {
        marks.push_back(c.mark());
        c.sample(row_at(i));
    }
    auto copy = c;
    ASSERT_TRUE(copy.rewind(7));
    EXPECT_TRUE(same_place(copy.mark(), marks[13]));
    any_pipeline any(c);
    any_pipeline any_copy(any);
    ASSERT_TRUE(any_copy.rewind(7));
    EXPECT_TRUE(same_place(any_copy.mark(), marks[13]));
    dynamic_chain d;
    d.push(weary{});
    d.push(dist{});
    for (std::size_t i = 0; i < 20; ++i) d.sample(row_at(i));
    dynamic_chain shorter;
    shorter.push(weary{});
    shorter.push(dist{});
    for (std::size_t i = 0; i < 13; ++i) shorter.sample(row_at(i));
    dynamic_chain d_copy(d);
    ASSERT_TRUE(d_copy.rewind(7));
    EXPECT_TRUE(same_place(d_copy.mark(), shorter.mark()));
}

TEST(Rewind, RestoresAStageWithItsOwnMark) {
    auto c = odd_ones_out{} | greedy{};
    const std::vector<float> row{4.0f, 3.0f, 2.0f, 1.0f};
    EXPECT_EQ(c.sample(row), 0);
    EXPECT_EQ(c.sample(row), 1);
    EXPECT_EQ(c.sample(row), 2);
    ASSERT_TRUE(c.rewind(2));
    EXPECT_EQ(get<odd_ones_out>(c).tokens, (std::vector<token_id>{0}));
    EXPECT_EQ(c.sample(row), 1);
}

}  // namespace
}  // namespace riffle_tests::chain_going_back
