// riffle's kernel on the engine's device: it makes pipeline and layouts, and records into the engine's command buffers.
// Logits lie as the engine has them: float16, in rows that are padded behind the vocabulary.

#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include "engine.hpp"
#include "ways.hpp"

namespace {

using namespace riffle;

// What four characters say next, each with a chain and a row of its own.
constexpr std::uint32_t vocabulary_size = 4000, stride = 4032, characters = 4, frames = 8, room = 16;
using voice = decltype(top_k{} | temperature{} | dist{});

/// A multiple of an eighth from -8 to 8, as a float16: what the engine's shaders would have written.
float16 logit_of(std::uint32_t token, std::uint32_t character, int frame) {
    const double value = 8.0 * std::sin(double(token) * (0.11 + 0.07 * double(character)) + double(frame));
    const double rounded = std::round(std::fabs(value) * 8.0) / 8.0;
    if (rounded == 0.0) return {};
    const int exponent = std::ilogb(rounded);
    const auto fraction = std::uint32_t(std::ldexp(rounded, 10 - exponent)) - 1024;
    return {std::uint16_t((value < 0.0 ? 0x8000u : 0u) | std::uint32_t(exponent + 15) << 10 | fraction)};
}

}  // namespace

int by_kernel(const engine::vulkan& v) {
    // [begin:gpu_kernel]
    const gpu::device_context context{v.get, v.instance, v.card, v.device};
    using on_device = gpu::chain_on_device<voice>;
    gpu::kernel kernel;
    const gpu::device_status created = kernel.create(context, on_device(), 0, 1, logit_format::float16);
    // [end:gpu_kernel]
    if (!created.ok()) return std::printf("%s\n", created.message().c_str()), 1;
    engine::buffer logits(v, kernel.logit_bytes() * stride * characters);
    engine::buffer requests(v, 4 * on_device::layout.words * characters);
    engine::buffer results(v, 4 * gpu::result_words(room) * characters);
    const gpu::kernel_buffers buffers{logits.all(), requests.all(), results.all(), {}};

    const std::array sizes{VkDescriptorPoolSize{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, 1},
                           VkDescriptorPoolSize{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, kernel.binding_count() - 1}};
    VkDescriptorPoolCreateInfo pool_info{};
    pool_info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
    pool_info.maxSets = 1;
    pool_info.poolSizeCount = std::uint32_t(sizes.size());
    pool_info.pPoolSizes = sizes.data();
    VkDescriptorPool pool = VK_NULL_HANDLE;
    engine::check(v.call.create_descriptor_pool(v.device, &pool_info, nullptr, &pool), "vkCreateDescriptorPool");
    const VkDescriptorSetLayout set_layout = kernel.descriptor_set_layout();
    VkDescriptorSetAllocateInfo set_info{};
    set_info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
    set_info.descriptorPool = pool;
    set_info.descriptorSetCount = 1;
    set_info.pSetLayouts = &set_layout;
    VkDescriptorSet set = VK_NULL_HANDLE;
    engine::check(v.call.allocate_descriptor_sets(v.device, &set_info, &set), "vkAllocateDescriptorSets");
    if (!kernel.write(set, buffers).ok()) return 1;

    std::vector<voice> voices;
    for (std::uint32_t c = 0; c < characters; ++c)
        voices.push_back(top_k{.k = 5 + 3 * int(c)} | temperature{.t = 0.7f} | dist{.seed = 7 + c});
    std::vector<voice> on_processor = voices;
    const std::span<float16> rows = logits.as<float16>();
    engine::frame frame(v);
    gpu::requests written;
    int differ = 0;
    for (int number = 0; number < int(frames); ++number) {
        for (std::uint32_t c = 0; c < characters; ++c)
            for (std::uint32_t i = 0; i < stride; ++i)  // behind the vocabulary lies what happens to lie there
                rows[c * stride + i] = i < vocabulary_size ? logit_of(i, c, number) : float16{0x7bff};
        const VkCommandBuffer commands = frame.begin();
        // [begin:gpu_record]
        written.begin(requests.as<std::uint32_t>(), on_device::layout, characters, vocabulary_size);
        std::array<bool, characters> on_its_way{};
        for (std::uint32_t c = 0; c < characters; ++c) on_its_way[c] = written.add(on_device(), voices[c], c);
        gpu::kernel_rows all = gpu::rows_of(written, room);
        all.stride = stride;
        const gpu::device_status recorded = kernel.record(commands, set, buffers, all);
        // [end:gpu_record]
        if (!recorded.ok()) return std::printf("%s\n", recorded.message().c_str()), 1;
        frame.submit_and_wait();

        for (std::uint32_t c = 0; c < characters; ++c) {
            const logit_row row(rows.data() + c * stride, vocabulary_size);
            // [begin:gpu_outcome]
            const std::uint32_t* const result = results.as<std::uint32_t>().data() + c * gpu::result_words(room);
            token_id token = null_token;
            if (on_its_way[c] && gpu::finish(on_device(), voices[c], gpu::outcome_of(result, room), token))
                voices[c].accept(token);
            else token = voices[c].sample(row);  // what the device could not have
            // [end:gpu_outcome]
            differ += token != on_processor[c].sample(row);
            std::printf("%5d", token);
        }
        std::printf("\n");
    }
    std::printf("%d of %u tokens differ from the processor's\n", differ, frames * characters);
    v.call.destroy_descriptor_pool(v.device, pool, nullptr);
    return differ;
}
