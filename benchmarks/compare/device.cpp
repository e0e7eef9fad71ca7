// Chains on a device: time of the device a row (by its own timestamps), beside a copy of the same rows by the device,
// and the same chain on one core; with one work group a row, and with several; of floats and of float16. Every token is
// checked against the processor's. What is printed are the lines of a table in Markdown, as benchmarks/README.md has
// it.
//
//     riffle_compare_device [V] [ROWS...]     V = 128256, ROWS = 1 8 64 256
//     RIFFLE_GROUP_SIZE=N                     invocations of a group
//     RIFFLE_LOGITS=float32|float16           one of them alone
//     RIFFLE_GROUPS=N                         groups a row; else 1 to 64 of them, and 1 on a processor that plays a
//     device

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <riffle/gpu.hpp>

#include "../narrowed.hpp"
#include "../rows.hpp"

using namespace riffle;

namespace {

double now() {
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// A command buffer, a fence and two timestamps.
class timed_queue {
public:
    explicit timed_queue(const gpu::device& on) : on_(on), call_(on.functions()), device_(on.context().device) {
        const auto get = on.context().get_instance_proc_addr;
        const auto find = [&](auto& function, const char* name) {
            function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(get(on.context().instance, name));
        };
        find(create_queries_, "vkCreateQueryPool");
        find(destroy_queries_, "vkDestroyQueryPool");
        find(reset_queries_, "vkCmdResetQueryPool");
        find(write_timestamp_, "vkCmdWriteTimestamp");
        find(get_results_, "vkGetQueryPoolResults");
        PFN_vkGetPhysicalDeviceProperties get_properties = nullptr;
        find(get_properties, "vkGetPhysicalDeviceProperties");
        VkPhysicalDeviceProperties properties;
        get_properties(on.context().physical_device, &properties);
        period_ = double(properties.limits.timestampPeriod) * 1e-3;
        VkCommandPoolCreateInfo pool{};
        pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
        pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
        pool.queueFamilyIndex = on.queue_family();
        call_.create_command_pool(device_, &pool, nullptr, &pool_);
        VkCommandBufferAllocateInfo allocation{};
        allocation.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
        allocation.commandPool = pool_;
        allocation.commandBufferCount = 1;
        call_.allocate_command_buffers(device_, &allocation, &commands_);
        VkFenceCreateInfo fence{};
        fence.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
        call_.create_fence(device_, &fence, nullptr, &fence_);
        VkQueryPoolCreateInfo queries{};
        queries.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
        queries.queryType = VK_QUERY_TYPE_TIMESTAMP;
        queries.queryCount = 2;
        create_queries_(device_, &queries, nullptr, &queries_);
    }
    timed_queue(const timed_queue&) = delete;
    timed_queue& operator=(const timed_queue&) = delete;
    ~timed_queue() {
        destroy_queries_(device_, queries_, nullptr);
        call_.destroy_fence(device_, fence_, nullptr);
        call_.destroy_command_pool(device_, pool_, nullptr);
    }

    struct times {
        double device = 0.0, wall = 0.0;  ///< microseconds
    };
    template <class Record>
    times run(Record record) {
        VkCommandBufferBeginInfo begin{};
        begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
        call_.begin_command_buffer(commands_, &begin);
        reset_queries_(commands_, queries_, 0, 2);
        write_timestamp_(commands_, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, queries_, 0);
        record(commands_);
        write_timestamp_(commands_, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries_, 1);
        call_.end_command_buffer(commands_);
        VkSubmitInfo submission{};
        submission.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
        submission.commandBufferCount = 1;
        submission.pCommandBuffers = &commands_;
        const double start = now();
        on_.submit(submission, fence_);
        call_.wait_for_fences(device_, 1, &fence_, VK_TRUE, ~std::uint64_t{0});
        const double wall = now() - start;
        call_.reset_fences(device_, 1, &fence_);
        std::array<std::uint64_t, 2> ticks{};
        get_results_(device_, queries_, 0, 2, sizeof ticks, ticks.data(), 8,
                     VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
        return {double(ticks[1] - ticks[0]) * period_, wall};
    }

private:
    const gpu::device& on_;
    const gpu::device_functions& call_;
    VkDevice device_;
    PFN_vkCreateQueryPool create_queries_ = nullptr;
    PFN_vkDestroyQueryPool destroy_queries_ = nullptr;
    PFN_vkCmdResetQueryPool reset_queries_ = nullptr;
    PFN_vkCmdWriteTimestamp write_timestamp_ = nullptr;
    PFN_vkGetQueryPoolResults get_results_ = nullptr;
    double period_ = 1.0;
    VkCommandPool pool_ = VK_NULL_HANDLE;
    VkCommandBuffer commands_ = VK_NULL_HANDLE;
    VkFence fence_ = VK_NULL_HANDLE;
    VkQueryPool queries_ = VK_NULL_HANDLE;
};

void require(const gpu::device_status& s, const char* what) {
    if (s.ok()) return;
    std::printf("%s: %s\n", what, s.message().c_str());
    std::exit(1);
}

constexpr std::uint32_t room = 64;

/// The median of the device's times, after the first, which compiles.
template <class Once>
timed_queue::times median_of(Once once, double& first_wall) {
    first_wall = once().wall;
    std::vector<timed_queue::times> all;
    const double start = now();
    while (all.size() < 5 || (all.size() < 100 && now() - start < 1e6)) all.push_back(once());
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.device < b.device; });
    return all[all.size() / 2];
}

struct settings {
    std::size_t size = 0;
    std::vector<std::size_t> counts;
    std::uint32_t group_size = 0;
    std::vector<std::uint32_t> groups;  ///< of a row
    std::vector<logit_format> formats;
};

/// A row in memory of the device's, and as it is sampled on the processor.
struct given_row {
    std::vector<float> floats;
    std::vector<float16> halves;
    given_row(std::vector<float> row, logit_format format) : floats(std::move(row)) {
        if (format == logit_format::float16)
            for (const float logit : floats) halves.push_back(to_float16(logit));
    }
    logit_row row() const { return halves.empty() ? logit_row(floats) : logit_row(halves); }
};

template <class Chain>
void measure(const gpu::device& on, timed_queue& queue, const char* name, const Chain& chain, bool flat,
             const settings& wish, std::uint32_t groups, logit_format format) {
    const std::size_t size = wish.size;
    using on_device = gpu::chain_on_device<Chain>;
    constexpr VkMemoryPropertyFlags seen = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    constexpr VkMemoryPropertyFlags local = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
    for (const std::size_t count : wish.counts) {
        if (groups > 1 && count * groups > 4096) continue;
        const std::size_t row_bytes = bytes_of(format) * ((size + 1) / 2 * 2);
        const VkDeviceSize bytes = row_bytes * count;
        gpu::device_buffer staging, logits, copy, requests, results, saved;
        require(staging.create(on, bytes, {seen}), "staging");
        require(logits.create(on, bytes, {local}), "logits");
        require(copy.create(on, bytes, {local}), "copy");
        const std::size_t request_words = (on_device::layout.words + 4096) * count;
        require(requests.create(on, 4 * request_words, {local | seen, seen}), "requests");
        require(results.create(on, 4 * gpu::result_words(room) * count, {seen}), "results");
        gpu::kernel kernel;
        require(kernel.create(on.context(), on_device(), wish.group_size, groups, format), "kernel");
        const VkDeviceSize parts = kernel.saved_bytes(std::uint32_t(count), 0, std::uint32_t(size));
        require(saved.create(on, 4 * 4096 * count + parts, {local}), "saved");
        const auto whole = [](const gpu::device_buffer& b) { return gpu::buffer_range{b.buffer(), 0, b.size()}; };
        const gpu::kernel_buffers buffers{whole(logits), whole(requests), whole(results), whole(saved)};

        const auto& f = on.functions();
        const VkDevice device = on.context().device;
        const std::array sizes{VkDescriptorPoolSize{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, 1},
                               VkDescriptorPoolSize{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 3}};
        VkDescriptorPoolCreateInfo pool_info{};
        pool_info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
        pool_info.maxSets = 1;
        pool_info.poolSizeCount = 2;
        pool_info.pPoolSizes = sizes.data();
        VkDescriptorPool pool = VK_NULL_HANDLE;
        f.create_descriptor_pool(device, &pool_info, nullptr, &pool);
        const VkDescriptorSetLayout layout = kernel.descriptor_set_layout();
        VkDescriptorSetAllocateInfo set_info{};
        set_info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
        set_info.descriptorPool = pool;
        set_info.descriptorSetCount = 1;
        set_info.pSetLayouts = &layout;
        VkDescriptorSet set = VK_NULL_HANDLE;
        f.allocate_descriptor_sets(device, &set_info, &set);
        require(kernel.write(set, buffers), "set");

        std::vector<Chain> chains;
        std::vector<given_row> all;
        gpu::requests written;
        written.begin(requests.as<std::uint32_t>(), on_device::layout, count, size);
        for (std::size_t r = 0; r < count; ++r) {
            all.emplace_back(flat ? rows::flat(size, r) : rows::medium(size, r), format);
            std::memcpy(staging.as<std::byte>().data() + r * row_bytes, all.back().row().bytes(),
                        size * bytes_of(format));
            chains.push_back(chain.fork(std::uint16_t(r)));
            for (token_id t = 0; t < 64; ++t) (void)chains.back().accept(t * 7);
            if (!written.add(on_device(), chains.back(), r)) require(gpu::device_code::buffer_too_small, "request");
        }
        const VkBufferCopy everything{0, 0, bytes};
        gpu::kernel_rows dispatched = gpu::rows_of(written, room);
        dispatched.stride = std::uint32_t(row_bytes / bytes_of(format));
        double first = 0.0, unused = 0.0;
        (void)queue.run([&](VkCommandBuffer c) {
            f.copy_buffer(c, staging.buffer(), logits.buffer(), 1, &everything);
            f.fill_buffer(c, saved.buffer(), 0, VK_WHOLE_SIZE, 0);
        });
        const auto copied = median_of(
            [&] {
                return queue.run(
                    [&](VkCommandBuffer c) { f.copy_buffer(c, logits.buffer(), copy.buffer(), 1, &everything); });
            },
            unused);
        const auto ran = median_of(
            [&] {
                return queue.run(
                    [&](VkCommandBuffer c) { require(kernel.record(c, set, buffers, dispatched), "record"); });
            },
            first);
        std::size_t differ = 0;
        double here = 1e30;
        for (std::size_t r = 0; r < count; ++r) {
            Chain same = chains[r];
            const double start = now();
            const token_id expected = same.peek(all[r].row());
            here = std::min(here, now() - start);
            token_id token = null_token;
            const auto* words = results.as<std::uint32_t>().data() + r * gpu::result_words(room);
            if (!gpu::finish(on_device(), chains[r], gpu::outcome_of(words, room), token)) token = expected;
            differ += token != expected;
        }
        for (int i = 0; i < 20; ++i) {
            const double start = now();
            (void)chains[0].peek(all[0].row());
            here = std::min(here, now() - start);
        }
        const std::size_t words = on_device::make_words({on_device::options.module, groups, format}).span().size();
        std::printf("| %s | %s | %zu | %u | %.1f | %.2f | %.1f | %.1f | %.1f | %zu | %zu | %.0f | %zu |\n", name,
                    format == logit_format::float32 ? "float32" : "float16", count, groups, ran.device / double(count),
                    double(bytes) / ran.device * 1e-3, copied.device / double(count), ran.wall, here,
                    4 * gpu::result_words(room), words, first * 1e-3, differ);
        std::fflush(stdout);
        f.destroy_descriptor_pool(device, pool, nullptr);
    }
}

}  // namespace

