#pragma once
#include <cstdint>
#include <utility>

#include <riffle/gpu/kernels/exact_numbers.hpp>
#include <riffle/gpu/kernels/mass_bins.hpp>
#include <riffle/gpu/kernels/raw_bounds.hpp>
#include <riffle/gpu/kernels/row_tokens.hpp>
#include <riffle/gpu/kernels/survivors.hpp>
#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI::gpu {

/// What a prefix of the tokens in the order of ranks must come to; the shortest one that does is kept.
struct prefix_goal {
    private_variable<u32> least;    ///< so many tokens
    private_variable<u32> by_mass;  ///< 1: and their mass must exceed the target
    private_pair share;             ///< a share of the mass of all, in units of 2^-64
    private_pair target;            ///< which a search finds out
    constexpr explicit prefix_goal(assembler& code) noexcept
        : least(code, u32(0u)), by_mass(code, u32(0u)), share(code, {0u, 0u}), target(code, {0u, 0u}) {}
};

/// Looks for the end of such a prefix in a row: of a nucleus, or of the k first in rank, of which each counts for 1.
///
/// The tokens are added up in bins of what they are ordered by: first by their distance under the maximum, 96 bins a
/// nat, then, within the bin in which the prefix ends, by their keys, then by their ids. Each round reads the row once.
/// As soon as those of the prefix are few, they are taken out of the row; as soon as those of its last bin are, they
/// settle which token is the last. One round will do for most rows, whatever their size.
class prefix_search {
public:
    /// `is_shared`: whether other work groups may have added up parts of the first round.
    constexpr prefix_search(work_group& of, row_tokens& row, survivors& few, exact_numbers& numbers, raw_bounds& bounds,
                            mass_bins& bins, bool is_shared) noexcept
        : kept(of.code, u32(0u)), group_(of), code_(of.code), row_(row), few_(few), numbers_(numbers), bounds_(bounds),
          bins_(bins), is_shared_(is_shared) {}

    /// How many tokens are kept; of a nucleus of few, some of its last bin are counted that are not in it.
    private_variable<u32> kept;

    /// Takes the prefix out of the row, or sets the present stage's bound to its last token. `weighs` 1: by mass, else
    /// by goal.least.
    constexpr void run(prefix_goal& goal, const u32& weighs) noexcept {
        begin(weighs);
        left_ = {goal.least - 1u, u32(0u)};
        const auto look = [&] {
            bins_.clear();
            group_.sync();
            add_up();
        };
        variable<u32> goes_on(code_, u32(1u));
        spirv::while_(
            code_, [&] { return goes_on != 0u; },
            [&] {
                group_.sync();
                if (is_shared_) {
                    spirv::if_(code_, bins_.are_gathered == 0u, look);
                    bins_.are_gathered = 0u;
                } else {
                    look();
                }
                find_bin(goal);
                goes_on = 1u - take_or_settle(goal.least);
                round_ = round_ + 1u;
            },
            [] {});
    }

    /// The first round of a search by mass for the group's part of the row, in bins that are clear. Ends with a sync.
    constexpr void add_up_part() noexcept {
        begin(u32(1u));
        add_up();
    }

private:
    constexpr void begin(const u32& weighs) noexcept {
        declare();
        weighs_ = weighs;
        round_ = 0u;
    }
    constexpr void add_up() noexcept {
        row_.call(add_up_, [&] {
            const auto visit = row_.visitor([&](const u32& logit, const u32& id) { add(logit, id); });
            row_.for_each_logit(visit);
            group_.sync();
        });
    }
    /// The last of them has all beyond 10.6 nats.
    static constexpr std::uint32_t bins_a_nat = 96;
    static constexpr std::uint32_t last_bin = mass_bins::most - 1, bins_a_group = mass_bins::most / mass_bins::groups;

    constexpr void declare() noexcept {
        if (std::exchange(is_declared_, true)) return;
        for (auto* each : {&weighs_, &round_, &nearest_, &low_key_, &high_key_, &low_id_, &high_id_, &low_, &high_,
                           &shift_, &by_id_, &lists_all_, &ahead_, &place_, &in_bin_})
            each->declare(code_);
        left_.declare(code_);
    }

    // ---- where a token stands

    /// By its distance under the maximum, or, where a stage has scores, by its score.
    constexpr u32 nearness(const u32& logit, const u32& standing) const noexcept {
        const f32 under = greater_number_of(f32::from_bits(logit) - row_.maximum(), f32(-clamped_mass_range));
        const u32 of_distance(truncate(under * f32(-float(bins_a_nat))));
        if (!row_.scored()) return lesser_of(of_distance, u32(last_bin));
        const u32 of_score = ~standing >> std::uint32_t(score_shift);
        return lesser_of(blend(row_.is_one_of(row_.scored()), of_score, of_distance), u32(last_bin));
    }
    static constexpr std::uint32_t score_shift = 14;  // of 2^-16 nats

