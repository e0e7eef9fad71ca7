#include "gpu/kernel_runner.hpp"

#include <algorithm>
#include <array>

namespace riffle_tests {

using namespace riffle::gpu;

kernel_runner::kernel_runner(std::span<const std::uint32_t> words, const device_plan& plan,
                             const request_layout& layout, std::uint32_t group_size, const sizes& s,
                             const device_context* context)
    : layout_(layout), room_(s.room), first_(s.first) {
    state_ = create(words, plan, group_size, s, context ? *context : test_device().context());
}

device_status kernel_runner::create(std::span<const std::uint32_t> words, const device_plan& plan,
                                    std::uint32_t group_size, const sizes& s, const device_context& context) {
    const device& on = test_device();
    const auto& f = on.functions();
    const VkDevice device = on.context().device;
    constexpr VkMemoryPropertyFlags seen = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    if (const auto made = kernel_.create(context, words, plan, layout_, group_size, s.groups_a_row, s.format);
        !made.ok())
        return made;
    if (const auto made = logits_.create(on, 4 * (s.first + s.logits), {seen}); !made.ok()) return made;
    if (const auto made = requests_.create(on, 4 * (s.first + s.request_words), {seen}); !made.ok()) return made;
    if (const auto made = results_.create(on, 4 * (s.first + s.rows * result_words(s.room)), {seen}); !made.ok())
        return made;
    const std::size_t saved_words =
        s.request_words + kernel_.saved_bytes(std::uint32_t(s.rows), 0, std::uint32_t(s.longest_row)) / 4;
    if (const auto made = saved_.create(on, 4 * (s.first + saved_words), {seen}); !made.ok()) return made;
    std::ranges::fill(saved_.as<std::uint32_t>(), 0u);

    VkCommandPoolCreateInfo pool{};
    pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
    pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
    pool.queueFamilyIndex = on.queue_family();
    if (f.create_command_pool(device, &pool, nullptr, &command_pool_) != VK_SUCCESS) return device_code::failed;
    VkCommandBufferAllocateInfo allocation{};
    allocation.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
    allocation.commandPool = command_pool_;
    allocation.commandBufferCount = 1;
    if (f.allocate_command_buffers(device, &allocation, &commands_) != VK_SUCCESS) return device_code::failed;
    VkFenceCreateInfo fence{};
    fence.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
    if (f.create_fence(device, &fence, nullptr, &fence_) != VK_SUCCESS) return device_code::failed;

    const std::array sizes_of_pool{VkDescriptorPoolSize{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, 1},
                                   VkDescriptorPoolSize{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 3}};
    VkDescriptorPoolCreateInfo set_pool{};
    set_pool.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
    set_pool.maxSets = 1;
    set_pool.poolSizeCount = 2;
    set_pool.pPoolSizes = sizes_of_pool.data();
    if (f.create_descriptor_pool(device, &set_pool, nullptr, &set_pool_) != VK_SUCCESS) return device_code::failed;
    const VkDescriptorSetLayout layout = kernel_.descriptor_set_layout();
    VkDescriptorSetAllocateInfo set{};
    set.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
    set.descriptorPool = set_pool_;
    set.descriptorSetCount = 1;
    set.pSetLayouts = &layout;
    if (f.allocate_descriptor_sets(device, &set, &set_) != VK_SUCCESS) return device_code::failed;
    return kernel_.write(set_, buffers());
}

kernel_runner::~kernel_runner() {
    const auto& f = test_device().functions();
    const VkDevice device = test_device().context().device;
    f.destroy_fence(device, fence_, nullptr);
    f.destroy_command_pool(device, command_pool_, nullptr);
    f.destroy_descriptor_pool(device, set_pool_, nullptr);
}

kernel_buffers kernel_runner::buffers() const {
    const VkDeviceSize first = 4 * first_;
    const auto behind = [&](const device_buffer& b) { return buffer_range{b.buffer(), first, b.size() - first}; };
    return {behind(logits_), behind(requests_), behind(results_), behind(saved_)};
}

device_status kernel_runner::run(const kernel_rows& rows, int times) {
    const auto& f = test_device().functions();
    const VkDevice device = test_device().context().device;
    std::ranges::fill(results_.as<std::uint32_t>(), 0xeeeeeeeeu);
    VkCommandBufferBeginInfo begin{};
    begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
    if (f.begin_command_buffer(commands_, &begin) != VK_SUCCESS) return device_code::failed;
    for (int i = 0; i < times; ++i)
        if (const auto recorded = kernel_.record(commands_, set_, buffers(), rows); !recorded.ok()) return recorded;
    if (f.end_command_buffer(commands_) != VK_SUCCESS) return device_code::failed;
    VkSubmitInfo submission{};
    submission.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    submission.commandBufferCount = 1;
    submission.pCommandBuffers = &commands_;
    if (f.submit(test_device().queue(), 1, &submission, fence_) != VK_SUCCESS) return device_code::failed;
    constexpr std::uint64_t a_minute = 60'000'000'000;
    if (f.wait_for_fences(device, 1, &fence_, VK_TRUE, a_minute) != VK_SUCCESS) return device_code::failed;
    return f.reset_fences(device, 1, &fence_) == VK_SUCCESS ? device_code::ok : device_code::failed;
}

bool kernel_runner::is_scratch_clear() const {
    return std::ranges::all_of(saved_.as<std::uint32_t>(), [](std::uint32_t word) { return word == 0; });
}

row_outcome kernel_runner::outcome(std::size_t row) const {
    return outcome_of(results_.as<std::uint32_t>().data() + first_ + row * result_words(room_), room_);
}

}  // namespace riffle_tests
