#pragma once
#include <cstdint>

#include <riffle/gpu/kernels/keys.hpp>
#include <riffle/gpu/kernels/row_tokens.hpp>
#include <riffle/gpu/kernels/work_group.hpp>
#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI::gpu {

/// The few tokens that are left, one an invocation: as soon as there are no more than the work group has invocations,
/// the row is not looked at any more. What an invocation wants to know of the others, it reads from shared memory:
/// "how much ranks before mine" is one loop over all of them, and answers ranks, nuclei and draws without a sort.
class survivors {
    // Ahead of those who call it: see row_edits.
    template <class Visit>
    constexpr void for_each_place(Visit visit) const noexcept {
        const u32 end = blend(group_.invocation < size_, size_.load(), u32(0u));
        spirv::for_(code_, u32(0u), end, u32(1u), visit);
    }

public:
    /// `can_narrow`: whether any of the stages can leave few.
    constexpr survivors(work_group& of, row_tokens& row, bool can_narrow) noexcept
        : key(of.code, u32(0u)), id(of.code, u32(0u)), group_(of), code_(of.code), row_(row), listed_(code_, u32(0u)),
          size_(code_, u32(0u)), shown_(code_, u32(0u)), can_narrow_(can_narrow) {
        if (!can_narrow) return;
        standings_ = spirv::shared_twice<u32>(code_);
        weights_ = spirv::shared_twice<u32>(code_);
        ids_ = spirv::shared<u32>(code_);
    }

    /// The invocation's own token; a key of 0 for none.
    private_variable<u32> key, id;

    /// Whether they have been taken out of the row.
    constexpr boolean are_listed() const noexcept { return can_narrow_ ? listed_ != 0u : boolean(false); }

    /// Looks for the tokens of the row for which is_wanted(key, id) holds (see row_tokens::visitor); answers how many
    /// there are.
    template <class Wanted>
    constexpr u32 find(Wanted is_wanted) noexcept {
        private_variable<u32> place(code_, group_.begin_exchange());
        const auto note = row_.visitor([&](const u32& of, const u32& i) {
            spirv::if_(code_, (of != 0u) & is_wanted(of, i), [&] { list_ahead(place, of, i); });
        });
        row_.for_each(note, {.expects_few = true});
        group_.sync();
        return group_.shared_word(place);
    }
    /// After find, where there is an invocation for each: they are the survivors from now on.
    constexpr void take(const u32& found) noexcept { take(found, u32(0u)); }

    // Two lists of tokens that may become the survivors: of each as many as there are invocations, and what is more is
    // counted. `place`: where their sizes are, an exchange that was begun.

    /// Answers 0 where the list is full.
    constexpr u32 list_ahead(const u32& place, const u32& its_key, const u32& its_id) noexcept {
        const u32 at = group_.shared_word(place).add(1u);
        spirv::if_(code_, at < group_.size, [&] {
            standings_(u32(0u), at) = its_key;
            ids_[at] = its_id;
        });
        return blend(at < group_.size, u32(1u), u32(0u));
    }
    constexpr void list_within(const u32& place, const u32& its_key, const u32& its_id) noexcept {
        const u32 at = group_.shared_word(place + 1u).add(1u);
        spirv::if_(code_, at < group_.size, [&] {
            standings_(u32(1u), at) = its_key;
            weights_(u32(1u), at) = its_id;
        });
    }
    constexpr u32 listed_ahead(const u32& place) const noexcept { return group_.shared_word(place); }
    constexpr u32 listed_within(const u32& place) const noexcept { return group_.shared_word(place + 1u); }
    /// Where there is an invocation for each of both.
    constexpr void take(const u32& ahead, const u32& within) noexcept {
        listed_ = 1u;
        size_ = ahead + within;
        shown_ = 0u;
        spirv::if_(code_, group_.invocation < ahead, [&] {
            key = standings_(u32(0u), group_.invocation).load();
            id = ids_[group_.invocation].load();
        });
        spirv::if_(code_, (ahead <= group_.invocation) & (group_.invocation < size_), [&] {
            const u32 at = group_.invocation - ahead;
            const u32 its_key = standings_(u32(1u), at), its_id = weights_(u32(1u), at);
            standings_(u32(0u), group_.invocation) = its_key;
            ids_[group_.invocation] = its_id;
            key = its_key;
            id = its_id;
        });
    }
    /// Of the second list: the invocation's own token, where it has one.
    constexpr u32 key_within() const noexcept { return standings_(u32(1u), group_.invocation); }
    constexpr u32 id_within() const noexcept { return weights_(u32(1u), group_.invocation); }
    /// Shows what each of them is ordered by, and what it weighs, in place of the first list.
    constexpr void show_within(const u32& standing, const u32& weight) const noexcept {
        standings_(u32(0u), group_.invocation) = standing;
        weights_(u32(0u), group_.invocation) = weight;
        group_.sync();
    }
    constexpr boolean ranks_before_within(const u32& other, const u32& standing, const u32& its_id) const noexcept {
        const u32 other_standing = standings_(u32(0u), other);
        return ranks_before(other_standing, weights_(u32(1u), other).load(), standing, its_id);
    }
    constexpr u32 weight_within(const u32& other) const noexcept { return weights_(u32(0u), other); }

