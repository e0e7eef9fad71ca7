#pragma once
// Chains as types, whose modules the C++ compiler made: what may stand ahead of a cut, each cut, each selector.

#include <algorithm>
#include <string>

#include "gpu/agreement.hpp"
#include "reference/variants.hpp"

namespace riffle_tests {

template <>
inline std::vector<slanted> variants_of() {
    return {{0.5f}, {1.0f}, {0.0f}, {3.0f}};
}

/// Some stages of these types in the same chain put together at run time, which has the reference's answers.
template <class... Stages>
riffle::dynamic_chain random_variants(random_integers& random) {
    riffle::dynamic_chain chain;
    const auto push = [&](const auto& variants) {
        (void)chain.push(variants[random.below(std::uint32_t(variants.size()))]);
    };
    (push(variants_of<Stages>()), ...);
    (void)chain.prompt(short_prompt);
    return chain;
}

template <class... Stages>
void expect_typed_chain_agrees() {
    using on_device = riffle::gpu::chain_on_device<riffle::pipeline<riffle::reproducible, Stages...>>;
    static_assert(on_device::plan.chooses_token());
    constexpr auto& words = riffle::gpu::spirv_v<riffle::pipeline<riffle::reproducible, Stages...>>;
    random_integers random(words.size());
    riffle::dynamic_chain chain = random_variants<Stages...>(random);
    device_chain on(chain, 1000, 64u << random.below(5));
    on.use(words);
    ASSERT_EQ(on.plan(), on_device::plan);
    ASSERT_EQ(on.on().layout.words, on_device::layout.words);
    for (const shape s : all_shapes) {
        do chain = random_variants<Stages...>(random);
        while (!chain.last_status().ok());
        std::string what = name_of(s);
        for (std::size_t i = 0; i < chain.view().size(); ++i) what += std::string(", ") + chain.view().name(i);
        on.expect_agreement(make_row(s, 1 + random.below(1000), random.next()), what);
        if (testing::Test::HasFailure()) return;
    }
}

template <class... Stages>
void expect_selectors_agree_behind() {
    expect_typed_chain_agrees<Stages..., riffle::greedy>();
    expect_typed_chain_agrees<Stages..., riffle::dist>();
    expect_typed_chain_agrees<Stages..., riffle::gumbel>();
}
/// 24 chains.
template <class... Front>
void expect_typed_chains_agree_behind() {
    using namespace riffle;
    expect_selectors_agree_behind<Front...>();
    expect_selectors_agree_behind<Front..., top_k>();
    expect_selectors_agree_behind<Front..., top_p>();
    expect_selectors_agree_behind<Front..., min_p, temperature>();
    expect_selectors_agree_behind<Front..., top_n_sigma>();
    expect_selectors_agree_behind<Front..., epsilon_cutoff, top_p>();
    expect_selectors_agree_behind<Front..., eta_cutoff>();
    expect_selectors_agree_behind<Front..., xtc, min_p>();
}

class TypedChainsOnDevice : public OnDevice {};

}  // namespace riffle_tests
