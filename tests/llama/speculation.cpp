// Rounds of speculation on the real library: the tokens are those that the chain samples from the rows of the round,
// the memory of the context holds the text and nothing else, and goes on as one that never had a draft in it.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <llama.h>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/llama_speculative.hpp>

#include "llama/contexts.hpp"

namespace riffle_tests::llama_speculation {
namespace {

using namespace riffle;

constexpr llama_token first_token = 5;
constexpr std::size_t length = 60;
constexpr std::uint32_t sequences = 8;

context_owner new_context_for_trees() {
    llama_context_params with = llama_context_default_params();
    with.n_ctx = 256;
    with.n_batch = with.n_ubatch = 32;
    with.n_seq_max = sequences;
    with.kv_unified = true;
    with.n_threads = with.n_threads_batch = 1;
    return context_owner(llama_init_from_model(random_model(), with));
}

using row_of_logits = std::vector<float>;
row_of_logits row_of(llama_context* context, std::int32_t index) {
    const float* const row = llama_get_logits_ith(context, index);
    return row ? row_of_logits(row, row + random_model_size()) : row_of_logits();
}

/// The row behind a text, evaluated by itself in a context of its own.
row_of_logits row_behind(std::vector<token_id> text) {
    const context_owner context = new_context_for_trees();
    row_of_logits row;
    for (std::size_t from = 0; from < text.size(); from += 32) {
        const auto count = std::int32_t(std::min<std::size_t>(32, text.size() - from));
        if (llama_decode(context.get(), llama_batch_get_one(text.data() + from, count)) != 0) return {};
        row = row_of(context.get(), count - 1);
    }
    return row;
}

/// Drafts of some tokens that come, by a foreboding, and of some that do not; at a turn of every five of nothing.
void propose(draft& out, const std::vector<token_id>& to_come, std::size_t turn) {
    out.clear();
    for (std::size_t i = 0; i < turn % 5; ++i) out.push(to_come[i]);
    for (std::size_t i = 0; i < turn % 3; ++i) out.push(token_id(100 + i));
}
void propose(draft_tree& out, const std::vector<token_id>& to_come, std::size_t turn) {
    out.clear();
    if (turn % 5 == 0) return;
    out.push(out.push(draft_tree::root, 100), 101);
    auto node = draft_tree::root;
    for (std::size_t i = 0; i < turn % 4; ++i) {
        node = out.push(node, to_come[i]);
        out.push(node, token_id(100 + i));
    }
}

auto penalised() { return penalties{.repeat = 1.2f} | top_k{.k = 40} | temperature{.t = 0.8f} | dist{.seed = 42}; }
auto exact() {
    return chain<llama_exact>(top_k{.k = 40}, top_p{.p = 0.95f}, temperature{.t = 0.8f}, dist{.seed = 42});
}

/// What the chain will sample, as a context of its own says; nearly always that is what it does sample.
class foreboding {
public:
    template <class Chain>
    std::vector<token_id> of(Chain chain, const std::vector<token_id>& text) {
        for (; evaluated_ < text.size(); ++evaluated_) step(text[evaluated_]);
        std::vector<token_id> tokens;
        while (tokens.size() < 4) {
            tokens.push_back(llama::sample(chain, context_.get(), 0));
            step(tokens.back());
        }
        llama_memory_seq_rm(llama_get_memory(context_.get()), 0, llama_pos(text.size()) - 1, -1);
        --evaluated_;  // so that its row is there in the next turn
        return tokens;
    }

private:
    void step(token_id token) { ASSERT_EQ(llama_decode(context_.get(), llama_batch_get_one(&token, 1)), 0); }

    context_owner context_ = new_context_for_trees();
    std::size_t evaluated_ = 0;
};

template <class Draft, class Chain>
void expect_text(Chain chain) {
    foreboding knows;
    const context_owner context = new_context_for_trees();
    llama_memory_t const memory = llama_get_memory(context.get());
    Chain one_by_one = chain;
    speculator<> verifier;
    llama::draft_batch batch;
    Draft proposed;
    std::vector<token_id> tokens{first_token};
    std::size_t accepted = 0;
    while (tokens.size() < length) {
        propose(proposed, knows.of(chain, tokens), tokens.size());
        ASSERT_TRUE(batch.fill(tokens.back(), std::int32_t(tokens.size()) - 1, proposed));
        ASSERT_EQ(llama::decode(context.get(), batch), 0);
        const verified& round =
            llama::sample_and_accept_n(chain, context.get(), batch.indices(), proposed, verifier);
        ASSERT_TRUE(round.state.ok()) << round.state.message().c_str();
        // Along the accepted path, on the very rows of the round.
        std::vector<std::int32_t> path;
        if constexpr (std::is_same_v<Draft, draft_tree>) {
            for (std::int32_t n = round.node; n >= 0; n = proposed.parent(n)) path.insert(path.begin(), n);
        } else {
            for (std::int32_t n = 0; n <= round.node; ++n) path.push_back(n);
        }
        ASSERT_EQ(path.size(), round.accepted);
        path.insert(path.begin(), draft_tree::root);
        for (std::size_t i = 0; i < round.tokens.size(); ++i) {
            ASSERT_EQ(llama::sample(one_by_one, context.get(), batch.indices()[std::size_t(path[i] + 1)]),
                      round.tokens[i]);
        }
        ASSERT_TRUE(llama::trim(context.get(), batch, round));
        tokens.insert(tokens.end(), round.tokens.begin(), round.tokens.end());
        accepted += round.accepted;
        ASSERT_EQ(llama_memory_seq_pos_max(memory, 0), llama_pos(tokens.size()) - 2);
        for (llama_seq_id s = 1; s < llama_seq_id(sequences); ++s) ASSERT_EQ(llama_memory_seq_pos_max(memory, s), -1);
    }
    EXPECT_GT(accepted, length / 4);

    draft nothing;
    ASSERT_TRUE(batch.fill(tokens.back(), std::int32_t(tokens.size()) - 1, nothing));
    ASSERT_EQ(llama::decode(context.get(), batch), 0);
    const row_of_logits found = row_of(context.get(), 0), expected = row_behind(tokens);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], expected[i], 0.05f) << i;
}

