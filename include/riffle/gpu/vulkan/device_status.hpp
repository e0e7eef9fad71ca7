#pragma once
#include <cstdint>
#include <cstdio>

#include <vulkan/vulkan_core.h>

#include <riffle/core/status.hpp>

namespace riffle::inline RIFFLE_ABI::gpu {

/// What keeps a device from being used.
enum class device_code : std::uint8_t {
    ok,
    no_loader,         ///< there is no Vulkan loader on this machine
    no_device,         ///< there is one, but no device that may be used; or a kernel that was not created
    missing_function,  ///< the driver lacks a function that is needed
    device_too_small,  ///< a limit of the device is below what is asked of it
    no_stages,         ///< the device has nothing to do for this chain
    buffer_too_small,  ///< a buffer is smaller than the rows, requests or results that it is for
    misaligned,        ///< an offset is no multiple of what the device asks for
    too_many_rows,     ///< a row of no logits, or of more than a kernel takes
    bad_stride,        ///< rows overlap, or 16-bit logits whose rows are an odd number apart
    too_many_groups,   ///< more work groups a row than the kernel was made for, or the device takes
    out_of_memory,     ///< of the device's memory or the processor's
    device_lost,       ///< the driver gave up; the device must be opened anew
    failed,            ///< another error of Vulkan: result() has it
};

/// Whether a device can be used, and if not why. A plain value, copied freely.
class [[nodiscard]] device_status {
public:
    constexpr device_status() noexcept = default;
    constexpr device_status(device_code code) noexcept : code_(code) {}
    /// Of a call to Vulkan; `what` is the call's name.
    constexpr device_status(VkResult result, const char* what) noexcept
        : what_(result == VK_SUCCESS ? "" : what), result_(result), code_(code_of(result)) {}
    /// Of a call that makes something: where it failed, Vulkan leaves open what its handle is.
    template <class Handle>
    static constexpr device_status of_making(Handle& handle, VkResult result, const char* what) noexcept {
        if (result != VK_SUCCESS) handle = VK_NULL_HANDLE;
        return {result, what};
    }
    /// A function that is not there.
    static constexpr device_status missing(const char* function) noexcept {
        device_status s(device_code::missing_function);
        s.what_ = function;
        return s;
    }

    /// A device that is there and may not be used: which one, and why.
    static device_status refused(const char* device, const char* why) noexcept {
        device_status s(device_code::no_device);
        std::snprintf(s.device_, sizeof s.device_, "%.47s", device);
        s.what_ = why;
        return s;
    }
    /// No device at all, and what can be done about it.
    static constexpr device_status no_device(const char* why) noexcept {
        device_status s(device_code::no_device);
        s.what_ = why;
        s.is_whole_ = true;
        return s;
    }

    constexpr device_code code() const noexcept { return code_; }
    constexpr bool ok() const noexcept { return code_ == device_code::ok; }
    constexpr explicit operator bool() const noexcept { return ok(); }
    /// What Vulkan said; VK_SUCCESS where the cause is none of its errors.
    constexpr VkResult result() const noexcept { return result_; }

    /// One sentence, with the name of the call that failed and its result where there is one, or that of a device.
    sentence message() const noexcept {
        sentence s;
        if (is_whole_) std::snprintf(s.data(), sentence::capacity, "%s", what_);
        else if (*device_) std::snprintf(s.data(), sentence::capacity, "%s: %s", device_, what_);
        else if (*what_) std::snprintf(s.data(), sentence::capacity, "%s: %s (%d)", what_, words(), int(result_));
        else std::snprintf(s.data(), sentence::capacity, "%s", text(code_));
        return s;
    }

private:
    static constexpr device_code code_of(VkResult result) noexcept {
        switch (result) {
        case VK_SUCCESS: return device_code::ok;
        case VK_ERROR_OUT_OF_HOST_MEMORY:
        case VK_ERROR_OUT_OF_DEVICE_MEMORY:
        case VK_ERROR_OUT_OF_POOL_MEMORY: return device_code::out_of_memory;
        case VK_ERROR_DEVICE_LOST: return device_code::device_lost;
        case VK_ERROR_INCOMPATIBLE_DRIVER: return device_code::no_device;  // a loader that finds no driver says this
        default: return device_code::failed;
        }
    }
    constexpr const char* words() const noexcept {
        return result_ == VK_ERROR_INCOMPATIBLE_DRIVER  // which a loader says that finds none
                   ? "there is no Vulkan driver here (Debian: mesa-vulkan-drivers, or the vendor's)"
                   : text(code_);
    }
    static constexpr const char* text(device_code code) noexcept {
        switch (code) {
        case device_code::ok: return "ok";
        case device_code::no_loader: return "there is no Vulkan loader on this machine";
        case device_code::no_device: return "there is no Vulkan device that may be used";
        case device_code::missing_function: return "the Vulkan driver lacks this function";
        case device_code::device_too_small: return "a limit of the device is below what is asked of it";
        case device_code::no_stages: return "the device has nothing to do for this chain";
        case device_code::buffer_too_small: return "a buffer is smaller than what is to lie in it";
        case device_code::misaligned: return "an offset is no multiple of what the device asks for";
        case device_code::too_many_rows: return "a row has no logits, or more than can be sampled";
        case device_code::bad_stride:
            return "the stride of rows is less than the vocabulary, or of 16-bit logits an odd number";
        case device_code::too_many_groups: return "a row has more work groups than the kernel or the device takes";
        case device_code::out_of_memory: return "there is no memory left for the device";
        case device_code::device_lost: return "the device is lost";
        case device_code::failed: return "Vulkan reports an error";
        }
        return "unknown status";
    }

    const char* what_ = "";
    char device_[48] = {};  ///< the beginning of its name
    VkResult result_ = VK_SUCCESS;
    device_code code_ = device_code::ok;
    bool is_whole_ = false;  ///< what_ says it all
};

}  // namespace riffle::gpu