    /// Adds a token to its bin.
    constexpr void add(const u32& logit, const u32& id) noexcept {
        const u32 one = blend(logit == dead_logit, u32(0u), u32(1u)), mass = row_.weight_of(logit);
        const u32 weight = blend(weighs_ == 0u, one, mass);
        const u32 standing = row_.scored() ? row_.standing(key_of_legal(logit)) : u32(0u);
        const boolean counts = row_.scored() ? (weight != 0u) & (standing != 0u) : weight != 0u;
        spirv::if_(code_, counts, [&] {
            const u32 bin = nearness(logit, standing);
            spirv::if_(
                code_, round_ == 0u, [&] { bins_.add(bin, weight); },
                [&] {
                    const u32 ordered = row_.scored() ? standing : key_of_legal(logit);
                    spirv::if_(code_, side_of(bin, ordered, id) == 1u, [&] {
                        const u32 ordinal = blend(by_id_ != 0u, ~id, ordered);
                        bins_.add(lesser_of((high_ - ordinal) >> shift_.load(), u32(last_bin)), weight);
                    });
                });
        });
    }
    /// 0 for a token ahead of the bin where the prefix ends, 1 in it, 2 behind.
    constexpr u32 side_of(const u32& nearness, const u32& standing, const u32& id) const noexcept {
        const u32 by_key = side(standing, low_key_, high_key_);
        const u32 by_id = side(~id, low_id_, high_id_);
        const u32 within = blend(by_key == 1u, by_id, by_key);
        const u32 nearest = nearest_;
        return blend(nearness < nearest, u32(0u), blend(nearest < nearness, u32(2u), within));
    }
    static constexpr u32 side(const u32& ordinal, const u32& low, const u32& high) noexcept {
        return blend(high < ordinal, u32(0u), blend(ordinal < low, u32(2u), u32(1u)));
    }

    // ---- the bin in which the prefix ends

    constexpr void find_bin(prefix_goal& goal) noexcept {
        bins_.add_up_groups(u32(bins_a_group));
        const u32 at = group_.begin_exchange();
        group_.once([&] {
            spirv::if_(code_, (round_ == 0u) & (weighs_ != 0u), [&] {
                const word_pair target = numbers_.multiply_high(goal.share, bins_.add_up_all());
                left_ = target;
                bins_.tell(target);
            });
            const u32 bin = bins_.pass_over(left_, u32(bins_a_group));
            const word_pair left = left_;
            group_.shared_word(at).raise(bin);
            group_.shared_word(at + 1u).raise(left.low);
            group_.shared_word(at + 2u).raise(left.high);
        });
        group_.sync();
        spirv::if_(code_, (round_ == 0u) & (weighs_ != 0u), [&] { goal.target = bins_.told(); });
        const u32 low = group_.shared_word(at + 1u);
        left_ = {low, group_.shared_word(at + 2u).load()};
        const u32 bin = group_.shared_word(at);
        in_bin_ = bins_.of(bin).low;
        spirv::if_(
            code_, round_ == 0u, [&] { narrow_to_nearness(bin); }, [&] { narrow_to_words(bin); });
    }
    /// Keys from low to high are all that may be in the bin: those of its width, and some for what was rounded.
    constexpr void narrow_to_nearness(const u32& bin) noexcept {
        nearest_ = bin;
        constexpr float width = 1.0f / float(bins_a_nat);
        const f32 top = row_.maximum(), steps = f32::from_int(spirv::i32(bin));
        const f32 rounding = (absolute(top) + f32(32.0f)) * f32(4.76837158e-7f);  // 2^-21
        const u32 high = key_of((top - steps * f32(width)) + rounding);
        const u32 low = key_of((top - (steps + f32(1.0f)) * f32(width)) - rounding);
        low_key_ = greater_of(blend(bin == u32(last_bin), u32(1u), low), u32(1u));
        high_key_ = blend(bin == 0u, u32(0xffffffffu), high);
        if (row_.scored())
            spirv::if_(code_, row_.is_one_of(row_.scored()), [&] {
                const u32 first = bin << score_shift;
                high_key_ = ~first;
                low_key_ = blend(bin == u32(last_bin), u32(1u), ~(first + ((1u << score_shift) - 1u)));
            });
        low_id_ = 0u;
        high_id_ = 0xffffffffu;
        divide(low_key_, high_key_, u32(0u));
    }
    constexpr void narrow_to_words(const u32& bin) noexcept {
        const u32 high = high_ - (bin << shift_.load());
        const u32 width = (u32(1u) << shift_.load()) - 1u;
        const u32 low = greater_of(high - lesser_of(width, high), low_);
        spirv::if_(
            code_, by_id_ == 0u,
            [&] {
                low_key_ = low;
                high_key_ = high;
            },
            [&] {
                low_id_ = low;
                high_id_ = high;
            });
        const boolean turns_to_ids = (by_id_ == 0u) & (low == high);
        const u32 next_low = blend(turns_to_ids, ~row_.vectors.vocabulary, low);
        const u32 next_high = blend(turns_to_ids, u32(0xffffffffu), high);
        divide(next_low, next_high, blend(turns_to_ids, u32(1u), by_id_.load()));
    }
    /// The words of the next round, in bins of a power of two.
    constexpr void divide(const u32& low, const u32& high, const u32& by_id) noexcept {
        low_ = low;
        high_ = high;
        by_id_ = by_id;
        shift_ = shift_to_bins(high - low, 10);
    }

