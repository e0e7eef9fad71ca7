// A chain inside somebody else's Vulkan: the engine has a device, a queue and command buffers, its logits come out of
// its own compute shaders, and riffle records the sampling between them. Nothing is submitted or waited for but by the
// engine; the token lies in a buffer, where the next frame's shaders can read it, and comes to the processor with it.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <riffle/gpu.hpp>

using namespace riffle;

// ---- the engine: what any application with Vulkan has

namespace engine {

void check(VkResult result, const char* what) {
    if (result == VK_SUCCESS) return;
    std::printf("%s: %d\n", what, int(result));
    std::exit(1);
}

struct vulkan {
    PFN_vkGetInstanceProcAddr get = nullptr;
    VkInstance instance = VK_NULL_HANDLE;
    VkPhysicalDevice card = VK_NULL_HANDLE;
    VkDevice device = VK_NULL_HANDLE;
    VkQueue queue = VK_NULL_HANDLE;
    std::uint32_t queue_family = 0;
    gpu::device_functions call;  // any table of Vulkan's functions would do

    template <class Function>
    Function find(const char* name) const {
        return reinterpret_cast<Function>(get(instance, name));
    }
    bool open() {
        get = gpu::find_loader();
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
        call.get_queue(device, queue_family, 0, &queue);
        return true;
    }
    bool find_queue_family() {
        std::array<VkQueueFamilyProperties, 16> families{};
        auto count = std::uint32_t(families.size());
        find<PFN_vkGetPhysicalDeviceQueueFamilyProperties>("vkGetPhysicalDeviceQueueFamilyProperties")(card, &count,
                                                                                                       families.data());
        while (queue_family < count && !(families[queue_family].queueFlags & VK_QUEUE_COMPUTE_BIT)) ++queue_family;
        return queue_family < count;
    }
    void close() {
        if (device != VK_NULL_HANDLE) call.destroy_device(device, nullptr);
        if (instance != VK_NULL_HANDLE) find<PFN_vkDestroyInstance>("vkDestroyInstance")(instance, nullptr);
    }
};

struct buffer {
    VkBuffer handle = VK_NULL_HANDLE;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    void* mapped = nullptr;
    VkDeviceSize size = 0;

    buffer(const vulkan& v, VkDeviceSize bytes) : size(bytes) {
        VkBufferCreateInfo info{};
        info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
        info.size = bytes;
        info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
        check(v.call.create_buffer(v.device, &info, nullptr, &handle), "vkCreateBuffer");
        VkMemoryRequirements needs;
        v.call.get_memory_requirements(v.device, handle, &needs);
        VkPhysicalDeviceMemoryProperties kinds;
        v.find<PFN_vkGetPhysicalDeviceMemoryProperties>("vkGetPhysicalDeviceMemoryProperties")(v.card, &kinds);
        constexpr VkMemoryPropertyFlags seen =
            VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
        VkMemoryAllocateInfo allocation{};
        allocation.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
        allocation.allocationSize = needs.size;
        while (!(needs.memoryTypeBits >> allocation.memoryTypeIndex & 1) ||
               (kinds.memoryTypes[allocation.memoryTypeIndex].propertyFlags & seen) != seen)
            ++allocation.memoryTypeIndex;
        check(v.call.allocate_memory(v.device, &allocation, nullptr, &memory), "vkAllocateMemory");
        check(v.call.bind_memory(v.device, handle, memory, 0), "vkBindBufferMemory");
        check(v.call.map_memory(v.device, memory, 0, VK_WHOLE_SIZE, 0, &mapped), "vkMapMemory");
    }
    void destroy(const vulkan& v) {
        v.call.destroy_buffer(v.device, handle, nullptr);
        v.call.free_memory(v.device, memory, nullptr);
    }
    gpu::buffer_range all() const { return {handle, 0, size}; }
};

}  // namespace engine

// ---- what its characters say next: four of them, each with a chain and a row of its own

constexpr std::uint32_t vocabulary_size = 4000, characters = 4, room = 16;
using voice = decltype(top_k{} | temperature{} | dist{});

std::vector<float> logits_of(std::uint32_t character, int frame) {
    std::vector<float> logits(vocabulary_size);
    for (std::uint32_t i = 0; i < vocabulary_size; ++i)
        logits[i] = 6.0f * std::sin(float(i) * (0.11f + 0.07f * float(character)) + float(frame));
    return logits;
}