int main(int argc, char** argv) {
    settings wish;
    wish.size = argc > 1 ? std::size_t(std::atoll(argv[1])) : 128256;
    for (int i = 2; i < argc; ++i) wish.counts.push_back(std::size_t(std::atoll(argv[i])));
    if (wish.counts.empty()) wish.counts = {1, 8, 64, 256};
    const auto number = [](const char* name) {
        const char* const text = std::getenv(name);
        return std::uint32_t(text ? std::atoi(text) : 0);
    };
    wish.group_size = number("RIFFLE_GROUP_SIZE");
    const gpu::device on({.allow_software = true});
    require(on.state(), "device");
    if (const std::uint32_t groups = number("RIFFLE_GROUPS")) wish.groups = {groups};
    else wish.groups = on.is_software() ? std::vector<std::uint32_t>{1} : std::vector<std::uint32_t>{1, 4, 16, 32, 64};
    const char* const one = std::getenv("RIFFLE_LOGITS");
    for (const logit_format format : {logit_format::float32, logit_format::float16})
        if (!one || (std::strcmp(one, "float16") == 0) == (format == logit_format::float16))
            wish.formats.push_back(format);
    timed_queue queue(on);
    std::printf("%s, V = %zu\n\n", on.name(), wish.size);
    std::printf("| chain | logits | rows | groups a row | µs of the device a row | GB/s | a copy of it, µs | µs for "
                "all, submitted and "
                "waited for | one core, µs a row | bytes back a row | words | first run, ms | tokens that differ |\n"
                "|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    const auto measure_all = [&](const char* name, const auto& chain, bool flat = false) {
        for (const logit_format format : wish.formats)
            for (const std::uint32_t groups : wish.groups) measure(on, queue, name, chain, flat, wish, groups, format);
    };
    measure_all("greedy", chain(greedy{}));
    measure_all("top_k 40, top_p .95, min_p .05, temperature .8, dist",
                chain(top_k{.k = 40}, top_p{.p = 0.95f}, min_p{.p = 0.05f}, temperature{.t = 0.8f}, dist{.seed = 1}));
    measure_all("the same behind penalties 64 1.1", chain(penalties{.repeat = 1.1f}, top_k{.k = 40}, top_p{.p = 0.95f},
                                                          min_p{.p = 0.05f}, temperature{.t = 0.8f}, dist{.seed = 1}));
    measure_all("min_p .05, temperature .8, dist", chain(min_p{.p = 0.05f}, temperature{.t = 0.8f}, dist{.seed = 1}));
    measure_all("temperature .8, dist", chain(temperature{.t = 0.8f}, dist{.seed = 1}));
    measure_all("temperature 1.5, top_p .95, dist (flat rows)",
                chain(temperature{.t = 1.5f}, top_p{.p = 0.95f}, dist{.seed = 1}), true);
    measure_all("gumbel", chain(gumbel{.seed = 1}));
}
