// Devices whose memory is not all alike: what processors do not see, heaps that are small, full ones. The test device's
// own memory, under several names.

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "gpu/device_for_tests.hpp"
#include "reference/rows.hpp"

namespace riffle_tests::gpu_memory {
namespace {

using namespace riffle;
using gpu::device_code;

constexpr VkMemoryPropertyFlags local = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
                                visible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT,
                                coherent = VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

struct kind_of_memory {
    VkMemoryPropertyFlags flags;
    VkDeviceSize size = VkDeviceSize{1} << 40;
    VkResult result = VK_SUCCESS;  ///< of every allocation
};
std::vector<kind_of_memory> kinds;
VkDeviceSize largest_allocation = 0;   ///< 0 = the device's own
std::vector<std::uint32_t> allocated;  ///< of which kind, one after the other
std::map<std::string, PFN_vkVoidFunction> real;

template <class Function>
Function real_one(const char* name) {
    return reinterpret_cast<Function>(real[name]);
}

VKAPI_ATTR void VKAPI_CALL get_memory(VkPhysicalDevice, VkPhysicalDeviceMemoryProperties* memory) {
    *memory = {};
    memory->memoryTypeCount = memory->memoryHeapCount = std::uint32_t(kinds.size());
    for (std::uint32_t i = 0; i < kinds.size(); ++i) {
        memory->memoryTypes[i] = {kinds[i].flags, i};
        memory->memoryHeaps[i] = {kinds[i].size, 0};
    }
}
VKAPI_ATTR void VKAPI_CALL get_properties_2(VkPhysicalDevice of, VkPhysicalDeviceProperties2* properties) {
    real_one<PFN_vkGetPhysicalDeviceProperties2>("vkGetPhysicalDeviceProperties2")(of, properties);
    for (auto* p = static_cast<VkBaseOutStructure*>(properties->pNext); p != nullptr; p = p->pNext)
        if (p->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES && largest_allocation != 0)
            reinterpret_cast<VkPhysicalDeviceMaintenance3Properties*>(p)->maxMemoryAllocationSize = largest_allocation;
}
VKAPI_ATTR void VKAPI_CALL get_requirements(VkDevice device, VkBuffer buffer, VkMemoryRequirements* needs) {
    real_one<PFN_vkGetBufferMemoryRequirements>("vkGetBufferMemoryRequirements")(device, buffer, needs);
    needs->memoryTypeBits = (1u << kinds.size()) - 1;
}
VKAPI_ATTR VkResult VKAPI_CALL allocate(VkDevice device, const VkMemoryAllocateInfo* info,
                                        const VkAllocationCallbacks* allocator, VkDeviceMemory* memory) {
    const std::uint32_t kind = info->memoryTypeIndex;
    allocated.push_back(kind);
    if (kinds[kind].result != VK_SUCCESS) {
        *memory = reinterpret_cast<VkDeviceMemory>(std::uintptr_t{0xdead});  // failures may leave anything there
        return kinds[kind].result;
    }
    VkMemoryAllocateInfo plain = *info;
    plain.memoryTypeIndex = 0;
    return real_one<PFN_vkAllocateMemory>("vkAllocateMemory")(device, &plain, allocator, memory);
}
template <class Function>
PFN_vkVoidFunction wrapped(const char* name, PFN_vkVoidFunction found, const char* known, Function* function) {
    if (std::strcmp(name, known) != 0) return nullptr;
    real[known] = found;
    return reinterpret_cast<PFN_vkVoidFunction>(function);
}
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_of_device(VkDevice device, const char* name) {
    const auto found = real_one<PFN_vkGetDeviceProcAddr>("vkGetDeviceProcAddr")(device, name);
    if (const auto f = wrapped(name, found, "vkGetBufferMemoryRequirements", get_requirements)) return f;
    if (const auto f = wrapped(name, found, "vkAllocateMemory", allocate)) return f;
    return found;
}
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get(VkInstance instance, const char* name) {
    const auto found = gpu::find_loader()(instance, name);
    if (const auto f = wrapped(name, found, "vkGetDeviceProcAddr", get_of_device)) return f;
    if (const auto f = wrapped(name, found, "vkGetPhysicalDeviceMemoryProperties", get_memory)) return f;
    if (const auto f = wrapped(name, found, "vkGetPhysicalDeviceProperties2", get_properties_2)) return f;
    return found;
}

class MemoryOnDevice : public OnDevice {
protected:
    void SetUp() override {
        OnDevice::SetUp();
        allocated.clear();
        largest_allocation = 0;
    }
    static gpu::device_choice choice() { return {.allow_software = true, .get_instance_proc_addr = get}; }
};

TEST_F(MemoryOnDevice, IsOfTheFirstKindThatIsThere) {
    kinds = {{visible}, {local}, {visible | coherent}};
    const gpu::device device(choice());
    gpu::device_buffer buffer;
    EXPECT_TRUE(buffer.create(device, 100, {local | visible | coherent, visible | coherent, local, 0}).ok());
    EXPECT_TRUE(buffer.is_mapped());
    EXPECT_EQ(buffer.as<float>().size(), 25u);
    EXPECT_TRUE(buffer.create(device, 100, {local}).ok());
    EXPECT_FALSE(buffer.is_mapped());
    EXPECT_TRUE(buffer.as<float>().empty());
    EXPECT_TRUE(buffer.create(device, 100, {0}).ok());
    EXPECT_FALSE(buffer.is_mapped()) << "what is not coherent is not mapped";
    EXPECT_EQ(allocated, (std::vector<std::uint32_t>{2, 1, 0}));
}
TEST_F(MemoryOnDevice, IsOfAnotherKindWhereAHeapIsSmallOrFull) {
    kinds = {{local | visible | coherent, 256}, {local, 1 << 20, VK_ERROR_OUT_OF_DEVICE_MEMORY}, {visible | coherent}};
    const gpu::device device(choice());
    gpu::device_buffer buffer;
    EXPECT_TRUE(buffer.create(device, 64, {local | visible | coherent, local, 0}).ok());
    EXPECT_TRUE(buffer.create(device, 10000, {local | visible | coherent, local, 0}).ok());
    EXPECT_EQ(allocated, (std::vector<std::uint32_t>{0, 1, 2}));
}
TEST_F(MemoryOnDevice, SaysWhatKeptItFromBeing) {
    kinds = {{local, 256}, {visible, 1 << 20, VK_ERROR_OUT_OF_DEVICE_MEMORY}, {coherent, 1 << 20, VK_ERROR_UNKNOWN}};
    const gpu::device device(choice());
    gpu::device_buffer buffer;
    EXPECT_EQ(buffer.create(device, 0, {0}).code(), device_code::buffer_too_small);
    EXPECT_EQ(buffer.create(device, 10, {visible | coherent}).code(), device_code::device_too_small);
    EXPECT_EQ(buffer.create(device, 10000, {local}).code(), device_code::device_too_small);
    EXPECT_EQ(buffer.create(device, 10000, {local, visible}).code(), device_code::out_of_memory);
    EXPECT_EQ(buffer.create(device, 10000, {coherent, visible}).code(), device_code::failed);
    EXPECT_EQ(buffer.size(), 0u);
    EXPECT_EQ(allocated, (std::vector<std::uint32_t>{1, 2}));
}
/// A driver may give more than it says and need not: the validation layers object to asking.
TEST_F(MemoryOnDevice, IsNoMoreThanTheDeviceAllocatesAtOnce) {
    kinds = {{local | visible | coherent}};
    largest_allocation = 1 << 20;
    const gpu::device device(choice());
    EXPECT_EQ(device.largest_allocation(), VkDeviceSize{1 << 20});
    gpu::device_buffer buffer;
    EXPECT_TRUE(buffer.create(device, 1 << 20, {local}).ok());
    EXPECT_EQ(buffer.create(device, (1 << 20) + 1, {local}).code(), device_code::device_too_small);
    EXPECT_EQ(allocated, (std::vector<std::uint32_t>{0}));

    auto there = chain(top_k{.k = 20}, dist{.seed = 3}), here = there;
    gpu::sampler<decltype(there)> on_device(device, {.vocabulary = 3000, .rows = 100});
    EXPECT_EQ(on_device.state().code(), device_code::device_too_small);
    const auto row = make_row(shape::random, 3000, 1);
    EXPECT_EQ(on_device.sample(there, row), here.sample(row));
}

/// As cards have it whose memory processors do not see: rows go by way of memory that they do.
TEST_F(MemoryOnDevice, RowsAreCopiedWhereTheProcessorDoesNotSeeIt) {
    kinds = {{local}, {visible | coherent}};
    const gpu::device device(choice());
    const auto usual = chain(penalties{.repeat = 1.2f}, top_k{.k = 20}, temperature{.t = 0.8f}, dist{.seed = 3});
    using chain_type = std::remove_const_t<decltype(usual)>;
    gpu::sampler<chain_type> on_device(device, {.vocabulary = 3000, .rows = 3});
    ASSERT_TRUE(on_device.state().ok()) << on_device.state().message().c_str();
    EXPECT_EQ(allocated, (std::vector<std::uint32_t>{0, 1, 1, 0, 1}));
    std::vector<chain_type> there(3, usual), here(3, usual);
    std::vector<chain_type*> chains{&there[0], &there[1], &there[2]};
    std::vector<token_id> tokens(3);
    for (std::uint64_t step = 0; step < 4; ++step) {
        std::vector<float> logits;
        for (std::uint64_t r = 0; r < 3; ++r) {
            const auto row = make_row(shape::random, 2999, 3 * step + r);
            logits.insert(logits.end(), row.begin(), row.end());
        }
        on_device.sample(chains, logits, 2999, tokens);
        EXPECT_EQ(on_device.rows_on_device(), 3u);
        for (std::size_t r = 0; r < 3; ++r)
            EXPECT_EQ(tokens[r], here[r].sample(std::span(logits).subspan(2999 * r, 2999)));
    }
}

}  // namespace
}  // namespace riffle_tests::gpu_memory
