// Chains as types in which the newer stages stand ahead of the bridge, as the bridge behind maps, edits and masks
// (which a typed chain folds), and behind other stages that narrow: fused, staged and reference agree.

#include <cstddef>
#include <vector>

#include "chain/pairs.hpp"

namespace riffle_tests {
namespace {

using namespace riffle;

const mask many{std::vector<std::uint32_t>(9000, 0xF7F7F7FEu)};
const logit_bias biases{{{0, -infinity}, {2, 3.0f}, {17, -1.5f}, {300, 4.0f}}};
const penalties some_penalties{.last_n = 8, .repeat = 1.2f, .frequency = 0.3f, .presence = 0.1f};
const temperature cool{0.8f}, hot{3.0f};

/// Rows of every family, four steps each.
void expect_rows_agree(chain_view c, reference::model model, std::uint64_t seed) {
    random_integers random(seed);
    constexpr std::array<std::size_t, 7> sizes{1, 2, 31, 256, 300, 1000, 5000};
    for (const shape s : all_shapes) {
        const std::size_t rows = how_many(3, 600, "rows of each family, 4 steps each");
        for (std::size_t n = 0; n < rows; ++n) {
            start(c, model);
            const auto row = make_row(s, sizes[random.below(sizes.size())], random.next());
            expect_steps_agree(c, model, row, name_of(s), 4);
            if (testing::Test::HasFailure()) return;
        }
    }
}

template <class... Stages>
void expect_steps_agree(const Stages&... stages) {
    auto c = chain(stages...);
    expect_rows_agree(view_of(c), {{stages...}, {}}, sizeof(c) + sizeof...(Stages));
}

// ---- the bridge behind maps, edits and masks

TEST(TypedSoftmaxChains, TypicalBehindATemperature) { expect_steps_agree(cool, typical{.p = 0.6f}, dist{1}); }
TEST(TypedSoftmaxChains, TypicalBehindEverythingWide) {
    expect_steps_agree(some_penalties, hot, biases, many, soft_cap{9.0f}, typical{.p = 0.9f, .min_keep = 3}, dist{2});
}
TEST(TypedSoftmaxChains, EpsilonBehindTwoMaps) {
    expect_steps_agree(soft_cap{20.0f}, cool, epsilon_cutoff{.epsilon = 0.01f, .min_keep = 2}, gumbel{3});
}
TEST(TypedSoftmaxChains, EtaBehindAnEditAndAMap) {
    expect_steps_agree(biases, hot, eta_cutoff{.epsilon = 0.02f}, dist{4});
}
TEST(TypedSoftmaxChains, TopABehindAMaskAndAMap) {
    expect_steps_agree(many, temperature{1.7f}, top_a{.a = 0.05f}, dist{5});
}
TEST(TypedSoftmaxChains, PLessBehindMapsOfBothKinds) {
    expect_steps_agree(hot, soft_cap{3.0f}, p_less{}, dist{6});
    expect_steps_agree(hot, soft_cap{3.0f}, p_less{.normalised = true}, dist{6});
}
TEST(TypedSoftmaxChains, MinKBehindAnInfiniteTemperature) {
    expect_steps_agree(temperature{infinity}, min_k{}, dist{7});
}
TEST(TypedSoftmaxChains, MinKBehindMapsThatMerge) {
    expect_steps_agree(hot, some_penalties, soft_cap{2.0f}, min_k{.tau = 8.0f}, gumbel{7});
}
TEST(TypedSoftmaxChains, TopHBehindATemperature) {
    expect_steps_agree(cool, top_h{.alpha = 0.6f, .min_keep = 2}, dist{8});
    expect_steps_agree(cool, top_h{.alpha = 0.6f, .renormalised = true}, dist{8});
}
TEST(TypedSoftmaxChains, TailFreeBehindASoftCapAndAMask) {
    expect_steps_agree(soft_cap{5.0f}, many, tail_free{.z = 0.9f, .min_keep = 4}, dist{9});
}
TEST(TypedSoftmaxChains, FactualNucleusBehindATemperature) {
    expect_steps_agree(cool, factual_nucleus{.p = 0.95f, .decay = 0.6f, .p_min = 0.2f, .resets = {2, 5}}, dist{10});
}
TEST(TypedSoftmaxChains, MirostatBehindATemperatureAndPenalties) {
    expect_steps_agree(some_penalties, cool, mirostat{.tau = 3.0f, .eta = 0.5f, .m = 20, .n_vocab = 1000, .seed = 11});
}
TEST(TypedSoftmaxChains, MirostatV2BehindASoftCap) {
    expect_steps_agree(biases, soft_cap{10.0f}, mirostat_v2{.tau = 2.0f, .eta = 0.7f, .seed = 12});
}
TEST(TypedSoftmaxChains, AdaptivePBehindMapsAndAMask) {
    expect_steps_agree(cool, many, soft_cap{12.0f}, adaptive_p{.target = 0.3f, .decay = 0.7f, .seed = 13});
}
TEST(TypedSoftmaxChains, SkewBehindATemperatureAlone) { expect_steps_agree(cool, skew{.amount = 0.7f, .seed = 14}); }
TEST(TypedSoftmaxChains, AllowedTokensBehindMaps) {
    expect_steps_agree(cool, biases, allowed_tokens{{0, 2, 17, 40, 300}}, dist{15});
    expect_steps_agree(cool, biases, allowed_tokens{ids_between(0, 6000, 2)}, dist{15});
}

// ---- ahead of the bridge

TEST(TypedSoftmaxChains, AdjustmentsAheadOfMapsAndACut) {
    expect_steps_agree(cool, dynamic_temperature{.t = 1.0f, .range = 0.7f}, soft_cap{15.0f}, min_p{.p = 0.05f},
                       dist{16});
    expect_steps_agree(quadratic{.factor = 0.2f, .curve = 1.6f}, hot, top_p{.p = 0.8f}, dist{16});
    expect_steps_agree(hot, xtc{.probability = 0.7f, .threshold = 0.02f}, temperature{0.7f}, dist{16});
}
TEST(TypedSoftmaxChains, AdjustmentsThatDoNotKeepTheOrder) {
    expect_steps_agree(some_penalties, quadratic{.factor = 0.4f, .curve = 4.0f}, cool, top_k{12}, dist{17});
    expect_steps_agree(cool, quadratic{.factor = 0.4f, .curve = -2.0f}, soft_cap{9.0f}, typical{.p = 0.8f}, gumbel{17});
}
TEST(TypedSoftmaxChains, TwoXtcDrawApart) {
    expect_steps_agree(xtc{.probability = 0.5f, .threshold = 0.05f, .seed = 4}, hot,
                       xtc{.probability = 0.5f, .threshold = 0.01f, .seed = 4}, p_less{}, dist{18});
}
TEST(TypedSoftmaxChains, AdjustmentsAheadOfAFewTokenMask) {
    expect_steps_agree(quadratic{.factor = 0.4f}, allowed_tokens{{0, 2, 17, 40, 300}}, dist{19});
    expect_steps_agree(cool, dynamic_temperature{.t = 1.0f, .range = 0.7f}, allowed_tokens{{1, 3, 18, 41, 301}},
                       dist{19});
    expect_steps_agree(xtc{.probability = 1.0f, .threshold = 0.02f}, hot, allowed_tokens{{1, 2, 3, 4, 250}}, dist{19});
}
TEST(TypedSoftmaxChains, AdjustmentsAheadOfLearners) {
    expect_steps_agree(xtc{.probability = 0.8f, .threshold = 0.05f}, cool, mirostat_v2{.tau = 2.0f, .seed = 20});
    expect_steps_agree(dynamic_temperature{.t = 1.0f, .range = 0.9f}, soft_cap{8.0f},
                       adaptive_p{.target = 0.2f, .seed = 20});
    expect_steps_agree(quadratic{}, cool, mirostat{.tau = 4.0f, .n_vocab = 5000, .seed = 20});
}
TEST(TypedSoftmaxChains, EditsByHistoryAheadOfFoldedMaps) {
    expect_steps_agree(dry{.multiplier = 2.0f, .allowed_length = 1, .breakers = {{0}}}, cool, no_repeat_ngram{.n = 2},
                       soft_cap{9.0f}, typical{.p = 0.9f}, dist{21});
    expect_steps_agree(cool, min_tokens{.count = 2, .ends = {0, 2, 5}}, hot,
                       length_penalty{.start = 1, .factor = 1.4f, .ends = {0, 2, 5}}, temperature{0.9f},
                       mirostat_v2{.tau = 3.0f, .seed = 21});
    expect_steps_agree(soft_cap{9.0f}, banned_sequences{{{{1, 2}}, {{1, 1, 3}, 2.0f}, {{4}, -1.0f}}}, cool,
                       encoder_repetition{.penalty = 1.5f, .tokens = {1, 3, 5, 7}}, hot, eta_cutoff{.epsilon = 0.03f},
                       dist{21});
}

// ---- behind stages that narrow

TEST(TypedSoftmaxChains, EverySoftmaxCutBehindATopK) {
    expect_steps_agree(top_k{200}, typical{.p = 0.95f}, epsilon_cutoff{.epsilon = 1e-4f}, eta_cutoff{.epsilon = 1e-4f},
                       cool, top_a{.a = 0.01f}, tail_free{.z = 0.99f}, top_h{.alpha = 0.9f}, dist{22});
}
TEST(TypedSoftmaxChains, SoftmaxCutsOneAfterTheOther) {
    expect_steps_agree(cool, eta_cutoff{.epsilon = 1e-4f}, hot, min_k{.tau = 40.0f}, soft_cap{9.0f},
                       typical{.p = 0.99f}, p_less{}, dist{23});
}
TEST(TypedSoftmaxChains, InfillAndTextBehindNarrowing) {
    const infill fill = variants_of<infill>()[0];
    const phrase_ban ban = variants_of<phrase_ban>()[0];
    expect_steps_agree(ban, cool, top_k{40}, top_p{.p = 0.99f}, fill, dist{24});
    expect_steps_agree(ban, hot, top_k{9}, fill, mirostat_v2{.seed = 24});
}
TEST(TypedSoftmaxChains, SelectorsThatNarrowBehindNarrowing) {
    expect_steps_agree(top_k{100}, cool, mirostat{.tau = 3.0f, .m = 10, .n_vocab = 300, .seed = 25});
    expect_steps_agree(top_p{.p = 0.98f}, xtc{.probability = 0.6f}, mirostat_v2{.tau = 2.0f, .seed = 25});
    expect_steps_agree(min_p{.p = 0.02f}, quadratic{}, adaptive_p{.target = 0.4f, .seed = 25});
    expect_steps_agree(typical{.p = 0.9f}, dynamic_temperature{.range = 0.5f}, skew{.amount = -0.5f, .seed = 25});
}

}  // namespace
}  // namespace riffle_tests
