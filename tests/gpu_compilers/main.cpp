// What the compilers of graphics cards make of kernels, without a card: the driver of a card that is not there makes
// pipelines, and says how many registers they take and what they keep in memory for want of them. A line for each
// chain, group size and figure, as tests/gpu_compilers/run compares them with recorded.txt.
//
//     riffle_gpu_compilers CARD SIZES...        in an environment in which Vulkan's loader finds one driver

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include <riffle/gpu.hpp>

namespace {

using namespace riffle;

[[noreturn]] void fail(const char* what, int result = 0) {
    std::fprintf(stderr, "riffle_gpu_compilers: %s: %d\n", what, result);
    std::exit(2);
}
void check(VkResult result, const char* what) {
    if (result != VK_SUCCESS) fail(what, int(result));
}

/// A device whose pipelines can be asked what they are.
class compiler {
public:
    compiler() {
        get_ = gpu::find_loader();
        if (get_ == nullptr) fail("no loader");
        open_instance();
        open_device();
        if (!call_.load(get_, instance_, device_).ok()) fail("functions");
        find(get_executables_, "vkGetPipelineExecutablePropertiesKHR");
        find(get_statistics_, "vkGetPipelineExecutableStatisticsKHR");
        make_layout();
    }
    const char* name() const { return properties_.deviceName; }
    bool takes(std::uint32_t group_size) const {
        return group_size <= properties_.limits.maxComputeWorkGroupInvocations;
    }
    struct figure {
        std::string name;
        double value;
    };
    std::vector<figure> compile(std::span<const std::uint32_t> words, std::uint32_t group_size) const {
        const VkPipeline pipeline = make_pipeline(words, group_size);
        VkPipelineInfoKHR of{};
        of.sType = VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR;
        of.pipeline = pipeline;
        std::uint32_t count = 0;
        check(get_executables_(device_, &of, &count, nullptr), "vkGetPipelineExecutablePropertiesKHR");
        std::vector<figure> all;
        for (std::uint32_t i = 0; i < count; ++i) add_figures(all, pipeline, i);
        call_.destroy_pipeline(device_, pipeline, nullptr);
        return all;
    }

private:
    template <class Function>
    void find(Function& function, const char* name) const {
        function = reinterpret_cast<Function>(get_(instance_, name));
        if (function == nullptr) fail(name);
    }
    void open_instance() {
        VkApplicationInfo application{};
        application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
        application.apiVersion = VK_API_VERSION_1_1;
        VkInstanceCreateInfo info{};
        info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
        info.pApplicationInfo = &application;
        PFN_vkCreateInstance create = nullptr;
        find(create, "vkCreateInstance");
        check(create(&info, nullptr, &instance_), "vkCreateInstance");
        PFN_vkEnumeratePhysicalDevices enumerate = nullptr;
        find(enumerate, "vkEnumeratePhysicalDevices");
        std::uint32_t count = 1;
        enumerate(instance_, &count, &card_);
        if (count == 0) fail("no device");
        PFN_vkGetPhysicalDeviceProperties get_properties = nullptr;
        find(get_properties, "vkGetPhysicalDeviceProperties");
        get_properties(card_, &properties_);
    }
    void open_device() {
        const float priority = 1.0f;
        VkDeviceQueueCreateInfo queue{};
        queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
        queue.queueCount = 1;
        queue.pQueuePriorities = &priority;
        VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR tells{};
        tells.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR;
        tells.pipelineExecutableInfo = VK_TRUE;
        const char* const extension = VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME;
        VkDeviceCreateInfo info{};
        info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
        info.pNext = &tells;
        info.queueCreateInfoCount = 1;
        info.pQueueCreateInfos = &queue;
        info.enabledExtensionCount = 1;
        info.ppEnabledExtensionNames = &extension;
        PFN_vkCreateDevice create = nullptr;
        find(create, "vkCreateDevice");
        check(create(card_, &info, nullptr, &device_), "vkCreateDevice");
    }
    void make_layout() {
        std::array<VkDescriptorSetLayoutBinding, 4> bindings{};
        for (std::uint32_t b = 0; b < bindings.size(); ++b)
            bindings[b] = {b, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
        VkDescriptorSetLayoutCreateInfo set{};
        set.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
        set.bindingCount = std::uint32_t(bindings.size());
        set.pBindings = bindings.data();
        VkDescriptorSetLayout set_layout = VK_NULL_HANDLE;
        check(call_.create_descriptor_set_layout(device_, &set, nullptr, &set_layout), "vkCreateDescriptorSetLayout");
        const VkPushConstantRange constants{VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(gpu::dispatch_constants)};
        VkPipelineLayoutCreateInfo info{};
        info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
        info.setLayoutCount = 1;
        info.pSetLayouts = &set_layout;
        info.pushConstantRangeCount = 1;
        info.pPushConstantRanges = &constants;
        check(call_.create_pipeline_layout(device_, &info, nullptr, &layout_), "vkCreatePipelineLayout");
    }
    VkPipeline make_pipeline(std::span<const std::uint32_t> words, std::uint32_t group_size) const {
        VkShaderModuleCreateInfo module{};
        module.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
        module.codeSize = words.size_bytes();
        module.pCode = words.data();
        VkShaderModule shader = VK_NULL_HANDLE;
        check(call_.create_shader_module(device_, &module, nullptr, &shader), "vkCreateShaderModule");
        const VkSpecializationMapEntry entry{0, 0, sizeof group_size};
        const VkSpecializationInfo size{1, &entry, sizeof group_size, &group_size};
        VkComputePipelineCreateInfo info{};
        info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
        info.flags = VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR;
        info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
        info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
        info.stage.module = shader;
        info.stage.pName = "main";
        info.stage.pSpecializationInfo = &size;
        info.layout = layout_;
        VkPipeline pipeline = VK_NULL_HANDLE;
        check(call_.create_compute_pipelines(device_, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
              "vkCreateComputePipelines");
        call_.destroy_shader_module(device_, shader, nullptr);
        return pipeline;
    }
    void add_figures(std::vector<figure>& all, VkPipeline pipeline, std::uint32_t executable) const {
        VkPipelineExecutableInfoKHR of{};
        of.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR;
        of.pipeline = pipeline;
        of.executableIndex = executable;
        std::uint32_t count = 0;
        check(get_statistics_(device_, &of, &count, nullptr), "vkGetPipelineExecutableStatisticsKHR");
        std::vector<VkPipelineExecutableStatisticKHR> found(count);
        for (auto& one : found) one.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR;
        check(get_statistics_(device_, &of, &count, found.data()), "vkGetPipelineExecutableStatisticsKHR");
        for (const auto& one : found) all.push_back({one.name, value_of(one)});
    }
    static double value_of(const VkPipelineExecutableStatisticKHR& one) {
        switch (one.format) {
        case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_INT64_KHR: return double(one.value.i64);
        case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR: return double(one.value.u64);
        case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_FLOAT64_KHR: return one.value.f64;
        default: return double(one.value.b32);
        }
    }

    PFN_vkGetInstanceProcAddr get_ = nullptr;
    VkInstance instance_ = VK_NULL_HANDLE;
    VkPhysicalDevice card_ = VK_NULL_HANDLE;
    VkPhysicalDeviceProperties properties_{};
    VkDevice device_ = VK_NULL_HANDLE;
    gpu::kernel_functions call_;
    PFN_vkGetPipelineExecutablePropertiesKHR get_executables_ = nullptr;
    PFN_vkGetPipelineExecutableStatisticsKHR get_statistics_ = nullptr;
    VkPipelineLayout layout_ = VK_NULL_HANDLE;
};

/// Constants, so that they are the same words from every C++ compiler.
template <gpu::kernel_options Options, class... Stages>
struct module_of {
    static constexpr gpu::kernel_options options = Options;
    static constexpr void build(gpu::spirv::assembler& code) {
        gpu::detail::shader_of<pipeline<reproducible, Stages...>>::build(code, options);
    }
};
template <gpu::kernel_options Options, class... Stages>
constexpr std::span<const std::uint32_t> words_with = gpu::spirv::words_of<module_of<Options, Stages...>>;
template <class... Stages>
constexpr std::span<const std::uint32_t> words = words_with<gpu::kernel_options{}, Stages...>;

struct named_words {
    const char* name;
    std::span<const std::uint32_t> words;
};
constexpr gpu::kernel_options of_float16{.logits = logit_format::float16}, of_several_groups{.groups_a_row = 0};
constexpr named_words modules[] = {
    {"greedy", words<greedy>},
    {"dist", words<temperature, dist>},
    {"min_p", words<min_p, temperature, dist>},
    {"usual", words<top_k, top_p, min_p, temperature, dist>},
    {"gumbel", words<temperature, gumbel>},
    {"top_p", words<temperature, top_p, dist>},
    {"penalties", words<penalties, top_k, top_p, min_p, temperature, dist>},
    {"typical", words<typical, dist>},
    {"usual_float16", words_with<of_float16, top_k, top_p, min_p, temperature, dist>},
    {"usual_groups", words_with<of_several_groups, top_k, top_p, min_p, temperature, dist>},
};

}  // namespace

int main(int argc, char** argv) {
    const char* const card = argc > 1 ? argv[1] : "here";
    const compiler of_card;
    std::printf("# %s: %s\n", card, of_card.name());
    std::vector<std::uint32_t> sizes;
    for (int i = 2; i < argc; ++i) sizes.push_back(std::uint32_t(std::atoi(argv[i])));
    for (const named_words& module : modules)
        for (const std::uint32_t group_size : sizes) {
            if (!of_card.takes(group_size)) continue;
            std::printf("%s %s %u:", card, module.name, group_size);
            for (const auto& figure : of_card.compile(module.words, group_size))
                std::printf(" %s %.0f;", figure.name.c_str(), figure.value);
            std::printf("\n");
            std::fflush(stdout);
        }
    std::fflush(stdout);
    std::_Exit(0);  // a driver whose card is not there need not be taken down
}
