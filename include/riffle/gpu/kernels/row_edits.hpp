#pragma once
#include <riffle/core/logit_edit.hpp>
#include <riffle/gpu/host/row_layout.hpp>
#include <riffle/gpu/kernels/row_copy.hpp>
#include <riffle/gpu/kernels/row_tokens.hpp>

namespace riffle::inline RIFFLE_ABI::gpu {

/// Edits of a row: the logits of a few ids are changed where they lie, and changed back in the end. That costs as much
/// as there are edits, where every pass would have to look each token up. (Measured by the prototype: 5 to 13 % for up
/// to 4,096 edits, against 150 to 450 % with a table in shared memory.) A copy of the row is changed and left so.
class row_edits {
    // Ahead of those who call it: clang would write a template that comes behind them at the end of the file only,
    // which is too late where a module is a constant.
    template <class Visit>
    constexpr void for_each_id(Visit visit) noexcept {
        const u32 at = row_.request(request_word::edits_at), saved_at = row_.request(request_word::saved_at);
        spirv::for_(code_, group_.invocation, row_.request(request_word::edits), group_.size,
                    [&](const u32& i) { visit(at + i * u32(words_per_edit), saved_at + i); });
    }

public:
    /// `scratch`: where the logits are kept that they had.
    constexpr row_edits(work_group& of, row_tokens& row, const spirv::buffer<u32>& scratch) noexcept
        : group_(of), code_(of.code), row_(row), saved_(scratch) {}

    /// Every invocation looks after some ids: all changes of one, stage after stage.
    constexpr void apply() noexcept {
        for_each_id([&](const u32& at, const u32& saved_at) {
            const auto logit = row_.vectors.place_of(row_.request_buffer(at));
            const u32 before = logit;
            saved_[saved_at] = before;
            row_.seen = row_.seen | seen_in(before);
            logit = bits_of(changed_by_all(at, before));
        });
        spirv::buffer_barrier(code_);
    }
    /// To a copy of the row, as far as this group has it.
    constexpr void apply(const row_copy& copy) noexcept {
        spirv::buffer_barrier(code_);  // it has been made
        for_each_id([&](const u32& at, const u32&) {
            const u32 id = row_.request_buffer(at);
            spirv::if_(code_, copy.has(id), [&] {
                const auto logit = row_.vectors.place_of(id);
                const u32 before = logit;
                logit = bits_of(changed_by_all(at, before));
            });
        });
        spirv::buffer_barrier(code_);
    }
    /// What is odd about the logits that were edited in the copy.
    constexpr void note(const row_copy& copy) noexcept {
        for_each_id([&](const u32& at, const u32&) {
            row_.seen = row_.seen | seen_in(copy.bits_before(row_.request_buffer(at)));
        });
    }
    /// `clears`: leaves zeros in the scratch.
    constexpr void take_back(bool clears) noexcept {
        spirv::buffer_barrier(code_);  // nobody reads any more
        for_each_id([&](const u32& at, const u32& saved_at) {
            const u32 id = row_.request_buffer(at), before = saved_[saved_at];
            row_.vectors.place_of(id) = before;
            if (clears) saved_[saved_at] = 0u;
        });
    }

private:
    /// A key by the changes of an id, one after the other; of the bits of its logit.
    constexpr u32 changed_by_all(const u32& at, const u32& bits) const noexcept {
        private_variable<u32> key(code_, key_of(f32::from_bits(bits)));
        const u32 first = row_.request_buffer(at + 1u);
        const u32 end = first + row_.request_buffer(at + 2u) * u32(words_per_change);
        spirv::for_(code_, first, end, u32(words_per_change), [&](const u32& change) { key = changed(key, change); });
        return key.load();
    }
    /// An illegal token stays illegal. What is taken may be infinite, which is not left to the device's arithmetic.
    constexpr u32 changed(const u32& key, const u32& change) const noexcept {
        std::array<f32, words_per_change> numbers;
        for (std::uint32_t n = 0; n < words_per_change; ++n)
            numbers[n] = f32::from_bits(row_.request_buffer(change + n));
        const u32 taken(as_bits(numbers[3]));
        const u32 finite = key_of(logit_edit::apply(logit_of(key), numbers));
        const u32 added = blend(taken == 0xff800000u, key_of(f32(greatest_logit)), finite);
        return blend((key == 0u) | (taken == 0x7f800000u), u32(0u), added);
    }
    static constexpr u32 bits_of(const u32& key) noexcept {
        return blend(key == 0u, u32(0xff800000u), u32(as_bits(logit_of(key))));
    }

    work_group& group_;
    assembler& code_;
    row_tokens& row_;
    const spirv::buffer<u32>& saved_;
};

}  // namespace riffle::gpu
