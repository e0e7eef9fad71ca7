// Which device is opened: the best that may be used, what a name or the environment asks for, and what is said where
// there is none.

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "gpu/device_for_tests.hpp"

namespace riffle_tests::gpu_devices {
namespace {

using namespace riffle;
using gpu::device_code;

// ---- a machine with several cards, all of them the test device

struct card {
    const char* name;
    VkPhysicalDeviceType type;
    std::uint32_t version = VK_API_VERSION_1_1;
    bool computes = true;
};
std::vector<card> cards;
VkPhysicalDevice real_card = VK_NULL_HANDLE;

card& card_of(VkPhysicalDevice device) { return *reinterpret_cast<card*>(device); }

VkInstance instance_of_cards = VK_NULL_HANDLE;
template <class Function>
Function real_of_cards(const char* name) {
    return reinterpret_cast<Function>(gpu::find_loader()(instance_of_cards, name));
}

VKAPI_ATTR VkResult VKAPI_CALL enumerate(VkInstance instance, std::uint32_t* count, VkPhysicalDevice* devices) {
    instance_of_cards = instance;
    std::array<VkPhysicalDevice, 8> all{};
    auto found = std::uint32_t(all.size());
    const auto call = real_of_cards<PFN_vkEnumeratePhysicalDevices>("vkEnumeratePhysicalDevices");
    if (const VkResult result = call(instance, &found, all.data()); result < 0 || found == 0) return result;
    real_card = all[0];
    *count = std::min(*count, std::uint32_t(cards.size()));
    for (std::uint32_t i = 0; i < *count; ++i) devices[i] = reinterpret_cast<VkPhysicalDevice>(&cards[i]);
    return *count < cards.size() ? VK_INCOMPLETE : VK_SUCCESS;
}
VKAPI_ATTR void VKAPI_CALL get_properties(VkPhysicalDevice device, VkPhysicalDeviceProperties* properties) {
    real_of_cards<PFN_vkGetPhysicalDeviceProperties>("vkGetPhysicalDeviceProperties")(real_card, properties);
    properties->deviceType = card_of(device).type;
    properties->apiVersion = card_of(device).version;
    std::snprintf(properties->deviceName, sizeof properties->deviceName, "%s", card_of(device).name);
}
VKAPI_ATTR void VKAPI_CALL get_queues(VkPhysicalDevice device, std::uint32_t* count, VkQueueFamilyProperties* all) {
    real_of_cards<PFN_vkGetPhysicalDeviceQueueFamilyProperties>("vkGetPhysicalDeviceQueueFamilyProperties")(real_card,
                                                                                                            count, all);
    if (!card_of(device).computes)
        for (std::uint32_t i = 0; i < *count; ++i) all[i].queueFlags = VK_QUEUE_TRANSFER_BIT;
}
VKAPI_ATTR void VKAPI_CALL get_memory(VkPhysicalDevice, VkPhysicalDeviceMemoryProperties* memory) {
    real_of_cards<PFN_vkGetPhysicalDeviceMemoryProperties>("vkGetPhysicalDeviceMemoryProperties")(real_card, memory);
}
VKAPI_ATTR void VKAPI_CALL get_properties_2(VkPhysicalDevice, VkPhysicalDeviceProperties2* properties) {
    real_of_cards<PFN_vkGetPhysicalDeviceProperties2>("vkGetPhysicalDeviceProperties2")(real_card, properties);
}

// What it says of being portable, and what it is asked for on that account.
bool is_portable = false;
VkResult instance_result = VK_SUCCESS;
std::string asked_for;

/// The one that is made up, where the machine is portable.
VkResult list(const char* extension, std::uint32_t* count, VkExtensionProperties* all) {
    const std::uint32_t there = is_portable ? 1 : 0;
    if (all && there && *count) {
        all[0] = {};
        std::snprintf(all[0].extensionName, sizeof all[0].extensionName, "%s", extension);
    }
    *count = all ? std::min(*count, there) : there;
    return VK_SUCCESS;
}
VKAPI_ATTR VkResult VKAPI_CALL get_instance_extensions(const char*, std::uint32_t* count, VkExtensionProperties* all) {
    return list("VK_KHR_portability_enumeration", count, all);
}
VKAPI_ATTR VkResult VKAPI_CALL get_extensions(VkPhysicalDevice, const char*, std::uint32_t* count,
                                              VkExtensionProperties* all) {
    return list("VK_KHR_portability_subset", count, all);
}
VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo* info, const VkAllocationCallbacks* allocator,
                                               VkInstance* instance) {
    if (instance_result != VK_SUCCESS) return instance_result;
    asked_for.clear();
    for (std::uint32_t i = 0; i < info->enabledExtensionCount; ++i)
        asked_for += std::string(info->ppEnabledExtensionNames[i]) + ", flags " + std::to_string(info->flags);
    VkInstanceCreateInfo plain = *info;
    plain.flags = 0;
    plain.enabledExtensionCount = 0;
    instance_of_cards = VK_NULL_HANDLE;
    return real_of_cards<PFN_vkCreateInstance>("vkCreateInstance")(&plain, allocator, instance);
}
VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice, const VkDeviceCreateInfo* info,
                                             const VkAllocationCallbacks* allocator, VkDevice* device) {
    for (std::uint32_t i = 0; i < info->enabledExtensionCount; ++i)
        asked_for += std::string("; ") + info->ppEnabledExtensionNames[i];
    VkDeviceCreateInfo plain = *info;
    plain.enabledExtensionCount = 0;
    return real_of_cards<PFN_vkCreateDevice>("vkCreateDevice")(real_card, &plain, allocator, device);
}
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL find(VkInstance instance, const char* name) {
    const auto wrapped = [&](const char* known, auto* function) {
        return std::strcmp(name, known) == 0 ? reinterpret_cast<PFN_vkVoidFunction>(function) : nullptr;
    };
    if (const auto f = wrapped("vkCreateInstance", create_instance)) return f;
    if (const auto f = wrapped("vkEnumerateInstanceExtensionProperties", get_instance_extensions)) return f;
    if (const auto f = wrapped("vkEnumeratePhysicalDevices", enumerate)) return f;
    if (const auto f = wrapped("vkGetPhysicalDeviceProperties", get_properties)) return f;
    if (const auto f = wrapped("vkGetPhysicalDeviceQueueFamilyProperties", get_queues)) return f;
    if (const auto f = wrapped("vkGetPhysicalDeviceMemoryProperties", get_memory)) return f;
    if (const auto f = wrapped("vkGetPhysicalDeviceProperties2", get_properties_2)) return f;
    if (const auto f = wrapped("vkEnumerateDeviceExtensionProperties", get_extensions)) return f;
    if (const auto f = wrapped("vkCreateDevice", create_device)) return f;
    return gpu::find_loader()(instance, name);
}

