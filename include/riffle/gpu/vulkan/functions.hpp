#pragma once
#include <vulkan/vulkan_core.h>

#include <riffle/gpu/vulkan/device_status.hpp>

// Vulkan's functions, all of them through pointers: riffle links nothing.

namespace riffle::inline RIFFLE_ABI::gpu {

/// Looks functions up by name, and remembers the first that is not there.
template <class Get>
class function_finder {
public:
    constexpr explicit function_finder(Get get) noexcept : get_(get) {}
    template <class Function>
    void find(Function& function, const char* name) noexcept {
        function = reinterpret_cast<Function>(get_(name));
        if (function == nullptr && state_.ok()) state_ = device_status::missing(name);
    }
    /// One that can be done without.
    template <class Function>
    void find_if_there(Function& function, const char* name) noexcept {
        function = reinterpret_cast<Function>(get_(name));
    }
    device_status state() const noexcept { return state_; }

private:
    Get get_;
    device_status state_;
};

/// What it takes to run a kernel in somebody's command buffer.
struct kernel_functions {
    PFN_vkGetPhysicalDeviceProperties get_properties = nullptr;
    PFN_vkCreateShaderModule create_shader_module = nullptr;
    PFN_vkDestroyShaderModule destroy_shader_module = nullptr;
    PFN_vkCreateDescriptorSetLayout create_descriptor_set_layout = nullptr;
    PFN_vkDestroyDescriptorSetLayout destroy_descriptor_set_layout = nullptr;
    PFN_vkCreatePipelineLayout create_pipeline_layout = nullptr;
    PFN_vkDestroyPipelineLayout destroy_pipeline_layout = nullptr;
    PFN_vkCreateComputePipelines create_compute_pipelines = nullptr;
    PFN_vkDestroyPipeline destroy_pipeline = nullptr;
    PFN_vkUpdateDescriptorSets update_descriptor_sets = nullptr;
    PFN_vkCmdBindPipeline bind_pipeline = nullptr;
    PFN_vkCmdBindDescriptorSets bind_descriptor_sets = nullptr;
    PFN_vkCmdPushConstants push_constants = nullptr;
    PFN_vkCmdDispatch dispatch = nullptr;
    PFN_vkCmdPipelineBarrier pipeline_barrier = nullptr;