    // ---- the tokens of the prefix

    /// Answers 1 where that is done, and 0 where the last bin has too many tokens.
    constexpr u32 take_or_settle(const u32& least) noexcept {
        variable<u32> is_done(code_, u32(0u));
        const boolean is_long = (weighs_ == 0u) & (in_bin_ > group_.size);
        spirv::if_(code_, !is_long, [&] {
            list();
            const u32 ahead = few_.listed_ahead(place_), within = few_.listed_within(place_);
            const boolean is_settled = within <= group_.size, are_few = ahead <= group_.size - within;
            spirv::if_(code_, is_settled, [&] {
                is_done = 1u;
                spirv::if_(
                    code_, are_few, [&] { take(ahead, within, least); }, [&] { settle(within); });
            });
        });
        return is_done;
    }
    /// Not a nucleus of fewer tokens than are wanted.
    constexpr void take(const u32& ahead, const u32& within, const u32& least) noexcept {
        kept = ahead + within;
        spirv::if_(code_, (weighs_ == 0u) | (least <= kept), [&] {
            const u32 low = low_key_;
            const u32 unknown(survivors::unknown_key);
            few_.take(ahead, within, row_.scored() ? blend(row_.is_one_of(row_.scored()), unknown, low) : low);
            group_.sync();
        });
    }
    /// Those of the last bin, and those ahead of it, unless these are known to be many.
    constexpr void list() noexcept {
        const boolean is_raw = row_.is_in_front() & !row_.is_one_of(row_.scored());
        spirv::if_(code_, is_raw, [&] { row_.bound = greater_of(row_.bound.load(), bounds_.of_key(low_key_)); });
        lists_all_ = 1u;
        ahead_ = 0u;
        place_ = group_.begin_exchange();
        const auto look = row_.visitor([&](const u32& logit, const u32& id) {
            spirv::if_(code_, logit != dead_logit, [&] {
                const u32 key = key_of_legal(logit);
                const u32 standing = row_.standing(key);
                const u32 where = side_of(nearness(logit, standing), standing, id);
                spirv::if_(code_, row_.scored() ? (where == 1u) & (standing != 0u) : where == 1u,
                           [&] { few_.list_within(place_, key, id); });
                spirv::if_(code_, where == 0u, [&] {
                    ahead_ = ahead_ + 1u;
                    spirv::if_(code_, lists_all_ != 0u, [&] { lists_all_ = few_.list_ahead(place_, key, id); });
                });
            });
        });
        row_.for_each_logit(look, {.expects_few = true});
        group_.sync();
    }
    /// Finds out which token of the last bin is the last of the prefix.
    constexpr void settle(const u32& within) noexcept {
        const boolean is_there = group_.invocation < within;
        variable<u32> key(code_, u32(0u)), id(code_, u32(0u));
        spirv::if_(code_, is_there, [&] {
            key = few_.key_within();
            id = few_.id_within();
        });
        const u32 standing = row_.standing(key);
        const u32 mass = row_.weight(key);
        const u32 weight = blend(weighs_ == 0u, u32(1u), mass);
        const u32 ordinal = blend(by_id_ != 0u, ~id.load(), standing);
        few_.rank_within(is_there, standing, id, weight, ordinal, low_, high_);
        const boolean is_kept = is_there & !(left_.load() < few_.before());
        const u32 last_standing = group_.least(blend(is_kept, standing, u32(0xffffffffu)));
        const boolean is_last = is_kept & (standing == last_standing);
        const u32 last_id = group_.greatest(blend(is_last, id.load(), u32(0u)));
        const u32 ahead = ahead_, one = blend(is_kept, u32(1u), u32(0u));
        const word_pair all = group_.sum(word_pair{ahead, one});
        // Under fast, which lets devices contract, what one pass has added up another may not find.
        const boolean is_found = all.high != 0u;
        const u32 lowest = low_key_;
        row_.set_bound(blend(is_found, last_standing, lowest), blend(is_found, last_id, u32(0xffffffffu)));
        kept = all.low + all.high;
    }

    work_group& group_;
    assembler& code_;
    row_tokens& row_;
    survivors& few_;
    exact_numbers& numbers_;
    raw_bounds& bounds_;
    mass_bins& bins_;
    bool is_shared_, is_declared_ = false;
    spirv::integer_function<1> add_up_;
    private_variable<u32> weighs_, round_;
    private_pair left_;  ///< of the target, behind what is ahead of the last bin
    // The bin in which the prefix ends: tokens of one nearness, with standings and complements of ids in these bounds.
    private_variable<u32> nearest_, low_key_, high_key_, low_id_, high_id_;
    private_variable<u32> low_, high_, shift_, by_id_;  ///< the words that the next round has bins of
    private_variable<u32> lists_all_, ahead_, place_, in_bin_;
};

}  // namespace riffle::gpu
