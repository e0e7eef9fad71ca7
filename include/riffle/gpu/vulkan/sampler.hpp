#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include <vulkan/vulkan_core.h>

#include <riffle/core/logit_row.hpp>
#include <riffle/core/row.hpp>
#include <riffle/core/size_arithmetic.hpp>
#include <riffle/gpu/host/chain_on_device.hpp>
#include <riffle/gpu/host/module_words.hpp>
#include <riffle/gpu/host/requests.hpp>
#include <riffle/gpu/vulkan/device.hpp>
#include <riffle/gpu/vulkan/device_buffer.hpp>
#include <riffle/gpu/vulkan/kernel.hpp>

namespace riffle::inline RIFFLE_ABI::gpu::inline in_riffle_gpu_hpp {

/// What a sampler makes room for. What does not fit is the processor's.
struct sampler_limits {
    std::uint32_t vocabulary = 0;  ///< logits of the longest row, 1 to kernel::longest_row()
    /// Of a batch, 1 to 65,536 (a greater number is taken as that); more rows than these take several turns. On the
    /// device every one costs 4 bytes for each logit, or 2, and 6 where a chain edits 16-bit logits.
    std::uint32_t rows = 1;
    std::uint32_t room = 256;      ///< for so many surviving tokens of a row; where a chain goes on, it needs them all
    std::uint32_t edits = 2048;    ///< for so many edits of logits of a row, where the chain has them
    std::uint32_t group_size = 0;  ///< see kernel::create
    /// What the chain's survivors() are to have behind a row whose token the device chose; less takes fewer passes over
    /// the row. Without room the token alone is asked for.
    wanted wants = wanted::tokens_and_p;
    /// See kernel_options; on a device that is software, whose groups are threads, 0 stands for 1.
    std::uint32_t groups_a_row = 0;
    /// What rows have on the device. Rows of 16 bits can be given to a sampler for floats, too, which makes them floats
    /// as it copies them; rows of floats to one for 16 bits are the processor's, and so are rows of the other 16 bits.
    logit_format logits = logit_format::float32;
};

/// Samples with chains of one type on a device: for applications that keep their logits in the processor's memory and
/// have no Vulkan of their own. Copies rows to the device, runs the chains' first stages there and the others here.
///
/// A row that the device cannot have, and every row from the first error of the device on, is sampled by the chain
/// itself, with the same tokens: state() says what the error was, rows_on_device() how many rows went well. One thread
/// at a time uses a sampler; several samplers may share a device. Nothing is allocated once warm.
template <class Chain, class OnDevice = chain_on_device<Chain>>
class sampler {
public:
    /// Makes the kernel (see kernel::create, which takes the time) and buffers. state() is ok afterwards, or the
    /// device's own, no_stages, device_too_small where the longest row is longer than the device can have or the rows
    /// are more than it has room for, too_many_rows where it is of no logits or there are no rows, or what a call to
    /// Vulkan gave. The device must outlive it. `on`: for a dynamic_chain its dynamic_on_device.
    sampler(const device& opened, const sampler_limits& limits, OnDevice on = {}) noexcept
        : device_(opened), on_(static_cast<OnDevice&&>(on)), limits_(limits) {
        limits_.rows = (std::min)(limits_.rows, most_rows);
        state_ = create();
    }
    sampler(const device&&, const sampler_limits&, OnDevice = {}) = delete;  // it would be gone at once
    sampler(const sampler&) = delete;
    sampler& operator=(const sampler&) = delete;
    ~sampler() {
        if (!device_.state().ok()) return;
        if (under_way_) device_.wait_idle();
        const auto& f = device_.functions();
        const VkDevice device = device_.context().device;
        f.destroy_fence(device, fence_, nullptr);
        f.destroy_command_pool(device, commands_pool_, nullptr);
        f.destroy_descriptor_pool(device, set_pool_, nullptr);
    }

    /// Why the processor serves, or ok. What goes wrong stays: for another try, make another sampler.
    const device_status& state() const noexcept { return state_; }
    /// Of how many rows of the last call the device gave the token, or the survivors from which the chain chose it.
    std::size_t rows_on_device() const noexcept { return rows_on_device_; }

    /// As chain.sample(logits): chooses and accepts, and gives null_token with chain.last_status() where there is none.
    token_id sample(Chain& chain, const logit_row& logits) noexcept {
        token_id token = null_token;
        Chain* const one = &chain;
        sample({&one, 1}, logits, logits.size(), {&token, 1});
        return token;
    }

