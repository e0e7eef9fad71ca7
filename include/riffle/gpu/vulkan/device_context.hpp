#pragma once
#include <vulkan/vulkan_core.h>

#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI::gpu {

/// A device that somebody has opened: an engine's own, or that of gpu::device. Everything here stays theirs, and must
/// live as long as what is made with it. Vulkan 1.1 or later, of the instance and of the device; kernels need no
/// extension and no feature of it.
struct device_context {
    PFN_vkGetInstanceProcAddr get_instance_proc_addr = nullptr;  ///< the loader's, by which all functions are found
    VkInstance instance = VK_NULL_HANDLE;
    VkPhysicalDevice physical_device = VK_NULL_HANDLE;
    VkDevice device = VK_NULL_HANDLE;
    VkPipelineCache cache = VK_NULL_HANDLE;            ///< for the kernels' pipelines; null = none
    const VkAllocationCallbacks* allocator = nullptr;  ///< for all that is made; null = the driver's own
    // What kernels may ask of the device beyond Vulkan 1.1; false is always allowed. For the first two the device has
    // to be opened with VK_KHR_shader_float_controls, or be one of Vulkan 1.2.
    bool rounds_to_nearest = false;  ///< shaderRoundingModeRTEFloat32; the processor's bits are promised with it only
    bool keeps_infinities = false;   ///< shaderSignedZeroInfNanPreserveFloat32
    bool has_subgroups = false;      ///< arithmetic over subgroups in compute shaders; for numerics::fast
};

}  // namespace riffle::gpu
