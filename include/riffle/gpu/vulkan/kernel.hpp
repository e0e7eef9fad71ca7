#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <vulkan/vulkan_core.h>

#include <riffle/gpu/host/device_plan.hpp>
#include <riffle/gpu/host/emitted_words.hpp>
#include <riffle/gpu/host/kernel_options.hpp>
#include <riffle/gpu/host/requests.hpp>
#include <riffle/gpu/host/row_layout.hpp>
#include <riffle/gpu/vulkan/device_context.hpp>
#include <riffle/gpu/vulkan/functions.hpp>
#include <riffle/gpu/vulkan/kernel_rows.hpp>

namespace riffle::inline RIFFLE_ABI::gpu {

/// A chain's kernel on a device: pipeline and layouts. It is recorded into the application's own command buffers, as
/// often as wanted, from any thread; nothing is submitted, waited for or allocated then. It goes before the device, and
/// not while what was recorded with it runs.
class kernel {
public:
    kernel() noexcept = default;
    kernel(const kernel&) = delete;
    kernel& operator=(const kernel&) = delete;
    /// Leaves the other one not created.
    kernel(kernel&& other) noexcept { swap(other); }
    /// The two trade kernels.
    kernel& operator=(kernel&& other) noexcept {
        swap(other);
        return *this;
    }
    ~kernel() {
        if (context_.device == VK_NULL_HANDLE || functions_.destroy_pipeline == nullptr) return;
        functions_.destroy_pipeline(context_.device, pipeline_, context_.allocator);
        functions_.destroy_pipeline_layout(context_.device, layout_, context_.allocator);
        functions_.destroy_descriptor_set_layout(context_.device, set_layout_, context_.allocator);
    }

    /// Makes the kernel of a chain, given by its chain_on_device or dynamic_on_device. `group_size`: invocations that
    /// work on a row, a power of two from 64 to 1024; 0 = what suits the device. Not while recorded commands run.
    ///
    /// no_stages where the device has nothing to do for the chain, no_device where the context lacks a handle,
    /// missing_function, device_too_small where the device is not of Vulkan 1.1 or its work groups are smaller,
    /// out_of_memory, or what a call to Vulkan gave; it is not created then. The driver compiles the module: 0.1 to 2
    /// seconds on Mesa's lavapipe, unless the context's cache has it.
    template <class OnDevice>
    device_status create(const device_context& context, const OnDevice& on, std::uint32_t group_size = 0) noexcept {
        return create(context, on, group_size, on.options.groups_a_row, on.options.logits);
    }
    /// With as many groups a row (kernel_options::groups_a_row), and for such logits; too_many_groups for more than
    /// most_groups_a_row, or than the device takes.
    template <class OnDevice>
    device_status create(const device_context& context, const OnDevice& on, std::uint32_t group_size,
                         std::uint32_t groups_a_row, logit_format logits = logit_format::float32) noexcept {
        kernel_options options{.module = on.options.module, .groups_a_row = groups_a_row, .logits = logits};
        spirv::module_options& module = options.module;
        module.round_to_nearest = module.precise && context.rounds_to_nearest;
        module.keep_infinities = module.precise && context.keeps_infinities;
        module.subgroups = !module.precise && context.has_subgroups;
        if (module.portable) {
            if (group_size != 0 && group_size != spirv::portable_group_size)
                return refuse(device_code::device_too_small);
            group_size = spirv::portable_group_size;
        }
        const bool is_there = module == on.options.module && logits == on.options.logits &&
                              options.has_several_groups() == on.options.has_several_groups();
        if (is_there || !on.plan.is_useful())
            return create(context, on.words(), on.plan, on.layout, group_size, groups_a_row, logits);
        const emitted_words made = on.make_words(options);
        return create(context, made.span(), on.plan, on.layout, group_size, groups_a_row, logits);
    }
    /// Makes the kernel of these words, which may come from a file; portable ones have portable_group_size.
    /// `groups_a_row`: 1 for words that were made with 1, and any other number for others; `logits` as they were made
    /// with.
    device_status create(const device_context& context, std::span<const std::uint32_t> words, const device_plan& plan,
                         const request_layout& layout, std::uint32_t group_size = 0, std::uint32_t groups_a_row = 1,
                         logit_format logits = logit_format::float32) noexcept {
        *this = kernel();
        if (!plan.is_useful()) return device_code::no_stages;
        if (groups_a_row > most_groups_a_row) return device_code::too_many_groups;
        if (words.empty()) return device_code::out_of_memory;
        if (context.get_instance_proc_addr == nullptr || context.instance == VK_NULL_HANDLE ||
            context.physical_device == VK_NULL_HANDLE || context.device == VK_NULL_HANDLE)
            return device_code::no_device;
        kernel made;
        if (const auto s = made.functions_.load(context.get_instance_proc_addr, context.instance, context.device);
            !s.ok())
            return s;
        made.context_ = context;
        made.plan_ = plan;
        made.logits_ = logits;
        made.request_words_ = layout.words;
        VkPhysicalDeviceProperties properties;
        made.functions_.get_properties(context.physical_device, &properties);
        if (properties.apiVersion < VK_API_VERSION_1_1) return device_code::device_too_small;
        made.limits_ = properties.limits;
        if (groups_a_row > made.limits_.maxComputeWorkGroupCount[1]) return device_code::too_many_groups;
        made.groups_a_row_ = plan.sharing == row_sharing::none ? 1 : groups_a_row;
        made.group_size_ = group_size ? group_size : made.suitable_group_size();
        if (!made.fits()) return device_code::device_too_small;
        made.longest_row_ = longest_row(made.limits_, made.offset_step(), bytes_of(logits));
        made.stops_loops_ = properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
        if (made.stops_loops_)
            while (made.longest_row_ && made.loop_turns(made.longest_row_) > most_turns)
                made.longest_row_ -= (std::min)(made.longest_row_, 1024u);
        if (made.longest_row_ == 0) return device_code::device_too_small;
        if (const auto s = made.create_layouts(); !s.ok()) return s;
        if (const auto s = made.create_pipeline(words); !s.ok()) return s;
        swap(made);
        return {};
    }
    /// Whether create made it: else `write` and `record` answer no_device.
    bool is_created() const noexcept { return pipeline_ != VK_NULL_HANDLE; }

