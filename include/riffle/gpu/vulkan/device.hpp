#pragma once
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include <vulkan/vulkan_core.h>

#include <riffle/gpu/vulkan/device_context.hpp>
#include <riffle/gpu/vulkan/functions.hpp>
#include <riffle/gpu/vulkan/loader.hpp>

namespace riffle::gpu {

/// Which device to open.
struct device_choice {
    /// Processors that do as if they were devices, as Mesa's lavapipe does: for tests, and slower than a chain.
    bool allow_software = false;
    /// Only a device whose name has this in it.
    const char* name = nullptr;
    /// Instead of the loader of this machine.
    PFN_vkGetInstanceProcAddr get_instance_proc_addr = nullptr;
};

/// A device of riffle's own, for applications that have none: instance, device and a queue. The environment variable
/// RIFFLE_GPU overrides the choice: "off" for no device, "software" to allow those, anything else is a part of a name.
/// Where nothing is found state() says why, and samplers made with it work on the processor.
///
/// Not for a static variable: when a program ends, drivers take themselves down before or after it, and some then crash
/// when they are called.
class device {
public:
    device() noexcept : state_(device_code::no_device) {}
    explicit device(device_choice choice) noexcept { state_ = open(choice); }
    device(const device&) = delete;
    device& operator=(const device&) = delete;
    device(device&& other) noexcept : device() { swap(other); }
    device& operator=(device&& other) noexcept {
        swap(other);
        return *this;
    }
    ~device() {
        if (context_.device != VK_NULL_HANDLE) {
            if (functions_.destroy_device == nullptr) return;  // a driver that cannot: its instance is still in use
            if (functions_.wait_idle) functions_.wait_idle(context_.device);
            functions_.destroy_device(context_.device, nullptr);
        }
        if (context_.instance != VK_NULL_HANDLE && destroy_instance_) destroy_instance_(context_.instance, nullptr);
    }

    const device_status& state() const noexcept { return state_; }
    /// "" where there is none.
    const char* name() const noexcept { return name_.data(); }
    bool is_software() const noexcept { return is_software_; }
    const device_context& context() const noexcept { return context_; }
    const device_functions& functions() const noexcept { return functions_; }
    const VkPhysicalDeviceMemoryProperties& memory() const noexcept { return memory_; }
    VkQueue queue() const noexcept { return queue_; }
    std::uint32_t queue_family() const noexcept { return queue_family_; }

private:
    void swap(device& other) noexcept {
        std::swap(state_, other.state_);
        std::swap(name_, other.name_);
        std::swap(is_software_, other.is_software_);
        std::swap(context_, other.context_);
        std::swap(functions_, other.functions_);
        std::swap(memory_, other.memory_);
        std::swap(queue_, other.queue_);
        std::swap(queue_family_, other.queue_family_);
        std::swap(destroy_instance_, other.destroy_instance_);
    }

    device_status open(device_choice choice) noexcept {
        if (const char* wish = std::getenv("RIFFLE_GPU"); wish && *wish) {
            if (std::strcmp(wish, "off") == 0) return device_code::no_device;
            if (std::strcmp(wish, "software") == 0) choice.allow_software = true;
            else choice = {true, wish, choice.get_instance_proc_addr};
        }
        const auto get = choice.get_instance_proc_addr ? choice.get_instance_proc_addr : find_loader();
        if (get == nullptr) return device_code::no_loader;
        context_.get_instance_proc_addr = get;
        if (const auto s = create_instance(get); !s.ok()) return s;

        const auto of_instance = [&](const char* f) { return get(context_.instance, f); };
        function_finder f(of_instance);
        instance_functions instance;
        f.find(destroy_instance_, "vkDestroyInstance");
        f.find(instance.enumerate, "vkEnumeratePhysicalDevices");
        f.find(instance.get_properties, "vkGetPhysicalDeviceProperties");
        f.find(instance.get_queue_families, "vkGetPhysicalDeviceQueueFamilyProperties");
        f.find(instance.get_memory, "vkGetPhysicalDeviceMemoryProperties");
        f.find(instance.create_device, "vkCreateDevice");
        f.find(instance.get_device_proc_addr, "vkGetDeviceProcAddr");
        if (!f.state().ok()) return f.state();
        f.find_if_there(instance.get_properties_2, "vkGetPhysicalDeviceProperties2");
        f.find_if_there(instance.get_extensions, "vkEnumerateDeviceExtensionProperties");
        if (const auto s = choose(instance, choice); !s.ok()) return s;
        ask_for_more(instance);
        instance.get_memory(context_.physical_device, &memory_);
        return create_device(instance);
    }

    struct instance_functions {
        PFN_vkEnumeratePhysicalDevices enumerate = nullptr;
        PFN_vkGetPhysicalDeviceProperties get_properties = nullptr;
        PFN_vkGetPhysicalDeviceQueueFamilyProperties get_queue_families = nullptr;
        PFN_vkGetPhysicalDeviceMemoryProperties get_memory = nullptr;
        PFN_vkCreateDevice create_device = nullptr;
        PFN_vkGetDeviceProcAddr get_device_proc_addr = nullptr;
        PFN_vkGetPhysicalDeviceProperties2 get_properties_2 = nullptr;
        PFN_vkEnumerateDeviceExtensionProperties get_extensions = nullptr;
    };

