#pragma once
#include <cstdint>

#include <riffle/gpu/kernels/logit_words.hpp>
#include <riffle/gpu/kernels/row_parts.hpp>
#include <riffle/gpu/kernels/row_tokens.hpp>
#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI::gpu {

/// Makes floats of a row of 16-bit logits, in the scratch, where edits can be made. Work groups that share the row have
/// stretches of it by turns.
class row_copy {
public:
    constexpr row_copy(work_group& of, row_tokens& row, const row_parts& parts, logit_format given) noexcept
        : group_(of), code_(of.code), row_(row), parts_(parts), words_(code_, given), given_(code_, binding::logits) {}

    /// This group's stretches. A buffer_barrier is to follow.
    constexpr void make() noexcept {
        const u32 step = parts_.are_several() ? length() * parts_.parts() : length();
        spirv::for_(code_, parts_.are_several() ? parts_.part() * length() : u32(0u), row_.vectors.vocabulary, step,
                    [&](const u32& first) {
                        const u32 end = lesser_of(first + length(), row_.vectors.vocabulary);
                        spirv::for_(code_, first + group_.invocation, end, group_.size, [&](const u32& id) {
                            const u32 bits = bits_before(id);
                            row_.vectors.place_of(id) = bits;
                        });
                    });
    }
    /// The bits of a token's logit as it was given.
    constexpr u32 bits_before(const u32& id) const noexcept {
        const u32 at = row_.vectors.given_at() + id;
        return words_.float_bits(logit_words::half_of(given_[at >> 1u].load(), at));
    }
    /// Whether a token is in one of them.
    constexpr boolean has(const u32& id) const noexcept {
        if (!parts_.are_several()) return true;
        const u32 stretch = id / length(), round = stretch / parts_.parts();
        return stretch - round * parts_.parts() == parts_.part();
    }

private:
    /// Tokens of a stretch.
    constexpr u32 length() const noexcept { return group_.size << 4u; }

    work_group& group_;
    assembler& code_;
    row_tokens& row_;
    const row_parts& parts_;
    logit_words words_;
    spirv::buffer<u32, spirv::access::read> given_;
};

}  // namespace riffle::gpu