    /// For the application's descriptor pools: a set takes binding_count() descriptors, of which the first is
    /// VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC and the others are VK_DESCRIPTOR_TYPE_STORAGE_BUFFER.
    VkDescriptorSetLayout descriptor_set_layout() const noexcept { return set_layout_; }
    /// Descriptors of a set: 4 where the chain edits or rows may have several groups, else 3.
    std::uint32_t binding_count() const noexcept { return plan_.edits || groups_a_row_ != 1 ? 4 : 3; }
    /// How many work groups each of so many rows has, unless kernel_rows::groups says otherwise; 0 where it is not
    /// created.
    std::uint32_t groups(std::uint32_t rows, std::uint32_t vocabulary) const noexcept {
        if (!is_created()) return 0;
        return groups_a_row_ ? groups_a_row_ : (std::min)(groups_for(rows, vocabulary), most_groups());
    }
    /// How many dispatches rows take, at most, where one range of the device holds them all.
    std::uint32_t dispatches() const noexcept { return steps_of(plan_, groups_a_row_ == 1 ? 1 : 2, 1, logits_).count; }
    /// The bytes of kernel_buffers::saved with which any number of rows up to this one can be dispatched, of so many
    /// logits at most and where so many ids of them are edited altogether: 4 bytes an edited id, or where they are of
    /// 16-bit logits 4 for each logit; and 10 kB a row with several groups. Where rows may have those, it holds 0
    /// before the first dispatch, and is left so; where 16-bit logits are edited nothing is asked of it.
    VkDeviceSize saved_bytes(std::uint32_t rows, std::size_t edited_ids, std::uint32_t vocabulary) const noexcept {
        const std::uint32_t shared =
            groups_a_row_ ? (groups_a_row_ > 1 ? rows : 0) : (std::min)(rows, enough_groups / 2);
        return 4 * (edit_words(rows, edited_ids, vocabulary) + part_words(shared));
    }
    /// Bytes of a logit, 4 or 2.
    std::uint32_t logit_bytes() const noexcept { return bytes_of(logits_); }
    /// What it was made for.
    logit_format logits() const noexcept { return logits_; }
    /// Invocations that work on a row; 0 where it is not created.
    std::uint32_t group_size() const noexcept { return group_size_; }
    /// So many logits may a row have; 0 where it is not created. 2^22, or what the device can address (2^25, or more).
    /// On processors that do as if they were devices fewer, since Mesa's llvmpipe stops all loops of a shader after
    /// 65,535 turns together, and says nothing: 570,000 for the usual chain with 256 invocations, 150,000 with 64.
    std::uint32_t longest_row() const noexcept { return longest_row_; }
    /// So many ids may be edited in the rows of a dispatch, all together, where the rows are of so many logits: any
    /// number, but on a driver that stops loops, where the rows are nearly as long as rows may be. For requests::begin.
    std::size_t most_edited_ids(std::uint32_t vocabulary) const noexcept {
        constexpr std::size_t any = ~std::size_t{0};
        if (!stops_loops_) return any;
        const std::uint64_t turns = loop_turns(vocabulary);
        if (turns > most_turns) return 0;
        const std::uint64_t ids = (most_turns - turns) / rounds_of_an_edit * group_size_;
        return ids < vocabulary ? std::size_t(ids) : any;
    }