TEST(Speculation, OfLinesOnAContextsRows) { expect_text<draft>(penalised()); }
TEST(Speculation, OfTreesOnAContextsRows) { expect_text<draft_tree>(penalised()); }
TEST(Speculation, OfLinesUnderLlamaExact) { expect_text<draft>(exact()); }
TEST(Speculation, OfTreesUnderLlamaExact) { expect_text<draft_tree>(exact()); }

/// A draft model that is the model itself: nearly every token is accepted, but where the last bits of a row differ.
TEST(Speculation, OfAModelByItselfAcceptsNearlyEverything) {
    const context_owner context = new_context_for_trees(), of_draft = new_context_for_trees();
    auto chain = top_k{.k = 40} | temperature{.t = 0.8f} | dist{.seed = 42};
    auto of_draft_model = top_k{.k = 40} | temperature{.t = 0.8f} | dist{.seed = 43};
    speculator<rejection> verifier({.seed = 7});
    llama::draft_batch batch;
    draft proposed, nothing;
    std::vector<token_id> tokens{first_token};
    std::size_t drafted = 0, accepted = 0;
    while (tokens.size() < length) {
        const auto position = std::int32_t(tokens.size()) - 1;
        proposed.clear();
        const checkpoint begin = of_draft_model.mark();
        for (std::int32_t i = 0; i < 4; ++i) {
            ASSERT_TRUE(batch.fill(i == 0 ? tokens.back() : proposed[std::size_t(i) - 1], position + i, nothing));
            ASSERT_EQ(llama::decode(of_draft.get(), batch), 0);
            const row_of_logits row = row_of(of_draft.get(), 0);
            ASSERT_GE(draft_from(of_draft_model, row, proposed), 0);
        }
        // The row behind the last one, so that the draft model has seen all of them, too.
        ASSERT_TRUE(batch.fill(proposed[3], position + 4, nothing));
        ASSERT_EQ(llama::decode(of_draft.get(), batch), 0);
        ASSERT_TRUE(of_draft_model.rollback(begin).ok());

        ASSERT_TRUE(batch.fill(tokens.back(), position, proposed));
        ASSERT_EQ(llama::decode(context.get(), batch), 0);
        const verified& round =
            llama::sample_and_accept_n(chain, context.get(), batch.indices(), proposed, verifier);
        ASSERT_TRUE(round.state.ok());
        ASSERT_TRUE(llama::trim(context.get(), batch, round));
        ASSERT_TRUE(llama::trim(of_draft.get(), 0, round));
        for (const token_id token : round.tokens) of_draft_model.accept(token);
        tokens.insert(tokens.end(), round.tokens.begin(), round.tokens.end());
        drafted += round.drafted;
        accepted += round.accepted;
    }
    EXPECT_GE(accepted * 20, drafted * 19) << accepted << " of " << drafted;
}

TEST(Speculation, ThatIsNotPossibleIsRefused) {
    const context_owner context = new_context_for_trees();
    auto chain = exact();
    llama::draft_batch batch;
    draft long_draft;
    for (token_id i = 0; i < 40; ++i) long_draft.push(i);
    ASSERT_TRUE(batch.fill(first_token, 0, long_draft));
    EXPECT_NE(llama::decode(context.get(), batch), 0) << "longer than n_batch";
    draft_tree wide;
    for (token_id i = 0; i < 20; ++i) wide.push(draft_tree::root, i);
    ASSERT_TRUE(batch.fill(first_token, 0, wide));
    EXPECT_NE(llama::decode(context.get(), batch), 0) << "more leaves than sequences";
    draft wrong;
    wrong.push(token_id(random_model_size()));
    ASSERT_TRUE(batch.fill(first_token, 0, wrong));
    EXPECT_NE(llama::decode(context.get(), batch), 0) << "a token that the model does not have";
    EXPECT_EQ(llama_memory_seq_pos_max(llama_get_memory(context.get()), 0), -1);

    draft one;
    one.push(7);
    ASSERT_TRUE(batch.fill(first_token, 0, one));
    ASSERT_EQ(llama::decode(context.get(), batch), 0);
    const auto too_few = llama::sample_and_accept_n(chain, context.get(), batch.indices().first(1), one);
    EXPECT_EQ(too_few.state.code(), status_code::invalid_parameter);
    EXPECT_TRUE(too_few.tokens.empty());
    EXPECT_EQ(chain.state().position().position, 0u);
    const auto round = llama::sample_and_accept_n(chain, context.get(), batch.indices(), one, match{});
    EXPECT_TRUE(round.state.ok());
    EXPECT_EQ(round.tokens.size(), round.accepted + 1);
}

}  // namespace
}  // namespace riffle_tests::llama_speculation
