#pragma once
#include <cstdint>

#include <riffle/gpu/kernels/greatest_search.hpp>
#include <riffle/gpu/kernels/mass_bins.hpp>
#include <riffle/gpu/kernels/row_tokens.hpp>
#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI::gpu {

/// Masses of parts of a row in the order of ids: of its stretches, then of parts of one of them, where a draw by mass
/// looks for its token.
class stretch_masses {
public:
    /// `are_used`: whether others may have used the bins before.
    /// `is_shared`: whether other work groups may have added up parts of them.
    constexpr stretch_masses(work_group& of, row_tokens& row, const greatest_search& greatest, mass_bins& bins,
                             bool are_used, bool is_shared) noexcept
        : group_(of), code_(of.code), row_(row), greatest_(greatest), bins_(bins), are_used_(are_used),
          is_shared_(is_shared), mine_(code_, {0u, 0u}) {}

    /// Of all stretches; once. (Who used the bins before has been followed by a sync.)
    constexpr void measure() noexcept {
        const auto look = [&] {
            if (are_used_) {
                bins_.clear();
                group_.sync();
            }
            add_up();
        };
        if (is_shared_) spirv::if_(code_, bins_.are_gathered == 0u, look);
        else look();
        bins_.add_up_groups(stretches_in_a_group());
    }
    /// Adds the tokens of the row, or of the group's part of it, to bins that are clear. Ends with a sync.
    constexpr void add_up() noexcept {
        const auto add_mine = [&](const u32& stretch) {
            bins_.add(stretch, mine_.load());
            mine_ = {0u, 0u};
        };
        row_.for_each_weight(
            greatest_.is_plain(), [&](const u32& weight) { mine_.add(weight); },
            [&](const u32& strip) { add_mine(row_.vectors.stretch_of(strip)); });
        add_mine(row_.vectors.stretch_at_edge());
        group_.sync();
    }
    /// Of the tokens from `begin` to below `end`: a part has so many of them.
    constexpr u32 measure_parts(const u32& begin, const u32& end) noexcept {
        const u32 parts = lesser_of(group_.size, u32(most_parts));
        const u32 tokens = (end - begin + parts - 1u) / parts;
        spirv::if_(code_, group_.invocation < parts, [&] {
            mine_ = {0u, 0u};
            const u32 first = begin + group_.invocation * tokens;
            spirv::for_(code_, first, lesser_of(first + tokens, end), u32(1u),
                        [&](const u32& id) { mine_.add(row_.weight(row_.key(id))); });
            bins_.set(group_.invocation, mine_.load());
        });
        group_.sync();
        bins_.add_up_groups(parts_in_a_group());
        return tokens;
    }
    constexpr u32 stretches_in_a_group() const noexcept { return u32(row_vectors::most_entries / mass_bins::groups); }
    constexpr u32 parts_in_a_group() const noexcept {
        return lesser_of(group_.size, u32(most_parts)) / u32(mass_bins::groups);
    }

private:
    static constexpr std::uint32_t most_parts = 256;

    work_group& group_;
    assembler& code_;
    row_tokens& row_;
    const greatest_search& greatest_;
    mass_bins& bins_;
    bool are_used_, is_shared_;
    private_pair mine_;
};

}  // namespace riffle::gpu