    /// Points a descriptor set at the buffers. The set must not be in use; it was allocated with
    /// descriptor_set_layout(). Updates the set and allocates nothing.
    ///
    /// no_device where it is not created, buffer_too_small for a range that is missing, of less than 4 bytes or of
    /// VK_WHOLE_SIZE, misaligned, or device_too_small for one that the device cannot address: of requests, results and
    /// saved its maxStorageBufferRange, of logits 4 GB more; the set is as it was then.
    device_status write(VkDescriptorSet set, const kernel_buffers& buffers) const noexcept {
        if (!is_created()) return device_code::no_device;
        if (buffers.logits.size == VK_WHOLE_SIZE) return device_code::buffer_too_small;
        const std::array ranges{logits_window(buffers.logits), buffers.requests, buffers.results, buffers.saved};
        std::array<VkDescriptorBufferInfo, 4> infos{};
        std::array<VkWriteDescriptorSet, 4> writes{};
        for (std::uint32_t b = 0; b < binding_count(); ++b) {
            if (ranges[b].buffer == VK_NULL_HANDLE || ranges[b].size < 4 || ranges[b].size == VK_WHOLE_SIZE)
                return device_code::buffer_too_small;
            if (ranges[b].offset % limits_.minStorageBufferOffsetAlignment) return device_code::misaligned;
            if (ranges[b].size > limits_.maxStorageBufferRange) return device_code::device_too_small;
            infos[b] = {ranges[b].buffer, ranges[b].offset, ranges[b].size};
            writes[b].sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
            writes[b].dstSet = set;
            writes[b].dstBinding = b;
            writes[b].descriptorCount = 1;
            writes[b].descriptorType = descriptor_type(b);
            writes[b].pBufferInfo = &infos[b];
        }
        if (buffers.logits.size - ranges[binding::logits].size > farthest_window) return device_code::device_too_small;
        functions_.update_descriptor_sets(context_.device, binding_count(), writes.data(), 0, nullptr);
        return {};
    }

