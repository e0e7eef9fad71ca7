#include "gpu/validation.hpp"

#include <atomic>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <string_view>
#include <vector>

#include <riffle/gpu/vulkan/loader.hpp>

namespace riffle_tests {
namespace {

constexpr const char* layer = "VK_LAYER_KHRONOS_validation";
std::atomic<int> messages{0};
std::mutex of_messengers;
std::map<VkInstance, VkDebugUtilsMessengerEXT> messengers;

PFN_vkGetInstanceProcAddr real() { return riffle::gpu::find_loader(); }
template <class Function>
Function find(VkInstance instance, const char* name) {
    return reinterpret_cast<Function>(real()(instance, name));
}

VKAPI_ATTR VkBool32 VKAPI_CALL note(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                                    const VkDebugUtilsMessengerCallbackDataEXT* data, void*) {
    ++messages;
    std::printf("validation: %s\n", data->pMessage);
    return VK_FALSE;
}
VkDebugUtilsMessengerCreateInfoEXT messenger_info() {
    VkDebugUtilsMessengerCreateInfoEXT info{};
    info.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT;
    info.messageSeverity =
        VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
    info.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT;
    info.pfnUserCallback = note;
    return info;
}

VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo* asked,
                                               const VkAllocationCallbacks* allocator, VkInstance* instance) {
    const char* const extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
    std::vector<const char*> extensions(asked->ppEnabledExtensionNames,
                                        asked->ppEnabledExtensionNames + asked->enabledExtensionCount);
    extensions.push_back(extension);
    const VkValidationFeatureEnableEXT enabled[] = {VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT};
    VkValidationFeaturesEXT features{};
    features.sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT;
    features.enabledValidationFeatureCount = 1;
    features.pEnabledValidationFeatures = enabled;
    features.pNext = asked->pNext;
    VkInstanceCreateInfo info = *asked;
    info.pNext = &features;
    info.enabledLayerCount = 1;
    info.ppEnabledLayerNames = &layer;
    info.enabledExtensionCount = std::uint32_t(extensions.size());
    info.ppEnabledExtensionNames = extensions.data();
    const VkResult result = find<PFN_vkCreateInstance>(nullptr, "vkCreateInstance")(&info, allocator, instance);
    if (result != VK_SUCCESS) return result;
    const auto create = find<PFN_vkCreateDebugUtilsMessengerEXT>(*instance, "vkCreateDebugUtilsMessengerEXT");
    const auto messenger = messenger_info();
    const std::lock_guard lock(of_messengers);
    create(*instance, &messenger, nullptr, &messengers[*instance]);
    return result;
}
VKAPI_ATTR void VKAPI_CALL destroy_instance(VkInstance instance, const VkAllocationCallbacks* allocator) {
    {
        const std::lock_guard lock(of_messengers);
        const auto destroy = find<PFN_vkDestroyDebugUtilsMessengerEXT>(instance, "vkDestroyDebugUtilsMessengerEXT");
        destroy(instance, messengers[instance], nullptr);
        messengers.erase(instance);
    }
    find<PFN_vkDestroyInstance>(instance, "vkDestroyInstance")(instance, allocator);
}
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get(VkInstance instance, const char* name) {
    if (std::string_view(name) == "vkCreateInstance") return reinterpret_cast<PFN_vkVoidFunction>(create_instance);
    if (std::string_view(name) == "vkDestroyInstance") return reinterpret_cast<PFN_vkVoidFunction>(destroy_instance);
    return real()(instance, name);
}

}  // namespace

bool validates() {
    static const bool has_layer = [] {
        if (real() == nullptr) return false;
        const auto enumerate =
            find<PFN_vkEnumerateInstanceLayerProperties>(nullptr, "vkEnumerateInstanceLayerProperties");
        std::uint32_t count = 0;
        enumerate(&count, nullptr);
        std::vector<VkLayerProperties> layers(count);
        enumerate(&count, layers.data());
        for (const auto& l : layers)
            if (std::strcmp(l.layerName, layer) == 0) return true;
        return false;
    }();
    return has_layer;
}
PFN_vkGetInstanceProcAddr validating_loader() { return validates() ? get : real(); }
int validation_messages() { return messages; }

}  // namespace riffle_tests
