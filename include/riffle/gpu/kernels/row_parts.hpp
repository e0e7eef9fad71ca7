#pragma once
#include <cstdint>

#include <riffle/gpu/host/row_layout.hpp>
#include <riffle/gpu/kernels/work_group.hpp>
#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI::gpu {

/// The work groups that share a row: which of them this one is, and what they tell each other, in words of the scratch
/// that are 0 before and after. No group waits for another: each tells what it has found out and takes a ticket, and
/// whoever has the last one goes on with what all have told. (Words are touched by atomics alone, so it does not matter
/// what a device caches.)
class row_parts {
public:
    constexpr row_parts(work_group& of, const spirv::buffer<u32>& scratch, const u32& row, bool are_several) noexcept
        : are_several_(are_several), group_(of), scratch_(scratch) {
        if (!are_several) return;
        parts_.declare(of.code);
        phase_.declare(of.code);
        at_.declare(of.code);
        parts_ = spirv::push_constant<u32>(of.code);
        phase_ = spirv::push_constant<u32>(of.code);
        const u32 parts_at = spirv::push_constant<u32>(of.code);
        at_ = parts_at + row * u32(shared_part_words);
    }
    /// Whether rows may have several groups; else nothing below may be asked.
    constexpr bool are_several() const noexcept { return are_several_; }

    constexpr u32 part() const noexcept { return spirv::group(group_.code, 1); }
    constexpr u32 parts() const noexcept { return parts_; }
    /// Whether this is the only one.
    constexpr boolean is_alone() const noexcept { return parts_ == 1u; }
    constexpr boolean is_in(dispatch_phase phase) const noexcept { return phase_ == u32(std::uint32_t(phase)); }

    /// What is told at a place of part_word.
    constexpr auto told(const u32& place) const noexcept { return scratch_[at_.load() + place]; }
    /// What they have told so far.
    constexpr u32 read(const u32& place) const noexcept { return told(place).set_bits(u32(0u)); }
    /// What they have told, which is 0 again from then on.
    constexpr u32 take(const u32& place) const noexcept { return told(place).exchange(u32(0u)); }
    /// Adds to a pair of words.
    constexpr void add(const u32& place, const word_pair& value) const noexcept {
        group_.add(told(place), told(place + 1u), value);
    }
    constexpr word_pair take_pair(const u32& place) const noexcept {
        const u32 low = take(place);
        return {low, take(place + 1u)};
    }

    /// Makes all words of the row 0, where they do not come so.
    constexpr void clear() const noexcept {
        spirv::for_(group_.code, group_.invocation, u32(shared_part_words), group_.size,
                    [&](const u32& place) { scratch_[at_.load() + place] = 0u; });
    }

    /// Whether all others have been here: what they have told can be taken then. Only where all invocations pass.
    constexpr boolean is_last() const noexcept {
        spirv::buffer_barrier(group_.code);
        const u32 at = group_.begin_exchange();
        group_.once([&] {
            const u32 before = told(u32(part_word::ticket)).add_in_order(1u);
            const u32 mine = before + 1u;
            spirv::if_(group_.code, mine == parts_, [&] { (void)take(u32(part_word::ticket)); });
            group_.shared_word(at).raise(mine);
        });
        spirv::buffer_barrier(group_.code);
        return group_.shared_word(at).load() == parts_;
    }

private:
    bool are_several_;
    work_group& group_;
    const spirv::buffer<u32>& scratch_;
    private_variable<u32> parts_, phase_, at_;
};

}  // namespace riffle::gpu
