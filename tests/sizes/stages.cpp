// Every stage that is told a number: what it keeps and chooses is what the reference does with that number, on a row
// and on candidates, in chains that are types, made at run time or hidden behind any_pipeline.

#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/chain/superset.hpp>
#include <riffle/riffle.hpp>

#include "reference/agreement.hpp"
#include "sizes/numbers.hpp"

namespace riffle_tests::sizes_stages {
namespace {

using namespace riffle;

/// More than 4096 candidates, of which the greatest are found in another way.
constexpr std::size_t many = 5000;
/// Tokens that came before, for those that look back: three of them are said again.
constexpr std::array<token_id, 9> some_tokens{4, 1, 5, 3, 5, 0, 1, 5, 3};

template <class Chain>
void expect_agreement_behind_some_tokens(Chain& chain, const reference::any_spec& stage, std::span<const float> row,
                                         const char* what) {
    reference::model model{{stage, dist{.seed = 3}}, {}};
    chain.reset();
    chain.prompt(some_tokens);
    model.prompt(some_tokens);
    expect_chain_agreement(chain, model, row, what);
}

/// `make` gives the stage that is told a number.
template <class Number, class Make>
void expect_agreement_at_each_number(std::size_t size, shape s, Make make) {
    const auto row = make_row(s, size, 1);
    for (const Number number : numbers_around<Number>(size)) {
        const auto stage = make(number);
        auto typed = stage | dist{.seed = 3};
        dynamic_chain made_at_run_time;
        ASSERT_TRUE(made_at_run_time.push(stage)) << made_at_run_time.last_status().message().c_str();
        ASSERT_TRUE(made_at_run_time.push(dist{.seed = 3}));
        any_pipeline erased = typed;
        if (size < many || s == shape::random) expect_agreement_behind_some_tokens(typed, stage, row, name_of(s));
        if (size < many || s == shape::equal)
            expect_agreement_behind_some_tokens(made_at_run_time, stage, row, name_of(s));
        if (size < many) expect_agreement_behind_some_tokens(erased, stage, row, name_of(s));
        ASSERT_FALSE(testing::Test::HasFailure()) << "number " << double(number);
    }
}
template <class Number, class Make>
void expect_agreement_at_numbers(Make make) {
    for (const shape s : {shape::random, shape::equal, shape::masked})
        expect_agreement_at_each_number<Number>(300, s, make);
    for (const shape s : {shape::random, shape::equal}) expect_agreement_at_each_number<Number>(many, s, make);
}

TEST(SizesOfStages, TopK) {
    expect_agreement_at_numbers<std::int32_t>([](std::int32_t k) { return top_k{.k = k}; });
}
TEST(SizesOfStages, TopP) {
    expect_agreement_at_numbers<std::size_t>([](std::size_t n) { return top_p{.p = 0.5f, .min_keep = n}; });
}
TEST(SizesOfStages, MinP) {
    expect_agreement_at_numbers<std::size_t>([](std::size_t n) { return min_p{.p = 0.5f, .min_keep = n}; });
}
TEST(SizesOfStages, Typical) {
    expect_agreement_at_numbers<std::size_t>([](std::size_t n) { return typical{.p = 0.5f, .min_keep = n}; });
}
TEST(SizesOfStages, EpsilonCutoff) {
    expect_agreement_at_numbers<std::size_t>(
        [](std::size_t n) { return epsilon_cutoff{.epsilon = 0.01f, .min_keep = n}; });
}
TEST(SizesOfStages, EtaCutoff) {
    expect_agreement_at_numbers<std::size_t>([](std::size_t n) { return eta_cutoff{.epsilon = 0.01f, .min_keep = n}; });
}
TEST(SizesOfStages, TopH) {
    expect_agreement_at_numbers<std::size_t>([](std::size_t n) { return top_h{.alpha = 0.4f, .min_keep = n}; });
}
TEST(SizesOfStages, TailFree) {
    expect_agreement_at_numbers<std::size_t>([](std::size_t n) { return tail_free{.z = 0.5f, .min_keep = n}; });
}
TEST(SizesOfStages, FactualNucleus) {
    expect_agreement_at_numbers<std::size_t>([](std::size_t n) { return factual_nucleus{.p = 0.5f, .min_keep = n}; });
}
TEST(SizesOfStages, Xtc) {
    expect_agreement_at_numbers<std::size_t>(
        [](std::size_t n) { return xtc{.probability = 1.0f, .threshold = 0.0001f, .min_keep = n}; });
}
TEST(SizesOfStages, WindowOfPenalties) {
    expect_agreement_at_numbers<std::int32_t>([](std::int32_t n) { return penalties{.last_n = n, .repeat = 1.5f}; });
}
TEST(SizesOfStages, WindowOfDry) {
    expect_agreement_at_numbers<std::int32_t>(
        [](std::int32_t n) { return dry{.multiplier = 2.0f, .allowed_length = 1, .last_n = n}; });
}
TEST(SizesOfStages, LengthOfDry) {
    expect_agreement_at_numbers<std::int32_t>(
        [](std::int32_t n) { return dry{.multiplier = 2.0f, .allowed_length = n}; });
}
TEST(SizesOfStages, LengthOfNgrams) {
    expect_agreement_at_numbers<std::int32_t>([](std::int32_t n) { return no_repeat_ngram{.n = n}; });
}
TEST(SizesOfStages, WindowOfNgrams) {
    expect_agreement_at_numbers<std::int32_t>([](std::int32_t n) { return no_repeat_ngram{.n = 2, .last_n = n}; });
}
TEST(SizesOfStages, MinTokens) {
    expect_agreement_at_numbers<std::int32_t>([](std::int32_t n) { return min_tokens{.count = n, .ends = {0, 7}}; });
}
TEST(SizesOfStages, LengthPenalty) {
    expect_agreement_at_numbers<std::int32_t>([](std::int32_t n) {
        return length_penalty{.start = n, .factor = 1.5f, .ends = {0, 7}};
    });
}

/// How many a device or a graph is given of the greatest logits.
TEST(SizesOfStages, Supersets) {
    for (const std::size_t n : numbers_around<std::size_t>(many)) {
        const std::size_t wanted = superset_for(min_p{.p = 0.05f, .min_keep = n});
        EXPECT_GE(wanted, n);
        EXPECT_GE(wanted, 240u);
    }
    for (const std::int32_t k : numbers_around<std::int32_t>(many))
        EXPECT_EQ(superset_for(top_k{.k = k}), k == 0 ? 0u : std::size_t(k) + 8);
}

}  // namespace
}  // namespace riffle_tests::sizes_stages
