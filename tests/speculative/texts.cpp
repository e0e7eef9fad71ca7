// Under match the text is that of sampling without drafts, token by token: for every selector, with any draft.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/llama_exact.hpp>

#include "integers.hpp"
#include "speculative/engine.hpp"

namespace riffle_tests::speculative_texts {
namespace {

using namespace riffle;

constexpr std::size_t vocabulary_size = 60, length = 60;

/// Rows that depend on the last two tokens.
std::span<const float> row_behind(std::span<const token_id> text, std::span<const token_id> more) {
    static const std::vector<std::vector<float>> rows = [] {
        std::vector<std::vector<float>> made(64, std::vector<float>(vocabulary_size));
        integers random(3);
        for (auto& row : made)
            for (auto& logit : row) logit = float(random.below(1000)) / 100.0f;
        return made;
    }();
    std::size_t number = 0;
    for (std::size_t back = 0; back < 2; ++back) {
        const std::size_t in_text = back < more.size() ? 0 : back - more.size() + 1;
        const token_id token = back < more.size()       ? more[more.size() - 1 - back]
                               : in_text <= text.size() ? text[text.size() - in_text]
                                                        : 0;
        number = number * 7 + std::size_t(token);
    }
    return rows[number % rows.size()];
}

template <class Chain>
std::vector<token_id> plain_text(Chain chain) {
    std::vector<token_id> text;
    while (text.size() < length) text.push_back(chain.sample(row_behind(text, {})));
    return text;
}

/// A draft of a few tokens: those that will come, up to somewhere, then anything; one in a while is absurd.
void propose_line(draft& proposed, std::span<const token_id> to_come, integers& random) {
    proposed.clear();
    const std::size_t right = random.below(6);
    const std::size_t count = random.below(10) == 0 ? 120 + random.below(8) : random.below(8);
    const token_probability law[] = {{0, 0.5f}, {1, 0.25f}, {2, 0.25f}};
    for (std::size_t i = 0; i < count; ++i) {
        token_id token = i < right && i < to_come.size() ? to_come[i] : token_id(random.below(vocabulary_size));
        if (random.below(40) == 0) token = token_id(vocabulary_size + random.below(1000));
        if (token <= 2) proposed.push(token, law);
        else proposed.push(token);
    }
}
void propose_tree(draft_tree& proposed, std::span<const token_id> to_come, integers& random) {
    proposed.clear();
    std::vector<std::int32_t> parents{draft_tree::root};
    std::int32_t on_the_way = draft_tree::root;
    std::size_t right = 0;
    for (std::size_t n = random.below(30); n > 0; --n) {
        const bool goes_on = right < to_come.size() && random.below(3) == 0;
        const std::int32_t parent = goes_on ? on_the_way : parents[random.below(std::uint32_t(parents.size()))];
        const token_id token = goes_on ? to_come[right] : token_id(random.below(vocabulary_size + 3));
        const std::int32_t made = proposed.push(parent, token);
        if (goes_on) {
            on_the_way = made;
            ++right;
        }
        parents.push_back(made);
    }
}

/// The path from the text to a node.
std::vector<token_id> path_to(const draft_tree& tree, std::int32_t node) {
    std::vector<token_id> path;
    for (; node >= 0; node = tree.parent(node)) path.insert(path.begin(), tree.token(node));
    return path;
}

template <class Chain>
void expect_text_of_lines(Chain chain, const std::vector<token_id>& expected, const std::string& what) {
    speculator<> verifier;
    draft proposed;
    integers random(11);
    std::vector<token_id> text;
    std::size_t accepted = 0;
    while (text.size() < length) {
        const auto to_come = std::span(expected).subspan(text.size());
        propose_line(proposed, to_come, random);
        const auto rows = [&](std::size_t i) { return row_behind(text, proposed.tokens().first(i)); };
        const verified& round = verifier.verify(chain, proposed, rows);
        ASSERT_TRUE(round.state) << what << ": " << round.state.message().c_str();
        ASSERT_EQ(round.tokens.size(), round.accepted + 1) << what;
        ASSERT_EQ(round.node, std::int32_t(round.accepted) - 1) << what;
        accepted += round.accepted;
        text.insert(text.end(), round.tokens.begin(), round.tokens.end());
    }
    text.resize(length);
    EXPECT_EQ(text, expected) << what;
    EXPECT_GT(accepted, std::size_t{5}) << what;
}
template <class Chain>
void expect_text_of_trees(Chain chain, const std::vector<token_id>& expected, const std::string& what) {
    speculator<> verifier;
    draft_tree proposed;
    integers random(12);
    std::vector<token_id> text;
    std::size_t accepted = 0;
    while (text.size() < length) {
        propose_tree(proposed, std::span(expected).subspan(text.size()), random);
        std::vector<token_id> path;
        const auto rows = [&](std::size_t i) {
            path = path_to(proposed, std::int32_t(i) - 1);
            return row_behind(text, path);
        };
        const verified& round = verifier.verify(chain, proposed, rows);
        ASSERT_TRUE(round.state) << what << ": " << round.state.message().c_str();
        const auto drafted = path_to(proposed, round.node);
        ASSERT_EQ(drafted.size(), round.accepted) << what;
        ASSERT_TRUE(std::equal(drafted.begin(), drafted.end(), round.tokens.begin())) << what;
        accepted += round.accepted;
        text.insert(text.end(), round.tokens.begin(), round.tokens.end());
    }
    text.resize(length);
    EXPECT_EQ(text, expected) << what;
    EXPECT_GT(accepted, std::size_t{5}) << what;
}
template <class Chain>
void expect_text(const Chain& chain, const std::string& what) {
    const std::vector<token_id> expected = plain_text(chain);
    expect_text_of_lines(chain, expected, "lines, " + what);
    expect_text_of_trees(chain, expected, "trees, " + what);
}

TEST(TextsUnderMatch, AreThoseWithoutDrafts) {
    expect_text(chain(greedy{}), "greedy");
    expect_text(temperature{0.7f} | dist{.seed = 5}, "dist");
    expect_text(temperature{0.7f} | gumbel{.seed = 5}, "gumbel");
    expect_text(top_k{20} | skew{.amount = 0.3f, .seed = 5}, "skew");
    expect_text(chain(mirostat{.tau = 2.0f, .n_vocab = 60, .seed = 5}), "mirostat");
    expect_text(chain(mirostat_v2{.tau = 2.0f, .seed = 5}), "mirostat_v2");
    expect_text(min_p{.p = 0.01f} | adaptive_p{.target = 0.4f, .seed = 5}, "adaptive_p");
}
TEST(TextsUnderMatch, OfStagesThatLookBack) {
    expect_text(penalties{.last_n = 16, .repeat = 1.3f, .frequency = 0.2f} | dry{.multiplier = 1.0f, .allowed_length = 1} |
                    no_repeat_ngram{.n = 3} | top_k{30} | xtc{.probability = 0.5f, .threshold = 0.05f, .seed = 5} |
                    temperature{0.9f} | dist{.seed = 5},
                "many stages");
}
TEST(TextsUnderMatch, OfLlamasSamplers) {
    expect_text(chain<llama_exact>(top_k{40}, top_p{0.95f, 1}, temperature{0.8f}, dist{.seed = 42}), "llama's usual chain");
    expect_text(chain<llama_exact>(penalties{.repeat = 1.1f}, xtc{.probability = 0.5f, .seed = 1}, mirostat_v2{.seed = 4}),
                "llama's mirostat_v2");
    expect_text(chain<llama_exact>(min_p{0.01f, 1}, adaptive_p{.target = 0.4f, .seed = 5}), "llama's adaptive_p");
}
TEST(TextsUnderMatch, OfChainsMadeAtRunTime) {
    dynamic_chain late;
    late.push(penalties{.repeat = 1.2f});
    late.push(temperature{0.8f});
    late.push(dist{.seed = 9});
    expect_text(late, "a dynamic chain");
    expect_text(any_pipeline(late), "any_pipeline");
}
TEST(TextsUnderMatch, DoNotDependOnWhatAnotherSeedWouldDraft) {
    // A copy of the chain drafts with the noise of the target: on rows that differ a little most of it is accepted.
    auto target = temperature{0.9f} | gumbel{.seed = 3};
    auto shadow = target;
    const std::vector<token_id> expected = plain_text(target);
    speculator<> verifier;
    draft proposed;
    std::vector<token_id> text;
    std::size_t rounds = 0;
    std::vector<float> blurred;
    for (; text.size() < length; ++rounds) {
        proposed.clear();
        const checkpoint begin = shadow.mark();
        for (std::size_t i = 0; i < 4; ++i) {
            const auto row = row_behind(text, proposed.tokens());
            blurred.assign(row.begin(), row.end());
            for (std::size_t j = 0; j < blurred.size(); ++j) blurred[j] += float(j % 3) * 0.05f;
            proposed.push(shadow.sample(blurred));
        }
        EXPECT_TRUE(shadow.rollback(begin));
        const auto rows = [&](std::size_t i) { return row_behind(text, proposed.tokens().first(i)); };
        for (const token_id token : verifier.verify(target, proposed, rows).tokens) {
            text.push_back(token);
            shadow.accept(token);
        }
    }
    text.resize(length);
    EXPECT_EQ(text, expected);
    EXPECT_LT(rounds, std::size_t{20});  // of 12 at best
}
TEST(TextsUnderMatch, GoOnWhereTheModelIsAskedWithoutDrafts) {
    // Rounds and plain samples by turns.
    const auto begun = penalties{.repeat = 1.4f} | temperature{0.8f} | dist{.seed = 8};
    const auto expected = plain_text(begun);
    auto chain = begun;
    speculator<> verifier;
    draft proposed;
    integers random(5);
    std::vector<token_id> text;
    while (text.size() < length) {
        if (random.below(2)) {
            text.push_back(chain.sample(row_behind(text, {})));
            continue;
        }
        propose_line(proposed, std::span(expected).subspan(text.size()), random);
        const auto rows = [&](std::size_t i) { return row_behind(text, proposed.tokens().first(i)); };
        const auto& round = verifier.verify(chain, proposed, rows);
        text.insert(text.end(), round.tokens.begin(), round.tokens.end());
    }
    text.resize(length);
    EXPECT_EQ(text, expected);
}

}  // namespace
}  // namespace riffle_tests::speculative_texts
