#pragma once
#include <cstddef>

#include <riffle/gpu/kernels/measuring.hpp>
#include <riffle/gpu/kernels/prefix_search.hpp>
#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI::gpu {

/// What stages that drop tokens have in common. As long as the tokens are in the row, the work group finds out a bound,
/// and takes them out of the row as soon as they are few; behind that each invocation decides about its own.
class narrowing_stage {
public:
    constexpr narrowing_stage(work_group& of, row_tokens& row, survivors& few, measuring& all) noexcept
        : goal(of.code), cut(of.code, u32(0u)), group_(of), code_(of.code), row_(row), few_(few), all_(all),
          search_(of, row, all.numbers) {}

    /// Kept is the shortest prefix that comes to the goal, and what reaches the cut, a key.
    prefix_goal goal;
    private_variable<u32> cut;
    static constexpr std::uint32_t no_cut = 0xffffffffu;

    /// `best_of_invocation`: the greatest key that the invocation has met among the tokens, 0 where it is not known.
    /// `cuts`: whether any stage has a goal; else all that reach the cut are wanted.
    constexpr void run(const u32& best_of_invocation, bool cuts) noexcept {
        const boolean were_listed = few_.are_listed();
        spirv::if_(code_, !few_.are_listed(), [&] { look_in_row(best_of_invocation, cuts); });
        spirv::if_(code_, few_.are_listed(), [&] {
            const u32 standing = row_.standing(few_.key);
            few_.show(standing, row_.weight(few_.key));
            spirv::if_(code_, were_listed & (goal.by_mass != 0u),
                       [&] { goal.target = all_.numbers.multiply_high(goal.share, few_.mass()); });
            const survivors::ahead ahead = few_.of_before(standing);
            const boolean is_light = (goal.by_mass != 0u) & (ahead.mass <= goal.target.load());
            const boolean stays = is_light | (ahead.count < goal.least) | (few_.key >= cut);
            few_.keep_mine_if(row_.scored() ? stays & (standing != 0u) : stays);
        });
    }

    /// Removes what reaches the cut but the last of them in rank, if there are at least two of them and `least` of all
    /// tokens are left. Answers the key that is the greatest behind it, 0 where nothing changes.
    constexpr u32 remove_top(const u32& least) noexcept {
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
        const boolean removes = (reached >= 2u) & (least <= all_.legal + 1u - reached);
        spirv::if_(code_, removes, [&] { row_.set_bound(key, id); });
        return blend(removes, key, u32(0u));
    }

private:
    /// Where a bound is known that few tokens reach, those are taken out of the row; else the prefix is searched for.
    constexpr void look_in_row(const u32& best_of_invocation, bool cuts) noexcept {
        const boolean by_mass = goal.by_mass != 0u;
        const boolean by_rank = (cut == u32(no_cut)) & !by_mass;
        private_variable<u32> bound(code_, cut), searches(code_, goal.by_mass);
        variable<u32> goes_on(code_, u32(1u));
        if (cuts) spirv::if_(code_, by_rank, [&] { bound = bound_of_rank(goal.least, best_of_invocation); });
        spirv::while_(
            code_, [&] { return goes_on != 0u; },
            [&] {
                if (cuts) spirv::if_(code_, searches != 0u, [&] { goes_on = search_.run(goal); });
                spirv::if_(code_, goes_on != 0u, [&] {
                    const u32 reached = few_.find([&](const u32& key, const u32& id) {
                        if (!cuts) return key >= bound;
                        return ((searches == 0u) & (key >= bound)) | ((searches != 0u) & search_.holds_prefix(key, id));
                    });
                    // What was searched for is few. (Under fast, which lets devices contract, passes may differ in the
                    // last bit of a key, so that a token too many is found; it finds no room.)
                    const boolean is_enough = by_rank | (goal.least <= reached);
                    spirv::if_(
                        code_, (searches != 0u) | (is_enough & (reached <= group_.size)),
                        [&] {
                            few_.take(lesser_of(reached, group_.size));
                            goes_on = 0u;
                        },
                        [&] {
                            spirv::if_(
                                code_, is_enough & !by_rank,
                                [&] {
                                    row_.set_bound(cut, 0xffffffffu);
                                    goes_on = 0u;
                                },
                                [&] { searches = 1u; });
                        });
                });
            },
            [] {});
    }
    /// The k-th greatest of what the invocations have met, which is a bound of the k-th greatest of all (delegates, as
    /// in Dr. Top-k, arXiv 2109.08219); few more tokens reach it, as a rule. 1, which all reach, where they are fewer.
    constexpr u32 bound_of_rank(const u32& k, const u32& best_of_invocation) noexcept {
        few_.show_only({best_of_invocation, 0u});
        variable<u32> ahead(code_, u32(0u));
        spirv::for_(code_, u32(0u), group_.size, u32(1u), [&](const u32& j) {
            const boolean before = ranks_before(few_.shown_low()[j], j, best_of_invocation, group_.invocation);
            ahead = ahead + blend(before, u32(1u), u32(0u));
        });
        return greater_of(group_.greatest(blend(ahead + 1u == k, best_of_invocation, u32(0u))), u32(1u));
    }

    work_group& group_;
    assembler& code_;
    row_tokens& row_;
    survivors& few_;
    measuring& all_;
    prefix_search search_;
};

}  // namespace riffle::gpu
