// Chains whose leading stages run in the graph of a context, on the real library's CPU backend: the tokens are those of
// the same chain on rows that a plain context gives.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <llama.h>
#include <map>
#include <span>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/llama.hpp>

#include "llama/contexts.hpp"

namespace riffle_tests::llama_backend {
namespace {

using namespace riffle;

constexpr int steps = 60;

/// The tokens that a chain chooses on the rows of a context that knows nothing of it, `first` being the text so far.
template <class Chain>
std::vector<llama_token> plain(Chain chain, llama_token first) {
    const context_owner context = new_context();
    line text(context.get(), 0, first);
    std::vector<llama_token> tokens;
    for (int i = 0; i < steps; ++i) {
        text.step();
        const float* const row = llama_get_logits_ith(context.get(), text.index());
        tokens.push_back(chain.sample({row, std::size_t(random_model_size())}));
        if (tokens.back() < 0) break;
        text.go_on_with(tokens.back());
    }
    return tokens;
}
/// The tokens of llama_sampler_sample for a llama.cpp chain that is attached.
std::vector<llama_token> offloaded(llama_sampler* chain, llama_token first, int outputs = 1) {
    const context_owner context = new_context({{0, chain}}, 1, std::uint32_t(outputs));
    line text(context.get(), 0, first);
    std::vector<llama_token> tokens;
    for (int i = 0; i < steps; ++i) {
        text.step();
        tokens.push_back(llama_sampler_sample(chain, context.get(), text.index()));
        text.go_on_with(tokens.back());
    }
    return tokens;
}
/// How many logits came back for the next token (all where the graph did nothing), and whether the token itself did.
constexpr std::uint32_t all = 4096;
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
TYPED_TEST(OnBackend, AnyPipelineIsLeftToTheProcessor) {
    const any_pipeline sampler = chain<TypeParam>(top_k{30}, dist{.seed = 9});
    EXPECT_EQ(returned_by(sampler).logits, all);
    expect_same_tokens(sampler);
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

/// How often each token comes, of some thousands drawn on the same row; and what the chain's own law says.
template <class Chain>
void expect_law(const Chain& sampler, double tolerance) {
    const sampler_owner attached(llama::make_chain(sampler));
    const context_owner context = new_context({{0, attached.get()}}), other = new_context();
    batch b, c;
    c.add(7, 0, 0, true);
    ASSERT_TRUE(c.decode(other.get()));
    auto same = sampler;
    std::map<token_id, double> law;
    const float* const row = llama_get_logits_ith(other.get(), 0);
    for (const auto& token : same.distribution({row, std::size_t(random_model_size())})) law[token.id] = token.p;
    constexpr int draws = 3000;
    std::map<token_id, int> counts;
    for (int i = 0; i < draws; ++i) {
        llama_memory_clear(llama_get_memory(context.get()), true);
        b.add(7, 0, 0, true);
        ASSERT_TRUE(b.decode(context.get()));
        const token_id token = llama_sampler_sample(attached.get(), context.get(), 0);
        ASSERT_TRUE(law.contains(token)) << token;
        ++counts[token];
    }
    double squares = 0.0, tail_expected = 0.0, tail_seen = 0.0, freedom = -1.0;
    for (const auto& [token, p] : law) {
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
TEST(FastOnBackend, DistDrawsByTheLaw) {
    expect_law(chain<fast>(top_k{40}, temperature{0.8f}, dist{.seed = 1}), 4.0);
    expect_law(chain<fast>(temperature{0.7f}, top_p{0.6f}, dist{.seed = 2}), 4.0);
    expect_law(chain<fast>(min_p{0.2f}, dist{.seed = 3}), 4.0);
    expect_law(chain<fast>(logit_bias{{{11, 8.0f}, {12, illegal_logit}}}, top_k{5}, min_p{0.01f}, dist{.seed = 4}),
               4.0);
    expect_law(chain<fast>(top_k{30}, xtc{.probability = 0.0f}, top_p{0.9f}, dist{.seed = 5}), 4.0);
}

// ---- samplers set, unset, replaced, cloned, copied

TEST(Attaching, SetUnsetAndReplaced) {
    const auto first = chain<llama_exact>(top_k{40}, dist{.seed = 21});
    const auto second = chain<llama_exact>(min_p{0.1f}, dist{.seed = 22});
    sampler_owner attached(llama::make_chain(first));
    const context_owner context = new_context({{0, attached.get()}}), other = new_context();
    line text(context.get(), 0, 5), same(other.get(), 0, 5);
    auto expected_first = first;
    auto expected_second = second;
    for (int i = 0; i < steps; ++i) {
        const int which = i / 10 % 3;  // the first, the first but not attached, the second
        if (i % 10 == 0 && i > 0) {
            if (which == 1) llama_set_sampler(context.get(), 0, nullptr);
            if (which == 0) expected_first = first;
            if (which == 2) expected_second = second;
            if (which != 1) {  // llama.cpp takes a chain once
                sampler_owner next(which == 0 ? llama::make_chain(first) : llama::make_chain(second));
                EXPECT_TRUE(llama_set_sampler(context.get(), 0, next.get()));
                attached = std::move(next);
            }
        }
        text.step();
        same.step();
        EXPECT_EQ(llama_get_sampled_logits_count_ith(context.get(), text.index()), which == 0   ? 48u
                                                                                   : which == 1 ? all
                                                                                                : 240u);
        const float* const row = llama_get_logits_ith(other.get(), same.index());
        const std::span<const float> logits(row, std::size_t(random_model_size()));
        const token_id token = which == 2 ? expected_second.sample(logits) : expected_first.sample(logits);
        ASSERT_EQ(llama_sampler_sample(attached.get(), context.get(), text.index()), token) << i;
        text.go_on_with(token);
        same.go_on_with(token);
    }
}
TEST(Attaching, MixedSequences) {
    const auto sampler = chain<llama_exact>(top_k{40}, temperature{0.8f}, dist{.seed = 31});
    const sampler_owner a(llama::make_chain(sampler)), b(llama::make_chain(with<fast>(top_k{10} | greedy{})));
    const sampler_owner c(llama::make_sampler(sampler));
    const context_owner context = new_context({{0, a.get()}, {2, b.get()}}, 3), other = new_context({}, 3);
    auto expected_a = sampler, expected_c = sampler;
    auto expected_b = chain(greedy{});
    line text[3] = {{context.get(), 0, 5}, {context.get(), 1, 6}, {context.get(), 2, 7}};
    line same[3] = {{other.get(), 0, 5}, {other.get(), 1, 6}, {other.get(), 2, 7}};
    for (int i = 0; i < steps; ++i) {
        ASSERT_TRUE(step_together(text, context.get()));
        ASSERT_TRUE(step_together(same, other.get()));
        for (int s = 0; s < 3; ++s) {
            const float* const row = llama_get_logits_ith(other.get(), same[s].index());
            const std::span<const float> logits(row, std::size_t(random_model_size()));
            const token_id token = s == 0   ? expected_a.sample(logits)
                                   : s == 1 ? expected_c.sample(logits)
                                            : expected_b.sample(logits);
            llama_sampler* const of_line = s == 0 ? a.get() : s == 1 ? c.get() : b.get();
            ASSERT_EQ(llama_sampler_sample(of_line, context.get(), text[s].index()), token) << s;
            text[s].go_on_with(token);
            same[s].go_on_with(token);
        }
    }
}
/// A batch that takes a graph for each sequence: what a set tells stays true, and a row is there until the next graph.
TEST(Attaching, SeveralGraphsABatch) {
    for (const auto& sampler : {chain<llama_exact>(top_k{40}, min_p{0.0f}, dist{.seed = 32}),
                                chain<llama_exact>(top_k{0}, min_p{1e-9f}, dist{.seed = 33})}) {
        const bool tells = get<top_k>(sampler).k > 0;
        const sampler_owner chains[2] = {sampler_owner(llama::make_chain(sampler)),
                                         sampler_owner(llama::make_chain(sampler))};
        const context_owner context = new_context({{0, chains[0].get()}, {1, chains[1].get()}}, 2, 1, 1);
        const context_owner other = new_context({}, 2, 1, 1);
        std::vector expected(2, sampler);
        line text[2] = {{context.get(), 0, 5}, {context.get(), 1, 6}};
        line same[2] = {{other.get(), 0, 5}, {other.get(), 1, 6}};
        for (int i = 0; i < steps; ++i) {
            ASSERT_TRUE(step_together(text, context.get()));
            ASSERT_TRUE(step_together(same, other.get()));
            for (std::size_t s = 0; s < 2; ++s) {
                const float* const row = llama_get_logits_ith(other.get(), same[s].index());
                const token_id promised = expected[s].peek({row, std::size_t(random_model_size())});
                const token_id token = llama_sampler_sample(chains[s].get(), context.get(), text[s].index());
                using type = std::remove_cvref_t<decltype(sampler)>;
                const auto* const held = llama::chain_of<type>(llama_sampler_chain_get(chains[s].get(), 1));
                ASSERT_NE(held, nullptr);
                if (tells || s == 1) {
                    ASSERT_EQ(token, promised) << tells << s << i;
                }
                EXPECT_EQ(held->last_status().code(), tells || s == 1 ? status_code::ok : status_code::row_lost);
                expected[s].accept(token);
                text[s].go_on_with(token);
                same[s].go_on_with(token);
            }
        }
    }
}
TEST(Attaching, ClonesAndCopiesGoOnAlike) {
    const auto sampler = chain<llama_exact>(penalties{.repeat = 1.1f}, top_k{40}, dist{.seed = 41});
    const sampler_owner attached(llama::make_chain(sampler));
    const context_owner context = new_context({{0, attached.get()}}), other = new_context();
    line text(context.get(), 0, 5), same(other.get(), 0, 5);
    auto expected = sampler;
    sampler_owner saved;
    auto saved_expected = expected;
    for (int i = 0; i < steps; ++i) {
        text.step();
        same.step();
        const float* const row = llama_get_logits_ith(other.get(), same.index());
        const std::span<const float> logits(row, std::size_t(random_model_size()));
        // A clone is attached to nothing: it samples from whole rows.
        const sampler_owner clone(llama_sampler_clone(attached.get()));
        auto expected_clone = expected;
        const token_id token = expected.sample(logits);
        EXPECT_EQ(llama_sampler_sample(clone.get(), other.get(), same.index()), expected_clone.sample(logits));
        ASSERT_EQ(llama_sampler_sample(attached.get(), context.get(), text.index()), token);
        text.go_on_with(token);
        same.go_on_with(token);
        if (i == 20) {
            saved.reset(llama_sampler_clone(attached.get()));
            saved_expected = expected;
        }
        if (i > 20 && i % 7 == 0) {  // the graph stays, the state goes back
            llama_sampler_copy(saved.get(), attached.get());
            expected = saved_expected;
        }
    }
}
TEST(Attaching, BesideLlamasOwnSamplers) {
    const sampler_owner mixed(llama_sampler_chain_init(llama_sampler_chain_default_params()));
    llama_sampler_chain_add(mixed.get(), llama_sampler_init_top_k(300));
    ASSERT_TRUE(llama::add_to(mixed.get(), with<llama_exact>(top_k{40} | temperature{0.8f})));
    llama_sampler_chain_add(mixed.get(), llama_sampler_init_dist(51));
    EXPECT_EQ(llama_sampler_chain_n(mixed.get()), 4);
    EXPECT_EQ(offloaded(mixed.get(), 5), plain(chain<llama_exact>(top_k{40}, temperature{0.8f}, dist{.seed = 51}), 5));
}
TEST(Attaching, UsedLikeAnyOtherWhereNobodyAttachesIt) {
    const auto sampler = chain<llama_exact>(top_k{40}, temperature{0.8f}, dist{.seed = 61});
    for (const bool is_fast : {false, true}) {
        const sampler_owner made(is_fast ? llama::make_chain(with<fast>(sampler)) : llama::make_chain(sampler));
        const context_owner context = new_context();
        line text(context.get(), 0, 5);
        std::vector<llama_token> tokens;
        for (int i = 0; i < steps; ++i) {
            text.step();
            tokens.push_back(llama_sampler_sample(made.get(), context.get(), text.index()));
            text.go_on_with(tokens.back());
        }
        EXPECT_EQ(tokens, is_fast ? plain(with<fast>(sampler), 5) : plain(sampler, 5));
    }
}
/// A row from elsewhere is not taken for what the graph has left, which llama.cpp's own samplers would.
TEST(Attaching, AttachedButGivenAWholeRow) {
    const auto sampler = top_k{40} | temperature{0.8f} | greedy{};
    for (const bool is_fast : {false, true}) {
        const sampler_owner made(is_fast ? llama::make_chain(with<fast>(top_k{40} | temperature{0.8f} | xtc{} | dist{}))
                                         : llama::make_chain(sampler));
        const context_owner context = new_context({{0, made.get()}}), other = new_context();
        line text(context.get(), 0, 5), same(other.get(), 0, 5);
        text.step();
        same.step();
        const float* const row = llama_get_logits_ith(other.get(), same.index());
        std::vector<llama_token_data> tokens;
        for (token_id id = 0; id < random_model_size(); ++id) tokens.push_back({id, row[id], 0.0f});
        llama_token_data_array a{tokens.data(), tokens.size(), -1, false};
        llama_sampler_apply(made.get(), &a);
        EXPECT_EQ(a.size, 40u);
        const token_id best = token_id(std::max_element(row, row + random_model_size()) - row);
        float greatest = illegal_logit;
        for (std::size_t i = 0; i < a.size; ++i) greatest = std::max(greatest, a.data[i].logit);
        EXPECT_FLOAT_EQ(greatest, row[best] / 0.8f) << "the temperature once";
    }
}
/// What llama.cpp ran on its processor before says nothing of the graph's first step.
TEST(Attaching, SampledFirstAndAttachedThen) {
    const auto sampler = temperature{0.5f} | top_k{40} | typical{0.9f} | dist{.seed = 1};
    for (const bool is_fast : {false, true}) {
        const sampler_owner made(is_fast ? llama::make_chain(with<fast>(sampler)) : llama::make_chain(sampler));
        const context_owner context = new_context(), other = new_context();
        line text(context.get(), 0, 5), same(other.get(), 0, 5);
        text.step();
        same.step();
        auto expected = sampler;
        auto expected_fast = with<fast>(sampler);
        for (int i = 0; i < steps; ++i) {
            const float* const row = llama_get_logits_ith(other.get(), same.index());
            const std::span<const float> logits(row, std::size_t(random_model_size()));
            const token_id token = is_fast ? expected_fast.sample(logits) : expected.sample(logits);
            ASSERT_EQ(llama_sampler_sample(made.get(), context.get(), text.index()), token) << i;
            if (i == 0) {
                EXPECT_TRUE(llama_set_sampler(context.get(), 0, made.get()));
            }
            text.go_on_with(token);
            same.go_on_with(token);
            text.step();
            same.step();
        }
    }
}
TEST(Attaching, EmptyOrFilteredArraysAreTakenAsTheyAre) {
    const sampler_owner made(llama::make_chain(top_k{40} | greedy{}));
    const context_owner context = new_context({{0, made.get()}});
    line text(context.get(), 0, 5);
    text.step();
    llama_token_data none{};
    llama_token_data_array empty{&none, 0, -1, false};
    llama_sampler_apply(made.get(), &empty);
    EXPECT_EQ(empty.size, 0u);
    llama_token_data two[2] = {{7, -3.0f, 0.0f}, {9, -4.0f, 0.0f}};
    llama_token_data_array filtered{two, 2, -1, false};
    llama_sampler_apply(made.get(), &filtered);
    EXPECT_EQ(filtered.data[filtered.selected].id, 7);
}
/// The two samplers of a chain, cloned, freed and copied each for itself.
TEST(Attaching, TheTwoSamplersMayPart) {
    const sampler_owner made(llama::make_chain(top_k{40} | dist{.seed = 3}));
    llama_sampler* const front = llama_sampler_chain_get(made.get(), 0);
    llama_sampler* const whole = llama_sampler_chain_get(made.get(), 1);
    sampler_owner clone_of_front(llama_sampler_clone(front));
    std::vector<llama_token_data> tokens{{0, 1.0f, 0.0f}, {1, 2.0f, 0.0f}, {2, 3.0f, 0.0f}};
    const auto draw = [&](llama_sampler* from) {
        std::vector<llama_token_data> copy = tokens;
        llama_token_data_array a{copy.data(), copy.size(), -1, false};
        llama_sampler_apply(from, &a);
        const llama_token token = a.data[a.selected].id;
        llama_sampler_accept(from, token);
        return token;
    };
    for (int i = 0; i < 5; ++i) draw(whole);
    const sampler_owner clone_of_whole(llama_sampler_clone(whole)), second(llama_sampler_clone(whole));
    clone_of_front.reset();
    std::vector<llama_token> original, cloned;
    for (int i = 0; i < 20; ++i) {
        original.push_back(draw(whole));
        cloned.push_back(draw(clone_of_whole.get()));
    }
    EXPECT_EQ(cloned, original) << "not the state that the clone of the front had";
    llama_sampler_copy(second.get(), whole);
    std::vector<llama_token> again;
    for (int i = 0; i < 20; ++i) again.push_back(draw(whole));
    EXPECT_EQ(again, original);
}
TEST(Attaching, TheFrontSaysWhetherItWasTakenOver) {
    const sampler_owner taken(llama::make_chain(top_k{40} | dist{})), left(llama::make_chain(top_p{0.9f} | dist{}));
    EXPECT_STREQ(llama_sampler_name(llama_sampler_chain_get(taken.get(), 0)), "riffle-front");
    EXPECT_STREQ(llama_sampler_name(llama_sampler_chain_get(taken.get(), 1)), "riffle");
    const context_owner a = new_context({{0, taken.get()}}), b = new_context({{0, left.get()}});
    EXPECT_STREQ(llama_sampler_name(llama_sampler_chain_get(taken.get(), 0)), "+riffle-front");
    EXPECT_STREQ(llama_sampler_name(llama_sampler_chain_get(left.get(), 0)), "riffle-front");
}

}  // namespace
}  // namespace riffle_tests::llama_backend
