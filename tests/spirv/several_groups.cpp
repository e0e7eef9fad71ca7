// Rows that several work groups share, interpreted: whichever of them comes first, they tell what one alone would, and
// leave their scratch as they found it.

#include <array>
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "chain/random_stages.hpp"
#include "long_run.hpp"
#include "reference/rows.hpp"
#include "spirv/kernel_run.hpp"

namespace riffle_tests::spirv_several_groups {
namespace {

using namespace riffle;

constexpr std::array orders{group_order::ascending, group_order::descending, group_order::interleaved};
constexpr std::array<std::uint32_t, 5> numbers_of_groups{1, 2, 3, 16, 64};
constexpr std::array<std::size_t, 5> sizes{1, 3, 300, 2000, 9000};

/// Rows of every kind, of lengths from one token to some tiles a group.
void expect_no_faults(dynamic_chain chain, gpu::row_sharing sharing, std::uint32_t dispatches) {
    kernel_run kernel(chain, {.groups_a_row = 0});
    ASSERT_EQ(kernel.on().plan.sharing, sharing);
    ASSERT_EQ(gpu::steps_of(kernel.on().plan, 2, 1).count, dispatches);
    random_integers random(dispatches);
    const std::size_t rows = how_many(1, 20, "rows for each number and order of groups, interpreted");
    for (const std::uint32_t groups : numbers_of_groups)
        for (const group_order order : orders)
            for (std::size_t n = 0; n < rows; ++n) {
                const std::size_t size = sizes[random.below(groups == 64 ? 4 : 5)];  // the interpreter takes its time
                const shape s = all_shapes[random.below(all_shapes.size())];
                const kernel_run::way how{.wants = gpu::wanted(random.below(3)),
                                          .first = std::uint32_t(random.below(8)),
                                          .groups = groups,
                                          .order = order};
                ASSERT_EQ(kernel.faults(make_row(s, size, random.next()), true, how), "")
                    << name_of(s) << " " << size << " behind " << how.first << " words, " << groups << " groups";
            }
}

TEST(SeveralGroups, ShareTheGreatestLogit) {
    expect_no_faults(prompted_chain(greedy{}), gpu::row_sharing::greatest, 1);
}
TEST(SeveralGroups, ShareTheGreatestOfEachPart) {
    expect_no_faults(prompted_chain(top_k{40}, top_p{0.9f}, min_p{0.05f}, temperature{0.8f}, dist{.seed = 1}),
                     gpu::row_sharing::greatest, 1);
    expect_no_faults(prompted_chain(temperature{1.5f}, min_p{0.02f}, dist{.seed = 1}), gpu::row_sharing::greatest, 1);
}
TEST(SeveralGroups, ShareMassesOfADraw) {
    expect_no_faults(prompted_chain(temperature{0.8f}, dist{.seed = 3}), gpu::row_sharing::masses, 2);
}
TEST(SeveralGroups, ShareBinsOfANucleus) {
    expect_no_faults(prompted_chain(temperature{1.2f}, top_p{0.95f}, dist{.seed = 4}), gpu::row_sharing::masses, 2);
    expect_no_faults(prompted_chain(top_p{0.9f}, greedy{}), gpu::row_sharing::masses, 2);
}
TEST(SeveralGroups, ShareWhatTheyDrawByNoise) {
    expect_no_faults(prompted_chain(temperature{0.9f}, gumbel{.seed = 5}), gpu::row_sharing::noise, 1);
}
TEST(SeveralGroups, ShareRowsThatWereEdited) {
    expect_no_faults(prompted_chain(penalties{.repeat = 1.3f}, temperature{0.8f}, dist{.seed = 6}),
                     gpu::row_sharing::masses, 3);
    expect_no_faults(prompted_chain(logit_bias{{{3, 2.0f}, {7, -1.0f}}}, top_k{20}, dist{.seed = 6}),
                     gpu::row_sharing::greatest, 2);
}
TEST(SeveralGroups, ShareNoMassesWhereNobodyAsksForThem) {
    expect_no_faults(prompted_chain(temperature{0.0f}, dist{.seed = 3}), gpu::row_sharing::masses, 2);
    expect_no_faults(prompted_chain(temperature{0.0f}, gumbel{.seed = 3}), gpu::row_sharing::noise, 1);
    expect_no_faults(prompted_chain(top_p{1.0f}, top_k{5}, dist{.seed = 3}), gpu::row_sharing::masses, 2);
}

TEST(SeveralGroups, HaveNoFaultsInRandomChains) {
    random_integers random(11);
    const std::size_t count = how_many(60, 3000, "random kernels of several groups, interpreted");
    for (std::size_t n = 0; n < count;) {
        dynamic_chain chain;
        const auto push = [&](const auto& stage) { std::visit([&](const auto& s) { (void)chain.push(s); }, stage); };
        for (std::size_t i = 1 + random.below(5); i > 0; --i) push(random_stage(random));
        push(random_selector(random));
        (void)chain.prompt(short_prompt);
        kernel_run kernel(chain, {.groups_a_row = 0});
        if (!kernel.on().plan.is_useful() || kernel.on().plan.sharing == gpu::row_sharing::none) continue;
        ++n;
        const shape s = all_shapes[random.below(all_shapes.size())];
        const kernel_run::way how{.wants = gpu::wanted(random.below(3)),
                                  .first = std::uint32_t(random.below(8)),
                                  .groups = 1 + std::uint32_t(random.below(6)),
                                  .order = orders[random.below(3)]};
        const std::size_t size = 1 + random.below(4000);
        ASSERT_EQ(kernel.faults(make_row(s, size, random.next()), true, how), "")
            << name_of(s) << " " << size << ", " << how.groups << " groups, chain " << n << ":" << names_of(chain);
    }
}

}  // namespace
}  // namespace riffle_tests::spirv_several_groups
