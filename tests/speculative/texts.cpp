// Under match the text is that of sampling without drafts, token by token: for every selector, with any draft.

#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/llama_exact.hpp>

#include "integers.hpp"
#include "speculative/drafted_texts.hpp"
#include "speculative/engine.hpp"

namespace riffle_tests::speculative_texts {
namespace {

using namespace riffle;

constexpr std::size_t length = 60;

const two_token_rows& model() {
    static const two_token_rows made(60);
    return made;
}

template <class Chain>
void expect_text_of_type(const Chain& chain, const std::string& what) {
    const std::vector<token_id> expected = plain_text(chain, model(), length);
    const std::size_t size = model().vocabulary_size();
    expect_text_under<draft>(chain, model(), expected, guesses(expected, size, 11), "lines, " + what);
    expect_text_under<draft_tree>(chain, model(), expected, guesses(expected, size, 12), "trees, " + what);
}

/// Most chains are put together at run time, or rounds would be compiled for each of them.
void expect_text(const dynamic_chain& chain, const std::string& what) { expect_text_of_type(chain, what); }

// vLLM 6038: with drafts a seed gave another text.
TEST(TextsUnderMatch, AreThoseWithoutDrafts) {
    expect_text(made_of(greedy{}), "greedy");
    expect_text_of_type(temperature{0.7f} | dist{.seed = 5}, "dist");
    expect_text(made_of(temperature{0.7f}, gumbel{.seed = 5}), "gumbel");
    expect_text(made_of(top_k{20}, skew{.amount = 0.3f, .seed = 5}), "skew");
    expect_text(made_of(mirostat{.tau = 2.0f, .n_vocab = 60, .seed = 5}), "mirostat");
    expect_text(made_of(mirostat_v2{.tau = 2.0f, .seed = 5}), "mirostat_v2");
    expect_text_of_type(min_p{.p = 0.01f} | adaptive_p{.target = 0.4f, .seed = 5}, "adaptive_p");
}
// llama.cpp 22987: with a penalty one text of ten was another.
TEST(TextsUnderMatch, OfStagesThatLookBack) {
    expect_text_of_type(penalties{.last_n = 16, .repeat = 1.3f, .frequency = 0.2f} |
                    dry{.multiplier = 1.0f, .allowed_length = 1} | no_repeat_ngram{.n = 3} | top_k{30} |
                    xtc{.probability = 0.5f, .threshold = 0.05f, .seed = 5} | temperature{0.9f} | dist{.seed = 5},
                "many stages");
}
TEST(TextsUnderMatch, OfLlamasSamplers) {
    expect_text_of_type(chain<llama_exact>(top_k{40}, top_p{0.95f, 1}, temperature{0.8f}, dist{.seed = 42}),
                        "llama's usual chain");
    basic_dynamic_chain<llama_exact> that_learns;
    that_learns.push(penalties{.repeat = 1.1f});
    that_learns.push(xtc{.probability = 0.5f, .seed = 1});
    that_learns.push(mirostat_v2{.seed = 4});
    expect_text_of_type(that_learns, "llama's mirostat_v2");
    basic_dynamic_chain<llama_exact> adaptive;
    adaptive.push(min_p{0.01f, 1});
    adaptive.push(adaptive_p{.target = 0.4f, .seed = 5});
    expect_text_of_type(adaptive, "llama's adaptive_p");
}
TEST(TextsUnderMatch, OfChainsWhoseTypeIsForgotten) {
    expect_text_of_type(any_pipeline(penalties{.repeat = 1.2f} | temperature{0.8f} | dist{.seed = 9}), "any_pipeline");
}
TEST(TextsUnderMatch, DoNotDependOnWhatAnotherSeedWouldDraft) {
    // A copy of the chain drafts with the noise of the target: on rows that differ a little most of it is accepted.
    auto target = temperature{0.9f} | gumbel{.seed = 3};
    auto shadow = target;
    const std::vector<token_id> expected = plain_text(target, model(), length);
    speculator<> verifier;
    draft proposed;
    std::vector<token_id> text;
    std::size_t rounds = 0;
    std::vector<float> blurred;
    for (; text.size() < length; ++rounds) {
        proposed.clear();
        const checkpoint begin = shadow.mark();
        for (std::size_t i = 0; i < 4; ++i) {
            const auto row = model().behind(text, proposed.tokens());
            blurred.assign(row.begin(), row.end());
            for (std::size_t j = 0; j < blurred.size(); ++j) blurred[j] += float(j % 3) * 0.05f;
            proposed.push(shadow.sample(blurred));
        }
        EXPECT_TRUE(shadow.rollback(begin));
        const auto rows = rows_of_round(model(), text, proposed);
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
    const auto expected = plain_text(begun, model(), length);
    auto chain = begun;
    speculator<> verifier;
    draft proposed;
    integers random(5);
    guesses propose(expected, model().vocabulary_size(), 6);
    std::vector<token_id> text;
    while (text.size() < length) {
        if (random.below(2)) {
            text.push_back(chain.sample(model().behind(text)));
            continue;
        }
        propose(proposed, text);
        const verified& round = verifier.verify(chain, proposed, rows_of_round(model(), text, proposed));
        text.insert(text.end(), round.tokens.begin(), round.tokens.end());
    }
    text.resize(length);
    EXPECT_EQ(text, expected);
}

}  // namespace
}  // namespace riffle_tests::speculative_texts
