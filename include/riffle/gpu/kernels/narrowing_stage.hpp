#pragma once
#include <cstddef>

#include <riffle/gpu/kernels/measuring.hpp>
#include <riffle/gpu/kernels/prefix_search.hpp>
#include <riffle/gpu/kernels/raw_bounds.hpp>
#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI::gpu {

/// What stages that drop tokens have in common. As long as the tokens are in the row, the work group finds out a bound,
/// and takes them out of the row as soon as they are few; behind that each invocation decides about its own.
class narrowing_stage {
public:
    constexpr narrowing_stage(work_group& of, row_tokens& row, survivors& few, measuring& all, raw_bounds& bounds,
                              mass_bins& bins, bool is_shared) noexcept
        : goal(of.code), cut(of.code, u32(0u)), group_(of), code_(of.code), row_(row), few_(few), all_(all),
          bounds_(bounds), search_(of, row, few, all.numbers, bounds, bins, is_shared) {}

    /// Where several work groups share the row: this one's part of the first round of a search by mass.
    constexpr void add_up_part() noexcept { search_.add_up_part(); }

    /// Kept is the shortest prefix that comes to the goal, and what reaches the cut, a key.
    prefix_goal goal;
    private_variable<u32> cut;
    static constexpr std::uint32_t no_cut = 0xffffffffu;

    /// What a kernel's stages may ask for.
    struct kinds {
        bool cuts = false;    ///< any stage has a goal; else all that reach the cut are wanted
        bool counts = false;  ///< one of them by rank
        bool weighs = false;  ///< one of them by mass
    };
    constexpr void run(kinds of_stages) noexcept {
        const boolean were_listed = few_.are_listed();
        spirv::if_(code_, !few_.are_listed(), [&] { look_in_row(of_stages); });
        spirv::if_(code_, few_.are_listed(), [&] { keep(of_stages, were_listed); });
    }

    /// Removes what reaches the cut but the last of them in rank, which is the greatest then, if there are at least two
    /// of them and goal.least of all tokens are left.
    constexpr void remove_top() noexcept {
        private_variable<u32> count(code_, u32(0u)), last_key(code_, u32(0xffffffffu)), last_id(code_, u32(0u));
        all_.for_each([&](const u32& key, const u32& id) {
            const boolean reaches = (key != 0u) & (key >= cut);
            const boolean is_behind = reaches & ranks_before(last_key, last_id, key, id);
            count = count + blend(reaches, u32(1u), u32(0u));
            last_key = blend(is_behind, key, last_key.load());
            last_id = blend(is_behind, id, last_id.load());
        });
        const u32 reached = group_.sum(count.load());
        const u32 key = group_.least(last_key);
        const u32 id = group_.greatest(blend(last_key == key, last_id.load(), u32(0u)));
        const boolean removes = (reached >= 2u) & (goal.least <= all_.legal + 1u - reached);
        spirv::if_(code_, removes, [&] {
            row_.set_bound(key, id);
            row_.set_greatest(key);
        });
    }

private:
    /// Of those that are listed.
    constexpr void keep(kinds of_stages, const boolean& were_listed) noexcept {
        const boolean by_mass = of_stages.weighs ? goal.by_mass != 0u : boolean(false);
        variable<u32> stays(code_, blend(few_.key >= cut, u32(1u), u32(0u))), standing(code_, few_.key);
        if (of_stages.weighs) spirv::if_(code_, by_mass, [&] { keep_by_mass(were_listed, standing, stays); });
        // Where one token is wanted at least, it is there by mass, or the greatest reaches the cut.
        const boolean decides_alone = (cut > row_.greatest()) & !by_mass;
        spirv::if_(code_, decides_alone | (goal.least > 1u), [&] {
            few_.rank(standing, u32(1u));
            stays = blend(few_.before().low < goal.least, u32(1u), stays.load());
        });
        if (row_.scored()) stays = blend(standing != 0u, stays.load(), u32(0u));
        few_.keep_mine_if(stays != 0u);
    }
    constexpr void keep_by_mass(const boolean& were_listed, variable<u32>& standing, variable<u32>& stays) noexcept {
        const boolean is_there = few_.key != 0u;
        variable<u32> weight(code_, u32(0u));
        spirv::if_(code_, is_there, [&] {
            weight = row_.weight(few_.key);
            if (row_.scored()) standing = row_.standing(few_.key);
        });
        few_.rank(standing, weight);
        spirv::if_(code_, is_there, [&] {
            spirv::if_(code_, were_listed, [&] { goal.target = all_.numbers.multiply_high(goal.share, few_.all()); });
            const boolean is_light = few_.before() <= goal.target.load();
            stays = blend(is_light, u32(1u), stays.load());
        });
    }

    /// Where a bound is known that few tokens reach, those are taken out of the row; else the prefix is searched for.
    constexpr void look_in_row(kinds of_stages) noexcept {
        const boolean by_mass = of_stages.weighs ? goal.by_mass != 0u : boolean(false);
        const boolean by_rank = of_stages.counts ? (cut == u32(no_cut)) & !by_mass : boolean(false);
        const u32 earlier_bound = row_.bound;
        variable<u32> searches(code_, u32(1u));
        spirv::if_(code_, !by_mass, [&] { searches = look_for_bound(of_stages, by_rank); });
        if (!of_stages.cuts) return;
        variable<u32> weighs(code_, blend(by_mass, u32(1u), u32(0u)));
        spirv::while_(
            code_, [&] { return searches != 0u; },
            [&] {
                spirv::if_(code_, !by_rank, [&] { row_.bound = earlier_bound; });
                search_.run(goal, weighs);
                // A nucleus of fewer tokens than are wanted at least.
                searches = blend((weighs != 0u) & (search_.kept < goal.least), u32(1u), u32(0u));
                weighs = 0u;
            },
            [] {});
    }
    /// Takes those that reach it out of the row, or keeps them there, where they are many; answers 1 where the prefix
    /// has to be searched for.
    constexpr u32 look_for_bound(kinds of_stages, const boolean& by_rank) noexcept {
        private_variable<u32> least_key(code_, cut);
        spirv::if_(code_, row_.is_in_front(), [&] {
            if (of_stages.counts)
                spirv::if_(code_, by_rank, [&] { least_key = row_.behind_front(bounds_.of_rank(goal.least)); });
            row_.bound = greater_of(row_.bound.load(), bounds_.of_key(least_key));
        });
        if (of_stages.counts) {  // all, where no bound is known
            const u32 known = least_key;
            least_key = blend(by_rank & (known == u32(no_cut)), u32(survivors::unknown_key), known);
        }
        const u32 reached = few_.find([&](const u32& key, const u32&) { return key >= least_key; });
        const boolean is_enough = by_rank | (goal.least <= reached);
        const boolean are_few = reached <= group_.size;
        if (!of_stages.cuts) {
            spirv::if_(
                code_, are_few, [&] { few_.take(reached, least_key); }, [&] { row_.set_bound(cut, 0xffffffffu); });
            return u32(0u);
        }
        spirv::if_(code_, is_enough & are_few, [&] { few_.take(reached, least_key); });
        const boolean stays = is_enough & !are_few & !by_rank;
        spirv::if_(code_, stays, [&] { row_.set_bound(cut, 0xffffffffu); });
        return blend(is_enough & (are_few | !by_rank), u32(0u), u32(1u));
    }

    work_group& group_;
    assembler& code_;
    row_tokens& row_;
    survivors& few_;
    measuring& all_;
    raw_bounds& bounds_;
    prefix_search search_;
};

}  // namespace riffle::gpu