    /// Records the work for some rows, with a set that `write` pointed at these buffers. One dispatch, or dispatches()
    /// where rows have several groups, and more where rows do not fit the device's largest range. Allocates nothing.
    ///
    /// no_device where it is not created, too_many_rows for a row of no logits or of more than longest_row() (or of
    /// more edits than most_edited_ids()), bad_stride, too_many_groups, buffer_too_small, or device_too_small for
    /// logits beyond what `write` takes; nothing is recorded then.
    device_status record(VkCommandBuffer commands, VkDescriptorSet set, const kernel_buffers& buffers,
                         const kernel_rows& rows) const noexcept {
        if (!is_created()) return device_code::no_device;
        if (rows.rows == 0) return {};
        const std::uint64_t stride = rows.stride ? rows.stride : rows.vocabulary;
        if (rows.vocabulary == 0 || rows.vocabulary > longest_row()) return device_code::too_many_rows;
        const bool is_odd = logit_bytes() == 2 && rows.rows > 1 && stride % 2 != 0;
        if (stride < rows.vocabulary || is_odd) return device_code::bad_stride;
        const std::size_t edited_ids = plan_.edits ? rows.edited_ids : 0;
        const std::uint32_t groups = rows.groups ? rows.groups : this->groups(rows.rows, rows.vocabulary);
        if (groups > most_groups()) return device_code::too_many_groups;
        const VkDeviceSize row_bytes = logit_bytes() * stride,
                           last_bytes = VkDeviceSize{logit_bytes()} * rows.vocabulary,
                           ahead_bytes = VkDeviceSize{logit_bytes()} * rows.first_logit,
                           logits_size = buffers.logits.size / 4 * 4,  // of whole words
            edit_bytes = 4 * edit_words(rows.rows, edited_ids, rows.vocabulary),
                           request_bytes = VkDeviceSize{4} * request_words_,
                           result_bytes = 4 * (result_word::count + VkDeviceSize{words_per_token} * rows.room);
        const buffer_range& logits = buffers.logits;
        if (logits.size == VK_WHOLE_SIZE || logits_size < ahead_bytes + last_bytes ||
            (logits_size - ahead_bytes - last_bytes) / row_bytes < rows.rows - 1 ||
            buffers.requests.size / request_bytes < rows.rows || buffers.results.size / result_bytes < rows.rows ||
            buffers.saved.size < edit_bytes)
            return device_code::buffer_too_small;
        if (edited_ids > most_edited_ids(rows.vocabulary)) return device_code::too_many_rows;
        if (groups > 1 && buffers.saved.size - edit_bytes < 4 * part_words(rows.rows))
            return device_code::buffer_too_small;
        const dispatch_steps steps = steps_of(plan_, groups, edited_ids, logits_);
        const buffer_range window = logits_window(logits);
        if (logits.size - window.size > farthest_window) return device_code::device_too_small;

        if (rows.waits_before) barrier(commands, true);
        functions_.bind_pipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_);
        for (std::uint32_t first = 0; first < rows.rows;) {
            const VkDeviceSize begin = ahead_bytes + first * row_bytes;
            // The window is moved over the rows in steps that the device can address; the last place ends with them.
            const VkDeviceSize moved = (std::min)(begin / offset_step() * offset_step(),
                                                  (logits.size - window.size) / offset_step() * offset_step());
            const VkDeviceSize reach = (moved + window.size) / 4 * 4;
            const VkDeviceSize fit = (reach - begin - last_bytes) / row_bytes + 1;
            const auto count = std::uint32_t(
                (std::min)({fit, VkDeviceSize{rows.rows - first}, VkDeviceSize{limits_.maxComputeWorkGroupCount[0]}}));
            const auto offset = std::uint32_t(moved);
            // Where rows are written to, windows that overlap wait for each other, as the rules of synchronisation ask.
            if (first > 0 && plan_.edits) barrier(commands, true);
            functions_.bind_descriptor_sets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout_, 0, 1, &set, 1, &offset);
            dispatch_constants constants{rows.vocabulary, std::uint32_t(stride),
                                         first,           std::uint32_t((begin - moved) / logit_bytes()),
                                         rows.room,       rows.wants};
            constants.groups = groups;
            constants.parts_at = std::uint32_t(edit_bytes / 4);
            for (std::uint32_t step = 0; step < steps.count; ++step) {
                if (step > 0) barrier(commands, true);
                constants.phase = steps.phases[step];
                functions_.push_constants(commands, layout_, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof constants,
                                          &constants);
                functions_.dispatch(commands, count, groups_in(constants.phase, groups, copies()), 1);
            }
            first += count;
        }
        if (rows.shows_after) barrier(commands, false);
        return {};
    }

