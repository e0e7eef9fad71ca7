#include "engine.hpp"

#include <cstdio>
#include <cstdlib>

namespace engine {

void check(VkResult result, const char* what) {
    if (result == VK_SUCCESS) return;
    std::printf("%s: %d\n", what, int(result));
    std::exit(1);
}

bool vulkan::open() {
    get = riffle::gpu::find_loader();
    if (get == nullptr) return false;
    VkApplicationInfo application{};
    application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
    application.apiVersion = VK_API_VERSION_1_1;
    VkInstanceCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
    info.pApplicationInfo = &application;
    if (find<PFN_vkCreateInstance>("vkCreateInstance")(&info, nullptr, &instance) != VK_SUCCESS) return false;
    std::uint32_t count = 1;
    find<PFN_vkEnumeratePhysicalDevices>("vkEnumeratePhysicalDevices")(instance, &count, &card);
    if (count == 0 || !find_queue_family()) return false;
    const float priority = 1.0f;
    VkDeviceQueueCreateInfo queue_info{};
    queue_info.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
    queue_info.queueFamilyIndex = queue_family;
    queue_info.queueCount = 1;
    queue_info.pQueuePriorities = &priority;
    VkDeviceCreateInfo device_info{};
    device_info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
    device_info.queueCreateInfoCount = 1;
    device_info.pQueueCreateInfos = &queue_info;
    check(find<PFN_vkCreateDevice>("vkCreateDevice")(card, &device_info, nullptr, &device), "vkCreateDevice");
    if (!call.load(find<PFN_vkGetDeviceProcAddr>("vkGetDeviceProcAddr"), device).ok()) return false;
    if (!record.load(get, instance, device).ok()) return false;
    call.get_queue(device, queue_family, 0, &queue);
    return true;
}
bool vulkan::find_queue_family() {
    std::array<VkQueueFamilyProperties, 16> families{};
    auto count = std::uint32_t(families.size());
    find<PFN_vkGetPhysicalDeviceQueueFamilyProperties>("vkGetPhysicalDeviceQueueFamilyProperties")(card, &count,
                                                                                                   families.data());
    while (queue_family < count && !(families[queue_family].queueFlags & VK_QUEUE_COMPUTE_BIT)) ++queue_family;
    return queue_family < count;
}
void vulkan::close() {
    if (device != VK_NULL_HANDLE) call.destroy_device(device, nullptr);
    if (instance != VK_NULL_HANDLE) find<PFN_vkDestroyInstance>("vkDestroyInstance")(instance, nullptr);
}

buffer::buffer(const vulkan& v, VkDeviceSize bytes) : v_(v), size_(bytes) {
    VkBufferCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
    info.size = bytes;
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
    check(v.call.create_buffer(v.device, &info, nullptr, &handle_), "vkCreateBuffer");
    VkMemoryRequirements needs;
    v.call.get_memory_requirements(v.device, handle_, &needs);
    VkPhysicalDeviceMemoryProperties kinds;
    v.find<PFN_vkGetPhysicalDeviceMemoryProperties>("vkGetPhysicalDeviceMemoryProperties")(v.card, &kinds);
    constexpr VkMemoryPropertyFlags seen = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    VkMemoryAllocateInfo allocation{};
    allocation.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
    allocation.allocationSize = needs.size;
    while (!(needs.memoryTypeBits >> allocation.memoryTypeIndex & 1) ||
           (kinds.memoryTypes[allocation.memoryTypeIndex].propertyFlags & seen) != seen)
        ++allocation.memoryTypeIndex;
    check(v.call.allocate_memory(v.device, &allocation, nullptr, &memory_), "vkAllocateMemory");
    check(v.call.bind_memory(v.device, handle_, memory_, 0), "vkBindBufferMemory");
    check(v.call.map_memory(v.device, memory_, 0, VK_WHOLE_SIZE, 0, &mapped_), "vkMapMemory");
}
buffer::~buffer() {
    v_.call.destroy_buffer(v_.device, handle_, nullptr);
    v_.call.free_memory(v_.device, memory_, nullptr);
}

pipeline::pipeline(const vulkan& v, std::span<const std::uint32_t> words, std::span<const VkBuffer> buffers,
                   std::uint32_t constant_bytes)
    : v_(v), constant_bytes_(constant_bytes) {
    make_layouts(buffers.size());
    make_pipeline(words);
    make_set(buffers);
}
pipeline::~pipeline() {
    v_.call.destroy_descriptor_pool(v_.device, pool_, nullptr);
    v_.record.destroy_pipeline(v_.device, handle_, nullptr);
    v_.record.destroy_pipeline_layout(v_.device, layout_, nullptr);
    v_.record.destroy_descriptor_set_layout(v_.device, set_layout_, nullptr);
}
void pipeline::make_layouts(std::size_t buffers) {
    std::vector<VkDescriptorSetLayoutBinding> bindings(buffers);
    for (std::size_t b = 0; b < buffers; ++b)
        bindings[b] = {std::uint32_t(b), VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
    VkDescriptorSetLayoutCreateInfo set_info{};
    set_info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
    set_info.bindingCount = std::uint32_t(buffers);
    set_info.pBindings = bindings.data();
    check(v_.record.create_descriptor_set_layout(v_.device, &set_info, nullptr, &set_layout_),
          "vkCreateDescriptorSetLayout");
    const VkPushConstantRange constants{VK_SHADER_STAGE_COMPUTE_BIT, 0, constant_bytes_};
    VkPipelineLayoutCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
    info.setLayoutCount = 1;
    info.pSetLayouts = &set_layout_;
    info.pushConstantRangeCount = 1;
    info.pPushConstantRanges = &constants;
    check(v_.record.create_pipeline_layout(v_.device, &info, nullptr, &layout_), "vkCreatePipelineLayout");
}
void pipeline::make_pipeline(std::span<const std::uint32_t> words) {
    VkShaderModuleCreateInfo module_info{};
    module_info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
    module_info.codeSize = words.size_bytes();
    module_info.pCode = words.data();
    VkShaderModule shader = VK_NULL_HANDLE;
    check(v_.record.create_shader_module(v_.device, &module_info, nullptr, &shader), "vkCreateShaderModule");
    const VkSpecializationMapEntry entry{0, 0, sizeof group_size};
    const std::uint32_t size = group_size;
    const VkSpecializationInfo specialization{1, &entry, sizeof size, &size};
    VkComputePipelineCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
    info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.module = shader;
    info.stage.pName = "main";
    info.stage.pSpecializationInfo = &specialization;
    info.layout = layout_;
    check(v_.record.create_compute_pipelines(v_.device, VK_NULL_HANDLE, 1, &info, nullptr, &handle_),
          "vkCreateComputePipelines");
    v_.record.destroy_shader_module(v_.device, shader, nullptr);
}
void pipeline::make_set(std::span<const VkBuffer> buffers) {
    const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, std::uint32_t(buffers.size())};
    VkDescriptorPoolCreateInfo pool_info{};
    pool_info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
    pool_info.maxSets = 1;
    pool_info.poolSizeCount = 1;
    pool_info.pPoolSizes = &size;
    check(v_.call.create_descriptor_pool(v_.device, &pool_info, nullptr, &pool_), "vkCreateDescriptorPool");
    VkDescriptorSetAllocateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
    info.descriptorPool = pool_;
    info.descriptorSetCount = 1;
    info.pSetLayouts = &set_layout_;
    check(v_.call.allocate_descriptor_sets(v_.device, &info, &set_), "vkAllocateDescriptorSets");
    for (std::size_t b = 0; b < buffers.size(); ++b) {
        const VkDescriptorBufferInfo whole{buffers[b], 0, VK_WHOLE_SIZE};
        VkWriteDescriptorSet write{};
        write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
        write.dstSet = set_;
        write.dstBinding = std::uint32_t(b);
        write.descriptorCount = 1;
        write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
        write.pBufferInfo = &whole;
        v_.record.update_descriptor_sets(v_.device, 1, &write, 0, nullptr);
    }
}
void pipeline::dispatch(VkCommandBuffer commands, const void* constants, std::uint32_t groups) const {
    v_.record.bind_pipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, handle_);
    v_.record.bind_descriptor_sets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout_, 0, 1, &set_, 0, nullptr);
    v_.record.push_constants(commands, layout_, VK_SHADER_STAGE_COMPUTE_BIT, 0, constant_bytes_, constants);
    v_.record.dispatch(commands, groups, 1, 1);
}