/// The name of the card that is opened, or what is said instead.
std::string opened(std::vector<card> all, gpu::device_choice choice = {}) {
    cards = std::move(all);
    choice.get_instance_proc_addr = find;
    const gpu::device device(choice);
    EXPECT_EQ(device.state().ok(), device.name()[0] != '\0');
    return device.state().ok() ? device.name() : device.state().message().c_str();
}

/// With RIFFLE_GPU as a test wants it.
class Devices : public OnDevice {
protected:
    void SetUp() override {
        OnDevice::SetUp();
        if (const char* set = std::getenv("RIFFLE_GPU")) before_ = set;
        unsetenv("RIFFLE_GPU");
    }
    void TearDown() override {
        is_portable = false;
        instance_result = VK_SUCCESS;
        if (before_.empty()) unsetenv("RIFFLE_GPU");
        else setenv("RIFFLE_GPU", before_.c_str(), 1);
        OnDevice::TearDown();
    }

private:
    std::string before_;
};

constexpr VkPhysicalDeviceType discrete = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
                               integrated = VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU,
                               software = VK_PHYSICAL_DEVICE_TYPE_CPU, simulated = VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU,
                               other = VK_PHYSICAL_DEVICE_TYPE_OTHER;
const std::string nothing = "Vulkan finds no device here: its driver is missing (Debian: mesa-vulkan-drivers, or the "
                            "vendor's)",
                  plays = "a processor that plays a device; device_choice::allow_software or RIFFLE_GPU=software takes "
                          "it",
                  old = "its driver has Vulkan 1.0, and 1.1 is needed: try a newer one",
                  misnamed = "not called what device_choice::name or RIFFLE_GPU asks for";

