// Selectors that learn from what they chose, and stages that look at what was accepted.

#include "golden/streams.hpp"

namespace riffle_tests {

using namespace riffle;

void add_learners(streams& all) {
    add(all, 1500, "mirostat_v2 5 .1", mirostat_v2{.seed = 131});
    add(all, 900, "temperature .9 | mirostat_v2 3 .3", temperature{.t = 0.9f},
        mirostat_v2{.tau = 3.0f, .eta = 0.3f, .seed = 132});
    add(all, 900, "top_k 50 | mirostat_v2 4 .1", top_k{.k = 50}, mirostat_v2{.tau = 4.0f, .seed = 133});
    add(all, 1500, "mirostat 5 .1 100", mirostat{.n_vocab = 1500, .seed = 134});
    add(all, 800, "penalties | mirostat 3 .2 20", penalties{.repeat = 1.2f},
        mirostat{.tau = 3.0f, .eta = 0.2f, .m = 20, .n_vocab = 800, .seed = 135});
    add(all, 1000, "adaptive_p .3", adaptive_p{.target = 0.3f, .seed = 136});
    add(all, 1000, "min_p .05 | adaptive_p .5 .8", min_p{.p = 0.05f},
        adaptive_p{.target = 0.5f, .decay = 0.8f, .seed = 137});
    add(all, 700, "temperature 1.2 | adaptive_p .1 .95", temperature{.t = 1.2f},
        adaptive_p{.target = 0.1f, .decay = 0.95f, .seed = 138});
    add(all, 700, "adaptive_p off", adaptive_p{.seed = 139});
    add(all, 900, "top_p .9 | skew .5", top_p{.p = 0.9f}, skew{.amount = 0.5f, .seed = 140});
    add(all, 300, "skew -1", skew{.amount = -1.0f, .seed = 141});

    const dry repeats{.multiplier = 0.8f, .allowed_length = 1, .last_n = -1, .breakers = {{3}, {5, 8}}};
    add(all, 24, "dry .8 1.75 1 all | dist", repeats, dist{.seed = 142});
    add(all, 24, "top_k 12 | dry 1.5 1.2 2 30 | dist", top_k{.k = 12},
        dry{.multiplier = 1.5f, .base = 1.2f, .last_n = 30, .breakers = {}}, dist{.seed = 143});
    add(all, 40, "no_repeat_ngram 2 | temperature .8 | dist", no_repeat_ngram{.n = 2}, temperature{.t = 0.8f},
        dist{.seed = 144});
    add(all, 60, "banned_sequences | dist",
        banned_sequences{{{{5}, illegal_logit}, {{1, 2}, illegal_logit}, {{7, 8, 9}, 2.5f}, {{3}, -1.25f}}},
        dist{.seed = 145});
    add(
        all, 900, "allowed_tokens many | dist",
        [] {
            allowed_tokens a;
            for (token_id id = 0; id < 900; id += 2) a.tokens.add(id);
            return a;
        }(),
        dist{.seed = 146});
    add(all, 500, "allowed_tokens few | gumbel", allowed_tokens{{1, 5, 17, 300, 499}}, gumbel{.seed = 147});
    add(all, 400, "min_tokens 50 | length_penalty 60 1.05 | encoder_repetition 1.3 | dist",
        min_tokens{.count = 50, .ends = {2, 3}}, length_penalty{.start = 60, .factor = 1.05f, .ends = {2, 3}},
        encoder_repetition{.penalty = 1.3f, .tokens = {4, 8, 15, 16, 23, 42}}, dist{.seed = 148});

    static const vocabulary letters = [] {
        vocabulary v;
        const std::string text = "abcdefghij";
        for (std::size_t i = 0; i < 60; ++i) v.add(text.substr(i % 8, 1 + i / 8 % 3));
        v.add("</s>", token_role::control | token_role::end_of_generation);
        return v;
    }();
    add(all, 61, "top_k 20 | infill | dist", top_k{.k = 20}, infill{&letters}, dist{.seed = 150});
    add(all, 61, "phrase_ban | top_p .95 | dist", phrase_ban{&letters, {"ab", "dE", "fg", "hbc", "c"}},
        top_p{.p = 0.95f}, dist{.seed = 151});
}

}  // namespace riffle_tests
