// Rows that several work groups share, on the device: whatever their number, they tell what the chain's stages have.

#include <array>
#include <string>
#include <vector>

#include <riffle/llama_exact.hpp>

#include "gpu/agreement.hpp"

namespace riffle_tests::gpu_several_groups {
namespace {

using namespace riffle;

class SeveralGroupsOnDevice : public OnDevice {};

constexpr std::array<std::uint32_t, 5> numbers_of_groups{1, 2, 3, 16, 64};

/// Rows of every shape, alone and several at once, run once or twice in one command buffer.
void expect_rows_agree(dynamic_chain chain) {
    constexpr std::array<std::size_t, 5> sizes{1, 5, 300, 9001, 40000};
    device_chain on_device(chain, sizes.back(), 256, 64, 4);
    on_device.share_rows();
    ASSERT_NE(on_device.plan().sharing, gpu::row_sharing::none);
    random_integers random(5);
    for (const std::uint32_t groups : numbers_of_groups)
        for (const std::size_t size : sizes)
            for (const std::size_t count : {1u, 4u}) {
                on_device.use_groups(groups);
                std::vector<std::vector<float>> rows(count);
                std::string what = std::to_string(groups) + " groups, " + std::to_string(size) + " logits:";
                for (auto& row : rows) {
                    const shape s = all_shapes[random.below(all_shapes.size())];
                    row = make_row(s, size, random.next());
                    what += std::string(" ") + name_of(s);
                }
                on_device.expect_agreement(rows, size, 1 + int(random.below(2)), what);
                if (testing::Test::HasFailure()) return;
            }
}

TEST_F(SeveralGroupsOnDevice, ShareTheGreatestLogit) {
    expect_rows_agree(prompted_chain(greedy{}));
    expect_rows_agree(prompted_chain(logit_bias{{{3, 2.0f}, {7, -1.0f}}}, top_k{40}, top_p{0.9f}, temperature{0.8f},
                                     dist{.seed = 1}));
}
TEST_F(SeveralGroupsOnDevice, ShareMasses) {
    expect_rows_agree(prompted_chain(penalties{.repeat = 1.3f}, temperature{0.8f}, dist{.seed = 3}));
    expect_rows_agree(prompted_chain(temperature{1.2f}, top_p{0.95f}, dist{.seed = 4}));
}
TEST_F(SeveralGroupsOnDevice, ShareWhatTheyDrawByNoise) {
    expect_rows_agree(prompted_chain(temperature{0.9f}, gumbel{.seed = 5}));
}

TEST_F(SeveralGroupsOnDevice, AreAsManyAsSuitTheRows) {
    dynamic_chain chain = prompted_chain(temperature{0.8f}, dist{.seed = 3});
    const known_stages on(chain);
    gpu::kernel one, any, seven;
    ASSERT_TRUE(one.create(test_device().context(), on).ok());
    EXPECT_EQ(one.groups(1, 131072), 1u);
    EXPECT_EQ(one.dispatches(), 1u);
    EXPECT_EQ(one.binding_count(), 3u);
    EXPECT_EQ(one.saved_bytes(10, 0, 32000), 0u);
    ASSERT_TRUE(any.create(test_device().context(), on, 0, 0).ok());
    EXPECT_EQ(any.groups(1, 131072), 32u);
    EXPECT_EQ(any.groups(1, 1000000), 64u);
    EXPECT_EQ(any.groups(1, 5000), 1u);
    EXPECT_EQ(any.groups(64, 131072), 4u);
    EXPECT_EQ(any.groups(256, 131072), 1u);
    EXPECT_EQ(any.dispatches(), 2u);
    EXPECT_EQ(any.binding_count(), 4u);
    EXPECT_EQ(any.saved_bytes(10, 0, 32000), 4u * gpu::shared_part_words * 10);
    EXPECT_EQ(any.saved_bytes(10000, 0, 32000), 4u * gpu::shared_part_words * 128);
    ASSERT_TRUE(seven.create(test_device().context(), on, 0, 7).ok());
    EXPECT_EQ(seven.groups(1, 1), 7u);
    EXPECT_EQ(seven.groups(1000, 131072), 7u);
    EXPECT_EQ(seven.create(test_device().context(), on, 0, 65).code(), gpu::device_code::too_many_groups);
    EXPECT_FALSE(seven.is_created());
    EXPECT_EQ(seven.groups(1, 1), 0u);
}

TEST_F(SeveralGroupsOnDevice, AreRefusedWhereThereIsNoRoomForThem) {
    dynamic_chain chain = prompted_chain(temperature{0.8f}, dist{.seed = 3});
    device_chain on_device(chain, 5000, 64);
    on_device.share_rows();
    on_device.use_groups(3);
    on_device.expect_agreement(make_row(all_shapes[0], 5000, 1), "three groups");
    kernel_runner& run = on_device.runner();
    gpu::kernel_rows rows{1, 5000};
    rows.room = 64;
    rows.groups = 64;
    EXPECT_TRUE(run.run(rows).ok());
    gpu::kernel_buffers buffers = run.buffers();
    rows.groups = 65;
    EXPECT_EQ(run.kernel().record(VK_NULL_HANDLE, run.set(), buffers, rows).code(), gpu::device_code::too_many_groups);
    rows.groups = 2;
    buffers.saved.size = 4 * gpu::shared_part_words - 4;
    EXPECT_EQ(run.kernel().record(VK_NULL_HANDLE, run.set(), buffers, rows).code(), gpu::device_code::buffer_too_small);
    buffers.saved = {};
    EXPECT_EQ(run.kernel().record(VK_NULL_HANDLE, run.set(), buffers, rows).code(), gpu::device_code::buffer_too_small);
}

template <class Chain>
void expect_sampler_agrees(const Chain& chain, std::size_t room) {
    Chain on_processor = chain, on_device = chain;
    gpu::sampler<Chain> sampler(test_device(),
                                {.vocabulary = 20000, .rows = 2, .room = std::uint32_t(room), .groups_a_row = 5});
    ASSERT_TRUE(sampler.state().ok()) << sampler.state().message().c_str();
    for (std::uint64_t i = 0; i < 6; ++i) {
        const auto row = make_row(all_shapes[i], i == 2 ? 7 : 20000, i);
        EXPECT_EQ(sampler.sample(on_device, row), on_processor.sample(row)) << i;
    }
}
TEST_F(SeveralGroupsOnDevice, ShareTheRowsOfASampler) {
    expect_sampler_agrees(chain(logit_bias{{{3, 2.0f}}}, temperature{0.8f}, dist{.seed = 11}), 0);
    expect_sampler_agrees(chain(top_k{20}, mirostat_v2{.seed = 11}), 40);            // the processor goes on
    expect_sampler_agrees(chain<llama_exact>(top_k{.k = 20}, dist{.seed = 3}), 64);  // with what llama.cpp could keep
}

}  // namespace
}  // namespace riffle_tests::gpu_several_groups
