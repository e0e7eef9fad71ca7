// Drivers that fail, at every call: a status, the processor's token, nothing left behind. The functions that riffle
// finds are wrapped, so that one of them can be missing, or say that the device is lost.

#include <atomic>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/device_for_tests.hpp"
#include "reference/rows.hpp"

namespace riffle_tests::gpu_failures {
namespace {

using namespace riffle;

// ---- a driver that can be told to fail

std::string missing, failing;
VkResult fails_with = VK_SUCCESS;
std::atomic<int> made{0};  ///< objects that were created and not destroyed

PFN_vkGetInstanceProcAddr real() { return gpu::find_loader(); }
PFN_vkGetDeviceProcAddr real_of_device = nullptr;

PFN_vkVoidFunction wrapped(const char* name, PFN_vkVoidFunction found);
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_of_device(VkDevice device, const char* name) {
    return wrapped(name, real_of_device(device, name));
}
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get(VkInstance instance, const char* name) {
    if (std::string_view(name) == "vkGetDeviceProcAddr" && missing != name) {
        real_of_device = reinterpret_cast<PFN_vkGetDeviceProcAddr>(real()(instance, name));
        return reinterpret_cast<PFN_vkVoidFunction>(get_of_device);
    }
    return wrapped(name, real()(instance, name));
}

/// A function of Vulkan by its type, with the name as a part of the wrapper's.
template <class Function, int Name>
struct wrapper;
std::map<std::string, PFN_vkVoidFunction> real_functions;
template <class Result, class... Arguments, int Name>
struct wrapper<Result(VKAPI_PTR*)(Arguments...), Name> {
    static inline const char* name;
    static VKAPI_ATTR Result VKAPI_CALL call(Arguments... arguments) {
        if (failing == name) return fails_with;
        const auto result = reinterpret_cast<Result(VKAPI_PTR*)(Arguments...)>(real_functions[name])(arguments...);
        if (std::strncmp(name, "vkCreate", 8) == 0 || std::strncmp(name, "vkAllocateMemory", 16) == 0) ++made;
        return result;
    }
};
template <class... Arguments, int Name>
struct wrapper<void(VKAPI_PTR*)(Arguments...), Name> {
    static inline const char* name;
    static VKAPI_ATTR void VKAPI_CALL call(Arguments... arguments) {
        --made;
        reinterpret_cast<void(VKAPI_PTR*)(Arguments...)>(real_functions[name])(arguments...);
    }
};
/// Destroying nothing destroys nothing.
template <class Parent, class Object, int Name>
struct wrapper<void(VKAPI_PTR*)(Parent, Object, const VkAllocationCallbacks*), Name> {
    static inline const char* name;
    static VKAPI_ATTR void VKAPI_CALL call(Parent parent, Object object, const VkAllocationCallbacks* allocator) {
        if (object != VK_NULL_HANDLE) --made;
        reinterpret_cast<void(VKAPI_PTR*)(Parent, Object, const VkAllocationCallbacks*)>(real_functions[name])(
            parent, object, allocator);
    }
};
template <class Function, int Name>
PFN_vkVoidFunction wrap(const char* name) {
    wrapper<Function, Name>::name = name;
    return reinterpret_cast<PFN_vkVoidFunction>(wrapper<Function, Name>::call);
}
/// Those that can fail, and those that undo them.
const std::vector<std::pair<const char*, PFN_vkVoidFunction>>& wrappers() {
    static const std::vector<std::pair<const char*, PFN_vkVoidFunction>> all{
        {"vkCreateInstance", wrap<PFN_vkCreateInstance, 0>("vkCreateInstance")},
        {"vkDestroyInstance", wrap<PFN_vkDestroyInstance, 1>("vkDestroyInstance")},
        {"vkEnumeratePhysicalDevices", wrap<PFN_vkEnumeratePhysicalDevices, 2>("vkEnumeratePhysicalDevices")},
        {"vkCreateDevice", wrap<PFN_vkCreateDevice, 3>("vkCreateDevice")},
        {"vkDestroyDevice", wrap<PFN_vkDestroyDevice, 4>("vkDestroyDevice")},
        {"vkCreateShaderModule", wrap<PFN_vkCreateShaderModule, 5>("vkCreateShaderModule")},
        {"vkDestroyShaderModule", wrap<PFN_vkDestroyShaderModule, 6>("vkDestroyShaderModule")},
        {"vkCreateDescriptorSetLayout", wrap<PFN_vkCreateDescriptorSetLayout, 7>("vkCreateDescriptorSetLayout")},
        {"vkDestroyDescriptorSetLayout", wrap<PFN_vkDestroyDescriptorSetLayout, 8>("vkDestroyDescriptorSetLayout")},
        {"vkCreatePipelineLayout", wrap<PFN_vkCreatePipelineLayout, 9>("vkCreatePipelineLayout")},
        {"vkDestroyPipelineLayout", wrap<PFN_vkDestroyPipelineLayout, 10>("vkDestroyPipelineLayout")},
        {"vkCreateComputePipelines", wrap<PFN_vkCreateComputePipelines, 11>("vkCreateComputePipelines")},
        {"vkDestroyPipeline", wrap<PFN_vkDestroyPipeline, 12>("vkDestroyPipeline")},
        {"vkCreateBuffer", wrap<PFN_vkCreateBuffer, 13>("vkCreateBuffer")},
        {"vkDestroyBuffer", wrap<PFN_vkDestroyBuffer, 14>("vkDestroyBuffer")},
        {"vkAllocateMemory", wrap<PFN_vkAllocateMemory, 15>("vkAllocateMemory")},
        {"vkFreeMemory", wrap<PFN_vkFreeMemory, 16>("vkFreeMemory")},
        {"vkBindBufferMemory", wrap<PFN_vkBindBufferMemory, 17>("vkBindBufferMemory")},
        {"vkMapMemory", wrap<PFN_vkMapMemory, 18>("vkMapMemory")},
        {"vkCreateDescriptorPool", wrap<PFN_vkCreateDescriptorPool, 19>("vkCreateDescriptorPool")},
        {"vkDestroyDescriptorPool", wrap<PFN_vkDestroyDescriptorPool, 20>("vkDestroyDescriptorPool")},
        {"vkAllocateDescriptorSets", wrap<PFN_vkAllocateDescriptorSets, 21>("vkAllocateDescriptorSets")},
        {"vkCreateCommandPool", wrap<PFN_vkCreateCommandPool, 22>("vkCreateCommandPool")},
        {"vkDestroyCommandPool", wrap<PFN_vkDestroyCommandPool, 23>("vkDestroyCommandPool")},
        {"vkAllocateCommandBuffers", wrap<PFN_vkAllocateCommandBuffers, 24>("vkAllocateCommandBuffers")},
        {"vkCreateFence", wrap<PFN_vkCreateFence, 25>("vkCreateFence")},
        {"vkDestroyFence", wrap<PFN_vkDestroyFence, 26>("vkDestroyFence")},
        {"vkBeginCommandBuffer", wrap<PFN_vkBeginCommandBuffer, 27>("vkBeginCommandBuffer")},
        {"vkEndCommandBuffer", wrap<PFN_vkEndCommandBuffer, 28>("vkEndCommandBuffer")},
        {"vkQueueSubmit", wrap<PFN_vkQueueSubmit, 29>("vkQueueSubmit")},
        {"vkWaitForFences", wrap<PFN_vkWaitForFences, 30>("vkWaitForFences")},
        {"vkResetFences", wrap<PFN_vkResetFences, 31>("vkResetFences")},
    };
    return all;
}
PFN_vkVoidFunction wrapped(const char* name, PFN_vkVoidFunction found) {
    if (missing == name) return nullptr;
    for (const auto& [known, wrapper] : wrappers())
        if (found && std::strcmp(known, name) == 0) {
            real_functions[known] = found;
            return wrapper;
        }
    return found;
}

/// All that is needed, by name: what the two tables find, and the instance's own.
const std::vector<std::string>& needed() {
    static const std::vector<std::string> all = [] {
        std::vector<std::string> names{"vkCreateInstance",
                                       "vkDestroyInstance",
                                       "vkEnumeratePhysicalDevices",
                                       "vkGetPhysicalDeviceProperties",
                                       "vkGetPhysicalDeviceQueueFamilyProperties",
                                       "vkGetPhysicalDeviceMemoryProperties",
                                       "vkCreateDevice",
                                       "vkGetDeviceProcAddr"};
        for (const auto& wrapper : wrappers())
            if (std::find(names.begin(), names.end(), wrapper.first) == names.end()) names.push_back(wrapper.first);
        for (const char* name : {"vkUpdateDescriptorSets", "vkCmdBindPipeline", "vkCmdBindDescriptorSets",
                                 "vkCmdPushConstants", "vkCmdDispatch", "vkCmdPipelineBarrier", "vkDeviceWaitIdle",
                                 "vkGetDeviceQueue", "vkGetBufferMemoryRequirements", "vkCmdCopyBuffer"})
            names.push_back(name);
        return names;
    }();
    return all;
}

using usual = decltype(chain(penalties{}, top_k{}, temperature{}, dist{}));

/// Some steps through a device that fails: what the sampler says of it; the tokens are the processor's in any case.
gpu::device_status state_after_steps() {
    gpu::device_status state;
    {
        const gpu::device device({.allow_software = true, .get_instance_proc_addr = get});
        gpu::sampler<usual> on_device(device, {.vocabulary = 300});
        usual there = chain(penalties{.repeat = 1.2f}, top_k{.k = 20}, temperature{.t = 0.8f}, dist{.seed = 3});
        usual here = there;
        for (std::uint64_t step = 0; step < 3; ++step) {
            const auto row = make_row(shape::random, 300, step);
            EXPECT_EQ(on_device.sample(there, row), here.sample(row)) << failing << missing;
        }
        state = on_device.state();
    }
    if (missing != "vkDestroyInstance" && missing != "vkDestroyDevice") {
        EXPECT_EQ(made, 0) << "left behind where " << failing << missing << " was at fault";
    }
    made = 0;
    return state;
}

class FailingDevice : public OnDevice {
protected:
    void TearDown() override {
        missing.clear();
        failing.clear();
        OnDevice::TearDown();
    }
};

TEST_F(FailingDevice, NothingIsLeftBehindByOneThatWorks) {
    const auto state = state_after_steps();
    EXPECT_TRUE(state.ok()) << state.message().c_str();
}
TEST_F(FailingDevice, AMissingFunctionIsNamed) {
    for (const std::string& name : needed()) {
        missing = name;
        made = 0;
        const gpu::device_status state = state_after_steps();
        EXPECT_EQ(state.code(), gpu::device_code::missing_function) << name;
        EXPECT_NE(std::string(state.message().c_str()).find(name), std::string::npos) << state.message().c_str();
    }
}
TEST_F(FailingDevice, EveryCallMayFail) {
    for (const auto& [name, wrapper] : wrappers()) {
        if (std::strncmp(name, "vkDestroy", 9) == 0 || std::strncmp(name, "vkFree", 6) == 0) continue;
        failing = name;
        for (const VkResult result : {VK_ERROR_OUT_OF_DEVICE_MEMORY, VK_ERROR_DEVICE_LOST, VK_ERROR_UNKNOWN}) {
            fails_with = result;
            const gpu::device_status state = state_after_steps();
            EXPECT_FALSE(state.ok()) << name;
            EXPECT_EQ(state.result(), result) << name << ": " << state.message().c_str();
            if (result == VK_ERROR_DEVICE_LOST) {
                EXPECT_EQ(state.code(), gpu::device_code::device_lost) << name;
            }
        }
    }
}

}  // namespace
}  // namespace riffle_tests::gpu_failures