private:
    device_status refuse(device_code code) noexcept {
        *this = kernel();
        return code;
    }
    void swap(kernel& other) noexcept {
        std::swap(context_, other.context_);
        std::swap(functions_, other.functions_);
        std::swap(limits_, other.limits_);
        std::swap(set_layout_, other.set_layout_);
        std::swap(layout_, other.layout_);
        std::swap(pipeline_, other.pipeline_);
        std::swap(group_size_, other.group_size_);
        std::swap(groups_a_row_, other.groups_a_row_);
        std::swap(request_words_, other.request_words_);
        std::swap(longest_row_, other.longest_row_);
        std::swap(plan_, other.plan_);
        std::swap(logits_, other.logits_);
        std::swap(stops_loops_, other.stops_loops_);
    }

    std::uint32_t most_groups() const noexcept {
        return groups_a_row_ == 1 ? 1 : (std::min)(most_groups_a_row, limits_.maxComputeWorkGroupCount[1]);
    }
    bool copies() const noexcept { return is_copied(plan_, logits_); }
    /// Words of the scratch for edits, and what work groups that share rows tell each other there.
    VkDeviceSize edit_words(std::uint32_t rows, std::size_t edited_ids, std::uint32_t vocabulary) const noexcept {
        if (copies()) return VkDeviceSize{rows} * copied_row_words(vocabulary);
        return plan_.edits ? VkDeviceSize{edited_ids} : 0;
    }
    static VkDeviceSize part_words(std::uint32_t rows) noexcept { return VkDeviceSize{shared_part_words} * rows; }
    /// On a driver that stops loops.
    static constexpr std::uint64_t most_turns = 65535;
    /// 256 keep a row's loads under way, and leave each as many registers as it needs: with 1,024, compilers for cards
    /// keep some in memory. Processors do one invocation after the other, whatever the number.
    std::uint32_t suitable_group_size() const noexcept {
        std::uint32_t size = 256;
        while (size > least_invocations && !fits(size)) size /= 2;
        return size;
    }
    bool fits(std::uint32_t size) const noexcept {
        return size <= limits_.maxComputeWorkGroupInvocations && size <= limits_.maxComputeWorkGroupSize[0] &&
               most_shared_bytes(size) <= limits_.maxComputeSharedMemorySize;
    }
    bool fits() const noexcept {
        const bool is_power = (group_size_ & (group_size_ - 1)) == 0;
        return is_power && group_size_ >= least_invocations && group_size_ <= most_invocations && fits(group_size_);
    }
    /// Dynamic offsets have 32 bits.
    static constexpr VkDeviceSize farthest_window = 0xffffffffu;
    static std::uint32_t longest_row(const VkPhysicalDeviceLimits& limits, VkDeviceSize offset_step,
                                     std::uint32_t logit_bytes) noexcept {
        const VkDeviceSize range = (std::max)(VkDeviceSize{limits.maxStorageBufferRange}, offset_step) - offset_step;
        return std::uint32_t((std::min)(VkDeviceSize{most_tokens_a_row}, range / logit_bytes));
    }
    /// Where no token is edited.
    std::uint64_t loop_turns(std::uint32_t vocabulary) const noexcept {
        return most_loop_turns(plan_, vocabulary, group_size_, 0, logits_);
    }
    VkDeviceSize offset_step() const noexcept {
        return (std::max)(VkDeviceSize{4}, limits_.minStorageBufferOffsetAlignment);
    }
    /// The part of the logits that the descriptor shows at a time: all, or as much as the device can address, so that
    /// it ends with the buffer when it is moved on in steps.
    buffer_range logits_window(const buffer_range& logits) const noexcept {
        const VkDeviceSize most = limits_.maxStorageBufferRange / 4 * 4;
        if (logits.size <= most) return logits;
        const VkDeviceSize beyond = (logits.size - most + offset_step() - 1) / offset_step() * offset_step();
        return {logits.buffer, logits.offset, logits.size - beyond};
    }
    static VkDescriptorType descriptor_type(std::uint32_t b) noexcept {
        return b == binding::logits ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    }

    device_status create_layouts() noexcept {
        std::array<VkDescriptorSetLayoutBinding, 4> bindings{};
        for (std::uint32_t b = 0; b < binding_count(); ++b)
            bindings[b] = {b, descriptor_type(b), 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
        VkDescriptorSetLayoutCreateInfo set_info{};
        set_info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
        set_info.bindingCount = binding_count();
        set_info.pBindings = bindings.data();
        if (const auto s = device_status::of_making(
                set_layout_,
                functions_.create_descriptor_set_layout(context_.device, &set_info, context_.allocator, &set_layout_),
                "vkCreateDescriptorSetLayout");
            !s.ok())
            return s;
        const VkPushConstantRange constants{VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(dispatch_constants)};
        VkPipelineLayoutCreateInfo info{};
        info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
        info.setLayoutCount = 1;
        info.pSetLayouts = &set_layout_;
        info.pushConstantRangeCount = 1;
        info.pPushConstantRanges = &constants;
        return device_status::of_making(
            layout_, functions_.create_pipeline_layout(context_.device, &info, context_.allocator, &layout_),
            "vkCreatePipelineLayout");
    }
    device_status create_pipeline(std::span<const std::uint32_t> words) noexcept {
        VkShaderModuleCreateInfo module_info{};
        module_info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
        module_info.codeSize = words.size_bytes();
        module_info.pCode = words.data();
        VkShaderModule shader = VK_NULL_HANDLE;
        if (const device_status s(
                functions_.create_shader_module(context_.device, &module_info, context_.allocator, &shader),
                "vkCreateShaderModule");
            !s.ok())
            return s;
        const VkSpecializationMapEntry entry{0, 0, sizeof group_size_};
        const VkSpecializationInfo specialization{1, &entry, sizeof group_size_, &group_size_};
        VkComputePipelineCreateInfo info{};
        info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
        info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
        info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
        info.stage.module = shader;
        info.stage.pName = "main";
        info.stage.pSpecializationInfo = &specialization;
        info.layout = layout_;
        const auto s =
            device_status::of_making(pipeline_,
                                     functions_.create_compute_pipelines(context_.device, context_.cache, 1, &info,
                                                                         context_.allocator, &pipeline_),
                                     "vkCreateComputePipelines");
        functions_.destroy_shader_module(context_.device, shader, context_.allocator);
        return s;
    }

    /// Ahead of the kernel, or behind it.
    void barrier(VkCommandBuffer commands, bool ahead) const noexcept {
        constexpr VkPipelineStageFlags others =
            VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT | VK_PIPELINE_STAGE_HOST_BIT;
        VkMemoryBarrier memory{};
        memory.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
        if (ahead) {
            memory.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_HOST_WRITE_BIT;
            memory.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
        } else {
            memory.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
            memory.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT |
                                   VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_HOST_READ_BIT;
        }
        constexpr VkPipelineStageFlags kernel_itself = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
        functions_.pipeline_barrier(commands, ahead ? others : kernel_itself, ahead ? kernel_itself : others, 0, 1,
                                    &memory, 0, nullptr, 0, nullptr);
    }

    device_context context_;
    kernel_functions functions_;
    VkPhysicalDeviceLimits limits_{};
    VkDescriptorSetLayout set_layout_ = VK_NULL_HANDLE;
    VkPipelineLayout layout_ = VK_NULL_HANDLE;
    VkPipeline pipeline_ = VK_NULL_HANDLE;
    std::uint32_t group_size_ = 0, groups_a_row_ = 1, request_words_ = 0, longest_row_ = 0;
    logit_format logits_ = logit_format::float32;
    device_plan plan_;
    bool stops_loops_ = false;
};

}  // namespace riffle::gpu
