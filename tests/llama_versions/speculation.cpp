// Rounds of speculation with the llama.h of a period: what a context's memory holds is the text, and the tokens are
// those of the chain without drafts.

#include <cstddef>
#include <cstdint>
#include <llama.h>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/llama_speculative.hpp>

namespace riffle_tests::llama_speculation {
namespace {

using namespace riffle;

constexpr std::size_t row_size = 50;
constexpr std::size_t length = 60;
constexpr llama_token first_token = 3;

/// Depends on the last two tokens, so a text that goes a wrong way shows.
std::vector<float> row_behind(const fake_text& text) {
    std::size_t last_two = 7;
    for (auto token = text.rbegin(); token != text.rend() && last_two < 10000; ++token)
        last_two = last_two * 53 + std::size_t(*token) + 1;
    std::vector<float> row(row_size);
    for (std::size_t i = 0; i < row_size; ++i) row[i] = float((i * 769 + last_two * 131) % row_size) * 0.2f;
    return row;
}

auto new_chain() { return top_k{.k = 3} | dist{.seed = 42}; }

std::vector<token_id> text_without_drafts() {
    auto chain = new_chain();
    fake_text text{first_token};
    while (text.size() <= length) text.push_back(chain.sample(row_behind(text)));
    return {text.begin() + 1, text.end()};
}

/// A fake model with as many tokens as rows have.
llama_model new_model() {
    llama_model model;
    for (std::size_t i = 0; i < row_size; ++i) model.vocab.tokens.push_back({std::to_string(i)});
    return model;
}

/// Right for some tokens of the text, and wrong behind them.
struct knows_some {
    std::vector<token_id> text;
    void propose(draft& out, std::size_t from) const {
        out.clear();
        for (std::size_t i = from; i < text.size() && i < from + from % 4; ++i) out.push(text[i]);
        for (std::size_t i = 0; i < from % 3; ++i) out.push(token_id((from + i) % row_size));
    }
    /// Two ways on, of which the second is right, or none.
    void propose(draft_tree& out, std::size_t from) const {
        out.clear();
        if (from % 5 == 0) return;
        const auto wrong = out.push(draft_tree::root, token_id((from * 7) % row_size));
        out.push(wrong, token_id(from % row_size));
        auto node = draft_tree::root;
        for (std::size_t i = from; i < text.size() && i < from + from % 4; ++i) node = out.push(node, text[i]);
        if (from % 2 == 0 && node >= 0) out.push(node, token_id(from % row_size));
    }
};

/// What a context's memory has to hold when so much of the text is evaluated.
fake_text evaluated(const std::vector<token_id>& text, std::size_t count) {
    fake_text expected{first_token};
    expected.insert(expected.end(), text.begin(), text.begin() + std::ptrdiff_t(count));
    return expected;
}

template <class Draft>
void expect_text_of_rounds() {
    const std::vector<token_id> expected = text_without_drafts();
    const knows_some drafter{expected};
    const llama_model model = new_model();
    llama_context context(model);
    context.row_behind = row_behind;
    auto chain = new_chain();
    speculator<> verifier;
    llama::draft_batch batch;
    Draft proposed;
    std::vector<token_id> tokens;
    std::size_t accepted = 0;
    while (tokens.size() < length) {
        const std::size_t behind = tokens.size();
        drafter.propose(proposed, behind);
        const llama_token last = tokens.empty() ? first_token : tokens.back();
        ASSERT_TRUE(batch.fill(last, std::int32_t(behind), proposed));
        ASSERT_EQ(llama::decode(&context, batch), 0) << behind;
        const verified& round = llama::sample_and_accept_n(chain, &context, batch.indices(), proposed, verifier);
        ASSERT_TRUE(round.state.ok()) << round.state.message().c_str();
        ASSERT_EQ(round.drafted, proposed.size());
        ASSERT_TRUE(llama::trim(&context, batch, round));
        tokens.insert(tokens.end(), round.tokens.begin(), round.tokens.end());
        accepted += round.accepted;
        ASSERT_EQ(context.memory[0], evaluated(tokens, tokens.size() - 1)) << behind;
        for (std::size_t s = 1; s < context.memory.size(); ++s) ASSERT_TRUE(context.memory[s].empty()) << s;
    }
    tokens.resize(length);
    EXPECT_EQ(tokens, expected);
    EXPECT_GT(accepted, length / 3);
}

TEST(Speculation, OfLinesGivesTheTextWithoutDrafts) { expect_text_of_rounds<draft>(); }
TEST(Speculation, OfTreesGivesTheTextWithoutDrafts) { expect_text_of_rounds<draft_tree>(); }

/// Without a draft_batch, and without a speculator that is kept.
TEST(Speculation, TrimsASequenceThatEndsWithTheDraft) {
    const llama_model model = new_model();
    llama_context context(model);
    context.row_behind = row_behind;
    auto chain = new_chain();
    const std::vector<token_id> expected = text_without_drafts();
    draft proposed;
    proposed.push(expected[0]);
    proposed.push((expected[1] + 1) % token_id(row_size));
    proposed.push(0);
    llama::draft_batch batch;
    ASSERT_TRUE(batch.fill(first_token, 0, proposed));
    ASSERT_EQ(llama_decode(&context, batch.view()), 0);
    const auto round = llama::sample_and_accept_n(chain, &context, batch.indices(), proposed);
    ASSERT_EQ(round.accepted, 1u);
    ASSERT_EQ(std::vector<token_id>(round.tokens.begin(), round.tokens.end()),
              (std::vector<token_id>{expected[0], expected[1]}));
    EXPECT_TRUE(llama::trim(&context, 0, round));
    EXPECT_EQ(context.memory[0], evaluated(expected, 1));
}

TEST(Speculation, ThatFailsLeavesTheTextAlone) {
    const llama_model model = new_model();
    llama_context context(model);
    context.row_behind = [](const fake_text&) { return std::vector<float>(row_size, illegal_logit); };
    auto chain = new_chain();
    draft proposed;
    proposed.push(1);
    proposed.push(2);
    llama::draft_batch batch;
    ASSERT_TRUE(batch.fill(first_token, 0, proposed));
    ASSERT_EQ(llama::decode(&context, batch), 0);
    speculator<> verifier;
    const verified& no_token = llama::sample_and_accept_n(chain, &context, batch.indices(), proposed, verifier);
    EXPECT_EQ(no_token.state.code(), status_code::no_legal_token);
    EXPECT_TRUE(no_token.tokens.empty());
    EXPECT_TRUE(llama::trim(&context, batch, no_token));
    EXPECT_EQ(context.memory[0], evaluated({}, 0));

    const verified& too_few =
        llama::sample_and_accept_n(chain, &context, batch.indices().first(2), proposed, verifier);
    EXPECT_STREQ(too_few.state.message().c_str(),
                 "speculator: rows = 2 are fewer than the drafted tokens and one more");
    const std::int32_t unknown[] = {70, 71, 72};
    EXPECT_EQ(llama::sample_and_accept_n(chain, &context, unknown, proposed, verifier).state.code(),
              status_code::empty_row);
}

template <class Context>
constexpr bool tells_its_sequences = requires(const Context* c) { llama_n_seq_max(c); };

TEST(Speculation, RefusesABatchThatTheContextDoesNotTake) {
    const llama_model model = new_model();
    llama_context context(model);
    context.row_behind = row_behind;
    llama::draft_batch batch;
    EXPECT_EQ(llama::decode(&context, batch), -1);  // never filled
    EXPECT_FALSE(llama::trim(&context, batch, verified()));
    draft proposed;
    for (token_id i = 0; i < 16; ++i) proposed.push(i);
    ASSERT_TRUE(batch.fill(first_token, 0, proposed));
    EXPECT_EQ(llama::decode(&context, batch), -1);  // 17 tokens where 16 are taken
    draft_tree wide;
    for (token_id i = 0; i < 3; ++i) wide.push(draft_tree::root, i);
    ASSERT_TRUE(batch.fill(-1, 0, wide));
    EXPECT_EQ(llama::decode(&context, batch), -1);  // no token, so llama_decode refuses it
    for (const fake_text& text : context.memory) EXPECT_TRUE(text.empty());
    ASSERT_TRUE(batch.fill(first_token, 0, wide, 0, -3));
    if constexpr (tells_its_sequences<llama_context>) {
        EXPECT_EQ(llama::decode(&context, batch), -1);  // sequences below 0
        ASSERT_TRUE(batch.fill(first_token, 0, wide, 0, 3));
        EXPECT_EQ(llama::decode(&context, batch), -1);  // sequences that the context does not have
    }
    EXPECT_TRUE(context.memory[0].empty());
}

}  // namespace
}  // namespace riffle_tests::llama_speculation
