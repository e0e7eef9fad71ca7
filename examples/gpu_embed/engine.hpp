#pragma once
// What any engine with Vulkan has: a device, a queue, buffers, pipelines, a command buffer. Nothing here is riffle's
// but the tables of Vulkan's functions, in place of which any other would do.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <riffle/gpu.hpp>

namespace engine {

/// Ends the program where a call failed.
void check(VkResult result, const char* what);

/// An instance and a device of the engine's own.
struct vulkan {
    PFN_vkGetInstanceProcAddr get = nullptr;
    VkInstance instance = VK_NULL_HANDLE;
    VkPhysicalDevice card = VK_NULL_HANDLE;
    VkDevice device = VK_NULL_HANDLE;
    VkQueue queue = VK_NULL_HANDLE;
    std::uint32_t queue_family = 0;
    riffle::gpu::device_functions call;
    riffle::gpu::kernel_functions record;

    /// False where there is no device.
    bool open();
    void close();
    template <class Function>
    Function find(const char* name) const {
        return reinterpret_cast<Function>(get(instance, name));
    }

private:
    bool find_queue_family();
};

/// A storage buffer that the processor sees, too. (A real engine's logits need not be seen.)
class buffer {
public:
    buffer(const vulkan& v, VkDeviceSize bytes);
    buffer(const buffer&) = delete;
    ~buffer();
    template <class T>
    std::span<T> as() const {
        return {static_cast<T*>(mapped_), size_ / sizeof(T)};
    }
    VkBuffer handle() const { return handle_; }
    riffle::gpu::buffer_range all() const { return {handle_, 0, size_}; }

private:
    const vulkan& v_;
    VkBuffer handle_ = VK_NULL_HANDLE;
    VkDeviceMemory memory_ = VK_NULL_HANDLE;
    void* mapped_ = nullptr;
    VkDeviceSize size_ = 0;
};

/// A compute pipeline of the engine's, from words of SPIR-V: storage buffers from binding 0 of set 0 on, push
/// constants, and 256 invocations a work group, by the specialization constant 0.
class pipeline {
public:
    static constexpr std::uint32_t group_size = 256;

    pipeline(const vulkan& v, std::span<const std::uint32_t> words, std::span<const VkBuffer> buffers,
             std::uint32_t constant_bytes);
    pipeline(const pipeline&) = delete;
    ~pipeline();
    void dispatch(VkCommandBuffer commands, const void* constants, std::uint32_t groups) const;

private:
    void make_layouts(std::size_t buffers);
    void make_pipeline(std::span<const std::uint32_t> words);
    void make_set(std::span<const VkBuffer> buffers);

    const vulkan& v_;
    std::uint32_t constant_bytes_;
    VkDescriptorSetLayout set_layout_ = VK_NULL_HANDLE;
    VkPipelineLayout layout_ = VK_NULL_HANDLE;
    VkPipeline handle_ = VK_NULL_HANDLE;
    VkDescriptorPool pool_ = VK_NULL_HANDLE;
    VkDescriptorSet set_ = VK_NULL_HANDLE;
};

/// A command buffer that is filled, submitted and waited for, again and again.
class frame {
public:
    explicit frame(const vulkan& v);
    frame(const frame&) = delete;
    ~frame();
    VkCommandBuffer begin();
    void submit_and_wait();
    /// What compute shaders wrote so far is seen by those behind it, and by the processor.
    void barrier() const;

private:
    const vulkan& v_;
    VkCommandPool pool_ = VK_NULL_HANDLE;
    VkCommandBuffer commands_ = VK_NULL_HANDLE;
    VkFence fence_ = VK_NULL_HANDLE;
};

}  // namespace engine
