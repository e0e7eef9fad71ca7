// Rows at the edge: none, one, ties, everything illegal, what no model says.

#include <cstddef>
#include <memory>

#include "exact/forms.hpp"

namespace riffle_tests::exact_limits {
namespace {

template <class... Specs, class Visit>
void for_each_spec(Visit visit) {
    (visit(Specs{}), ...);
}
/// Calls visit(spec) for every sampler, none of them off.
template <class Visit>
void for_every_sampler(Visit visit) {
    for_each_spec<greedy, dist, top_k, top_p, min_p, typical, temperature, xtc, top_n_sigma, mirostat_v2>(visit);
    visit(dynamic_temperature{.range = 0.5f});
    visit(mirostat{.n_vocab = 4});
    visit(adaptive_p{.target = 0.5f});
    visit(penalties{.repeat = 1.5f});
    visit(dry{.multiplier = 1.0f, .base = 1.75f, .allowed_length = 0, .last_n = 64, .breakers = {}});
    visit(logit_bias{.biases = {{0, 1.0f}, {9, 1.0f}}});
    static const vocabulary v = [] {
        vocabulary one = vocabulary_of({"a"});
        one.end_of_sequence = 0;
        return one;
    }();
    visit(infill{.vocab = &v});
}

TEST(ExactLimits, NoCandidatesAreNoTokenAndNoAbort) {
    for_every_sampler([](const auto& spec) {
        bench b;
        b.apply(spec);
        EXPECT_EQ(b.c.size, 0u);
        EXPECT_EQ(b.c.selected, -1);
    });
    bench b;
    EXPECT_EQ(b.apply(greedy{}), status_code::no_legal_token);
    EXPECT_EQ(b.apply(dist{}), status_code::no_legal_token);
    EXPECT_EQ(b.apply(top_p{}), status_code::no_legal_token);
    EXPECT_EQ(b.apply(mirostat{}), status_code::no_legal_token);
    EXPECT_EQ(b.apply(adaptive_p{}), status_code::no_legal_token);
}
TEST(ExactLimits, OneCandidateStays) {
    for_every_sampler([](const auto& spec) {
        bench b({0.5f});
        b.say({0, 0, 0});
        EXPECT_EQ(b.apply(spec), status_code::ok) << spec.name;
        EXPECT_EQ(b.c.size, 1u) << spec.name;
        EXPECT_EQ(b.c[0].id, 0) << spec.name;
    });
}
TEST(ExactLimits, EverythingIllegalIsChosenAllTheSame) {
    for_every_sampler([](const auto& spec) {
        bench b(std::vector<float>(200, -infinity));
        EXPECT_EQ(b.apply(spec), status_code::ok) << spec.name;
        EXPECT_GT(b.c.size, 0u) << spec.name;
    });
    bench b(std::vector<float>(3, -infinity));
    EXPECT_EQ(b.apply(dist{}), status_code::ok);
    EXPECT_EQ(b.c.selected, 2);
    EXPECT_NE(b.c[0].p, b.c[0].p);
    EXPECT_EQ(b.apply(min_p{}), status_code::ok);
    EXPECT_EQ(b.c.size, 3u);
    EXPECT_TRUE(b.c.sorted);
}
TEST(ExactLimits, ExtremesDoNoHarm) {
    const std::vector<float> values{1e38f, -1e38f, infinity, -infinity, 1e-40f, -0.0f, 0.0f, 3.0f};
    for_every_sampler([&](const auto& spec) {
        for (const std::size_t size : {8u, 129u, 1500u}) {
            std::vector<float> row;
            for (std::size_t i = 0; i < size; ++i) row.push_back(values[i * i % values.size()]);
            bench b(row);
            b.say({0, 1, 0, 1, 2});
            EXPECT_EQ(b.apply(spec), status_code::ok) << spec.name;
            EXPECT_GT(b.c.size, 0u) << spec.name;
            EXPECT_LE(b.c.size, size) << spec.name;
        }
    });
}
TEST(ExactLimits, NanIsNeverSorted) {
    for (const std::size_t size : {2u, 200u, 2000u}) {
        std::vector<float> row(size, 1.0f);
        row[size / 2] = not_a_number;
        for (const std::int32_t k : {1, 150}) EXPECT_EQ(bench(row).apply(top_k{.k = k}), status_code::no_legal_token);
        EXPECT_EQ(bench(row).apply(top_p{}), status_code::no_legal_token);
        EXPECT_EQ(bench(row).apply(typical{}), status_code::no_legal_token);
        EXPECT_EQ(bench(row).apply(mirostat_v2{}), status_code::no_legal_token);
    }
}
TEST(ExactLimits, InfinitySortsToTheBottomOfBuckets) {
    std::vector<float> row(300);
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = float(i % 17) * 0.5f;
    row[5] = infinity;
    bench heap(row), buckets(row);
    ASSERT_EQ(heap.apply(top_k{.k = 128}), status_code::ok);
    EXPECT_EQ(heap.c[0].id, 5);
    ASSERT_EQ(buckets.apply(top_k{.k = 129}), status_code::ok);
    for (const token_id id : buckets.ids()) EXPECT_NE(id, 5);
}
TEST(ExactLimits, GreedyTakesTheFirstOfTies) {
    bench b({1.0f, 2.0f, 2.0f});
    ASSERT_EQ(b.apply(greedy{}), status_code::ok);
    EXPECT_EQ(b.c.selected, 1);
    std::swap(b.c[1], b.c[2]);
    ASSERT_EQ(b.apply(greedy{}), status_code::ok);
    EXPECT_EQ(b.chosen(), 2);
}
TEST(ExactLimits, WhatIsOffTouchesNothing) {
    const auto expect_untouched = [](const auto& spec) {
        bench b({1.0f, 3.0f, 2.0f});
        b.say({0, 1, 0, 1});
        b.c.sorted = true;
        EXPECT_EQ(b.apply(spec), status_code::ok) << spec.name;
        EXPECT_EQ(b.ids(), (std::vector<token_id>{0, 1, 2})) << spec.name;
        EXPECT_EQ(b.logits(), (std::vector<float>{1.0f, 3.0f, 2.0f})) << spec.name;
        EXPECT_TRUE(b.c.sorted) << spec.name;
        for (const auto& token : b.c) EXPECT_EQ(token.p, 0.0f) << spec.name;
    };
    expect_untouched(top_k{.k = 0});
    expect_untouched(top_p{.p = 1.0f});
    expect_untouched(min_p{.p = 0.0f});
    expect_untouched(typical{.p = 1.0f});
    expect_untouched(temperature{.t = 1.0f});
    expect_untouched(dynamic_temperature{.t = 1.0f});
    expect_untouched(xtc{.probability = 0.0f});
    expect_untouched(xtc{.probability = 1.0f, .threshold = 0.51f});
    expect_untouched(top_n_sigma{.n = 0.0f});
    expect_untouched(penalties{});
    expect_untouched(penalties{.last_n = -1, .repeat = 2.0f});
    expect_untouched(dry{});
    expect_untouched(dry{.multiplier = 1.0f, .base = 0.9f, .allowed_length = 0, .last_n = 64, .breakers = {}});
    expect_untouched(dry{.multiplier = 1.0f, .base = 1.5f, .allowed_length = 0, .last_n = -1, .breakers = {}});
    expect_untouched(logit_bias{});
}
TEST(ExactLimits, IdsOutsideTheVocabularyAreNamedAndIgnored) {
    const std::vector<float> row{1.0f, 3.0f, 2.0f};
    auto c = chain<llama_exact>(logit_bias{{{2, 5.0f}, {3, 9.0f}, {-1, 9.0f}}}, greedy{});
    EXPECT_STREQ(c.check(3).message().c_str(), "logit_bias: token = 3 is outside the vocabulary");
    EXPECT_STREQ(c.check(4).message().c_str(), "logit_bias: token = -1 is outside the vocabulary");
    EXPECT_EQ(c.sample(row), 2);
    EXPECT_TRUE(chain<llama_exact>(dry{.breakers = {{0, 2}}}, dist{}).check(3).ok());
}
TEST(ExactLimits, MemoryOfTheCallerIsEnough) {
    constexpr std::size_t size = 3000;
    constexpr std::size_t bytes = exact::workspace::bytes_for(size, 2);
    struct alignas(detail::storage::alignment) block {
        std::byte all[bytes];
    };
    const auto memory = std::make_unique<block>();
    for_every_sampler([&](const auto& spec) {
        std::vector<float> row(size);
        for (std::size_t i = 0; i < size; ++i) row[i] = float(i * 7919 % 1000) * 0.01f;
        bench b(row), without(row);
        b.memory.use(memory->all);
        without.memory.use({memory->all, 1});
        for (token_id i = 0; i < 200; ++i) b.tokens.push(i % 5, true);
        EXPECT_EQ(b.apply(spec), status_code::ok) << spec.name;
        const status_code little = without.apply(spec);
        EXPECT_TRUE(little == status_code::ok || little == status_code::out_of_memory) << spec.name;
    });
    bench without(std::vector<float>(size, 0.0f));
    without.memory.use({memory->all, 1});
    EXPECT_EQ(without.apply(top_p{}), status_code::out_of_memory);
    EXPECT_EQ(without.apply(adaptive_p{.target = 0.5f}), status_code::out_of_memory);
}

}  // namespace
}  // namespace riffle_tests::exact_limits
