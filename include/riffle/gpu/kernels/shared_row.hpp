#pragma once
#include <cstdint>

#include <riffle/gpu/host/device_plan.hpp>
#include <riffle/gpu/host/row_layout.hpp>
#include <riffle/gpu/kernels/choosing.hpp>
#include <riffle/gpu/kernels/greatest_search.hpp>
#include <riffle/gpu/kernels/narrowing_stage.hpp>
#include <riffle/gpu/kernels/row_parts.hpp>
#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI::gpu {

/// What the work groups that share a row do together: each finds out its part of what the first stage that asks about
/// tokens asks for, and the last of them goes on with all of the row.
class shared_row {
public:
    /// `is_copied`: a copy of the row is edited, and what was odd about those logits looked for later.
    constexpr shared_row(work_group& of, const device_plan& plan, bool is_copied, row_tokens& row,
                         const row_parts& parts, greatest_search& greatest, mass_bins& bins, stretch_masses& masses,
                         narrowing_stage& narrowing, choosing& chosen) noexcept
        : plan_(plan), is_copied_(is_copied), group_(of), code_(of.code), row_(row), parts_(parts), greatest_(greatest),
          bins_(bins), masses_(masses), narrowing_(narrowing), choosing_(chosen), goes_on_(code_, u32(0u)),
          is_shared_(code_, u32(0u)) {}

    /// Answers 1 in the group that goes on.
    constexpr u32 run() noexcept {
        row_.begin_at(row_.front_end());
        row_.vectors.take_part(parts_.part(), parts_.parts());
        if (plan_.edits)
            spirv::if_(
                code_, parts_.is_in(dispatch_phase::edits),
                [&] {
                    if (!is_copied_) tell_seen();
                },
                [&] { share(); });
        else share();
        row_.vectors.take_part(0u, 1u);
        row_.end_at();
        return goes_on_;
    }

private:
    constexpr void share() noexcept {
        switch (plan_.sharing) {
        case row_sharing::masses: return share_masses();
        case row_sharing::noise: return share_noise();
        default: return share_greatest();
        }
    }
    constexpr void share_greatest() noexcept {
        greatest_.tell_part();
        spirv::if_(code_, parts_.is_last(), [&] {
            greatest_.take_parts(true);
            goes_on_ = 1u;
        });
    }
    /// Where the first in rank is wanted instead of the noise, by a temperature of 0, nothing is shared.
    constexpr void share_noise() noexcept {
        spirv::if_(code_, !row_.is_first_wanted_in_front(), [&] {
            choosing_.tell_part();
            is_shared_ = 1u;
        });
        spirv::if_(code_, parts_.is_last(), [&] {
            spirv::if_(code_, is_shared_ != 0u, [&] { choosing_.take_parts(); });
            goes_on_ = 1u;
        });
    }
    /// The masses are those beside the greatest of all parts, which another dispatch has found out.
    constexpr void share_masses() noexcept {
        spirv::if_(
            code_, parts_.is_in(dispatch_phase::greatest), [&] { greatest_.tell_part(); },
            [&] {
                greatest_.take_parts(false);
                greatest_.tell_row();
                spirv::if_(code_, asks_for_masses(), [&] {
                    bins_.clear();
                    group_.sync();
                    if (draws_first()) masses_.add_up();
                    else narrowing_.add_up_part();
                    bins_.tell_part(parts_);
                    is_shared_ = 1u;
                });
                spirv::if_(code_, parts_.is_last(), [&] {
                    greatest_.take_parts(true);
                    spirv::if_(code_, is_shared_ != 0u, [&] {
                        bins_.take_parts(parts_);
                        group_.sync();
                    });
                    goes_on_ = 1u;
                });
            });
    }
    /// Not where raw keys do not tell which is the greatest, or the stage has nothing to do.
    constexpr boolean asks_for_masses() const noexcept {
        const boolean is_known = (greatest_.is_odd == 0u) & (row_.greatest() != 0u);
        const boolean asks = draws_first() ? is_known : is_known & row_.is_active();
        return asks & !row_.is_first_wanted_in_front();
    }
    constexpr bool draws_first() const noexcept {
        return row_.description(row_.front_end()).form == device_form::select;
    }
    /// Of logits that were edited.
    constexpr void tell_seen() noexcept {
        const u32 seen_here = group_.any_bits(row_.seen);
        group_.once([&] { (void)parts_.told(u32(part_word::seen)).set_bits(seen_here); });
    }

    const device_plan& plan_;
    bool is_copied_;
    work_group& group_;
    assembler& code_;
    row_tokens& row_;
    const row_parts& parts_;
    greatest_search& greatest_;
    mass_bins& bins_;
    stretch_masses& masses_;
    narrowing_stage& narrowing_;
    choosing& choosing_;
    private_variable<u32> goes_on_, is_shared_;
};

}  // namespace riffle::gpu