frame::frame(const vulkan& v) : v_(v) {
    VkCommandPoolCreateInfo pool_info{};
    pool_info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
    pool_info.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
    pool_info.queueFamilyIndex = v.queue_family;
    check(v.call.create_command_pool(v.device, &pool_info, nullptr, &pool_), "vkCreateCommandPool");
    VkCommandBufferAllocateInfo allocation{};
    allocation.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
    allocation.commandPool = pool_;
    allocation.commandBufferCount = 1;
    check(v.call.allocate_command_buffers(v.device, &allocation, &commands_), "vkAllocateCommandBuffers");
    VkFenceCreateInfo fence_info{};
    fence_info.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
    check(v.call.create_fence(v.device, &fence_info, nullptr, &fence_), "vkCreateFence");
}
frame::~frame() {
    v_.call.destroy_fence(v_.device, fence_, nullptr);
    v_.call.destroy_command_pool(v_.device, pool_, nullptr);
}
VkCommandBuffer frame::begin() {
    VkCommandBufferBeginInfo info{};
    info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
    check(v_.call.begin_command_buffer(commands_, &info), "vkBeginCommandBuffer");
    return commands_;
}
void frame::submit_and_wait() {
    check(v_.call.end_command_buffer(commands_), "vkEndCommandBuffer");
    VkSubmitInfo submission{};
    submission.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    submission.commandBufferCount = 1;
    submission.pCommandBuffers = &commands_;
    check(v_.call.submit(v_.queue, 1, &submission, fence_), "vkQueueSubmit");
    check(v_.call.wait_for_fences(v_.device, 1, &fence_, VK_TRUE, ~std::uint64_t{0}), "vkWaitForFences");
    check(v_.call.reset_fences(v_.device, 1, &fence_), "vkResetFences");
}
void frame::barrier() const {
    VkMemoryBarrier memory{};
    memory.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
    memory.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
    memory.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_HOST_READ_BIT;
    v_.record.pipeline_barrier(commands_, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                               VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &memory, 0,
                               nullptr, 0, nullptr);
}

}  // namespace engine