    device_status load(PFN_vkGetInstanceProcAddr get_instance_proc_addr, VkInstance instance,
                       VkDevice device) noexcept {
        const auto of_instance = [=](const char* name) { return get_instance_proc_addr(instance, name); };
        function_finder instance_functions(of_instance);
        PFN_vkGetDeviceProcAddr get_device_proc_addr = nullptr;
        instance_functions.find(get_device_proc_addr, "vkGetDeviceProcAddr");
        instance_functions.find(get_properties, "vkGetPhysicalDeviceProperties");
        if (!instance_functions.state().ok()) return instance_functions.state();

        const auto of_device = [=](const char* name) { return get_device_proc_addr(device, name); };
        function_finder f(of_device);
        f.find(create_shader_module, "vkCreateShaderModule");
        f.find(destroy_shader_module, "vkDestroyShaderModule");
        f.find(create_descriptor_set_layout, "vkCreateDescriptorSetLayout");
        f.find(destroy_descriptor_set_layout, "vkDestroyDescriptorSetLayout");
        f.find(create_pipeline_layout, "vkCreatePipelineLayout");
        f.find(destroy_pipeline_layout, "vkDestroyPipelineLayout");
        f.find(create_compute_pipelines, "vkCreateComputePipelines");
        f.find(destroy_pipeline, "vkDestroyPipeline");
        f.find(update_descriptor_sets, "vkUpdateDescriptorSets");
        f.find(bind_pipeline, "vkCmdBindPipeline");
        f.find(bind_descriptor_sets, "vkCmdBindDescriptorSets");
        f.find(push_constants, "vkCmdPushConstants");
        f.find(dispatch, "vkCmdDispatch");
        f.find(pipeline_barrier, "vkCmdPipelineBarrier");
        return f.state();
    }
};

/// What it takes besides to own a device, memory and a queue.
struct device_functions {
    PFN_vkDestroyDevice destroy_device = nullptr;
    PFN_vkDeviceWaitIdle wait_idle = nullptr;
    PFN_vkGetDeviceQueue get_queue = nullptr;
    PFN_vkCreateBuffer create_buffer = nullptr;
    PFN_vkDestroyBuffer destroy_buffer = nullptr;
    PFN_vkGetBufferMemoryRequirements get_memory_requirements = nullptr;
    PFN_vkAllocateMemory allocate_memory = nullptr;
    PFN_vkFreeMemory free_memory = nullptr;
    PFN_vkBindBufferMemory bind_memory = nullptr;
    PFN_vkMapMemory map_memory = nullptr;
    PFN_vkCreateDescriptorPool create_descriptor_pool = nullptr;
    PFN_vkDestroyDescriptorPool destroy_descriptor_pool = nullptr;
    PFN_vkAllocateDescriptorSets allocate_descriptor_sets = nullptr;
    PFN_vkCreateCommandPool create_command_pool = nullptr;
    PFN_vkDestroyCommandPool destroy_command_pool = nullptr;
    PFN_vkAllocateCommandBuffers allocate_command_buffers = nullptr;
    PFN_vkBeginCommandBuffer begin_command_buffer = nullptr;
    PFN_vkEndCommandBuffer end_command_buffer = nullptr;
    PFN_vkCmdCopyBuffer copy_buffer = nullptr;
    PFN_vkCmdFillBuffer fill_buffer = nullptr;
    PFN_vkQueueSubmit submit = nullptr;
    PFN_vkCreateFence create_fence = nullptr;
    PFN_vkDestroyFence destroy_fence = nullptr;
    PFN_vkWaitForFences wait_for_fences = nullptr;
    PFN_vkResetFences reset_fences = nullptr;

    device_status load(PFN_vkGetDeviceProcAddr get_device_proc_addr, VkDevice device) noexcept {
        const auto of_device = [=](const char* name) { return get_device_proc_addr(device, name); };
        function_finder f(of_device);
        f.find(destroy_device, "vkDestroyDevice");
        f.find(wait_idle, "vkDeviceWaitIdle");
        f.find(get_queue, "vkGetDeviceQueue");
        f.find(create_buffer, "vkCreateBuffer");
        f.find(destroy_buffer, "vkDestroyBuffer");
        f.find(get_memory_requirements, "vkGetBufferMemoryRequirements");
        f.find(allocate_memory, "vkAllocateMemory");
        f.find(free_memory, "vkFreeMemory");
        f.find(bind_memory, "vkBindBufferMemory");
        f.find(map_memory, "vkMapMemory");
        f.find(create_descriptor_pool, "vkCreateDescriptorPool");
        f.find(destroy_descriptor_pool, "vkDestroyDescriptorPool");
        f.find(allocate_descriptor_sets, "vkAllocateDescriptorSets");
        f.find(create_command_pool, "vkCreateCommandPool");
        f.find(destroy_command_pool, "vkDestroyCommandPool");
        f.find(allocate_command_buffers, "vkAllocateCommandBuffers");
        f.find(begin_command_buffer, "vkBeginCommandBuffer");
        f.find(end_command_buffer, "vkEndCommandBuffer");
        f.find(copy_buffer, "vkCmdCopyBuffer");
        f.find(fill_buffer, "vkCmdFillBuffer");
        f.find(submit, "vkQueueSubmit");
        f.find(create_fence, "vkCreateFence");
        f.find(destroy_fence, "vkDestroyFence");
        f.find(wait_for_fences, "vkWaitForFences");
        f.find(reset_fences, "vkResetFences");
        return f.state();
    }
};

}  // namespace riffle::gpu
