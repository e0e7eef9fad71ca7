#pragma once
#include <bit>
#include <cstdint>

#include <riffle/gpu/kernels/keys.hpp>
#include <riffle/gpu/kernels/mass_bins.hpp>
#include <riffle/gpu/kernels/rank_sums.hpp>
#include <riffle/gpu/kernels/row_tokens.hpp>
#include <riffle/gpu/kernels/work_group.hpp>
#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI::gpu {

/// The few tokens that are left, one an invocation: as soon as there are no more than the work group has invocations,
/// the row is not looked at any more. What an invocation wants to know of the others, how many rank before its own and
/// what they weigh, answers ranks, nuclei and draws without a sort (rank_sums).
class survivors {
public:
    /// `can_narrow`: whether any of the stages can leave few; `several`: more than the first in rank. `bins` have no
    /// sums any more, once tokens are listed.
    constexpr survivors(work_group& of, row_tokens& row, const mass_bins& bins, bool can_narrow, bool several) noexcept
        : key(of.code, u32(0u)), id(of.code, u32(0u)), group_(of), code_(of.code), row_(row), listed_(code_, u32(0u)),
          can_narrow_(can_narrow), several_(several), lists_(lists(of.code, bins, several)),
          ranks_(of, several ? &lists_ : nullptr) {
        if (several_) steps_a_nat_.declare(code_);
    }
    /// Ahead of a sync.
    constexpr void clear() const noexcept {
        if (several_) ranks_.clear();
    }

    static constexpr std::uint32_t unknown_key = 1;  ///< any is greater

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
    /// After find, where there is an invocation for each: they are the survivors from now on. The least key that any
    /// may have, or unknown_key, tells how they may spread, and no more.
    constexpr void take(const u32& found, const u32& least_key) noexcept { take(found, u32(0u), least_key); }

    // Two lists of tokens that may become the survivors: of each as many as there are invocations, and what is more is
    // counted. `place`: where their sizes are, an exchange that was begun.

    /// Answers 0 where the list is full.
    constexpr u32 list_ahead(const u32& place, const u32& its_key, const u32& its_id) noexcept {
        const u32 at = group_.shared_word(place).add(1u);
        spirv::if_(code_, at < group_.size, [&] { list(u32(0u), at, its_key, its_id); });
        return blend(at < group_.size, u32(1u), u32(0u));
    }
    constexpr void list_within(const u32& place, const u32& its_key, const u32& its_id) noexcept {
        const u32 at = group_.shared_word(place + 1u).add(1u);
        spirv::if_(code_, at < group_.size, [&] { list(u32(1u), at, its_key, its_id); });
    }
    constexpr u32 listed_ahead(const u32& place) const noexcept { return group_.shared_word(place); }
    constexpr u32 listed_within(const u32& place) const noexcept { return group_.shared_word(place + 1u); }
    /// Where there is an invocation for each of both.
    constexpr void take(const u32& ahead, const u32& within, const u32& least_key) noexcept {
        listed_ = 1u;
        const u32 mine = group_.invocation;
        spirv::if_(code_, mine < ahead, [&] { take_listed(u32(0u), mine); });
        spirv::if_(code_, (ahead <= mine) & (mine < ahead + within), [&] { take_listed(u32(1u), mine - ahead); });
        set_distances(least_key);
    }
    /// Of the second list: the invocation's own token, where it has one.
    constexpr u32 key_within() const noexcept { return lists_.standings(u32(1u), group_.invocation); }
    constexpr u32 id_within() const noexcept { return lists_.links(u32(1u), group_.invocation); }

    /// One token, which all invocations know.
    constexpr void take_one(const u32& its_key, const u32& its_id) noexcept {
        listed_ = 1u;
        key = blend(group_.invocation == 0u, its_key, u32(0u));
        id = its_id;
        if (several_) steps_a_nat_ = f32(1.0f);
    }
    /// Drops the invocation's own token unless it is to stay.
    constexpr void keep_mine_if(const boolean& stays) noexcept { key = blend(stays, key.load(), u32(0u)); }

    // ---- what the others are beside the invocation's own token

