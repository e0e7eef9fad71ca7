#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include <vulkan/vulkan_core.h>

#include <riffle/gpu/kernels/chain_on_device.hpp>
#include <riffle/gpu/kernels/module_words.hpp>
#include <riffle/gpu/kernels/requests.hpp>
#include <riffle/gpu/vulkan/device.hpp>
#include <riffle/gpu/vulkan/device_buffer.hpp>
#include <riffle/gpu/vulkan/kernel.hpp>

namespace riffle::gpu {

/// What a sampler makes room for.
struct sampler_limits {
    std::uint32_t vocabulary = 0;  ///< logits of the longest row
    std::uint32_t rows = 1;        ///< of a batch
    std::uint32_t room = 256;      ///< for so many surviving tokens of a row; where a chain goes on, it needs them all
    std::uint32_t group_size = 0;  ///< see kernel::create
};

/// Samples with chains of one type on a device: for applications that keep their logits in the processor's memory and
/// have no Vulkan of their own. Copies rows to the device, runs the chains' first stages there and the others here.
///
/// Whatever goes wrong on the device, the processor serves instead, with the same tokens; state() says what it was.
template <class Chain, class OnDevice = chain_on_device<Chain>>
class sampler {
public:
    /// The device must outlive it.
    sampler(const device& opened, const sampler_limits& limits, OnDevice on = {}) noexcept
        : device_(opened), on_(static_cast<OnDevice&&>(on)), limits_(limits) {
        state_ = create();
    }
    sampler(const sampler&) = delete;
    sampler& operator=(const sampler&) = delete;
    ~sampler() {
        if (!device_.state().ok()) return;
        const auto& f = device_.functions();
        const VkDevice device = device_.context().device;
        f.wait_idle(device);
        f.destroy_fence(device, fence_, nullptr);
        f.destroy_command_pool(device, commands_pool_, nullptr);
        f.destroy_descriptor_pool(device, set_pool_, nullptr);
    }

    /// Why the processor serves, or ok.
    const device_status& state() const noexcept { return state_; }

    /// As chain.sample(logits).
    token_id sample(Chain& chain, std::span<const float> logits) noexcept {
        token_id token = null_token;
        Chain* const one = &chain;
        sample({&one, 1}, logits, logits.size(), {&token, 1});
        return token;
    }

