// Rows of every length, k of every size and work groups of every size; many rows at once, wherever they lie, and twice
// in one command buffer.

#include <array>
#include <limits>
#include <string>
#include <vector>

#include "gpu/agreement.hpp"
#include "long_run.hpp"

namespace riffle_tests::gpu_rows {
namespace {

using namespace riffle;

class RowsOnDevice : public OnDevice {};

constexpr std::array<std::uint32_t, 5> group_sizes{64, 128, 256, 512, 1024};

template <class... Stages>
dynamic_chain chain_of(const Stages&... stages) {
    dynamic_chain chain;
    ((void)chain.push(stages), ...);
    return chain;
}

/// k and rows: all of them at length, else every `step`-th.
void expect_grid_agrees(std::span<const std::size_t> sizes, std::size_t step) {
    std::size_t n = 0;
    for (const std::uint32_t group_size : group_sizes) {
        if (invocations_up_to(group_size) < group_size) break;
        dynamic_chain chain = chain_of(top_k{}, top_p{.p = 0.97f}, temperature{.t = 0.8f}, dist{.seed = 5});
        device_chain on_device(chain, sizes.back(), group_size, 64);
        const std::size_t longest = on_device.runner().kernel().longest_row();
        EXPECT_GT(longest, 200000u);  // on a driver that stops loops, with work groups of 64
        for (const std::size_t asked : sizes) {
            const std::size_t size = std::min(asked, longest);
            for (const std::size_t k : {std::size_t{1}, std::size_t{2}, std::size_t{40}, std::size_t{group_size},
                                        std::size_t{group_size} + 1, std::size_t{1000}, size})
                for (const shape s : all_shapes) {
                    if (n++ % step != 0) continue;
                    chain.get_if<top_k>(0)->k = std::int32_t(k);
                    on_device.expect_agreement(make_row(s, size, n),
                                               std::string(name_of(s)) + " " + std::to_string(size) + ", k " +
                                                   std::to_string(k) + ", group of " + std::to_string(group_size));
                    if (testing::Test::HasFailure()) return;
                }
        }
    }
}
TEST_F(RowsOnDevice, AgreeAtEveryLength) {
    constexpr std::array<std::size_t, 7> sizes{1, 7, 255, 256, 257, 1025, 4097};
    expect_grid_agrees(sizes, long_run("every k and family of rows at lengths to 4097, five work groups") ? 1 : 7);
}
TEST_F(RowsOnDevice, AgreeOnLongRows) {
    constexpr std::array<std::size_t, 4> sizes{32000, 128256, 151936, 262144};
    expect_grid_agrees(sizes, long_run("the same on rows of 32,000 to 262,144") ? 1 : 43);
}

/// What is hardest for a search: every level of it, on the longest row that is asked for, or that the kernel takes from
/// a driver that stops loops.
TEST_F(RowsOnDevice, TheWorstOfRowsEndInTime) {
    for (const std::uint32_t group_size : {64u, 256u}) {
        dynamic_chain chain = chain_of(min_p{.p = 1e-9f}, top_k{.k = 200000}, typical{.p = 0.5f, .min_keep = 150000},
                                       top_p{.p = 0.75f, .min_keep = 100000}, eta_cutoff{.epsilon = 1e-9f},
                                       min_p{.p = 1e-9f, .min_keep = 90000}, top_k{.k = 80001}, dist{.seed = 5});
        device_chain on_device(chain, 262144, group_size, 64);
        const std::size_t size = std::min<std::size_t>(262144, on_device.runner().kernel().longest_row());
        EXPECT_GT(size, group_size == 64 ? 50000u : 131072u);
        for (const shape s : {shape::equal, shape::tied, shape::neighbours, shape::flat, shape::tiny})
            on_device.expect_agreement(make_row(s, size, 3),
                                       std::string(name_of(s)) + ", group of " + std::to_string(group_size));
    }
}

TEST_F(RowsOnDevice, ManyAtOnceWhereverTheyLie) {
    for (const std::size_t count : {std::size_t{1}, std::size_t{2}, std::size_t{7}, std::size_t{64}}) {
        dynamic_chain chain =
            chain_of(logit_bias{{{5, 3.0f}, {999, -illegal_logit}}}, mask{std::vector<std::uint32_t>(40, 0xfff7ffffu)},
                     top_k{.k = 30}, temperature{.t = 0.7f}, dist{.seed = 5});
        device_chain on_device(chain, 1024, 128, 40, count);
        std::vector<std::vector<float>> rows;
        for (std::size_t r = 0; r < count; ++r) rows.push_back(make_row(all_shapes[r % 13], 1000, r));
        for (const std::size_t stride : {std::size_t{1000}, std::size_t{1003}, std::size_t{1024}}) {
            on_device.expect_agreement(rows, stride, 1, std::to_string(count) + " rows");
            on_device.expect_agreement(rows, stride, 2, std::to_string(count) + " rows, twice");
        }
    }
}

TEST_F(RowsOnDevice, SurvivorsThatFindNoRoomAreCounted) {
    for (const std::size_t room : {std::size_t{0}, std::size_t{1}, std::size_t{5}, std::size_t{3000}}) {
        dynamic_chain chain = chain_of(top_k{.k = 1000}, temperature{.t = 0.7f}, gumbel{.seed = 5});
        device_chain on_device(chain, 3000, 256, room);
        for (const shape s : all_shapes) on_device.expect_agreement(make_row(s, 3000, 9), name_of(s));
        chain.get_if<top_k>(0)->k = 20;
        for (const shape s : all_shapes) on_device.expect_agreement(make_row(s, 3000, 9), name_of(s));
    }
}

}  // namespace
}  // namespace riffle_tests::gpu_rows
