// Rows of 16-bit logits, interpreted: what a kernel tells of one is what it would tell of the row of the floats that
// they are, wherever the row begins.

#include <array>
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "chain/random_stages.hpp"
#include "long_run.hpp"
#include "reference/rows.hpp"
#include "spirv/kernel_run.hpp"

namespace riffle_tests::spirv_half_rows {
namespace {

using namespace riffle;

constexpr std::array formats{logit_format::float16, logit_format::bfloat16};
constexpr std::array<std::size_t, 10> sizes{1, 2, 7, 8, 9, 64, 255, 300, 2000, 5000};

void expect_no_faults(dynamic_chain chain) {
    for (const auto format : formats)
        for (const std::uint32_t groups : {1u, 3u}) {
            kernel_run kernel(chain, {.groups_a_row = groups == 1 ? 1u : 0u, .logits = format});
            random_integers random(groups);
            const std::size_t rows = how_many(1, 20, "rows for each size, format and shape, interpreted");
            for (const std::size_t size : sizes)
                for (std::size_t n = 0; n < rows; ++n) {
                    const shape s = all_shapes[random.below(all_shapes.size())];
                    const kernel_run::way how{.group_size = size > 1000 ? 64u << random.below(3) : 64u,
                                              .wants = gpu::wanted(random.below(3)),
                                              .first = std::uint32_t(random.below(20)),
                                              .groups = groups,
                                              .order = groups == 1 ? group_order::ascending : group_order::descending};
                    ASSERT_EQ(kernel.faults(make_row(s, size, random.next()), true, how), "")
                        << name_of(s) << " " << size << " behind " << how.first << ", format " << int(format) << ", "
                        << groups << " groups";
                }
        }
}

TEST(HalfRowsOnDevice, TheGreatest) { expect_no_faults(prompted_chain(greedy{})); }
TEST(HalfRowsOnDevice, TheUsualChain) {
    expect_no_faults(prompted_chain(top_k{40}, top_p{0.9f}, min_p{0.05f}, temperature{0.8f}, dist{.seed = 1}));
}
TEST(HalfRowsOnDevice, Cuts) {
    expect_no_faults(prompted_chain(temperature{1.5f}, min_p{0.02f}, dist{.seed = 1}));
    expect_no_faults(prompted_chain(temperature{1.2f}, top_p{0.95f}, dist{.seed = 4}));
    expect_no_faults(prompted_chain(top_n_sigma{1.0f}, typical{0.9f}, dist{.seed = 4}));
}
TEST(HalfRowsOnDevice, Draws) {
    expect_no_faults(prompted_chain(temperature{0.8f}, dist{.seed = 3}));
    expect_no_faults(prompted_chain(temperature{0.9f}, gumbel{.seed = 5}));
}
TEST(HalfRowsOnDevice, EditsAreMadeInACopy) {
    expect_no_faults(prompted_chain(penalties{.repeat = 1.3f}, temperature{0.8f}, dist{.seed = 6}));
    expect_no_faults(
        prompted_chain(logit_bias{{{3, 2.0f}, {7, -1.0f}, {1000, 5.0f}, {4097, 3.0f}}}, top_k{20}, dist{.seed = 6}));
    expect_no_faults(prompted_chain(logit_bias{{{0, illegal_logit}, {1, 9.0f}}}, greedy{}));
}

TEST(HalfRowsOnDevice, HaveNoFaultsInRandomChains) {
    random_integers random(21);
    const std::size_t count = how_many(100, 5000, "random kernels of 16-bit rows, interpreted");
    for (std::size_t n = 0; n < count;) {
        dynamic_chain chain;
        const auto push = [&](const auto& stage) { std::visit([&](const auto& s) { (void)chain.push(s); }, stage); };
        for (std::size_t i = random.below(5); i > 0; --i) push(random_stage(random));
        push(random_selector(random));
        (void)chain.prompt(short_prompt);
        const bool is_shared = random.below(2) != 0;
        kernel_run kernel(chain, {.groups_a_row = is_shared ? 0u : 1u, .logits = formats[random.below(2)]});
        if (!kernel.on().plan.is_useful() || (is_shared && kernel.on().plan.sharing == gpu::row_sharing::none))
            continue;
        const shape s = all_shapes[random.below(all_shapes.size())];
        const kernel_run::way how{.wants = gpu::wanted(random.below(3)),
                                  .first = std::uint32_t(random.below(9)),
                                  .groups = is_shared ? 2u : 1u};
        ASSERT_EQ(kernel.faults(make_row(s, 1 + random.below(700), random.next()), true, how), "")
            << names_of(chain) << ", " << name_of(s) << ", chain " << n;
        ++n;
    }
}

}  // namespace
}  // namespace riffle_tests::spirv_half_rows
