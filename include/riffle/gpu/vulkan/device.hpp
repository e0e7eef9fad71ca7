#pragma once
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>

#include <vulkan/vulkan_core.h>

#include <riffle/gpu/vulkan/device_context.hpp>
#include <riffle/gpu/vulkan/functions.hpp>
#include <riffle/gpu/vulkan/loader.hpp>

namespace riffle::inline RIFFLE_ABI::gpu::inline in_riffle_gpu_hpp {

/// Which device to open: of those that compute and have Vulkan 1.1, a card of its own rather than what is built into
/// the processor, that rather than a virtual one, and of equals the first that Vulkan names.
struct device_choice {
    /// Processors that do as if they were devices, as Mesa's lavapipe does: for tests, and slower than a chain.
    bool allow_software = false;
    /// Only a device whose name has this in it, letter for letter; nullptr = whatever its name. Read while the device
    /// is opened.
    const char* name = nullptr;
    /// Instead of the loader of this machine; nullptr = that.
    PFN_vkGetInstanceProcAddr get_instance_proc_addr = nullptr;
};

/// A device of riffle's own, for applications that have none: instance, device and a queue. The environment variable
/// RIFFLE_GPU overrides the choice: "off" for no device, "software" to allow those, anything else is a part of a name,
/// of a software device too. Where nothing is found state() says why, and samplers made with it work on the processor.
///
/// It stays where it is, and goes after all that was made with it: samplers, buffers, kernels. Samplers of several
/// threads may share it. Opening one takes milliseconds to seconds, as drivers have it.
///
/// Not for a static variable: when a program ends, drivers take themselves down before or after it, and some then crash
/// when they are called.
class device {
public:
    /// Opens one. Afterwards state() is ok, or no_loader, no_device, missing_function, or what a call to Vulkan gave.
    explicit device(const device_choice& choice = {}) noexcept { state_ = open(choice); }
    device(const device&) = delete;
    device& operator=(const device&) = delete;
    ~device() {
        if (context_.device != VK_NULL_HANDLE) {
            if (functions_.destroy_device == nullptr) return;  // a driver that cannot: its instance is still in use
            if (functions_.wait_idle) functions_.wait_idle(context_.device);
            functions_.destroy_device(context_.device, nullptr);
        }
        if (context_.instance != VK_NULL_HANDLE && destroy_instance_) destroy_instance_(context_.instance, nullptr);
    }

    /// Whether there is a device, or why not.
    const device_status& state() const noexcept { return state_; }
    /// As Vulkan has it; "" where there is none.
    const char* name() const noexcept { return name_.data(); }
    /// A processor that does as if it were a device.
    bool is_software() const noexcept { return is_software_; }

    // For those who use the device themselves, where state() is ok.
    /// Its handles, which kernels are made with.
    const device_context& context() const noexcept { return context_; }
    /// Its functions, as far as riffle calls them.
    const device_functions& functions() const noexcept { return functions_; }
    /// Its heaps and types of memory, as Vulkan has them.
    const VkPhysicalDeviceMemoryProperties& memory() const noexcept { return memory_; }
    /// Bytes that one vkAllocateMemory may ask for, whatever the heap has: maxMemoryAllocationSize.
    VkDeviceSize largest_allocation() const noexcept { return largest_allocation_; }
    /// Its only queue, which computes and copies. Vulkan wants one thread at a time to use it: see submit.
    VkQueue queue() const noexcept { return queue_; }
    /// The family of that queue, for command pools.
    std::uint32_t queue_family() const noexcept { return queue_family_; }

