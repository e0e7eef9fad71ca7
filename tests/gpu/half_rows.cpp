// Rows of 16-bit logits on the device: what it tells of them is what the chain has of the floats that they are.

#include <array>
#include <string>
#include <vector>

#include <riffle/llama_exact.hpp>

#include "gpu/agreement.hpp"
#include "half_floats.hpp"
#include "not_a_number.hpp"

namespace riffle_tests::gpu_half_rows {
namespace {

using namespace riffle;

class HalfRowsOfDevice : public OnDevice {};

constexpr std::array formats{logit_format::float16, logit_format::bfloat16};

/// Rows of every shape, alone and several, padded, from any logit of the buffer on; one group a row and several.
void expect_rows_agree(dynamic_chain chain) {
    constexpr std::array<std::size_t, 6> sizes{1, 7, 300, 2049, 9001, 40000};
    for (const auto format : formats)
        for (const bool is_shared : {false, true}) {
            device_chain on_device(chain, sizes.back() + 100, 256, 64, 3);
            on_device.use_format(format);
            if (is_shared) on_device.share_rows();
            random_integers random(is_shared);
            for (const std::size_t size : sizes)
                for (const std::size_t count : {1u, 3u}) {
                    const std::size_t stride = (size + random.below(50) + 1) / 2 * 2;
                    std::vector<std::vector<float>> rows(count);
                    on_device.begin_at(std::uint32_t(random.below(9)));
                    if (is_shared) on_device.use_groups(1 + std::uint32_t(random.below(16)));
                    std::string what = std::to_string(size) + " logits, format " + std::to_string(int(format)) +
                                       (is_shared ? ", shared:" : ":");
                    for (auto& row : rows) {
                        const shape s = all_shapes[random.below(all_shapes.size())];
                        row = make_row(s, size, random.next());
                        what += std::string(" ") + name_of(s);
                    }
                    on_device.expect_agreement(rows, stride, 1 + int(random.below(2)), what);
                    if (testing::Test::HasFailure()) return;
                }
        }
}

TEST_F(HalfRowsOfDevice, AgreeWithTheirFloats) {
    expect_rows_agree(prompted_chain(top_k{40}, top_p{0.9f}, min_p{0.05f}, temperature{0.8f}, dist{.seed = 1}));
    expect_rows_agree(prompted_chain(temperature{1.2f}, top_p{0.95f}, dist{.seed = 4}));
}
TEST_F(HalfRowsOfDevice, AreEditedInACopy) {
    expect_rows_agree(prompted_chain(penalties{.repeat = 1.3f}, logit_bias{{{0, 3.0f}, {299, 2.0f}}}, temperature{0.8f},
                                     dist{.seed = 3}));
}

TEST_F(HalfRowsOfDevice, AreRefusedWhereRowsOverlapOrAreAnOddNumberApart) {
    dynamic_chain chain = prompted_chain(logit_bias{{{3, 1.0f}}}, greedy{});
    device_chain on_device(chain, 5000, 64, 64, 2);
    on_device.use_format(logit_format::float16);
    on_device.expect_agreement(make_row(all_shapes[0], 4001, 1), "one row");
    kernel_runner& run = on_device.runner();
    EXPECT_EQ(run.kernel().logit_bytes(), 2u);
    EXPECT_EQ(run.kernel().saved_bytes(2, 7, 4001), 4u * 2 * 4004);
    gpu::kernel_rows rows{2, 4001};
    rows.room = 64;
    rows.edited_ids = 1;
    const auto recorded = [&](std::uint32_t stride, std::uint32_t first_logit, gpu::kernel_buffers buffers) {
        rows.stride = stride;
        rows.first_logit = first_logit;
        return run.kernel().record(VK_NULL_HANDLE, run.set(), buffers, rows);
    };
    EXPECT_EQ(recorded(0, 0, run.buffers()).code(), gpu::device_code::bad_stride);
    EXPECT_EQ(recorded(4003, 0, run.buffers()).code(), gpu::device_code::bad_stride);
    EXPECT_EQ(recorded(4000, 0, run.buffers()).code(), gpu::device_code::bad_stride);
    EXPECT_STREQ(recorded(4003, 0, run.buffers()).message().c_str(),
                 "the stride of rows is less than the vocabulary, or of 16-bit logits an odd number");
    gpu::kernel_buffers buffers = run.buffers();
    buffers.logits.size = 2 * (4002 + 4001);  // whose last logit lies in half a word
    EXPECT_EQ(recorded(4002, 0, buffers).code(), gpu::device_code::buffer_too_small);
    buffers.logits.size = 2 * (4002 + 4002);
    EXPECT_EQ(recorded(4002, 2, buffers).code(), gpu::device_code::buffer_too_small);
    buffers.saved.size = 4 * 2 * 4004 - 4;
    EXPECT_EQ(recorded(4002, 0, buffers).code(), gpu::device_code::buffer_too_small);
}

/// A sampler's rows, of every kind that it takes; and whether the device has them.
enum class run_by { device, processor, either };
template <class Half, class Chain>
void expect_sampler_agrees(const Chain& chain, logit_format of_device, run_by whom, std::size_t room) {
    constexpr std::size_t size = 9001, stride = 9007;
    Chain one = chain, two = chain, one_alone = chain, two_alone = chain;
    gpu::sampler<Chain> sampler(test_device(),
                                {.vocabulary = size, .rows = 2, .room = std::uint32_t(room), .logits = of_device});
    ASSERT_TRUE(sampler.state().ok()) << sampler.state().message().c_str();
    for (std::uint64_t i = 0; i < 4; ++i) {
        std::vector<float> rows(stride + size, not_a_number);
        for (std::size_t r = 0; r < 2; ++r) {
            const auto row = make_row(all_shapes[2 * i + r], size, i);
            std::copy(row.begin(), row.end(), rows.begin() + std::ptrdiff_t(r * stride));
        }
        const std::vector<Half> halves = narrowed<Half>(rows);
        const std::vector<float> values = values_of(halves);
        std::array<Chain*, 2> both{&one, &two};
        std::array<token_id, 2> tokens{};
        sampler.sample(both, halves, stride, tokens, size);
        EXPECT_EQ(tokens[0], one_alone.sample({values.data(), size})) << i;
        EXPECT_EQ(tokens[1], two_alone.sample({values.data() + stride, size})) << i;
        if (whom != run_by::either) {
            EXPECT_EQ(sampler.rows_on_device(), whom == run_by::device ? 2u : 0u) << i;
        }
        EXPECT_EQ(sampler.sample(one, logit_row(halves.data(), size)), one_alone.sample({values.data(), size})) << i;
    }
}
TEST_F(HalfRowsOfDevice, AreTakenByASampler) {
    const auto usual = chain(logit_bias{{{3, 2.0f}}}, top_k{40}, temperature{0.8f}, dist{.seed = 11});
    expect_sampler_agrees<float16>(usual, logit_format::float16, run_by::device, 40);
    expect_sampler_agrees<bfloat16>(usual, logit_format::bfloat16, run_by::device, 0);
    expect_sampler_agrees<float16>(usual, logit_format::float32, run_by::device, 40);  // made floats on the way
    expect_sampler_agrees<bfloat16>(usual, logit_format::float16, run_by::processor, 40);
    expect_sampler_agrees<float16>(chain(top_k{20}, mirostat_v2{.seed = 11}), logit_format::float16, run_by::device,
                                   40);
    // The processor's where logits at the cut are equal, as many of 16 bits are.
    expect_sampler_agrees<bfloat16>(chain<llama_exact>(top_k{.k = 20}, dist{.seed = 3}), logit_format::bfloat16,
                                    run_by::either, 64);
}

}  // namespace
}  // namespace riffle_tests::gpu_half_rows