    /// Of many rows, each with a chain of its own: chains[r] samples from logits[r · stride, ... + vocabulary), and
    /// tokens[r] is its token. The rows are of one length, `vocabulary`, which is logits.size() for a single row and
    /// the stride otherwise, unless it is given.
    void sample(std::span<Chain* const> chains, std::span<const float> logits, std::size_t stride,
                std::span<token_id> tokens, std::size_t vocabulary = 0) noexcept {
        const std::size_t rows = (std::min)(chains.size(), tokens.size());
        if (vocabulary == 0) vocabulary = stride;
        const auto row_of = [&](std::size_t r) {
            const std::size_t begin = (std::min)(r * stride, logits.size());
            return logits.subspan(begin, (std::min)(vocabulary, logits.size() - begin));
        };
        for (std::size_t first = 0; first < rows; first += limits_.rows) {
            const std::size_t count = (std::min)(rows - first, std::size_t{limits_.rows});
            const bool ran =
                state_.ok() && vocabulary > 0 && vocabulary <= limits_.vocabulary &&
                run(
                    chains.subspan(first, count), [&](std::size_t r) { return row_of(first + r); }, vocabulary);
            for (std::size_t r = 0; r < count; ++r) {
                Chain& chain = *chains[first + r];
                if (!ran || !finish_row(chain, r, tokens[first + r]))
                    tokens[first + r] = chain.sample(row_of(first + r));
            }
            if (limits_.rows == 0) return;
        }
    }

private:
    device_status create() noexcept {
        if (!on_.plan.is_useful()) return device_code::no_stages;
        if (!device_.state().ok()) return device_.state();
        if (limits_.vocabulary == 0 || limits_.rows == 0) return device_code::too_many_rows;
        if (const auto s = kernel_.create(device_.context(), on_, limits_.group_size); !s.ok()) return s;
        if (const auto s = create_buffers(); !s.ok()) return s;
        if (const auto s = create_commands(); !s.ok()) return s;
        return create_set();
    }
    device_status create_buffers() noexcept {
        constexpr VkMemoryPropertyFlags near = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
        constexpr VkMemoryPropertyFlags seen =
            VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
        const VkDeviceSize rows = limits_.rows, logits = 4 * rows * limits_.vocabulary;
        std::size_t masks = 0;
        for (const device_stage& s : on_.device_stages) masks += s.form == device_form::mask;
        const VkDeviceSize words_a_row =
            on_.layout.words + masks * ((limits_.vocabulary + 31) / 32) + (on_.plan.edits ? edit_words : 0);
        if (const auto s = logits_.create(device_, logits, {near | seen, near, 0}); !s.ok()) return s;
        if (!logits_.is_mapped())
            if (const auto s = staging_.create(device_, logits, {seen}); !s.ok()) return s;
        if (const auto s = requests_.create(device_, 4 * rows * words_a_row, {near | seen, seen}); !s.ok()) return s;
        if (on_.plan.edits)
            if (const auto s = saved_.create(device_, 4 * rows * edit_words / words_per_edit, {near, 0}); !s.ok())
                return s;
        return results_.create(device_, 4 * rows * result_words(limits_.room),
                               {seen | VK_MEMORY_PROPERTY_HOST_CACHED_BIT, seen});
    }
    device_status create_commands() noexcept {
        const auto& f = device_.functions();
        const VkDevice device = device_.context().device;
        VkCommandPoolCreateInfo pool{};
        pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
        pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
        pool.queueFamilyIndex = device_.queue_family();
        if (const device_status s(f.create_command_pool(device, &pool, nullptr, &commands_pool_),
                                  "vkCreateCommandPool");
            !s.ok())
            return s;
        VkCommandBufferAllocateInfo info{};
        info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
        info.commandPool = commands_pool_;
        info.commandBufferCount = 1;
        if (const device_status s(f.allocate_command_buffers(device, &info, &commands_), "vkAllocateCommandBuffers");
            !s.ok())
            return s;
        VkFenceCreateInfo fence{};
        fence.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
        return {f.create_fence(device, &fence, nullptr, &fence_), "vkCreateFence"};
    }
    device_status create_set() noexcept {
        const auto& f = device_.functions();
        const VkDevice device = device_.context().device;
        const std::array sizes{VkDescriptorPoolSize{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, 1},
                               VkDescriptorPoolSize{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, kernel_.binding_count() - 1}};
        VkDescriptorPoolCreateInfo pool{};
        pool.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
        pool.maxSets = 1;
        pool.poolSizeCount = std::uint32_t(sizes.size());
        pool.pPoolSizes = sizes.data();
        if (const device_status s(f.create_descriptor_pool(device, &pool, nullptr, &set_pool_),
                                  "vkCreateDescriptorPool");
            !s.ok())
            return s;
        const VkDescriptorSetLayout layout = kernel_.descriptor_set_layout();
        VkDescriptorSetAllocateInfo info{};
        info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
        info.descriptorPool = set_pool_;
        info.descriptorSetCount = 1;
        info.pSetLayouts = &layout;
        if (const device_status s(f.allocate_descriptor_sets(device, &info, &set_), "vkAllocateDescriptorSets");
            !s.ok())
            return s;
        return kernel_.write(set_, buffers());
    }
    kernel_buffers buffers() const noexcept {
        const auto whole = [](const device_buffer& b) { return buffer_range{b.buffer(), 0, b.size()}; };
        return {whole(logits_), whole(requests_), whole(results_), whole(saved_)};
    }

    // ---- a step