    device_status create_instance(PFN_vkGetInstanceProcAddr get) noexcept {
        const auto create = reinterpret_cast<PFN_vkCreateInstance>(get(VK_NULL_HANDLE, "vkCreateInstance"));
        if (create == nullptr) return device_status::missing("vkCreateInstance");
        VkApplicationInfo application{};
        application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
        application.pEngineName = "riffle";
        application.apiVersion = VK_API_VERSION_1_1;
        VkInstanceCreateInfo info{};
        info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
        info.pApplicationInfo = &application;
        return {create(&info, nullptr, &context_.instance), "vkCreateInstance"};
    }

    /// The best of those that may be used: a card of its own, then what is built in, then the others.
    device_status choose(const instance_functions& instance, const device_choice& choice) noexcept {
        std::array<VkPhysicalDevice, 32> found{};
        auto count = std::uint32_t(found.size());
        if (const device_status s(instance.enumerate(context_.instance, &count, found.data()),
                                  "vkEnumeratePhysicalDevices");
            !s.ok() && s.result() != VK_INCOMPLETE)
            return s;
        int best = 0;
        for (std::uint32_t i = 0; i < count; ++i) {
            VkPhysicalDeviceProperties properties;
            instance.get_properties(found[i], &properties);
            const bool software = properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
            if ((software && !choice.allow_software) || properties.apiVersion < VK_API_VERSION_1_1) continue;
            if (choice.name && !std::strstr(properties.deviceName, choice.name)) continue;
            const int worth = worth_of(properties.deviceType);
            std::uint32_t family = 0;
            if (worth <= best || !find_queue(instance, found[i], family)) continue;
            best = worth;
            context_.physical_device = found[i];
            queue_family_ = family;
            is_software_ = software;
            std::memcpy(name_.data(), properties.deviceName, name_.size());
        }
        return best ? device_code::ok : device_code::no_device;
    }
    static int worth_of(VkPhysicalDeviceType type) noexcept {
        switch (type) {
        case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU: return 5;
        case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU: return 4;
        case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU: return 3;
        case VK_PHYSICAL_DEVICE_TYPE_OTHER: return 2;
        default: return 1;
        }
    }
    /// One that computes.
    static bool find_queue(const instance_functions& instance, VkPhysicalDevice of, std::uint32_t& family) noexcept {
        std::array<VkQueueFamilyProperties, 32> families{};
        auto count = std::uint32_t(families.size());
        instance.get_queue_families(of, &count, families.data());
        for (std::uint32_t i = 0; i < count; ++i)
            if (families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) return family = i, true;
        return false;
    }

    /// What kernels like to have and can do without.
    void ask_for_more(const instance_functions& instance) noexcept {
        if (!instance.get_properties_2 || !instance.get_extensions) return;
        VkPhysicalDeviceFloatControlsProperties floats{};
        floats.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES;
        VkPhysicalDeviceSubgroupProperties subgroups{};
        subgroups.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES;
        has_float_controls_ = has_extension(instance, VK_KHR_SHADER_FLOAT_CONTROLS_EXTENSION_NAME);
        if (has_float_controls_) subgroups.pNext = &floats;
        VkPhysicalDeviceProperties2 properties{};
        properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
        properties.pNext = &subgroups;
        instance.get_properties_2(context_.physical_device, &properties);
        context_.rounds_to_nearest = has_float_controls_ && floats.shaderRoundingModeRTEFloat32;
        context_.keeps_infinities = has_float_controls_ && floats.shaderSignedZeroInfNanPreserveFloat32;
        context_.has_subgroups = (subgroups.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT) &&
                                 (subgroups.supportedOperations & VK_SUBGROUP_FEATURE_ARITHMETIC_BIT);
    }
    /// Among the first hundreds that it names.
    bool has_extension(const instance_functions& instance, const char* name) const noexcept {
        static constexpr std::uint32_t most = 512;
        const std::unique_ptr<VkExtensionProperties[]> found(new (std::nothrow) VkExtensionProperties[most]);
        std::uint32_t count = found ? most : 0;
        if (!found || instance.get_extensions(context_.physical_device, nullptr, &count, found.get()) < 0) return false;
        for (std::uint32_t i = 0; i < count; ++i)
            if (std::strcmp(found[i].extensionName, name) == 0) return true;
        return false;
    }

    device_status create_device(const instance_functions& instance) noexcept {
        const float priority = 1.0f;
        VkDeviceQueueCreateInfo queue{};
        queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
        queue.queueFamilyIndex = queue_family_;
        queue.queueCount = 1;
        queue.pQueuePriorities = &priority;
        VkDeviceCreateInfo info{};
        info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
        info.queueCreateInfoCount = 1;
        info.pQueueCreateInfos = &queue;
        const char* const float_controls = VK_KHR_SHADER_FLOAT_CONTROLS_EXTENSION_NAME;
        info.enabledExtensionCount = has_float_controls_ ? 1 : 0;
        info.ppEnabledExtensionNames = &float_controls;
        if (const device_status s(instance.create_device(context_.physical_device, &info, nullptr, &context_.device),
                                  "vkCreateDevice");
            !s.ok())
            return s;
        if (const auto s = functions_.load(instance.get_device_proc_addr, context_.device); !s.ok()) return s;
        functions_.get_queue(context_.device, queue_family_, 0, &queue_);
        return {};
    }

    device_status state_;
    std::array<char, VK_MAX_PHYSICAL_DEVICE_NAME_SIZE> name_{};
    bool is_software_ = false, has_float_controls_ = false;
    device_context context_;
    device_functions functions_;
    VkPhysicalDeviceMemoryProperties memory_{};
    VkQueue queue_ = VK_NULL_HANDLE;
    std::uint32_t queue_family_ = 0;
    PFN_vkDestroyInstance destroy_instance_ = nullptr;
};

}  // namespace riffle::gpu
