#pragma once
#include <vulkan/vulkan_core.h>

namespace riffle::gpu {

/// A device that somebody has opened: an engine's own, or that of gpu::device. Everything here stays theirs, and must
/// live as long as what is made with it.
struct device_context {
    PFN_vkGetInstanceProcAddr get_instance_proc_addr = nullptr;
    VkInstance instance = VK_NULL_HANDLE;
    VkPhysicalDevice physical_device = VK_NULL_HANDLE;
    VkDevice device = VK_NULL_HANDLE;
    VkPipelineCache cache = VK_NULL_HANDLE;            ///< for the kernels' pipelines
    const VkAllocationCallbacks* allocator = nullptr;  ///< for all that is made
    /// The device was opened with shaderRoundingModeRTEFloat32 reported (VK_KHR_shader_float_controls, or Vulkan 1.2):
    /// kernels may demand rounding to nearest even.
    bool rounds_to_nearest = false;
    bool keeps_infinities = false;  ///< the same of shaderSignedZeroInfNanPreserveFloat32
};

}  // namespace riffle::gpu