    /// One token, which all invocations know.
    constexpr void take_one(const u32& its_key, const u32& its_id) noexcept {
        listed_ = 1u;
        size_ = 1u;
        key = blend(group_.invocation == 0u, its_key, u32(0u));
        id = its_id;
        group_.once([&] { ids_[u32(0u)] = its_id; });
    }
    /// Drops the invocation's own token unless it is to stay.
    constexpr void keep_mine_if(const boolean& stays) noexcept { key = blend(stays, key.load(), u32(0u)); }

    /// Shows the others what the invocation's token is ordered by, and what it weighs. Two places take turns, so that
    /// one sync will do: whoever writes to one has seen all come to read the other.
    constexpr void show(const u32& standing, const u32& weight) noexcept {
        shown_ = 1u - shown_;
        const u32 shown = shown_;
        standings_(shown, group_.invocation) = standing;
        weights_(shown, group_.invocation) = weight;
        group_.sync();
    }
    /// After show: visit(standing, id, weight) of all, by the invocations that have one.
    template <class Visit>
    constexpr void for_each(Visit visit) const noexcept {
        for_each_place([&](const u32& j) {
            const u32 shown = shown_;
            const u32 other = standings_(shown, j), its_id = ids_[j];
            visit(other, its_id, weights_(shown, j).load());
        });
    }
    /// After show: the weights of all together.
    constexpr word_pair mass() const noexcept {
        private_pair sum(code_, {0u, 0u});
        for_each([&](const u32&, const u32&, const u32& weight) { sum.add(weight); });
        return sum;
    }
    /// After show: how many rank before the invocation's own token, and their mass.
    struct all_before {
        u32 count;
        word_pair mass;
    };
    constexpr all_before of_before(const u32& standing) const noexcept {
        private_variable<u32> count(code_, u32(0u));
        private_pair mass(code_, {0u, 0u});
        for_each([&](const u32& other, const u32& its_id, const u32& weight) {
            const boolean before = ranks_before(other, its_id, standing, id);
            mass.add(blend(before, weight, u32(0u)));
            count = count + blend(before, u32(1u), u32(0u));
        });
        return {count, mass};
    }
    /// After show, or take: how many rank before it.
    constexpr u32 count_before(const u32& standing) const noexcept {
        private_variable<u32> count(code_, u32(0u));
        for_each_place([&](const u32& j) {
            const u32 other = standings_(shown_, j);
            const boolean before = ranks_before(other, ids_[j].load(), standing, id);
            count = count + blend(before, u32(1u), u32(0u));
        });
        return count;
    }

private:
    work_group& group_;
    assembler& code_;
    row_tokens& row_;
    spirv::shared_twice<u32> standings_, weights_;
    spirv::shared<u32> ids_;
    private_variable<u32> listed_, size_;
    private_variable<u32> shown_;  ///< which of two holds what was shown last
    bool can_narrow_;
};

}  // namespace riffle::gpu
