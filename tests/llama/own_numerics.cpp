// Chains under riffle's own numerics as llama_samplers: what is left in an array, read as a row by the passes, is what
// the chain's apply leaves of the same candidates, and the token is that of the chain on the row.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <llama.h>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/llama.hpp>

#include "llama/contexts.hpp"
#include "reference/rows.hpp"

namespace riffle_tests::llama_own_numerics {
namespace {

using namespace riffle;

/// Verbs of a user's own, which need a candidate for every token: what stays in its place, and what does not.
struct tilted {
    static constexpr const char* name = "tilted";
    void apply(candidates& c) const noexcept {
        for (auto& token : c) token.logit = token.id % 7 == 6 ? 3e38f * token.logit : 0.5f * token.logit;
    }
};
struct reversed {
    static constexpr const char* name = "reversed";
    void apply(candidates& c) const noexcept { std::reverse(c.begin(), c.end()); }
};
struct without_multiples_of_five {
    static constexpr const char* name = "without_multiples_of_five";
    void apply(candidates& c) const noexcept {
        c.keep_if([](const token_data& token) { return token.id % 5 != 0; });
    }
};
struct in_rank_order {
    static constexpr const char* name = "in_rank_order";
    static constexpr bool needs_sorted = true, keeps_sorted = true;
    void apply(candidates&) const noexcept {}
};

struct named {
    std::string name;
    dynamic_chain chain;
};
template <class... Stages>
named made_of(const Stages&... stages) {
    named n;
    ((n.name += (n.name.empty() ? "" : " | ") + std::string(Stages::name)), ...);
    (n.chain.push(stages), ...);
    return n;
}
std::vector<named> chains() {
    const penalties repeated{.last_n = 20, .repeat = 1.3f, .presence = 0.2f};
    const logit_bias biases{{{5, 3.0f}, {700, illegal_logit}, {1500, 2.0f}}};
    mask even;
    even.words.assign(200000 / 32, 0x55555555u);
    std::vector<named> all;
    all.push_back(made_of(greedy{}));
    all.push_back(made_of(dist{.seed = 1}));
    all.push_back(made_of(gumbel{.seed = 2}));
    all.push_back(made_of(skew{.amount = 0.5f, .seed = 3}));
    all.push_back(made_of(temperature{0.7f}, dist{.seed = 4}));
    all.push_back(made_of(biases, temperature{1.5f}, dist{.seed = 5}));
    all.push_back(made_of(repeated, soft_cap{}, temperature{1.5f}, gumbel{.seed = 6}));
    all.push_back(made_of(even, temperature{2.0f}, dist{.seed = 7}));
    all.push_back(made_of(temperature{0.0f}, dist{.seed = 8}));
    all.push_back(made_of(top_k{40}, top_p{0.9f}, temperature{0.8f}, dist{.seed = 9}));
    all.push_back(made_of(temperature{1.2f}, top_k{300}, dist{.seed = 10}));
    all.push_back(made_of(min_p{0.05f}, dist{.seed = 11}));
    all.push_back(made_of(top_p{0.9f}, temperature{0.8f}, dist{.seed = 12}));
    all.push_back(made_of(top_n_sigma{1.5f}, dist{.seed = 13}));
    all.push_back(made_of(typical{0.8f}, dist{.seed = 14}));
    all.push_back(made_of(repeated, top_k{64}, xtc{.probability = 0.5f, .threshold = 0.01f, .seed = 15}, dist{}));
    all.push_back(made_of(quadratic{}, dynamic_temperature{0.8f, 0.5f}, min_p{0.01f}, dist{.seed = 16}));
    all.push_back(made_of(min_p{0.01f}, adaptive_p{.target = 0.3f, .seed = 17}));
    all.push_back(made_of(adaptive_p{.target = 0.3f, .seed = 18}));
    all.push_back(made_of(mirostat_v2{.tau = 3.0f, .seed = 19}));
    all.push_back(made_of(even, top_h{}, greedy{}));
    all.push_back(made_of(tilted{}, top_k{40}, dist{.seed = 20}));
    all.push_back(made_of(temperature{0.7f}, tilted{}, quadratic{}, dist{.seed = 21}));
    all.push_back(made_of(tilted{}, biases, tilted{}, even, top_p{0.9f}, dist{.seed = 22}));
    all.push_back(made_of(repeated, tilted{}, soft_cap{}, greedy{}));
    all.push_back(made_of(reversed{}, top_k{40}, temperature{0.7f}, dist{.seed = 23}));
    all.push_back(made_of(without_multiples_of_five{}, temperature{0.7f}, dist{.seed = 24}));
    all.push_back(made_of(in_rank_order{}, top_k{0}, min_p{0.01f}, dist{.seed = 25}));
    // without a selector
    all.push_back(made_of(tilted{}, top_k{40}));
    all.push_back(made_of(tilted{}));
    all.push_back(made_of(top_k{40}, min_p{0.1f}));
    all.push_back(made_of(temperature{0.7f}));
    all.push_back(made_of(repeated, top_p{0.5f}));
    all.push_back(made_of(biases));
    return all;
}

std::vector<token_data> by_id(const token_data* first, std::size_t size) {
    std::vector<token_data> all;
    for (std::size_t i = 0; i < size; ++i)
        if (first[i].logit > illegal_logit) all.push_back(first[i]);  // what is illegal may stay or go
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
    return all;
}

void expect_same(const std::vector<float>& row, dynamic_chain& ours, llama_sampler* sampler, bool selects) {
    std::vector<token_data> tokens;
    std::vector<llama_token_data> theirs;
    for (std::size_t i = 0; i < row.size(); ++i) {
        tokens.push_back({token_id(i), row[i], 0.0f});
        theirs.push_back({token_id(i), row[i], 0.0f});
    }
    candidates c{tokens.data(), tokens.size(), -1, false};
    llama_token_data_array a{theirs.data(), theirs.size(), -1, false};
    dynamic_chain on_row = ours;
    llama_sampler_apply(sampler, &a);
    if (!ours.apply(c).ok()) {
        EXPECT_EQ(a.size, 1u);
        EXPECT_EQ(a.data[0].logit, illegal_logit);
        ours.retry();  // as the sampler does when it is applied again before a token was accepted
        return;
    }
    if (selects) c.normalise();
    const auto left = by_id(c.data, c.size), found = by_id(reinterpret_cast<token_data*>(a.data), a.size);
    ASSERT_EQ(found.size(), left.size());
    for (std::size_t i = 0; i < left.size(); ++i) {
        ASSERT_EQ(found[i].id, left[i].id);
        ASSERT_EQ(found[i].logit, left[i].logit);
        if (selects) {
            ASSERT_NEAR(found[i].p, left[i].p, 1e-6f);
        }
    }
    if (a.sorted) {
        for (std::size_t i = 1; i < a.size; ++i) ASSERT_GE(a.data[i - 1].logit, a.data[i].logit);
    }
    ASSERT_EQ(a.selected >= 0, selects);
    if (!selects) return ours.retry();
    const token_id token = a.data[a.selected].id;
    ASSERT_EQ(token, c[std::size_t(c.selected)].id);
    ASSERT_EQ(token, on_row.sample(row));
    ours.accept(token);
    llama_sampler_accept(sampler, token);
}

TEST(OwnNumerics, ArraysThatAreRowsAreLeftAsCandidatesAre) {
    for (named& n : chains()) {
        SCOPED_TRACE(n.name);
        const sampler_owner sampler(llama::make_sampler(n.chain));
        const bool selects = n.chain.view().fact(n.chain.view().size() - 1).selects != selecting::no;
        std::uint64_t seed = 1;
        for (const std::size_t size : {1u, 3u, 300u, 1023u, 1024u, 1300u, 4096u, 33333u})
            for (const shape s : all_shapes) {
                const std::vector<float> row = make_row(s, size, seed++);
                SCOPED_TRACE(name_of(s));
                expect_same(row, n.chain, sampler.get(), selects);
                if (HasFatalFailure()) return;
            }
    }
}

/// Typed chains fold their maps into the passes; what is left in the array has them all the same.
template <class Chain, class Typed>
void expect_what_apply_leaves(const Chain& given, const Typed& typed) {
    const sampler_owner sampler(llama::make_sampler(given));
    for (const shape s : {shape::random, shape::peaked, shape::flat, shape::tied, shape::holes})
        for (const std::size_t size : {1024u, 3000u}) {
            SCOPED_TRACE(name_of(s));
            const std::vector<float> row = make_row(s, size, 5);
            std::vector<token_data> tokens;
            for (std::size_t i = 0; i < size; ++i) tokens.push_back({token_id(i), row[i], 0.0f});
            std::vector<token_data> theirs = tokens;
            candidates c{tokens.data(), size, -1, false};
            llama_token_data_array a{reinterpret_cast<llama_token_data*>(theirs.data()), size, -1, false};
            auto copy = typed;
            ASSERT_TRUE(copy.apply(c).ok());
            c.normalise();
            llama_sampler_reset(sampler.get());
            llama_sampler_apply(sampler.get(), &a);
            const bool selects_alike = given.view().arithmetic() != numerics::fast && c.has_selected();
            if (selects_alike) {
                ASSERT_EQ(a.data[a.selected].id, c[std::size_t(c.selected)].id);
            }
            const auto left = by_id(c.data, c.size), found = by_id(reinterpret_cast<token_data*>(a.data), a.size);
            ASSERT_EQ(found.size(), left.size());
            for (std::size_t i = 0; i < left.size(); ++i) {
                ASSERT_EQ(found[i].id, left[i].id);
                ASSERT_EQ(found[i].logit, left[i].logit);
                ASSERT_NEAR(found[i].p, left[i].p, 1e-6f);
            }
        }
}
/// The stages by their types, and behind a pointer, where their maps have no pass of their own.
template <class Policies, class... Stages>
void expect_typed(const Stages&... stages) {
    const auto typed = chain<Policies>(stages...);
    expect_what_apply_leaves(typed, typed);
    expect_what_apply_leaves(any_pipeline(typed), typed);
    basic_dynamic_chain<Policies> late;
    (late.push(stages), ...);
    expect_what_apply_leaves(late, typed);
}
TEST(OwnNumerics, TypedChainsLeaveMappedLogits) {
    const auto all = []<class Policies>(Policies*) {
        expect_typed<Policies>(temperature{0.7f}, dist{.seed = 1});
        expect_typed<Policies>(soft_cap{}, temperature{1.5f}, gumbel{.seed = 2});
        expect_typed<Policies>(logit_bias{{{5, 2.0f}}}, temperature{0.7f}, greedy{});
        expect_typed<Policies>(temperature{0.7f}, adaptive_p{.target = 0.3f, .seed = 3});
        expect_typed<Policies>(temperature{0.7f}, top_k{40}, dist{.seed = 4});
    };
    all(static_cast<reproducible*>(nullptr));
    all(static_cast<fast*>(nullptr));
}

}  // namespace
}  // namespace riffle_tests::llama_own_numerics
