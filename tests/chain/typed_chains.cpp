// Longer chains as types: fused, staged and reference agree, and the chain of the same stages made at run time gives
// the same tokens.

#include <cstddef>
#include <vector>

#include <riffle/chain/dynamic_chain.hpp>

#include "chain/pairs.hpp"

namespace riffle_tests::chain_typed_chains {
namespace {

using namespace riffle;

const mask many{std::vector<std::uint32_t>(9000, 0xF7F7F7FEu)};
const mask few{{0x00100108u, 0x80000000u, 0u, 0u, 0u, 0u, 0u, 0u, 0x00000101u}};
const logit_bias biases{{{0, -infinity}, {2, 3.0f}, {17, -1.5f}, {300, 4.0f}}};
const penalties some_penalties{.last_n = 8, .repeat = 1.2f, .frequency = 0.3f, .presence = 0.1f};

/// Rows of every family, three steps each.
void expect_rows_agree(chain_view typed, dynamic_chain& made_at_run_time, reference::model model, std::uint64_t seed) {
    random_integers random(seed);
    constexpr std::array<std::size_t, 7> sizes{1, 31, 256, 300, 1000, 2049, 9000};
    for (const shape s : all_shapes) {
        const std::size_t rows = how_many(2, 500, "rows of each family, 3 steps each");
        for (std::size_t n = 0; n < rows; ++n) {
            const auto row = make_row(s, sizes[random.below(sizes.size())], random.next());
            start(typed, model);
            expect_steps_agree(typed, model, row, name_of(s), 3);
            if (testing::Test::HasFailure()) return;
            typed.reset();
            typed.prompt(short_prompt);
            made_at_run_time.reset();
            made_at_run_time.prompt(short_prompt);
            for (int step = 0; step < 3; ++step) {
                EXPECT_EQ(made_at_run_time.sample(row), typed.sample(row))
                    << name_of(s) << ": " << reference::describe(model);
                EXPECT_EQ(made_at_run_time.last_status().code(), typed.last_status().code());
                if (typed.state().machine().stayed_in_row() != made_at_run_time.state().machine().stayed_in_row())
                    continue;  // what a bridge may leave in the row depends on whether maps can be folded
                const auto left = typed.survivors();
                std::vector<reference::candidate> expected;
                for (const auto& token : left) expected.push_back({token.id, token.logit});
                EXPECT_EQ(difference(made_at_run_time.survivors(), expected), "") << reference::describe(model);
            }
        }
    }
}

template <class... Stages>
void expect_agreement_of(const Stages&... stages) {
    auto typed = chain(stages...);
    dynamic_chain made_at_run_time;
    (made_at_run_time.push(stages), ...);
    expect_rows_agree(view_of(typed), made_at_run_time, {{stages...}, {}}, sizeof(typed));
}

TEST(TypedChains, TheDefaultChain) {
    expect_agreement_of(some_penalties, top_k{40}, top_p{.p = 0.95f}, min_p{.p = 0.05f}, temperature{0.8f}, dist{1});
}
TEST(TypedChains, TemperatureAndDist) { expect_agreement_of(temperature{0.8f}, dist{2}); }
TEST(TypedChains, TemperatureTwiceAndNucleus) {
    expect_agreement_of(temperature{1.25f}, temperature{3.0f}, top_p{.p = 0.7f}, dist{3});
}
TEST(TypedChains, MapsOfBothKindsAndTopK) {
    expect_agreement_of(temperature{1.25f}, soft_cap{5.0f}, temperature{3.0f}, top_k{20}, gumbel{4});
}
TEST(TypedChains, MapsAheadOfAnEdit) {
    expect_agreement_of(temperature{0.7f}, biases, soft_cap{8.0f}, min_p{.p = 0.1f}, dist{5});
}
TEST(TypedChains, EditsOnBothSidesOfAMap) {
    expect_agreement_of(biases, temperature{1.25f}, some_penalties, top_n_sigma{1.0f}, dist{6});
}
TEST(TypedChains, AManyTokenMaskAmongMaps) {
    expect_agreement_of(temperature{1.25f}, many, soft_cap{4.0f}, top_p{.p = 0.9f, .min_keep = 3}, dist{7});
}
TEST(TypedChains, AFewTokenMaskBehindMapsAndEdits) {
    expect_agreement_of(temperature{0.6f}, biases, few, top_k{3}, dist{8});
}
TEST(TypedChains, AFewTokenMaskBehindANarrowingStage) {
    expect_agreement_of(top_k{200}, few, temperature{2.0f}, gumbel{9});
}
TEST(TypedChains, TwoMasks) {
    expect_agreement_of(many, mask{std::vector<std::uint32_t>(9000, 0x55555555u)}, dist{10});
}
TEST(TypedChains, DeviationBehindMaps) {
    expect_agreement_of(soft_cap{6.0f}, temperature{1.0f / 0.8f}, top_n_sigma{2.0f}, gumbel{11});
}
TEST(TypedChains, NarrowingTwiceBySigma) {
    expect_agreement_of(top_n_sigma{3.0f}, top_n_sigma{1.0f}, temperature{3.0f}, dist{12});
}
TEST(TypedChains, EveryCut) {
    expect_agreement_of(top_n_sigma{2.5f}, min_p{.p = 0.01f}, top_p{.p = 0.98f}, top_k{30}, dist{13});
}
TEST(TypedChains, EverythingAtOnce) {
    expect_agreement_of(some_penalties, biases, many, soft_cap{25.0f}, top_k{300}, top_p{.p = 0.99f},
                        min_p{.p = 0.001f}, temperature{1.25f}, dist{14});
}
TEST(TypedChains, StagesThatAreOff) {
    expect_agreement_of(penalties{}, temperature{1.0f}, top_k{0}, top_p{.p = 1.0f}, min_p{.p = 0.0f}, soft_cap{0.0f},
                        top_n_sigma{0.0f}, gumbel{15});
}
TEST(TypedChains, GreedyBehindMapsThatMerge) {
    expect_agreement_of(temperature{3.0f}, soft_cap{2.0f}, temperature{1.25f}, greedy{});
}
TEST(TypedChains, TemperatureZeroInTheMiddle) {
    expect_agreement_of(soft_cap{3.0f}, temperature{0.0f}, temperature{2.0f}, dist{16});
}
TEST(TypedChains, InfiniteTemperature) { expect_agreement_of(temperature{infinity}, top_k{7}, dist{17}); }
TEST(TypedChains, InfiniteTemperatureAndNucleus) {
    expect_agreement_of(temperature{infinity}, top_p{.p = 0.5f}, gumbel{18});
}
TEST(TypedChains, MinKeepAboveTheRest) {
    expect_agreement_of(temperature{1.25f}, min_p{.p = 0.9f, .min_keep = 50}, top_p{.p = 0.1f, .min_keep = 20},
                        dist{19});
}

}  // namespace
}  // namespace riffle_tests::chain_typed_chains
