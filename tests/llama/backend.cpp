// Chains whose leading stages run in the graph of a context, on the real library's CPU backend: the tokens are those of
// the same chain on rows that a plain context gives.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <llama.h>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/llama.hpp>

#include "llama/contexts.hpp"
#include "llama/texts.hpp"

namespace riffle_tests::llama_backend {
namespace {

using namespace riffle;

/// How many logits came back for the next token (all where the graph did nothing), and whether the token itself did.
struct returned {
    std::uint32_t logits = 0;
    bool token = false;
};
template <class Chain>
returned returned_by(Chain chain, int outputs = 1) {
    const sampler_owner attached(llama::make_chain(chain));
    const context_owner context = new_context({{0, attached.get()}}, 1, std::uint32_t(outputs));
    line text(context.get(), 0, 1);
    text.step();
    return {llama_get_sampled_logits_count_ith(context.get(), text.index()),
            llama_get_sampled_token_ith(context.get(), text.index()) >= 0};
}

/// The share of those sets that did not tell what the chain would choose, so that a row was asked for.
template <class Chain>
double share_too_small(const Chain& chain) {
    const sampler_owner attached(llama::make_chain(chain));
    offloaded(attached.get(), 1);
    const llama_sampler* const behind_front = llama_sampler_chain_get(attached.get(), 1);
    auto& graph = static_cast<llama::detail::sampler_of<Chain>*>(behind_front->ctx)->graph();
    EXPECT_EQ(graph.sets, std::uint64_t(steps));
    return double(graph.too_small) / double(graph.sets);
}

template <class Policies>
class OnBackend : public testing::Test {};
using exact_numerics = testing::Types<reproducible, llama_exact>;
TYPED_TEST_SUITE(OnBackend, exact_numerics);

template <class Chain>
void expect_same_tokens(const Chain& chain) {
    for (const llama_token first : {1, 300, 2000})
        for (const bool only_ggml : {false, true}) {
            const sampler_owner attached(llama::make_chain(chain, {.only_ggml_operations = only_ggml}));
            EXPECT_EQ(offloaded(attached.get(), first), plain(chain, first)) << only_ggml;
        }
}

TYPED_TEST(OnBackend, TopKComesBackWithAMargin) {
    const auto sampler = chain<TypeParam>(top_k{40}, top_p{0.95f}, temperature{0.8f}, dist{.seed = 1});
    EXPECT_EQ(returned_by(sampler).logits, 48u);
    EXPECT_FALSE(returned_by(sampler).token);
    EXPECT_EQ(share_too_small(sampler), 0.0);
    expect_same_tokens(sampler);
}
TYPED_TEST(OnBackend, MinPComesBackWithAFewHundred) {
    const auto sampler = chain<TypeParam>(min_p{0.05f}, temperature{0.8f}, dist{.seed = 2});
    EXPECT_EQ(returned_by(sampler).logits, 240u);
    EXPECT_EQ(share_too_small(sampler), 0.0);
    expect_same_tokens(sampler);
}
TYPED_TEST(OnBackend, WhatIsNotEnoughIsFetched) {
    const auto sampler = chain<TypeParam>(min_p{1e-9f}, dist{.seed = 3});  // thousands survive
    EXPECT_EQ(share_too_small(sampler), 1.0);
    expect_same_tokens(sampler);
}
TYPED_TEST(OnBackend, MapsPenaltiesAndBansMayStandAhead) {
    expect_same_tokens(chain<TypeParam>(penalties{.last_n = 20, .repeat = 1.3f, .frequency = 0.1f},
                                        logit_bias{{{5, illegal_logit}, {300, -2.0f}}}, temperature{1.5f}, top_k{20},
                                        dist{.seed = 4}));
    EXPECT_EQ(returned_by(chain<TypeParam>(temperature{1.5f}, top_k{20}, dist{})).logits, 28u);
}
/// Bans of nearly all that comes back, and of its least; more survivors than come back, with bans among them.
TYPED_TEST(OnBackend, WhatIsBannedMayBeMuchOfWhatComesBack) {
    const context_owner context = new_context();
    line text(context.get(), 0, 1);
    text.step();
    std::vector<token_id> ranked;
    for (token_id id = 0; id < random_model_size(); ++id) ranked.push_back(id);
    const float* const row = llama_get_logits_ith(context.get(), 0);
    std::stable_sort(ranked.begin(), ranked.end(), [&](token_id a, token_id b) { return row[a] > row[b]; });
    logit_bias most, last_of_many, last_of_few;
    for (std::size_t i = 8; i < 28; ++i) most.biases.push_back({ranked[i], illegal_logit});
    last_of_few.biases.push_back({ranked[27], illegal_logit});
    last_of_many.biases.push_back({ranked[239], illegal_logit});
    expect_same_tokens(chain<TypeParam>(most, top_k{20}, dist{.seed = 71}));
    expect_same_tokens(chain<TypeParam>(last_of_few, temperature{2.0f}, top_k{20}, dist{.seed = 72}));
    expect_same_tokens(chain<TypeParam>(last_of_many, min_p{1e-9f}, dist{.seed = 73}));
    expect_same_tokens(chain<TypeParam>(last_of_many, min_p{.p = 0.9f, .min_keep = 235}, dist{.seed = 74}));
    expect_same_tokens(
        chain<TypeParam>(logit_bias{{{ranked[0], -1.0f}, {ranked[0], illegal_logit}}}, top_k{2}, dist{}));
}
TYPED_TEST(OnBackend, PartsOfAChain) {
    for (const bool only_ggml : {false, true}) {
        const sampler_owner mixed(llama_sampler_chain_init(llama_sampler_chain_default_params()));
        ASSERT_TRUE(llama::add_to(mixed.get(), chain<TypeParam>(top_k{40}), {.only_ggml_operations = only_ggml}));
        llama_sampler_chain_add(mixed.get(), llama_sampler_init_top_p(0.9f, 1));
        llama_sampler_chain_add(mixed.get(), llama_sampler_init_dist(51));
        EXPECT_EQ(offloaded(mixed.get(), 5), plain(chain<llama_exact>(top_k{40}, top_p{0.9f, 1}, dist{.seed = 51}), 5));
    }
    const sampler_owner threshold(llama_sampler_chain_init(llama_sampler_chain_default_params()));
    ASSERT_TRUE(llama::add_to(threshold.get(), chain<TypeParam>(min_p{1e-9f})));
    llama_sampler_chain_add(threshold.get(), llama_sampler_init_dist(52));
    EXPECT_EQ(offloaded(threshold.get(), 5), plain(chain<llama_exact>(min_p{1e-9f}, dist{.seed = 52}), 5));
}
TYPED_TEST(OnBackend, WhatMayRaiseATokenIsLeftToTheProcessor) {
    const auto raising = chain<TypeParam>(logit_bias{{{5, 9.0f}}}, top_k{20}, dist{.seed = 5});
    EXPECT_EQ(returned_by(raising).logits, all);
    expect_same_tokens(raising);
    const auto encouraging = chain<TypeParam>(penalties{.presence = -1.0f}, top_k{20}, dist{.seed = 5});
    EXPECT_EQ(returned_by(encouraging).logits, all);
    expect_same_tokens(encouraging);
}
TYPED_TEST(OnBackend, ChainsThatNeedTheWholeRowAreLeftToTheProcessor) {
    const auto nucleus = chain<TypeParam>(top_p{0.9f}, dist{.seed = 6});
    EXPECT_EQ(returned_by(nucleus).logits, all);
    expect_same_tokens(nucleus);
    expect_same_tokens(chain<TypeParam>(temperature{0.8f}, dist{.seed = 6}));
    expect_same_tokens(chain<TypeParam>(xtc{.probability = 0.5f, .threshold = 0.01f}, top_k{30}, dist{.seed = 6}));
    expect_same_tokens(chain<TypeParam>(top_k{4000}, dist{.seed = 6}));
}
TYPED_TEST(OnBackend, StagesThatAreOffMayStandAhead) {
    const auto common =
        chain<TypeParam>(penalties{}, dry{}, top_n_sigma{-1.0f}, top_k{40}, typical{1.0f}, top_p{0.95f}, min_p{0.05f},
                         xtc{.probability = 0.0f}, dynamic_temperature{.t = 0.8f}, dist{.seed = 7});
    EXPECT_EQ(returned_by(common).logits, 48u);
    expect_same_tokens(common);
}
TYPED_TEST(OnBackend, ChainsMadeAtRunTimeToo) {
    basic_dynamic_chain<TypeParam> sampler;
    sampler.push(temperature{0.9f});
    sampler.push(top_k{30});
    sampler.push(dist{.seed = 8});
    EXPECT_EQ(returned_by(sampler).logits, 38u);
    expect_same_tokens(sampler);
}
/// A stage that riffle has never seen: it keeps the order of logits, so that top_k behind it may be given a few.
struct own_scale {
    static constexpr bool monotone = true;
    template <class V>
    static V map(const V& logit) noexcept {
        return logit * V(1.25f);
    }
};
TYPED_TEST(OnBackend, ChainsBehindOneTypeToo) {
    const any_pipeline sampler = chain<TypeParam>(top_k{30}, dist{.seed = 9});
    EXPECT_EQ(returned_by(sampler).logits, 38u);
    expect_same_tokens(sampler);
    basic_dynamic_chain<TypeParam> late;
    late.push(own_scale{});
    late.push(top_k{30});
    late.push(dist{.seed = 9});
    EXPECT_EQ(returned_by(any_pipeline(late)).logits, 38u);
    expect_same_tokens(any_pipeline(late));
}
TYPED_TEST(OnBackend, LearnersSeeTheirTokens) {
    expect_same_tokens(chain<TypeParam>(top_k{50}, min_p{0.02f}, adaptive_p{.target = 0.3f, .seed = 10}));
    expect_same_tokens(chain<TypeParam>(top_k{50}, mirostat_v2{.tau = 3.0f, .seed = 11}));
}
TYPED_TEST(OnBackend, SeveralOutputsASequence) {
    // Three tokens are evaluated at once, as in verification of a draft: each output is sampled in turn.
    const auto sampler = chain<TypeParam>(top_k{40}, temperature{0.8f}, dist{.seed = 12});
    EXPECT_EQ(returned_by(sampler, 3).logits, 48u);
    const sampler_owner attached(llama::make_chain(sampler));
    const context_owner context = new_context({{0, attached.get()}}, 1, 3), other = new_context({}, 1, 3);
    auto expected = sampler;
    for (int round = 0; round < 10; ++round) {
        batch b, c;
        std::vector<std::int32_t> at;
        for (int i = 0; i < 3; ++i) {
            at.push_back(b.add(10 * round + i, 3 * round + i, 0, true));
            c.add(10 * round + i, 3 * round + i, 0, true);
        }
        ASSERT_TRUE(b.decode(context.get()));
        ASSERT_TRUE(c.decode(other.get()));
        for (const std::int32_t i : at) {
            const float* const row = llama_get_logits_ith(other.get(), i);
            EXPECT_EQ(llama_sampler_sample(attached.get(), context.get(), i),
                      expected.sample({row, std::size_t(random_model_size())}));
        }
    }
}

// ---- under fast, the leading stages as they are

/// How often each token comes, of some thousands drawn on the same row; and what the chain's own distribution says.
template <class Chain>
void expect_distribution(const Chain& sampler, double tolerance) {
    const sampler_owner attached(llama::make_chain(sampler));
    const context_owner context = new_context({{0, attached.get()}}), other = new_context();
    batch b, c;
    c.add(7, 0, 0, true);
    ASSERT_TRUE(c.decode(other.get()));
    auto same = sampler;
    std::map<token_id, double> distribution;
    const float* const row = llama_get_logits_ith(other.get(), 0);
    for (const auto& token : same.distribution({row, std::size_t(random_model_size())}))
        distribution[token.id] = token.p;
    constexpr int draws = 3000;
    std::map<token_id, int> counts;
    for (int i = 0; i < draws; ++i) {
        llama_memory_clear(llama_get_memory(context.get()), true);
        b.add(7, 0, 0, true);
        ASSERT_TRUE(b.decode(context.get()));
        const token_id token = llama_sampler_sample(attached.get(), context.get(), 0);
        ASSERT_TRUE(distribution.contains(token)) << token;
        ++counts[token];
    }
    double squares = 0.0, tail_expected = 0.0, tail_seen = 0.0, freedom = -1.0;
    for (const auto& [token, p] : distribution) {
        if (p * draws < 8.0) {
            tail_expected += p * draws;
            tail_seen += counts[token];
            continue;
        }
        squares += (counts[token] - p * draws) * (counts[token] - p * draws) / (p * draws);
        ++freedom;
    }
    if (tail_expected > 8.0) {
        squares += (tail_seen - tail_expected) * (tail_seen - tail_expected) / tail_expected;
        ++freedom;
    }
    // Wilson and Hilferty: the cube root of chi-square over its degrees of freedom is near to normal.
    if (freedom < 1.0) return;
    const double z = (std::cbrt(squares / freedom) - (1.0 - 2.0 / (9.0 * freedom))) / std::sqrt(2.0 / (9.0 * freedom));
    EXPECT_LT(z, tolerance) << squares << " with " << freedom << " degrees of freedom";
}

TEST(FastOnBackend, WholeChainsGiveTheTokenItself) {
    EXPECT_TRUE(returned_by(chain<fast>(top_k{40}, temperature{0.8f}, dist{.seed = 1})).token);
    EXPECT_TRUE(returned_by(chain<fast>(min_p{0.05f}, greedy{})).token);
    EXPECT_TRUE(returned_by(chain<fast>(temperature{0.0f}, dist{})).token);
}
TEST(FastOnBackend, LeadingStagesAreRunAsTheyAre) {
    EXPECT_EQ(returned_by(chain<fast>(temperature{0.8f}, top_k{40}, xtc{}, dist{})).logits, 40u);
    EXPECT_FALSE(returned_by(chain<fast>(temperature{0.8f}, top_k{40}, xtc{}, dist{})).token);
    EXPECT_EQ(returned_by(chain<fast>(typical{0.9f}, top_k{40}, dist{})).logits, all);
    const auto common = chain<fast>(penalties{}, dry{}, top_n_sigma{-1.0f}, top_k{40}, typical{1.0f}, top_p{0.95f},
                                    min_p{0.05f}, xtc{.probability = 0.0f}, dynamic_temperature{.t = 0.8f}, dist{});
    EXPECT_TRUE(returned_by(common).token) << "stages that are off are no hindrance";
}
TEST(FastOnBackend, AChainThatDrawsRefusesSeveralOutputs) {
    EXPECT_FALSE(returned_by(chain<fast>(top_k{40}, dist{.seed = 1}), 3).token);
    EXPECT_EQ(returned_by(chain<fast>(top_k{40}, dist{.seed = 1}), 3).logits, 40u);
    EXPECT_TRUE(returned_by(chain<fast>(top_k{40}, greedy{}), 3).token);
}
TEST(FastOnBackend, GreedyGivesTheSameTokens) {
    expect_same_tokens(chain<fast>(temperature{0.8f}, top_k{40}, greedy{}));
    expect_same_tokens(
        chain<fast>(logit_bias{{{3, 20.0f}, {9, 19.0f}, {3, -2.0f}, {70000, 5.0f}}}, min_p{1.0f}, greedy{}));
    expect_same_tokens(chain<fast>(top_p{0.0f}, greedy{}));
    expect_same_tokens(chain<fast>(temperature{0.0f}, dist{}));
}
TEST(FastOnBackend, DistDrawsByTheDistribution) {
    expect_distribution(chain<fast>(top_k{40}, temperature{0.8f}, dist{.seed = 1}), 4.0);
    expect_distribution(chain<fast>(temperature{0.7f}, top_p{0.6f}, dist{.seed = 2}), 4.0);
    expect_distribution(chain<fast>(min_p{0.2f}, dist{.seed = 3}), 4.0);
    expect_distribution(
        chain<fast>(logit_bias{{{11, 8.0f}, {12, illegal_logit}}}, top_k{5}, min_p{0.01f}, dist{.seed = 4}), 4.0);
    expect_distribution(chain<fast>(top_k{30}, xtc{.probability = 0.0f}, top_p{0.9f}, dist{.seed = 5}), 4.0);
}

}  // namespace
}  // namespace riffle_tests::llama_backend
