// Golden vectors: what the published definitions say, computed by vectors.py without riffle, against riffle's stages,
// on candidates and on rows, at every lane width.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/riffle.hpp>

#include "lane_widths.hpp"
#include "published/cases.hpp"
#include "samplers/chi_square.hpp"

namespace riffle_tests::published {
namespace {

using namespace riffle;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr top_k all_of_them{.k = 1000};  // makes every legal token a survivor, whatever stands ahead of it

std::vector<token_data> candidates_of(const std::vector<float>& row, bool backwards = false) {
    std::vector<token_data> all;
    for (std::size_t i = 0; i < row.size(); ++i) all.push_back({token_id(i), row[i], 0.0f});
    if (backwards) std::reverse(all.begin(), all.end());
    return all;
}
template <class Tokens>
std::vector<token_id> ids_of(const Tokens& tokens) {
    std::vector<token_id> ids;
    for (const auto& token : tokens) ids.push_back(token.id);
    std::sort(ids.begin(), ids.end());
    return ids;
}
/// The logits by id; -inf for tokens that are not there.
template <class Tokens>
std::vector<float> logits_of(const Tokens& tokens, std::size_t size) {
    std::vector<float> logits(size, -infinity);
    for (const auto& token : tokens) logits[std::size_t(token.id)] = token.logit;
    return logits;
}
void expect_near(const std::vector<float>& found, const std::vector<double>& expected, const char* how) {
    ASSERT_EQ(found.size(), expected.size()) << how;
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (std::isinf(expected[i])) {
            EXPECT_EQ(found[i], -infinity) << how << ", token " << i;
        } else {
            EXPECT_NEAR(double(found[i]), expected[i], 2e-6 + 2e-6 * std::fabs(expected[i])) << how << ", token " << i;
        }
    }
}

template <class Policies, class... Stages>
basic_dynamic_chain<Policies> chain_of(const Stages&... stages) {
    basic_dynamic_chain<Policies> c;
    (c.push(stages), ...);
    return c;
}
template <class Stage>
constexpr bool is_selector = facts_of<Stage>().selects != selecting::no;

/// What a stage leaves, in every way there is: see(tokens, how) is called with each. `start(chain)` makes the history.
template <class Stage, class Start, class See>
void see_every_way(const golden_case& g, const Stage& stage, Start start, See see) {
    for (const bool backwards : {false, true}) {
        auto alone = chain(stage);
        start(alone);
        auto memory = candidates_of(g.logits, backwards);
        candidates c{memory.data(), memory.size(), -1, false};
        EXPECT_TRUE(alone.apply(c).ok()) << alone.last_status().message().c_str();
        see(c, backwards ? "candidates, backwards" : "candidates");
    }
    at_every_width([&](int) {
        if constexpr (is_selector<Stage>) {
            auto selected = chain(stage);
            start(selected);
            see(selected.distribution(g.logits), "row");
            auto narrow = chain_of<reproducible>(all_of_them, stage);
            start(narrow);
            see(narrow.distribution(g.logits), "row, narrowed before");
            auto quick = chain_of<fast>(stage);
            start(quick);
            see(quick.distribution(g.logits), "row, fast");
        } else {
            auto chosen = chain(stage, all_of_them, greedy{});
            start(chosen);
            EXPECT_NE(chosen.peek(g.logits), null_token) << chosen.last_status().message().c_str();
            see(chosen.survivors(), "row");
            auto drawn = chain_of<reproducible>(stage, dist{});
            start(drawn);
            see(drawn.distribution(g.logits), "row, distribution");
            auto narrow = chain_of<reproducible>(all_of_them, stage, dist{});
            start(narrow);
            see(narrow.distribution(g.logits), "row, narrowed before");
            auto quick = chain_of<fast>(stage, dist{});
            start(quick);
            see(quick.distribution(g.logits), "row, fast");
        }
    });
}
constexpr auto from_the_beginning = [](auto&) {};

template <class Stage, class Start>
void expect_ids(const golden_case& g, const Stage& stage, Start start) {
    ASSERT_TRUE(g.has_ids);
    see_every_way(g, stage, start, [&](const auto& tokens, const char* how) {
        auto found = ids_of(tokens);
        // a stage that does not narrow leaves illegal tokens among the candidates
        std::erase_if(found, [&](token_id id) {
            for (const auto& token : tokens)
                if (token.id == id) return token.logit == -infinity;
            return false;
        });
        EXPECT_EQ(found, g.ids) << how;
    });
}
template <class Stage>
void expect_ids(const golden_case& g, const Stage& stage) {
    expect_ids(g, stage, from_the_beginning);
}

/// A distribution leaves out what weighs nothing: more than 20.8 nats under the greatest.
bool leaves_out(const std::vector<double>& logits, double logit) {
    return logit < *std::max_element(logits.begin(), logits.end()) - 20.7;
}
template <class Stage, class Start>
void expect_logits(const golden_case& g, const Stage& stage, Start start) {
    ASSERT_EQ(g.out.size(), g.logits.size());
    see_every_way(g, stage, start, [&](const auto& tokens, const char* how) {
        auto found = logits_of(tokens, g.logits.size());
        auto expected = g.out;
        for (std::size_t i = 0; i < expected.size(); ++i)
            if (found[i] == -infinity && leaves_out(g.out, g.out[i]) && std::string(how).rfind("row,", 0) == 0)
                expected[i] = -INFINITY;
        expect_near(found, expected, how);
    });
}
template <class Stage>
void expect_logits(const golden_case& g, const Stage& stage) {
    expect_logits(g, stage, from_the_beginning);
}

/// Accepts tokens as generated.
auto having_generated(std::size_t count) {
    return [count](auto& c) {
        for (std::size_t i = 0; i < count; ++i) EXPECT_TRUE(c.accept(token_id(i % 3)).state.ok());
    };
}
auto having_generated(const std::vector<token_id>& tokens) {
    return [&tokens](auto& c) {
        for (const token_id token : tokens) EXPECT_TRUE(c.accept(token).state.ok());
    };
}
auto behind_the_prompt(const std::vector<token_id>& tokens) {
    return [&tokens](auto& c) { EXPECT_TRUE(c.prompt(tokens).ok()); };
}

// --- the cases -------------------------------------------------------------------------------------------------------

const std::set<std::string> covered{"cfg",
                                    "contrastive",
                                    "top_a",
                                    "tail_free",
                                    "epsilon_cutoff",
                                    "eta_cutoff",
                                    "p_less",
                                    "p_less_norm",
                                    "top_h",
                                    "min_k",
                                    "typical",
                                    "xtc_fired",
                                    "top_n_sigma",
                                    "min_p",
                                    "top_p",
                                    "mirostat",
                                    "mirostat_v2",
                                    "no_repeat_ngram",
                                    "quadratic",
                                    "dynamic_temperature",
                                    "encoder_repetition_penalty",
                                    "exponential_length_penalty",
                                    "adaptive_p",
                                    "factual_nucleus",
                                    "banned_sequences",
                                    "min_tokens",
                                    "allowed_tokens",
                                    "skew",
                                    "phrase_ban"};

TEST(PublishedVectors, AreAllReadAndAllHaveATest) {
    for (const auto& g : all_cases()) {
        EXPECT_TRUE(covered.count(g.name)) << g.title();
        EXPECT_TRUE(g.has_ids || !g.out.empty()) << g.title();
        for (const token_id id : g.ids) EXPECT_TRUE(g.logits.empty() || std::size_t(id) < g.logits.size()) << g.title();
        EXPECT_TRUE(g.logits2.empty() || g.logits2.size() == g.logits.size()) << g.title();
    }
}

// --- truncations -----------------------------------------------------------------------------------------------------

TEST(PublishedVectors, TopA) {
    for_each_case("top_a", 10, [](const golden_case& g) { expect_ids(g, top_a{.a = g.number_of("a")}); });
}
TEST(PublishedVectors, TailFree) {
    for_each_case("tail_free", 20, [](const golden_case& g) {
        expect_ids(g, tail_free{.z = g.number_of("z"), .centred = g.integer("centred") != 0});
    });
}
TEST(PublishedVectors, EpsilonCutoff) {
    for_each_case("epsilon_cutoff", 10,
                  [](const golden_case& g) { expect_ids(g, epsilon_cutoff{.epsilon = g.number_of("epsilon")}); });
}
TEST(PublishedVectors, EtaCutoff) {
    for_each_case("eta_cutoff", 10,
                  [](const golden_case& g) { expect_ids(g, eta_cutoff{.epsilon = g.number_of("epsilon")}); });
}
TEST(PublishedVectors, PLess) {
    for_each_case("p_less", 10, [](const golden_case& g) { expect_ids(g, p_less{}); });
    for_each_case("p_less_norm", 10, [](const golden_case& g) { expect_ids(g, p_less{.normalised = true}); });
}
TEST(PublishedVectors, TopH) {
    for_each_case("top_h", 20, [](const golden_case& g) {
        expect_ids(g, top_h{.alpha = g.number_of("alpha"), .renormalised = g.integer("renorm") != 0});
    });
}
TEST(PublishedVectors, MinK) {
    for_each_case("min_k", 10, [](const golden_case& g) { expect_ids(g, min_k{.tau = g.number_of("tau")}); });
}
TEST(PublishedVectors, Typical) {
    for_each_case("typical", 10, [](const golden_case& g) { expect_ids(g, typical{.p = g.number_of("p")}); });
}
TEST(PublishedVectors, XtcThatHasFired) {
    for_each_case("xtc_fired", 10, [](const golden_case& g) {
        expect_ids(g, xtc{.probability = 1.0f, .threshold = g.number_of("threshold")});
    });
}
TEST(PublishedVectors, TopNSigma) {
    for_each_case("top_n_sigma", 10, [](const golden_case& g) { expect_ids(g, top_n_sigma{.n = g.number_of("n")}); });
}
TEST(PublishedVectors, MinP) {
    for_each_case("min_p", 10, [](const golden_case& g) { expect_ids(g, min_p{.p = g.number_of("m")}); });
}
TEST(PublishedVectors, TopP) {
    for_each_case("top_p", 10, [](const golden_case& g) { expect_ids(g, top_p{.p = g.number_of("p")}); });
}
TEST(PublishedVectors, MirostatKeepsAtTheStart) {  // where mu is 2 tau
    for_each_case("mirostat", 10, [](const golden_case& g) {
        expect_ids(g, mirostat{.tau = 0.5f * g.number_of("mu"), .m = g.integer("m"), .n_vocab = g.integer("n_vocab")});
    });
}
TEST(PublishedVectors, MirostatV2KeepsAtTheStart) {
    for_each_case("mirostat_v2", 10,
                  [](const golden_case& g) { expect_ids(g, mirostat_v2{.tau = 0.5f * g.number_of("mu")}); });
}
TEST(PublishedVectors, NoRepeatNGram) {
    for_each_case("no_repeat_ngram", 10, [](const golden_case& g) {
        expect_ids(g, no_repeat_ngram{.n = g.integer("n")}, behind_the_prompt(g.history));
        expect_ids(g, no_repeat_ngram{.n = g.integer("n")}, having_generated(g.history));
    });
}
TEST(PublishedVectors, AllowedTokens) {
    for_each_case("allowed_tokens", 5, [](const golden_case& g) {
        const auto tokens = g.tokens("token");
        expect_ids(g, allowed_tokens{token_set(std::span<const token_id>(tokens))});
    });
}
TEST(PublishedVectors, FactualNucleus) {
    for_each_case("factual_nucleus", 20, [](const golden_case& g) {
        const factual_nucleus stage{.p = g.number_of("p"),
                                    .decay = g.number_of("decay"),
                                    .p_min = g.number_of("p_min"),
                                    .resets = {g.integer("reset")}};
        expect_ids(g, stage, having_generated(g.history));
        // the share ahead of every token
        ASSERT_EQ(g.out.size(), g.history.size() + 1);
        auto c = chain(stage, dist{});
        for (std::size_t i = 0;; ++i) {
            const context x(c.state().tokens(), c.state().position(), nullptr);
            EXPECT_NEAR(double(stage.share(x)), g.out[i], 2e-6 * g.out[i]) << "token " << i;
            if (i == g.history.size()) break;
            c.accept(g.history[i]);
        }
    });
}

// --- maps ------------------------------------------------------------------------------------------------------------

TEST(PublishedVectors, Quadratic) {
    for_each_case("quadratic", 20, [](const golden_case& g) {
        expect_logits(g, quadratic{.factor = g.number_of("factor"), .curve = g.number_of("curve")});
    });
}
TEST(PublishedVectors, ClassifierFreeGuidance) {
    for_each_case("cfg", 10, [](const golden_case& g) {
        std::vector<float> row(g.logits.size());
        EXPECT_TRUE(classifier_free_guidance{.scale = g.number_of("scale")}.combine(g.logits, g.logits2, row).ok());
        expect_near(row, g.out, "out of two rows");
    });
}
/// Mode 0 weighs logits, 1 + beta and beta; mode 1 is the difference of log-probabilities. riffle gives both but for a
/// constant.
TEST(PublishedVectors, ContrastiveDecoding) {
    for_each_case("contrastive", 20, [](const golden_case& g) {
        const bool of_logs = g.integer("mode") == 1;
        const float beta = g.number_of("beta");
        const contrastive_decoding both{
            .alpha = g.number_of("alpha"), .expert = of_logs ? 1.0f : 1.0f + beta, .amateur = of_logs ? 1.0f : beta};
        std::vector<float> row(g.logits.size());
        EXPECT_TRUE(both.combine(g.logits, g.logits2, row).ok());
        std::vector<double> expected = g.out;
        for (std::size_t i = 0; i < row.size(); ++i)
            if (std::isfinite(expected[i])) {
                const double constant = double(row[i]) - expected[i];
                for (double& one : expected) one += constant;
                break;
            }
        expect_near(row, expected, "out of two rows");
    });
}
TEST(PublishedVectors, DynamicTemperature) {
    for_each_case("dynamic_temperature", 10, [](const golden_case& g) {
        expect_logits(g, dynamic_temperature{.t = g.number_of("temperature"),
                                             .range = g.number_of("delta"),
                                             .exponent = g.number_of("exponent")});
    });
}
TEST(PublishedVectors, EncoderRepetition) {
    for_each_case("encoder_repetition_penalty", 10, [](const golden_case& g) {
        expect_logits(g, encoder_repetition{.penalty = g.number_of("penalty"),
                                            .tokens = token_set(std::span<const token_id>(g.history))});
    });
}
TEST(PublishedVectors, LengthPenalty) {
    for_each_case("exponential_length_penalty", 10, [](const golden_case& g) {
        expect_logits(
            g, length_penalty{.start = g.integer("start"), .factor = g.number_of("factor"), .ends = {g.integer("eos")}},
            having_generated(std::size_t(g.integer("generated"))));
    });
}
TEST(PublishedVectors, MinTokens) {
    for_each_case("min_tokens", 8, [](const golden_case& g) {
        const auto ends = g.tokens("end");
        expect_logits(g, min_tokens{.count = g.integer("count"), .ends = token_set(std::span<const token_id>(ends))},
                      having_generated(std::size_t(g.integer("generated"))));
    });
}
TEST(PublishedVectors, BannedSequences) {
    for_each_case("banned_sequences", 10, [](const golden_case& g) {
        banned_sequences stage;
        biased_sequence next;
        for (const auto& [key, value] : g.params) {
            if (key == "token") {
                next.tokens.push_back(std::atoi(value.c_str()));
            } else {
                next.bias = std::strtof(value.c_str(), nullptr);
                stage.sequences.push_back(next);
                next.tokens.clear();
            }
        }
        expect_logits(g, stage, behind_the_prompt(g.history));
        expect_logits(g, stage, having_generated(g.history));
    });
}
TEST(PublishedVectors, AdaptiveP) {
    for_each_case("adaptive_p", 10, [](const golden_case& g) {
        const float target = g.number_of("target"), sum = g.number_of("weighted_sum"),
                    weight = g.number_of("total_weight");
        auto memory = candidates_of(g.logits);
        candidates c{memory.data(), memory.size(), -1, false};
        adaptive_p{.target = target}.prepare(c, {sum, weight});
        expect_near(logits_of(c, g.logits.size()), g.out, "with this state");
        // A chain begins with its average at the target: then that is what it wants of the next token.
        const float wanted = weight == 0.0f ? target : std::clamp(2.0f * target - sum / weight, 0.0f, 1.0f);
        expect_logits(g, adaptive_p{.target = wanted});
    });
}

// --- others ----------------------------------------------------------------------------------------------------------

TEST(PublishedVectors, SkewDrawsByItsDistribution) {
    for_each_case("skew", 8, [](const golden_case& g) {
        const skew stage{.amount = g.number_of("amount"), .seed = 77};
        auto alone = chain(stage);
        expect_distribution(
            g.out, 20000, [&](std::size_t) { return alone.sample(g.logits); }, "row");
        auto narrow = chain_of<reproducible>(all_of_them, stage);
        expect_distribution(
            g.out, 20000, [&](std::size_t) { return narrow.sample(g.logits); }, "row, narrowed before");
        auto given = chain(stage);
        expect_distribution(
            g.out, 20000,
            [&](std::size_t i) {
                auto memory = candidates_of(g.logits, i % 2 == 0);
                candidates c{memory.data(), memory.size(), -1, false};
                EXPECT_TRUE(given.apply(c).ok());
                const token_id token = c[std::size_t(c.selected)].id;
                given.accept(token);
                return token;
            },
            "candidates");
    });
}

/// A piece or a phrase as the file spells it.
std::string spelled(std::string word) {
    std::replace(word.begin(), word.end(), '_', ' ');
    return word;
}
TEST(PublishedVectors, PhraseBan) {
    for_each_case("phrase_ban", 12, [](const golden_case& g) {
        vocabulary words;
        std::vector<std::string> phrases;
        for (const auto& [key, value] : g.params) {
            if (key == "piece") words.add(spelled(value));
            else phrases.push_back(spelled(value));
        }
        const std::vector<text> views(phrases.begin(), phrases.end());
        const phrase_ban stage{.vocab = &words, .phrases = phrase_set(std::span<const text>(views))};
        auto from_row = chain(stage, greedy{});
        auto from_candidates = chain(stage, greedy{});
        const std::size_t size = words.size();
        ASSERT_EQ(g.out.size(), g.history.size());
        for (std::size_t i = 0; i < g.history.size(); ++i) {
            std::vector<float> row(size, 0.0f);
            row[std::size_t(g.history[i])] = 1.0f;
            ASSERT_EQ(from_row.sample(row), g.history[i]) << "step " << i;
            ASSERT_EQ(from_row.last_step().rewind, int(g.out[i])) << "step " << i;
            EXPECT_TRUE(from_row.rewind(std::size_t(g.out[i])).ok()) << "step " << i;

            auto memory = candidates_of(row, i % 2 == 1);
            candidates c{memory.data(), memory.size(), -1, false};
            EXPECT_TRUE(from_candidates.apply(c).ok()) << "step " << i;
            ASSERT_EQ(c[std::size_t(c.selected)].id, g.history[i]) << "step " << i;
            const step led_to = from_candidates.accept(g.history[i]);
            ASSERT_EQ(led_to.rewind, int(g.out[i])) << "step " << i;
            EXPECT_TRUE(from_candidates.rewind(std::size_t(g.out[i])).ok()) << "step " << i;
        }
        std::vector<token_id> legal;  // one after the other made the best
        for (std::size_t id = 0; id < size; ++id) {
            std::vector<float> row(size, 0.0f);
            row[id] = 1.0f;
            if (from_row.peek(row) == token_id(id)) legal.push_back(token_id(id));
        }
        EXPECT_EQ(legal, g.ids);
    });
}

}  // namespace
}  // namespace riffle_tests::published