TEST_F(Devices, TheBestIsTaken) {
    EXPECT_EQ(opened({{"built in", integrated}, {"card", discrete}, {"second card", discrete}}), "card");
    EXPECT_EQ(opened({{"guest's", simulated}, {"built in", integrated}}), "built in");
    EXPECT_EQ(opened({{"odd", other}, {"guest's", simulated}}), "guest's");
}
TEST_F(Devices, SoftwareIsTakenWhereItMayBeAndNothingElseIsThere) {
    EXPECT_EQ(opened({{"software", software}}), "software: " + plays);
    EXPECT_EQ(opened({{"software", software}}, {.allow_software = true}), "software");
    EXPECT_EQ(opened({{"software", software}, {"odd", other}}, {.allow_software = true}), "odd");
}
TEST_F(Devices, ThoseThatCannotDoAreLeftOut) {
    EXPECT_EQ(opened({{"old", discrete, VK_API_VERSION_1_0}, {"built in", integrated}}), "built in");
    EXPECT_EQ(opened({{"screen", discrete, VK_API_VERSION_1_3, false}, {"built in", integrated}}), "built in");
    EXPECT_EQ(opened({}), nothing);
    EXPECT_EQ(opened({{"old", discrete, VK_API_VERSION_1_0}}), "old: " + old);
    EXPECT_EQ(opened({{"old", discrete, VK_API_VERSION_1_0}, {"software", software}}), "old: " + old);  // the first
    EXPECT_EQ(opened({{"screen", discrete, VK_API_VERSION_1_3, false}}),
              "screen: it shows pictures, and computes nothing");
    // A long name is cut, and the sentence stays whole.
    EXPECT_EQ(opened({{"a card whose maker has a great many words for it, all told", software}}),
              "a card whose maker has a great many words for i: " + plays);
}
TEST_F(Devices, OfManyTheFirstAreLookedAt) {
    std::vector<card> many(100, card{"built in", integrated});
    many[7] = {"card", discrete};
    EXPECT_EQ(opened(many), "card");
}
TEST_F(Devices, ANameIsAPartOfTheirs) {
    const std::vector<card> all{{"card one", discrete}, {"card two", discrete}, {"software", software}};
    EXPECT_EQ(opened(all, {.name = "two"}), "card two");
    EXPECT_EQ(opened(all, {.name = "three"}), "card one: " + misnamed);
    EXPECT_EQ(opened(all, {.name = "soft"}), "card one: " + misnamed);
    EXPECT_EQ(opened(all, {.allow_software = true, .name = "soft"}), "software");
}
TEST_F(Devices, TheEnvironmentOverridesTheChoice) {
    const std::vector<card> all{{"card one", discrete}, {"card two", discrete}, {"software", software}};
    setenv("RIFFLE_GPU", "off", 1);
    EXPECT_EQ(opened(all), "the environment variable RIFFLE_GPU is off, so no device is used");
    setenv("RIFFLE_GPU", "two", 1);
    EXPECT_EQ(opened(all, {.name = "one"}), "card two");
    setenv("RIFFLE_GPU", "soft", 1);
    EXPECT_EQ(opened(all), "software");
    setenv("RIFFLE_GPU", "three", 1);
    EXPECT_EQ(opened(all), "card one: " + misnamed);
    setenv("RIFFLE_GPU", "software", 1);
    EXPECT_EQ(opened({{"software", software}}), "software");
    setenv("RIFFLE_GPU", "", 1);
    EXPECT_EQ(opened(all), "card one");
}
/// Vulkan shows such devices, of Apple's computers say, to those who ask for them, and wants to be told that they are
/// meant.
TEST_F(Devices, ThoseThatAreNoVulkanToTheLetterAreAskedFor) {
    const std::vector<card> all{{"card", discrete}};
    EXPECT_EQ(opened(all), "card");
    EXPECT_EQ(asked_for, "");
    is_portable = true;
    EXPECT_EQ(opened(all), "card");
    EXPECT_EQ(asked_for, "VK_KHR_portability_enumeration, flags 1; VK_KHR_portability_subset");
}
/// What a loader says that finds no driver.
TEST_F(Devices, WithoutADriverThereIsNoDevice) {
    instance_result = VK_ERROR_INCOMPATIBLE_DRIVER;
    EXPECT_EQ(opened({}), "vkCreateInstance: there is no Vulkan driver here (Debian: mesa-vulkan-drivers, or the "
                          "vendor's) (-9)");
    const gpu::device device({.get_instance_proc_addr = find});
    EXPECT_EQ(device.state().code(), device_code::no_device);
    EXPECT_EQ(device.state().result(), VK_ERROR_INCOMPATIBLE_DRIVER);
}

TEST(Device, WithoutALoaderSaysSo) {
    // What a machine without a Vulkan loader gives is tried by the tests of failures; here is one that knows nothing.
    const gpu::device device({.allow_software = true, .get_instance_proc_addr = [](VkInstance, const char*) {
                                  return PFN_vkVoidFunction(nullptr);
                              }});
    EXPECT_EQ(device.state().code(), device_code::missing_function);
    EXPECT_NE(std::string(device.state().message().c_str()).find("vkCreateInstance"), std::string::npos);
}

}  // namespace
}  // namespace riffle_tests::gpu_devices