    /// Of many rows, each with a chain of its own: chains[r] samples from logits[r · stride, ... + vocabulary), and
    /// tokens[r] is its token; as many as there are of both, null_token behind those. The rows are of one length,
    /// `vocabulary`; 0 = the stride. What lies beyond the end of the logits is not there: such a row is shorter, or
    /// empty. A chain has one row of a call.
    void sample(std::span<Chain* const> chains, const logit_row& logits, std::size_t stride, std::span<token_id> tokens,
                std::size_t vocabulary = 0) noexcept {
        const std::size_t rows = (std::min)(chains.size(), tokens.size());
        for (token_id& token : tokens.subspan(rows)) token = null_token;
        const std::size_t batch = (std::max)(limits_.rows, 1u);
        if (vocabulary == 0) vocabulary = stride;
        rows_on_device_ = 0;
        for (std::size_t first = 0; first < rows; first += batch) {
            const std::size_t count = (std::min)(rows - first, batch);
            const auto row = [&](std::size_t r) { return row_of(logits, stride, vocabulary, first + r); };
            const bool ran = run(chains.subspan(first, count), row, vocabulary);
            for (std::size_t r = 0; r < count; ++r) {
                Chain& chain = *chains[first + r];
                token_id& token = tokens[first + r];
                if (ran && finish_row(chain, r, token)) ++rows_on_device_;
                else token = chain.sample(row(r));
            }
        }
    }

private:
    /// As much of it as there is.
    static logit_row row_of(const logit_row& logits, std::size_t stride, std::size_t vocabulary,
                            std::size_t r) noexcept {
        if (stride != 0 && r > logits.size() / stride) return {};
        return logits.part(r * stride, (std::min)(vocabulary, logits.size() - r * stride));
    }
    /// Logits from one row to the next on the device: of 16 bits an even number.
    std::size_t stride_for(std::size_t vocabulary) const noexcept {
        return limits_.logits == logit_format::float32 ? vocabulary : saturating::rounded_up(vocabulary, 2);
    }
    bool takes(const logit_row& row) const noexcept {
        return row.format() == limits_.logits || limits_.logits == logit_format::float32;
    }
    /// Into memory for as many logits of the device's.
    void copy(const logit_row& row, std::byte* to) const noexcept {
        if (row.format() == limits_.logits) {
            std::memcpy(to, row.bytes(), row.size() * bytes_of(row.format()));
            return;
        }
        const auto widen_block = row.reader()->widener();
        auto* const floats = reinterpret_cast<float*>(to);
        std::size_t i = 0;
        for (; i + block_size <= row.size(); i += block_size)
            widen_block(row.bytes() + i * sizeof(std::uint16_t), floats + i);
        for (; i < row.size(); ++i) floats[i] = row[i];
    }