    /// By what the present stage orders tokens by.
    constexpr void rank(const u32& standing, const u32& weight) noexcept {
        if (!rank_.is_written())
            rank_ = spirv::integer_function<2>(code_, [&](const u32& its_standing, const u32& its_weight) {
                variable<u32> bin(code_, u32(rank_sums::no_bin));
                spirv::if_(code_, key != 0u, [&] { bin = bin_of(its_standing); });
                ranks_.add_up(its_standing, id, its_weight, bin);
                return u32(0u);
            });
        rank_(standing, weight);
    }
    /// By ids alone.
    constexpr void rank_by_id(const u32& weight) noexcept {
        variable<u32> bin(code_, u32(rank_sums::no_bin));
        spirv::if_(code_, key != 0u,
                   [&] { bin = id.load() >> shift_to_bins(row_.vectors.vocabulary - 1u, bins_exponent); });
        ranks_.add_up(u32(0u), id, weight, bin);
    }
    /// Those of the second list, whose ordinals are from low to high, the highest first.
    constexpr void rank_within(const boolean& is_there, const u32& standing, const u32& its_id, const u32& weight,
                               const u32& ordinal, const u32& low, const u32& high) noexcept {
        const u32 bin = (high - ordinal) >> shift_to_bins(high - low, bins_exponent);
        ranks_.add_up(standing, its_id, weight, blend(is_there, bin, u32(rank_sums::no_bin)));
    }
    /// Their weights: of those that rank before it, and of all. (Known until the next ranking.)
    constexpr word_pair before() const noexcept { return ranks_.before(); }
    constexpr word_pair all() const noexcept { return ranks_.all(); }
    /// Whether there can be more than one.
    constexpr bool can_be_several() const noexcept { return several_; }

private:
    using memory = rank_sums::memory;
    static constexpr memory lists(assembler& code, const mass_bins& bins, bool are_wanted) noexcept {
        if (!are_wanted) return {};
        const spirv::shared_twice<u32> standings(code);
        return {standings, spirv::shared_twice<u32>(code), bins.memory()};
    }
    constexpr void list(const u32& which, const u32& at, const u32& its_key, const u32& its_id) const noexcept {
        lists_.standings(which, at) = its_key;
        lists_.links(which, at) = its_id;
    }
    constexpr void take_listed(const u32& which, const u32& at) noexcept {
        key = lists_.standings(which, at).load();
        id = lists_.links(which, at).load();
    }

    // ---- bins: how the tokens spread over them decides what ranks cost, and nothing else

    static constexpr std::uint32_t bins_exponent = 6, last_bin = rank_sums::bins - 1;
    static_assert(rank_sums::bins == 1u << bins_exponent);

    /// Bins are as wide as makes the least key come to one of the last; where that is not known, as suits 8 nats.
    /// Tokens lie the closer the farther they are under the greatest, so a bin is the square of the distance.
    constexpr void set_distances(const u32& least_key) noexcept {
        // 7.1 by a distance, to an eighth: floats are near to logarithms of themselves.
        constexpr std::uint32_t one = std::bit_cast<std::uint32_t>(1.0f),
                                of_quotient = std::bit_cast<std::uint32_t>(7.1f) + one;
        constexpr std::uint32_t unknown = std::bit_cast<std::uint32_t>(8.0f), least = 16u << 23u;
        const u32 known = u32(as_bits(under_greatest(least_key))) & 0x7fffffffu;
        const u32 distance = blend(least_key == u32(unknown_key), u32(unknown), greater_of(known, u32(least)));
        steps_a_nat_ = f32::from_bits(u32(of_quotient) - distance);
    }
    constexpr f32 under_greatest(const u32& of) const noexcept {
        return greater_number_of(logit_of(of) - row_.maximum(), f32(-clamped_mass_range));
    }
    constexpr u32 bin_of(const u32& standing) const noexcept {
        const f32 steps = lesser_of(under_greatest(key), f32(0.0f)) * steps_a_nat_.load();
        const u32 of_distance(truncate(lesser_of(steps * steps, f32(float(last_bin)))));
        if (!row_.scored()) return of_distance;
        const u32 of_score = lesser_of(~standing >> std::uint32_t(score_shift), u32(last_bin));
        return blend(row_.is_one_of(row_.scored()), of_score, of_distance);
    }
    static constexpr std::uint32_t score_shift = 12;  // of 2^-16 nats

    work_group& group_;
    assembler& code_;
    row_tokens& row_;
    private_variable<u32> listed_;
    private_variable<f32> steps_a_nat_;  ///< of a distance under the greatest
    bool can_narrow_, several_;
    memory lists_;
    rank_sums ranks_;
    spirv::integer_function<2> rank_;
};

}  // namespace riffle::gpu
