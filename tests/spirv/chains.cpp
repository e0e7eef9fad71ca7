// The kernels of chains of every kind, interpreted: what may stand ahead of a cut, each cut, each selector. All that
// they tell of a row is held to the chain's stages, wherever the row lies.

#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "chain/run_time.hpp"
#include "long_run.hpp"
#include "reference/rows.hpp"
#include "reference/variants.hpp"
#include "spirv/kernel_run.hpp"

namespace riffle_tests::spirv_chains {
namespace {

using namespace riffle;

using push_stage = void (*)(dynamic_chain& chain, random_integers& random);
template <class S>
void push(dynamic_chain& chain, random_integers& random) {
    const auto variants = variants_of<S>();
    (void)chain.push(variants[random.below(std::uint32_t(variants.size()))]);
}
struct part {
    const char* name;
    std::vector<push_stage> stages;
};
const std::array fronts{part{"nothing", {}},
                        part{"temperature", {push<temperature>}},
                        part{"logit_bias", {push<logit_bias>}},
                        part{"penalties", {push<penalties>}},
                        part{"mask", {push<mask>}},
                        part{"soft_cap", {push<soft_cap>}},
                        part{"quadratic", {push<quadratic>}},
                        part{"mask, temperature", {push<mask>, push<temperature>}},
                        part{"temperature, mask", {push<temperature>, push<mask>}}};
const std::array cuts{
    part{"nothing", {}},
    part{"top_k", {push<top_k>}},
    part{"top_p", {push<top_p>}},
    part{"min_p, temperature", {push<min_p>, push<temperature>}},
    part{"top_n_sigma", {push<top_n_sigma>}},
    part{"epsilon_cutoff, top_p", {push<epsilon_cutoff>, push<top_p>}},
    part{"eta_cutoff", {push<eta_cutoff>}},
    part{"xtc, min_p", {push<xtc>, push<min_p>}},
    part{"typical, top_k", {push<typical>, push<top_k>}},
    part{"top_k, top_p, min_p, temperature", {push<top_k>, push<top_p>, push<min_p>, push<temperature>}}};
const std::array selectors{part{"greedy", {push<greedy>}}, part{"dist", {push<dist>}}, part{"gumbel", {push<gumbel>}}};

/// With other parameters each time.
dynamic_chain chain_of(const part& front, const part& cut, const part& selector, random_integers& random) {
    dynamic_chain chain;
    do {
        chain = dynamic_chain();
        for (const part* p : {&front, &cut, &selector})
            for (const push_stage stage : p->stages) stage(chain, random);
        (void)chain.prompt(short_prompt);
    } while (!chain.last_status().ok());
    return chain;
}

void expect_agreement(const part& front, const part& cut, const part& selector, random_integers& random,
                      std::size_t rows) {
    dynamic_chain chain = chain_of(front, cut, selector, random);
    kernel_run kernel(chain, {});
    ASSERT_TRUE(kernel.on().plan.chooses_token());
    for (std::size_t n = 0; n < rows; ++n) {
        if (n > 0) chain = chain_of(front, cut, selector, random);
        const shape s = all_shapes[random.below(all_shapes.size())];
        const std::size_t size = 1 + random.below(random.below(6) == 0 ? 2500 : 300);
        const auto first = std::uint32_t(random.below(8));
        const std::uint32_t group_size = 64u << random.below(3);
        const auto wants = gpu::wanted(random.below(3));
        const kernel_run::way how{.group_size = group_size, .wants = wants, .first = first};
        EXPECT_EQ(kernel.faults(make_row(s, size, random.next()), true, how), "")
            << name_of(s) << " " << size << " behind " << first << " words, group of " << group_size << ": "
            << front.name << "; " << cut.name << "; " << selector.name;
        if (testing::Test::HasFailure()) return;
    }
}

TEST(ChainsInterpreted, TellWhatTheirStagesHave) {
    random_integers random(1);
    const std::size_t rows = how_many(2, 60, "rows for each of 270 kernels, interpreted");
    for (const part& front : fronts)
        for (const part& cut : cuts)
            for (const part& selector : selectors) {
                expect_agreement(front, cut, selector, random, rows);
                if (testing::Test::HasFailure()) return;
            }
}

}  // namespace
}  // namespace riffle_tests::spirv_chains
