#pragma once
#include <cstddef>
#include <cstdint>

#include <vulkan/vulkan_core.h>

#include <riffle/gpu/host/requests.hpp>
#include <riffle/gpu/host/stage_request.hpp>

namespace riffle::inline RIFFLE_ABI::gpu {

/// A part of a buffer, in bytes. Its size is a number: VK_WHOLE_SIZE is refused, since riffle cannot ask for it.
struct buffer_range {
    VkBuffer buffer = VK_NULL_HANDLE;
    VkDeviceSize offset = 0;
    VkDeviceSize size = 0;
};

/// Where the rows of a dispatch lie. Buffers are storage buffers; offsets are multiples of the device's
/// minStorageBufferOffsetAlignment. As many of these as there are submissions under way at a time: until the device is
/// done, nobody else writes to these ranges, nor reads the results.
struct kernel_buffers {
    /// Rows of the kernel's logits, floats or 16 bits each: kernel::logit_bytes * (first_logit + stride * (rows - 1) +
    /// vocabulary) bytes, and 2 more where these are no multiple of 4. Its offset need be no multiple of a row.
    buffer_range logits;
    buffer_range requests;  ///< what `requests` wrote: 4 * requests::words() bytes
    buffer_range results;   ///< 4 * result_words(room) bytes a row (outcome_of reads them)
    /// kernel::saved_bytes, for chains that edit and where rows may have several groups; 0 for these ahead of the first
    /// dispatch, unless a chain edits 16-bit logits.
    buffer_range saved;
};

/// One dispatch; see rows_of.
struct kernel_rows {
    std::uint32_t rows = 0;        ///< 0 = nothing to do
    std::uint32_t vocabulary = 0;  ///< logits of a row, from 1 to kernel::longest_row()
    /// Logits from one row to the next, at least the vocabulary; 0 = that. Of 16-bit logits an even number, where there
    /// are several rows. What lies between rows is not read as a token.
    std::uint32_t stride = 0;
    std::uint32_t room = 0;  ///< for so many surviving tokens in a result
    /// Of all rows together: so many must have room in buffers.saved. Chains that edit need to be told.
    std::size_t edited_ids = ~std::size_t{0};
    /// What was written to the buffers by compute shaders, transfers or the host ahead of this in the command buffer,
    /// or is read by them behind it, is made to wait; work of other stages, such as drawing, is not. Off where the
    /// application has barriers of its own.
    bool waits_before = true, shows_after = true;
    /// What is told of a row whose token the device chooses; more takes more passes over it.
    wanted wants = wanted::tokens_and_p;
    std::uint32_t groups = 0;       ///< work groups that share a row; 0 = as the kernel was made (kernel::groups)
    std::uint32_t first_logit = 0;  ///< so many logits of buffers.logits lie ahead of the first row
};

/// The rows whose requests were written.
inline kernel_rows rows_of(const requests& written, std::uint32_t room) noexcept {
    kernel_rows all{detail::saturated(written.rows()), detail::saturated(written.vocabulary())};
    all.room = room;
    all.edited_ids = written.edited_ids();
    return all;
}

}  // namespace riffle::gpu
