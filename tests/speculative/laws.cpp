// Texts that are drafted and verified have the law that they have without drafts, whatever the verifier, the draft and
// the stages: counted, over texts of three tokens.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "long_run.hpp"
#include "speculative/engine.hpp"

namespace riffle_tests::speculative_laws {
namespace {

using namespace riffle;

constexpr std::size_t length = 3;

std::size_t texts_a_case() { return how_many(2000, 1000000, "texts for each verifier, draft and chain"); }

/// Another seed for whatever draws in a chain.
template <class Chain>
void set_seed(Chain& chain, std::uint64_t seed) {
    const auto& stages = chain.view();
    const auto set = [&]<class S>(const stage_ref& s, const S*) {
        if (S* const spec = spec_as<S>(s)) spec->seed = seed;
    };
    for (std::size_t i = 0; i < stages.size(); ++i) {
        set(stages[i], static_cast<dist*>(nullptr));
        set(stages[i], static_cast<gumbel*>(nullptr));
        set(stages[i], static_cast<skew*>(nullptr));
        set(stages[i], static_cast<xtc*>(nullptr));
        set(stages[i], static_cast<mirostat*>(nullptr));
        set(stages[i], static_cast<mirostat_v2*>(nullptr));
        set(stages[i], static_cast<adaptive_p*>(nullptr));
    }
}
template <class Verifier>
Verifier with_seed(std::uint64_t seed) {
    Verifier how{};
    if constexpr (requires { how.seed; }) how.seed = seed;
    return how;
}

/// Texts by plain sampling.
template <class Chain>
text_counts plain(const Chain& begun, const small_model& model, std::size_t texts) {
    text_counts counts(length);
    Chain chain = begun;
    std::vector<token_id> text;
    for (std::size_t n = 0; n < texts; ++n) {
        chain.reset();
        set_seed(chain, n + (std::uint64_t{1} << 40));
        text.clear();
        while (text.size() < length) {
            const token_id token = chain.sample(model.row(text, {}));
            if (token < 0) return counts;
            text.push_back(token);
        }
        counts.add(text);
    }
    return counts;
}

/// Texts by drafting so many tokens a round, and verifying them. Chain, draft and verifier have one seed.
template <class Verifier, class Chain>
text_counts drafted(const Chain& begun, const small_model& model, drafting how, std::size_t most, std::size_t texts) {
    text_counts counts(length);
    Chain chain = begun;
    auto of_draft = top_k{4} | temperature{1.3f} | dist{};
    const small_model draft_model(7, how == drafting::far ? 4.0f : 0.7f);
    speculator<Verifier> verifier;
    draft proposed;
    std::vector<token_id> text;
    std::vector<token_probability> law;
    for (std::size_t n = 0; n < texts; ++n) {
        integers random(n);
        chain.reset();
        of_draft.reset();
        set_seed(chain, n);
        set_seed(of_draft, n);
        verifier.how() = with_seed<Verifier>(n);
        text.clear();
        while (text.size() < length) {
            proposed.clear();
            const checkpoint begin = of_draft.mark();
            for (std::size_t i = 0; i < most; ++i) {
                const auto row = draft_model.row(text, proposed.tokens());
                if (how == drafting::by_chain) {
                    draft_from(of_draft, row, proposed);
                } else if (how == drafting::certain) {
                    proposed.push(token_id(random.below(small_model::vocabulary)));
                } else {
                    const token_id token = draw(row, random, law);
                    proposed.push(token, law);
                }
            }
            EXPECT_TRUE(of_draft.rollback(begin));
            const auto row_behind = [&](std::size_t i) { return model.row(text, proposed.tokens().first(i)); };
            const verified& round = verifier.verify(chain, proposed, row_behind);
            EXPECT_TRUE(round.state) << round.state.message().c_str();
            if (round.tokens.empty()) return counts;
            for (const token_id token : round.tokens) {
                text.push_back(token);
                of_draft.accept(token);
            }
        }
        counts.add(text);
    }
    return counts;
}

template <class Verifier, class Chain>
void expect_law(const Chain& chain, const text_counts& expected, const std::string& what) {
    const small_model model(7);
    for (const drafting how : {drafting::near, drafting::far, drafting::certain, drafting::by_chain})
        for (std::size_t most = 1; most <= 3; ++most) {
            const text_counts found = drafted<Verifier>(chain, model, how, most, texts_a_case());
            EXPECT_LT(deviation_of(found, expected), 5.0)
                << what << ", " << most << " tokens drafted, " << name_of(how) << ", " << found.total() << " texts";
        }
}
template <class Chain>
void expect_laws_of_type(const Chain& chain, const char* what) {
    const text_counts expected = plain(chain, small_model(7), 3 * texts_a_case());
    ASSERT_GT(expected.total(), 0.0) << what;
    expect_law<match>(chain, expected, std::string("match, ") + what);
    expect_law<rejection>(chain, expected, std::string("rejection, ") + what);
    expect_law<block_verification>(chain, expected, std::string("block verification, ") + what);
}

/// Most chains are put together at run time, or every verifier would be compiled for each of them.
void expect_laws(const dynamic_chain& chain, const char* what) { expect_laws_of_type(chain, what); }

TEST(LawsOfTexts, OfTemperature) { expect_laws_of_type(temperature{0.9f} | dist{}, "temperature"); }
TEST(LawsOfTexts, OfNuclei) { expect_laws_of_type(top_p{.p = 0.8f} | dist{}, "top_p"); }
TEST(LawsOfTexts, OfMasksAndBiases) {
    expect_laws(made_of(logit_bias{{{0, 1.0f}, {3, -1.0f}}}, mask{{0b11101u}}, dist{}), "mask and bias");
}
TEST(LawsOfTexts, OfPenalties) { expect_laws(made_of(penalties{.last_n = 2, .repeat = 2.5f}, dist{}), "penalties"); }
TEST(LawsOfTexts, OfDry) {
    expect_laws(made_of(dry{.multiplier = 2.0f, .base = 1.75f, .allowed_length = 1}, dist{}), "dry");
}
TEST(LawsOfTexts, OfXtc) { expect_laws(made_of(xtc{.probability = 0.5f, .threshold = 0.2f}, dist{}), "xtc"); }
TEST(LawsOfTexts, OfTypical) { expect_laws(made_of(typical{.p = 0.7f}, dist{}), "typical"); }
TEST(LawsOfTexts, OfGumbel) { expect_laws(made_of(temperature{1.1f}, gumbel{}), "gumbel"); }
TEST(LawsOfTexts, OfSkew) { expect_laws(made_of(top_k{4}, skew{.amount = 0.4f}), "skew"); }
TEST(LawsOfTexts, OfMirostat) {
    expect_laws(made_of(mirostat{.tau = 1.2f, .eta = 0.8f, .m = 3, .n_vocab = 5}), "mirostat");
}
TEST(LawsOfTexts, OfMirostatV2) { expect_laws(made_of(mirostat_v2{.tau = 0.8f, .eta = 0.9f}), "mirostat_v2"); }
TEST(LawsOfTexts, OfAdaptiveP) { expect_laws_of_type(chain(adaptive_p{.target = 0.3f, .decay = 0.5f}), "adaptive_p"); }
TEST(LawsOfTexts, OfDynamicChains) {
    expect_laws(
        made_of(penalties{.last_n = 3, .presence = 0.8f}, temperature{0.8f}, mirostat_v2{.tau = 0.9f, .eta = 0.7f}),
        "a dynamic chain");
    expect_laws_of_type(any_pipeline(min_p{.p = 0.1f} | (temperature{0.8f} | adaptive_p{.target = 0.4f})),
                        "a nested chain");
}

}  // namespace
}  // namespace riffle_tests::speculative_laws