    device_status create() noexcept {
        if (!on_.plan.is_useful()) return device_code::no_stages;
        if (!device_.state().ok()) return device_.state();
        if (limits_.vocabulary == 0 || limits_.rows == 0) return device_code::too_many_rows;
        const std::uint32_t suitable = device_.is_software() ? 1 : 0;
        if (const auto s = kernel_.create(device_.context(), on_, limits_.group_size,
                                          limits_.groups_a_row ? limits_.groups_a_row : suitable, limits_.logits);
            !s.ok())
            return s;
        if (limits_.vocabulary > kernel_.longest_row()) return device_code::device_too_small;
        if (const auto s = create_buffers(); !s.ok()) return s;
        if (const auto s = create_commands(); !s.ok()) return s;
        return create_set();
    }
    device_status create_buffers() noexcept {
        constexpr VkMemoryPropertyFlags local = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
        constexpr VkMemoryPropertyFlags seen =
            VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
        const VkDeviceSize rows = limits_.rows,
                           logits = saturating::rounded_up(
                               rows * stride_for(limits_.vocabulary) * bytes_of(limits_.logits), 4);
        const VkDeviceSize edits = on_.plan.edits ? limits_.edits : 0;
        VkDeviceSize masks = 0;
        for (const device_stage& s : on_.device_stages) masks += s.form == device_form::mask;
        const VkDeviceSize words_a_row = on_.layout.words + masks * ((VkDeviceSize{limits_.vocabulary} + 31) / 32) +
                                         edits * (words_per_edit + words_per_change);
        if (const auto s = logits_.create(device_, logits, {local | seen, local, 0}); !s.ok()) return s;
        if (!logits_.is_mapped())
            if (const auto s = staging_.create(device_, logits, {seen}); !s.ok()) return s;
        if (const auto s = requests_.create(device_, 4 * rows * words_a_row, {local | seen, seen}); !s.ok()) return s;
        if (const VkDeviceSize saved = kernel_.saved_bytes(limits_.rows, most_edited_ids(), limits_.vocabulary);
            saved != 0)
            if (const auto s = saved_.create(device_, saved, {local, 0}); !s.ok()) return s;
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
        if (const auto s = device_status::of_making(
                commands_pool_, f.create_command_pool(device, &pool, nullptr, &commands_pool_), "vkCreateCommandPool");
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
        return device_status::of_making(fence_, f.create_fence(device, &fence, nullptr, &fence_), "vkCreateFence");
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
        if (const auto s = device_status::of_making(
                set_pool_, f.create_descriptor_pool(device, &pool, nullptr, &set_pool_), "vkCreateDescriptorPool");
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

    /// Whether rows were run on the device: those of which is_there_ says so.
    template <class RowOf>
    bool run(std::span<Chain* const> chains, RowOf row_of, std::size_t vocabulary) noexcept {
        if (!state_.ok() || vocabulary == 0 || vocabulary > limits_.vocabulary) return false;
        const std::span<std::byte> rows = (logits_.is_mapped() ? logits_ : staging_).template as<std::byte>();
        const std::size_t row_bytes = stride_for(vocabulary) * bytes_of(limits_.logits);
        written_.begin(requests_.template as<std::uint32_t>(), on_.layout, chains.size(), vocabulary,
                       most_edited_ids(std::uint32_t(vocabulary)));
        is_there_.fill(0);
        std::size_t there = 0;
        for (std::size_t r = 0; r < chains.size(); ++r) {
            const logit_row row = row_of(r);
            if (row.size() != vocabulary || !takes(row) || !written_.add(on_, *chains[r], r)) continue;
            copy(row, rows.data() + r * row_bytes);
            is_there_[r / 64] |= std::uint64_t{1} << (r % 64);
            ++there;
        }
        if (there == 0) return false;
        state_ = submit(std::uint32_t(chains.size()), std::uint32_t(vocabulary));
        return state_.ok();
    }
    /// In the rows of a turn, all together: more of them the kernel would refuse, and the whole turn with them.
    std::size_t most_edited_ids(std::uint32_t vocabulary) const noexcept {
        return (std::min)(most_edited_ids(), kernel_.most_edited_ids(vocabulary));
    }
    std::size_t most_edited_ids() const noexcept {
        return on_.plan.edits ? saturating::product(limits_.rows, (std::max)(limits_.edits, 1u)) : 0;
    }
    device_status submit(std::uint32_t rows, std::uint32_t vocabulary) noexcept {
        const auto& f = device_.functions();
        const VkDevice device = device_.context().device;
        VkCommandBufferBeginInfo begin{};
        begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
        begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
        if (const device_status s(f.begin_command_buffer(commands_, &begin), "vkBeginCommandBuffer"); !s.ok()) return s;
        if (!logits_.is_mapped()) {
            const VkDeviceSize row_bytes = stride_for(vocabulary) * bytes_of(limits_.logits);
            const VkBufferCopy copy{0, 0, rows * row_bytes};
            f.copy_buffer(commands_, staging_.buffer(), logits_.buffer(), 1, &copy);
        }
        if (!is_cleared_ && saved_.size() != 0) f.fill_buffer(commands_, saved_.buffer(), 0, VK_WHOLE_SIZE, 0);
        is_cleared_ = true;
        kernel_rows all = rows_of(written_, limits_.room);
        all.stride = std::uint32_t(stride_for(vocabulary));
        all.wants = limits_.room == 0 ? wanted::token : limits_.wants;
        if (const auto s = kernel_.record(commands_, set_, buffers(), all); !s.ok()) return s;
        if (const device_status s(f.end_command_buffer(commands_), "vkEndCommandBuffer"); !s.ok()) return s;
        VkSubmitInfo submission{};
        submission.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
        submission.commandBufferCount = 1;
        submission.pCommandBuffers = &commands_;
        if (const device_status s(device_.submit(submission, fence_), "vkQueueSubmit"); !s.ok()) return s;
        under_way_ = true;
        if (const device_status s(f.wait_for_fences(device, 1, &fence_, VK_TRUE, ~std::uint64_t{0}), "vkWaitForFences");
            !s.ok())
            return s;
        under_way_ = false;
        return {f.reset_fences(device, 1, &fence_), "vkResetFences"};
    }
    /// False where the processor has to run the row after all.
    bool finish_row(Chain& chain, std::size_t r, token_id& token) noexcept {
        if (!(is_there_[r / 64] >> (r % 64) & 1)) return false;
        const auto words = results_.template as<std::uint32_t>();
        const row_outcome o = outcome_of(words.data() + r * result_words(limits_.room), limits_.room);
        if (!gpu::finish(on_, chain, o, token)) return false;
        auto&& stages = chain.view();
        token = chain.state().accept_chosen(stages);
        return true;
    }

    RIFFLE_LOCAL static constexpr std::uint32_t most_rows = 65536;

    const device& device_;
    OnDevice on_;
    sampler_limits limits_;
    device_status state_;
    kernel kernel_;
    device_buffer logits_, staging_, requests_, results_, saved_;
    bool is_cleared_ = false;  ///< saved_, as the kernel wants it
    VkCommandPool commands_pool_ = VK_NULL_HANDLE;
    VkCommandBuffer commands_ = VK_NULL_HANDLE;
    VkFence fence_ = VK_NULL_HANDLE;
    VkDescriptorPool set_pool_ = VK_NULL_HANDLE;
    VkDescriptorSet set_ = VK_NULL_HANDLE;
    requests written_;
    std::array<std::uint64_t, most_rows / 64> is_there_{};  ///< a bit a row of the turn: its request was added
    std::size_t rows_on_device_ = 0;
    bool under_way_ = false;  ///< something was submitted that nobody has waited for to its end
};

}  // namespace riffle::gpu::inline in_riffle_gpu_hpp
