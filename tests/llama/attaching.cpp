// Samplers of a context set, unset, replaced, cloned and copied: the tokens stay those of rows that a plain context
// gives.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <llama.h>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/llama.hpp>

#include "llama/contexts.hpp"
#include "llama/texts.hpp"

namespace riffle_tests::llama_backend {
namespace {

using namespace riffle;

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