    /// Whether the rows were run on the device.
    template <class RowOf>
    bool run(std::span<Chain* const> chains, RowOf row_of, std::size_t vocabulary) noexcept {
        const std::span<float> rows = (logits_.is_mapped() ? logits_ : staging_).template as<float>();
        for (std::size_t r = 0; r < chains.size(); ++r) {
            const std::span<const float> row = row_of(r);
            if (row.size() != vocabulary) return false;
            std::memcpy(rows.data() + r * vocabulary, row.data(), row.size_bytes());
        }
        const auto words = requests_.template as<std::uint32_t>();
        std::fill_n(words.begin(), on_.layout.words * chains.size(), 0u);  // also of rows that cannot be run
        written_.begin(words, on_.layout, chains.size());
        fits_.fill(0);
        for (std::size_t r = 0; r < chains.size(); ++r)
            if (written_.add(on_, *chains[r], r, vocabulary))
                fits_[r / 64 % fits_.size()] |= std::uint64_t{1} << (r % 64);
        rows_ = chains.size();
        state_ = submit(std::uint32_t(chains.size()), std::uint32_t(vocabulary));
        return state_.ok();
    }
    device_status submit(std::uint32_t rows, std::uint32_t vocabulary) noexcept {
        const auto& f = device_.functions();
        const VkDevice device = device_.context().device;
        VkCommandBufferBeginInfo begin{};
        begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
        begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
        if (const device_status s(f.begin_command_buffer(commands_, &begin), "vkBeginCommandBuffer"); !s.ok()) return s;
        if (!logits_.is_mapped()) {
            const VkBufferCopy copy{0, 0, VkDeviceSize{4} * rows * vocabulary};
            f.copy_buffer(commands_, staging_.buffer(), logits_.buffer(), 1, &copy);
        }
        const kernel_rows all{rows, vocabulary, vocabulary, limits_.room, written_.edited_ids()};
        if (const auto s = kernel_.record(commands_, set_, buffers(), all); !s.ok()) return s;
        if (const device_status s(f.end_command_buffer(commands_), "vkEndCommandBuffer"); !s.ok()) return s;
        VkSubmitInfo submission{};
        submission.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
        submission.commandBufferCount = 1;
        submission.pCommandBuffers = &commands_;
        if (const device_status s(f.submit(device_.queue(), 1, &submission, fence_), "vkQueueSubmit"); !s.ok())
            return s;
        if (const device_status s(f.wait_for_fences(device, 1, &fence_, VK_TRUE, ~std::uint64_t{0}), "vkWaitForFences");
            !s.ok())
            return s;
        return {f.reset_fences(device, 1, &fence_), "vkResetFences"};
    }
    /// False where the processor has to run the row after all.
    bool finish_row(Chain& chain, std::size_t r, token_id& token) noexcept {
        if (!(fits_[r / 64 % fits_.size()] >> (r % 64) & 1)) return false;
        const auto words = results_.template as<std::uint32_t>();
        const row_outcome o = outcome_of(words.data() + r * result_words(limits_.room), limits_.room);
        if (!gpu::finish(on_, chain, o, token)) return false;
        auto&& stages = chain.table();
        token = chain.state().accept_chosen(stages);
        return true;
    }

    /// Room for the edits of a row.
    static constexpr std::size_t edit_words = 16384;

    const device& device_;
    OnDevice on_;
    sampler_limits limits_;
    device_status state_;
    kernel kernel_;
    device_buffer logits_, staging_, requests_, results_, saved_;
    VkCommandPool commands_pool_ = VK_NULL_HANDLE;
    VkCommandBuffer commands_ = VK_NULL_HANDLE;
    VkFence fence_ = VK_NULL_HANDLE;
    VkDescriptorPool set_pool_ = VK_NULL_HANDLE;
    VkDescriptorSet set_ = VK_NULL_HANDLE;
    requests written_;
    std::array<std::uint64_t, 1024> fits_{};  ///< a bit a row: its request found room
    std::size_t rows_ = 0;
};

}  // namespace riffle::gpu