int main() {
    engine::vulkan v;
    if (!v.open()) {
        std::printf("there is no Vulkan device here\n");
        v.close();
        return 0;
    }

    // Once: the kernel, from words that the C++ compiler made, and buffers.
    gpu::kernel kernel;
    // [begin:gpu_kernel]
    const gpu::device_context context{v.get, v.instance, v.card, v.device};
    using on_device = gpu::chain_on_device<voice>;
    const gpu::device_status created = kernel.create(context, on_device());
    // [end:gpu_kernel]
    if (!created.ok()) return std::printf("%s\n", created.message().c_str()), 1;
    engine::buffer logits(v, 4 * vocabulary_size * characters);
    engine::buffer requests(v, 4 * on_device::layout.words * characters);
    engine::buffer results(v, 4 * gpu::result_words(room) * characters);
    const gpu::kernel_buffers buffers{logits.all(), requests.all(), results.all(), {}};

    const std::array sizes{VkDescriptorPoolSize{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, 1},
                           VkDescriptorPoolSize{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, kernel.binding_count() - 1}};
    VkDescriptorPoolCreateInfo pool_info{};
    pool_info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
    pool_info.maxSets = 1;
    pool_info.poolSizeCount = std::uint32_t(sizes.size());
    pool_info.pPoolSizes = sizes.data();
    VkDescriptorPool pool = VK_NULL_HANDLE;
    engine::check(v.call.create_descriptor_pool(v.device, &pool_info, nullptr, &pool), "vkCreateDescriptorPool");
    const VkDescriptorSetLayout set_layout = kernel.descriptor_set_layout();
    VkDescriptorSetAllocateInfo set_info{};
    set_info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
    set_info.descriptorPool = pool;
    set_info.descriptorSetCount = 1;
    set_info.pSetLayouts = &set_layout;
    VkDescriptorSet set = VK_NULL_HANDLE;
    engine::check(v.call.allocate_descriptor_sets(v.device, &set_info, &set), "vkAllocateDescriptorSets");
    if (!kernel.write(set, buffers).ok()) return 1;

    VkCommandPoolCreateInfo commands_info{};
    commands_info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
    commands_info.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
    commands_info.queueFamilyIndex = v.queue_family;
    VkCommandPool command_pool = VK_NULL_HANDLE;
    engine::check(v.call.create_command_pool(v.device, &commands_info, nullptr, &command_pool), "vkCreateCommandPool");
    VkCommandBufferAllocateInfo allocation{};
    allocation.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
    allocation.commandPool = command_pool;
    allocation.commandBufferCount = 1;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    engine::check(v.call.allocate_command_buffers(v.device, &allocation, &commands), "vkAllocateCommandBuffers");
    VkFenceCreateInfo fence_info{};
    fence_info.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
    VkFence fence = VK_NULL_HANDLE;
    engine::check(v.call.create_fence(v.device, &fence_info, nullptr, &fence), "vkCreateFence");

    std::vector<voice> voices;
    for (std::uint32_t c = 0; c < characters; ++c)
        voices.push_back(top_k{.k = 5 + 3 * int(c)} | temperature{.t = 0.7f} | dist{.seed = 7 + c});
    std::vector<voice> same = voices;  // on the processor
    gpu::requests written;
    int differ = 0;
    for (int frame = 0; frame < 8; ++frame) {
        for (std::uint32_t c = 0; c < characters; ++c) {  // the engine's shaders would have written these
            const auto row = logits_of(c, frame);
            std::memcpy(static_cast<float*>(logits.mapped) + c * vocabulary_size, row.data(), 4 * vocabulary_size);
        }
        VkCommandBufferBeginInfo begin{};
        begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
        engine::check(v.call.begin_command_buffer(commands, &begin), "vkBeginCommandBuffer");
        // [begin:gpu_record]
        const std::span<std::uint32_t> words(static_cast<std::uint32_t*>(requests.mapped), requests.size / 4);
        written.begin(words, on_device::layout, characters, vocabulary_size);
        std::array<bool, characters> on_its_way{};
        for (std::uint32_t c = 0; c < characters; ++c) on_its_way[c] = written.add(on_device(), voices[c], c);
        const gpu::device_status recorded = kernel.record(commands, set, buffers, gpu::rows_of(written, room));
        // [end:gpu_record]
        if (!recorded.ok()) return std::printf("%s\n", recorded.message().c_str()), 1;
        engine::check(v.call.end_command_buffer(commands), "vkEndCommandBuffer");
        VkSubmitInfo submission{};
        submission.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
        submission.commandBufferCount = 1;
        submission.pCommandBuffers = &commands;
        engine::check(v.call.submit(v.queue, 1, &submission, fence), "vkQueueSubmit");
        engine::check(v.call.wait_for_fences(v.device, 1, &fence, VK_TRUE, ~std::uint64_t{0}), "vkWaitForFences");
        engine::check(v.call.reset_fences(v.device, 1, &fence), "vkResetFences");

        for (std::uint32_t c = 0; c < characters; ++c) {
            // [begin:gpu_outcome]
            const std::uint32_t* const result =
                static_cast<const std::uint32_t*>(results.mapped) + c * gpu::result_words(room);
            token_id token = null_token;
            if (on_its_way[c] && gpu::finish(on_device(), voices[c], gpu::outcome_of(result, room), token))
                voices[c].accept(token);
            else token = voices[c].sample(logits_of(c, frame));  // what the device could not have
            // [end:gpu_outcome]
            differ += token != same[c].sample(logits_of(c, frame));
            std::printf("%5d", token);
        }
        std::printf("\n");
    }
    std::printf("%d of %d tokens differ from the processor's\n", differ, 8 * int(characters));

    v.call.destroy_fence(v.device, fence, nullptr);
    v.call.destroy_command_pool(v.device, command_pool, nullptr);
    v.call.destroy_descriptor_pool(v.device, pool, nullptr);
    kernel = gpu::kernel();
    for (engine::buffer* b : {&logits, &requests, &results}) b->destroy(v);
    v.close();
    return differ != 0;
}
