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
public:
    /// `can_narrow`: whether any of the stages can leave few.
    constexpr survivors(work_group& of, row_tokens& row, bool can_narrow) noexcept
        : key(of.code, u32(0u)), id(of.code, u32(0u)), group_(of), code_(of.code), row_(row), keys_(code_), ids_(code_),
          weights_(code_), listed_(code_, u32(0u)), size_(code_, u32(0u)), can_narrow_(can_narrow) {}

    /// The invocation's own token; a key of 0 for none.
    private_variable<u32> key, id;

    /// Whether they have been taken out of the row.
    constexpr boolean are_listed() const noexcept { return can_narrow_ ? listed_ != 0u : boolean(false); }

    /// Looks for the tokens of the row for which is_wanted(key, id) holds (see row_tokens::visitor); answers how many
    /// there are.
    template <class Wanted>
    constexpr u32 find(Wanted is_wanted) noexcept {
        private_variable<u32> place(code_, group_.begin_exchange());
        row_.for_each(row_.visitor([&](const u32& of, const u32& i) {
            spirv::if_(code_, (of != 0u) & is_wanted(of, i), [&] {
                const u32 at = group_.shared_word(place).add(1u);
                spirv::if_(code_, at < group_.size, [&] {
                    keys_[at] = of;
                    ids_[at] = i;
                });
            });
        }));
        group_.sync();
        return group_.shared_word(place);
    }
    /// After find, where there is an invocation for each: they are the survivors from now on.
    constexpr void take(const u32& found) noexcept {
        listed_ = 1u;
        size_ = found;
        spirv::if_(code_, group_.invocation < found, [&] {
            key = keys_[group_.invocation].load();
            id = ids_[group_.invocation].load();
        });
    }
    /// One token, which all invocations know.
    constexpr void take_one(const u32& its_key, const u32& its_id) noexcept {
        listed_ = 1u;
        size_ = 1u;
        key = blend(group_.invocation == 0u, its_key, u32(0u));
        id = its_id;
    }
    /// Drops the invocation's own token unless it is to stay.
    constexpr void keep_mine_if(const boolean& stays) noexcept { key = blend(stays, key.load(), u32(0u)); }

    /// Shows every invocation's token to the others, with its weight.
    constexpr void show(const u32& weight) noexcept { show(key, weight); }
    /// Shows every invocation's token to the others, with what tokens are ordered by in place of its key.
    constexpr void show(const u32& standing, const u32& weight) noexcept {
        group_.sync();  // nobody reads any more
        const u32 my_id = id;
        keys_[group_.invocation] = standing;
        ids_[group_.invocation] = my_id;
        weights_[group_.invocation] = weight;
        group_.sync();
    }
    /// After show: visit(key, id, weight) of all.
    template <class Visit>
    constexpr void for_each(Visit visit) const noexcept {
        spirv::for_(code_, u32(0u), size_, u32(1u), [&](const u32& j) {
            const u32 other = keys_[j], its_id = ids_[j];
            visit(other, its_id, weights_[j].load());
        });
    }
    /// After show: the weights of all together.
    constexpr word_pair mass() const noexcept {
        private_pair sum(code_, {0u, 0u});
        for_each([&](const u32&, const u32&, const u32& weight) { sum.add(spirv::wide(weight)); });
        return sum;
    }
    /// After show: what ranks before the invocation's own token.
    struct ahead {
        u32 count;
        word_pair mass;
    };
    constexpr ahead of_before_mine() const noexcept { return of_before(key); }
    constexpr ahead of_before(const u32& standing) const noexcept {
        private_variable<u32> count(code_, u32(0u));
        private_pair mass(code_, {0u, 0u});
        for_each([&](const u32& other, const u32& its_id, const u32& weight) {
            const boolean before = ranks_before(other, its_id, standing, id);
            mass.add(spirv::wide(blend(before, weight, u32(0u))));
            count = count + blend(before, u32(1u), u32(0u));
        });
        return {count, mass};
    }

    /// Shows two words of every invocation, while there are no survivors.
    constexpr void show_only(const word_pair& words) noexcept {
        group_.sync();
        keys_[group_.invocation] = words.low;
        ids_[group_.invocation] = words.high;
        group_.sync();
    }
    constexpr const spirv::shared<u32>& shown_low() const noexcept { return keys_; }
    constexpr const spirv::shared<u32>& shown_high() const noexcept { return ids_; }

private:
    work_group& group_;
    assembler& code_;
    row_tokens& row_;
    spirv::shared<u32> keys_, ids_, weights_;
    private_variable<u32> listed_, size_;
    bool can_narrow_;
};

}  // namespace riffle::gpu
