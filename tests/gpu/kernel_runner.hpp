#pragma once
// A kernel with buffers of its own, run as an application would: the rows that a test asks for, at whatever offset.

#include <cstdint>
#include <span>
#include <vector>

#include "gpu/device_for_tests.hpp"

namespace riffle_tests {

class kernel_runner {
public:
    struct sizes {
        std::size_t logits = 0;  ///< words of the buffer
        std::size_t request_words = 0;
        std::size_t rows = 1;
        std::size_t room = 64;
        std::size_t first = 0;  ///< words ahead of each range
        std::uint32_t groups_a_row = 1;
        riffle::logit_format format = riffle::logit_format::float32;
        std::size_t longest_row = 0;  ///< of rows that are copied
    };
    /// `context`: nullptr for the test device's own.
    kernel_runner(std::span<const std::uint32_t> words, const riffle::gpu::device_plan& plan,
                  const riffle::gpu::request_layout& layout, std::uint32_t group_size, const sizes& s,
                  const riffle::gpu::device_context* context = nullptr);
    kernel_runner(const kernel_runner&) = delete;
    kernel_runner& operator=(const kernel_runner&) = delete;
    ~kernel_runner();

    const riffle::gpu::device_status& state() const { return state_; }
    const riffle::gpu::kernel& kernel() const { return kernel_; }
    VkDescriptorSet set() const { return set_; }
    riffle::gpu::kernel_buffers buffers() const;
    std::span<float> logits() const { return logits_.as<float>().subspan(first_); }
    std::span<std::uint32_t> request_words() const { return requests_.as<std::uint32_t>().subspan(first_); }
    /// Runs the rows, `times` times in one command buffer.
    riffle::gpu::device_status run(const riffle::gpu::kernel_rows& rows, int times = 1);
    riffle::gpu::row_outcome outcome(std::size_t row) const;
    /// Whether the scratch is as it has to be between dispatches of rows with several groups.
    bool is_scratch_clear() const;

private:
    riffle::gpu::device_status create(std::span<const std::uint32_t> words, const riffle::gpu::device_plan& plan,
                                      std::uint32_t group_size, const sizes& s,
                                      const riffle::gpu::device_context& context);

    riffle::gpu::device_status state_;
    riffle::gpu::request_layout layout_;
    std::size_t room_, first_;
    riffle::gpu::kernel kernel_;
    riffle::gpu::device_buffer logits_, requests_, results_, saved_;
    VkCommandPool command_pool_ = VK_NULL_HANDLE;
    VkCommandBuffer commands_ = VK_NULL_HANDLE;
    VkFence fence_ = VK_NULL_HANDLE;
    VkDescriptorPool set_pool_ = VK_NULL_HANDLE;
    VkDescriptorSet set_ = VK_NULL_HANDLE;
};

}  // namespace riffle_tests
