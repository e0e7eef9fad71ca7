#pragma once
#include <cstdint>
#include <initializer_list>
#include <span>
#include <utility>

#include <vulkan/vulkan_core.h>

#include <riffle/gpu/vulkan/device.hpp>

namespace riffle::inline RIFFLE_ABI::gpu {

/// A storage buffer with memory of its own, for copies too, mapped where the processor can see it. It goes before the
/// device.
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

    /// Of that many bytes, at least one, in memory of the first of these kinds that the device has and has room in;
    /// kind 0 is any. It is mapped where its memory is host-visible and host-coherent.
    ///
    /// buffer_too_small for no bytes, device_too_small where no memory is of these kinds and large enough or where the
    /// device does not allocate so much at once, or what a call to Vulkan gave; the buffer is empty then. Allocates on
    /// the device, which takes microseconds to milliseconds.
    device_status create(const device& on, VkDeviceSize bytes,
                         std::initializer_list<VkMemoryPropertyFlags> kinds) noexcept {
        *this = device_buffer();
        if (bytes == 0) return device_code::buffer_too_small;
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
        VkBuffer& buffer = made.buffer_;
        if (const auto s =
                device_status::of_making(buffer, f.create_buffer(device, &info, nullptr, &buffer), "vkCreateBuffer");
            !s.ok())
            return s;
        VkMemoryPropertyFlags kind = 0;
        if (const auto s = made.allocate(kinds, kind); !s.ok()) return s;
        if (const device_status s(f.bind_memory(device, made.buffer_, made.memory_, 0), "vkBindBufferMemory"); !s.ok())
            return s;
        constexpr VkMemoryPropertyFlags seen =
            VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
        if ((kind & seen) == seen)
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
    /// What lies there, as T: numbers of the device's format, of at most 8 bytes. Empty where it is not mapped.
    template <class T>
    std::span<T> as() const noexcept {
        return {static_cast<T*>(mapped_), mapped_ ? std::size_t(size_ / sizeof(T)) : 0};
    }

private:
    /// The heaps of a kind may be full or too small for it, as the part of a card's memory is that processors see.
    device_status allocate(std::initializer_list<VkMemoryPropertyFlags> kinds, VkMemoryPropertyFlags& found) noexcept {
        const auto& f = device_->functions();
        const VkDevice device = device_->context().device;
        const VkPhysicalDeviceMemoryProperties& memory = device_->memory();
        VkMemoryRequirements needs;
        f.get_memory_requirements(device, buffer_, &needs);
        VkMemoryAllocateInfo allocation{};
        allocation.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
        allocation.allocationSize = needs.size;
        device_status state = device_code::device_too_small;
        if (needs.size > device_->largest_allocation()) return state;
        std::uint32_t untried = needs.memoryTypeBits;
        for (const VkMemoryPropertyFlags kind : kinds)
            for (std::uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
                const VkMemoryType& type = memory.memoryTypes[i];
                if (!(untried >> i & 1) || (type.propertyFlags & kind) != kind) continue;
                untried &= ~(std::uint32_t{1} << i);
                if (memory.memoryHeaps[type.heapIndex].size < needs.size) continue;
                allocation.memoryTypeIndex = i;
                found = type.propertyFlags;
                state = device_status::of_making(memory_, f.allocate_memory(device, &allocation, nullptr, &memory_),
                                                 "vkAllocateMemory");
                if (state.code() != device_code::out_of_memory) return state;
            }
        return state;
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
