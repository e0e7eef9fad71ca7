#pragma once
#include <cstdint>
#include <initializer_list>
#include <span>
#include <utility>

#include <vulkan/vulkan_core.h>

#include <riffle/gpu/vulkan/device.hpp>

namespace riffle::gpu {

/// A storage buffer with memory of its own, mapped where the processor can see it.
class device_buffer {
public:
    device_buffer() noexcept = default;
    device_buffer(const device_buffer&) = delete;
    device_buffer& operator=(const device_buffer&) = delete;
    device_buffer(device_buffer&& other) noexcept { swap(other); }
    device_buffer& operator=(device_buffer&& other) noexcept {
        swap(other);
        return *this;
    }
    ~device_buffer() {
        if (device_ == nullptr) return;
        const auto& f = device_->functions();
        f.destroy_buffer(device_->context().device, buffer_, nullptr);
        f.free_memory(device_->context().device, memory_, nullptr);
    }

    /// In memory of the first of these kinds that the device has.
    device_status create(const device& on, VkDeviceSize bytes,
                         std::initializer_list<VkMemoryPropertyFlags> kinds) noexcept {
        *this = device_buffer();
        device_buffer made;
        made.device_ = &on;
        made.size_ = bytes;
        const auto& f = on.functions();
        const VkDevice device = on.context().device;
        VkBufferCreateInfo info{};
        info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
        info.size = bytes;
        info.usage =
            VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
        if (const device_status s(f.create_buffer(device, &info, nullptr, &made.buffer_), "vkCreateBuffer"); !s.ok())
            return s;
        VkMemoryRequirements needs;
        f.get_memory_requirements(device, made.buffer_, &needs);
        VkMemoryAllocateInfo allocation{};
        allocation.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
        allocation.allocationSize = needs.size;
        VkMemoryPropertyFlags kind = 0;
        if (!find_type(on.memory(), needs.memoryTypeBits, kinds, allocation.memoryTypeIndex, kind))
            return device_code::device_too_small;
        if (const device_status s(f.allocate_memory(device, &allocation, nullptr, &made.memory_), "vkAllocateMemory");
            !s.ok())
            return s;
        if (const device_status s(f.bind_memory(device, made.buffer_, made.memory_, 0), "vkBindBufferMemory"); !s.ok())
            return s;
        if (kind & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT)
            if (const device_status s(f.map_memory(device, made.memory_, 0, VK_WHOLE_SIZE, 0, &made.mapped_),
                                      "vkMapMemory");
                !s.ok())
                return s;
        swap(made);
        return {};
    }

    VkBuffer buffer() const noexcept { return buffer_; }
    VkDeviceSize size() const noexcept { return size_; }
    bool is_mapped() const noexcept { return mapped_ != nullptr; }
    template <class T>
    std::span<T> as() const noexcept {
        return {static_cast<T*>(mapped_), mapped_ ? std::size_t(size_ / sizeof(T)) : 0};
    }

private:
    static bool find_type(const VkPhysicalDeviceMemoryProperties& memory, std::uint32_t allowed,
                          std::initializer_list<VkMemoryPropertyFlags> kinds, std::uint32_t& index,
                          VkMemoryPropertyFlags& found) noexcept {
        for (const VkMemoryPropertyFlags kind : kinds)
            for (std::uint32_t i = 0; i < memory.memoryTypeCount; ++i)
                if ((allowed >> i & 1) && (memory.memoryTypes[i].propertyFlags & kind) == kind) {
                    index = i;
                    found = memory.memoryTypes[i].propertyFlags;
                    return true;
                }
        return false;
    }
    void swap(device_buffer& other) noexcept {
        std::swap(device_, other.device_);
        std::swap(buffer_, other.buffer_);
        std::swap(memory_, other.memory_);
        std::swap(mapped_, other.mapped_);
        std::swap(size_, other.size_);
    }

    const device* device_ = nullptr;
    VkBuffer buffer_ = VK_NULL_HANDLE;
    VkDeviceMemory memory_ = VK_NULL_HANDLE;
    void* mapped_ = nullptr;
    VkDeviceSize size_ = 0;
};

}  // namespace riffle::gpu