    /// vkQueueSubmit of one submission, once no other thread is at the queue. Only where state() is ok.
    VkResult submit(const VkSubmitInfo& submission, VkFence fence) const noexcept {
        const std::lock_guard lock(queue_in_use_);
        return functions_.submit(queue_, 1, &submission, fence);
    }
    /// vkDeviceWaitIdle. It waits for other threads that are at the queue, and they for it. Only where state() is ok.
    void wait_idle() const noexcept {
        const std::lock_guard lock(queue_in_use_);
        functions_.wait_idle(context_.device);
    }

private:
    device_status open(device_choice choice) noexcept {
        if (const char* wish = std::getenv("RIFFLE_GPU"); wish && *wish) {
            if (std::strcmp(wish, "off") == 0)
                return device_status::no_device("the environment variable RIFFLE_GPU is off, so no device is used");
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
        // Devices that are no Vulkan to the letter, as those of Apple's computers, are shown to those who ask for them.
        const auto extensions = reinterpret_cast<PFN_vkEnumerateInstanceExtensionProperties>(
            get(VK_NULL_HANDLE, "vkEnumerateInstanceExtensionProperties"));
        const char* const enumeration = "VK_KHR_portability_enumeration";
        constexpr VkInstanceCreateFlags show_portable = 1;  // VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR
        if (extensions && has_extension(enumeration, [&](std::uint32_t* count, VkExtensionProperties* all) {
                return extensions(nullptr, count, all);
            })) {
            info.flags = show_portable;
            info.enabledExtensionCount = 1;
            info.ppEnabledExtensionNames = &enumeration;
        }
        VkInstance& made = context_.instance;
        return device_status::of_making(made, create(&info, nullptr, &made), "vkCreateInstance");
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
        device_status none =
            device_status::no_device("Vulkan finds no device here: its driver is missing (Debian: mesa-vulkan-drivers, "
                                     "or the vendor's)");
        for (std::uint32_t i = 0; i < count; ++i) {
            VkPhysicalDeviceProperties properties;
            instance.get_properties(found[i], &properties);
            std::uint32_t family = 0;
            const bool computes = find_queue(instance, found[i], family);
            if (const char* why = reason_against(properties, choice, computes)) {
                if (i == 0) none = device_status::refused(properties.deviceName, why);
                continue;
            }
            const int worth = worth_of(properties.deviceType);
            if (worth <= best) continue;
            best = worth;
            context_.physical_device = found[i];
            queue_family_ = family;
            is_software_ = properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
            std::memcpy(name_.data(), properties.deviceName, name_.size());
        }
        return best ? device_status() : none;
    }
    /// Why a device may not be used, and what would change that; nullptr where it may.
    static const char* reason_against(const VkPhysicalDeviceProperties& of, const device_choice& choice,
                                      bool computes) noexcept {
        if (choice.name && !std::strstr(of.deviceName, choice.name))
            return "not called what device_choice::name or RIFFLE_GPU asks for";
        if (of.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU && !choice.allow_software)
            return "a processor that plays a device; device_choice::allow_software or RIFFLE_GPU=software takes it";
        if (of.apiVersion < VK_API_VERSION_1_1) return "its driver has Vulkan 1.0, and 1.1 is needed: try a newer one";
        return computes ? nullptr : "it shows pictures, and computes nothing";
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
            if (families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) {
                family = i;
                return true;
            }
        return false;
    }

    /// What kernels like to have and can do without, and the largest allocation.
    void ask_for_more(const instance_functions& instance) noexcept {
        if (!instance.get_properties_2 || !instance.get_extensions) return;
        VkPhysicalDeviceFloatControlsProperties floats{};
        floats.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES;
        VkPhysicalDeviceSubgroupProperties subgroups{};
        subgroups.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES;
        VkPhysicalDeviceMaintenance3Properties sizes{};
        sizes.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES;
        sizes.pNext = &subgroups;
        sizes.maxMemoryAllocationSize = largest_allocation_;
        const auto list = [&](std::uint32_t* count, VkExtensionProperties* all) {
            return instance.get_extensions(context_.physical_device, nullptr, count, all);
        };
        has_float_controls_ = has_extension(VK_KHR_SHADER_FLOAT_CONTROLS_EXTENSION_NAME, list);
        is_portable_ = has_extension(portability_subset, list);
        if (has_float_controls_) subgroups.pNext = &floats;
        VkPhysicalDeviceProperties2 properties{};
        properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
        properties.pNext = &sizes;
        instance.get_properties_2(context_.physical_device, &properties);
        largest_allocation_ = sizes.maxMemoryAllocationSize;
        context_.rounds_to_nearest = has_float_controls_ && floats.shaderRoundingModeRTEFloat32;
        context_.keeps_infinities = has_float_controls_ && floats.shaderSignedZeroInfNanPreserveFloat32;
        context_.has_subgroups = (subgroups.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT) &&
                                 (subgroups.supportedOperations & VK_SUBGROUP_FEATURE_ARITHMETIC_BIT);
    }
    /// Whether it is among the first hundreds that are listed.
    template <class List>
    static bool has_extension(const char* name, List list) noexcept {
        static constexpr std::uint32_t most = 512;
        const std::unique_ptr<VkExtensionProperties[]> found(new (std::nothrow) VkExtensionProperties[most]);
        std::uint32_t count = found ? most : 0;
        if (!found || list(&count, found.get()) < 0) return false;
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
        std::array<const char*, 2> extensions{};
        if (has_float_controls_) extensions[info.enabledExtensionCount++] = VK_KHR_SHADER_FLOAT_CONTROLS_EXTENSION_NAME;
        if (is_portable_) extensions[info.enabledExtensionCount++] = portability_subset;
        info.ppEnabledExtensionNames = extensions.data();
        VkDevice& made = context_.device;
        if (const auto s = device_status::of_making(
                made, instance.create_device(context_.physical_device, &info, nullptr, &made), "vkCreateDevice");
            !s.ok())
            return s;
        if (const auto s = functions_.load(instance.get_device_proc_addr, context_.device); !s.ok()) return s;
        functions_.get_queue(context_.device, queue_family_, 0, &queue_);
        return {};
    }

    /// Vulkan wants it enabled where it is listed.
    static constexpr const char* portability_subset = "VK_KHR_portability_subset";

    device_status state_;
    std::array<char, VK_MAX_PHYSICAL_DEVICE_NAME_SIZE> name_{};
    bool is_software_ = false, has_float_controls_ = false, is_portable_ = false;
    device_context context_;
    device_functions functions_;
    VkPhysicalDeviceMemoryProperties memory_{};
    VkDeviceSize largest_allocation_ = ~VkDeviceSize{0};
    VkQueue queue_ = VK_NULL_HANDLE;
    std::uint32_t queue_family_ = 0;
    PFN_vkDestroyInstance destroy_instance_ = nullptr;
    mutable std::mutex queue_in_use_;
};

}  // namespace riffle::gpu
