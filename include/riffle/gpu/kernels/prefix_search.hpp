#pragma once
#include <cstdint>

#include <riffle/gpu/kernels/exact_numbers.hpp>
#include <riffle/gpu/kernels/row_tokens.hpp>
#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI::gpu {

/// What a prefix of the tokens in the order of ranks must come to; the shortest one that does is kept.
struct prefix_goal {
    private_variable<u32> least;    ///< so many tokens
    private_variable<u32> by_mass;  ///< 1: and their mass must exceed the target
    private_pair share;             ///< a share of the mass of all, in units of 2^-64
    private_pair target;            ///< which run() finds out
    constexpr explicit prefix_goal(assembler& code) noexcept
        : least(code, u32(0u)), by_mass(code, u32(0u)), share(code, {0u, 0u}), target(code, {0u, 0u}) {}
};

/// Looks for the end of such a prefix in a row: of the k first in rank, or of a nucleus.
///
/// A radix search over the digits of the rank: the distance under the maximum, then the exact key, then the id. Each
/// round reads the row once, adds tokens up by the next digit, of those that share the digits settled so far, and
/// settles one digit more. It ends as soon as what it has settled leaves so few tokens that they can be taken out of
/// the row, after one round or two as a rule; ten settle it exactly, whatever the row.
class prefix_search {
public:
    constexpr prefix_search(work_group& of, row_tokens& row, exact_numbers& numbers) noexcept
        : group_(of), code_(of.code), row_(row), numbers_(numbers), counts_(code_, digits), low_(code_, digits),
          high_(code_, digits), group_counts_(code_, groups), group_low_(code_, groups), group_high_(code_, groups),
          level_(code_, u32(0u)), settled_{code_} {}

    /// Answers 1 where holds_prefix is true of so few tokens that there is an invocation for each. Else it sets the
    /// present stage's bound: to the last token of the prefix, and to all where no prefix comes to the goal.
    constexpr u32 run(prefix_goal& goal) noexcept {
        write_functions(goal);
        variable<u32> are_few(code_, u32(0u));
        level_ = 0u;
        for (auto& part : {&settled_.distance, &settled_.key, &settled_.id}) *part = u32(0u);
        sums ahead(code_);  // of what the settled digits leave behind them
        variable<u32> goes_on(code_, u32(1u));
        spirv::while_(
            code_, [&] { return goes_on != 0u; },
            [&] {
                clear();
                row_.for_each(add_up_);
                group_.sync();
                add_up_groups();
                spirv::if_(code_, level_ == 0u,
                           [&] { goal.target = numbers_.multiply_high(goal.share, mass_of_all()); });
                const u32 found = find_digit(goal, ahead);
                const boolean is_all = found == u32(digits);  // no prefix comes to the goal
                const u32 digit = lesser_of(found, u32(digits - 1));
                settle(digit);
                const u32 reached = ahead.count + blend(is_all, u32(0u), counts_[digit].load());
                spirv::if_(
                    code_, reached <= group_.size,
                    [&] {
                        goes_on = 0u;
                        are_few = 1u;
                    },
                    [&] {
                        level_ = level_ + 1u;
                        spirv::if_(code_, is_all | (level_ == u32(levels)), [&] {
                            goes_on = 0u;
                            level_ = 0u;  // which holds_prefix may still ask, for nothing
                            row_.set_bound(blend(is_all, u32(0u), ~settled_.key.load()), settled_.id);
                        });
                    });
                group_.sync();
            },
            [] {});
        return are_few;
    }
    /// After run: whether the token is in the prefix as far as it has been settled. (Ahead of it, some answer.)
    constexpr boolean holds_prefix(const u32& key, const u32& id) const noexcept {
        const place at = place_of(level_);
        const u32 standing = row_.standing(key);
        const boolean holds = at.is_not_behind(rank_of(standing, id), settled_.load());
        return row_.scored() ? holds & (standing != 0u) : holds;
    }

private:
    static constexpr std::uint32_t digits = 256, groups = 16, levels = 3 + 4 + 3;

    /// A token's place in the order of ranks, ascending: distance in 24 bits, complement of the key, id. Of stages with
    /// scores: the score twice, and the id.
    struct rank {
        u32 distance, key, id;
    };
    constexpr rank rank_of(const u32& standing, const u32& id) const noexcept {
        // 2^-19 nats: the first digit tells an eighth of a nat, down to 32 under the maximum, where nothing weighs.
        const f32 under = lesser_of(row_.maximum() - logit_of(standing), f32(31.999998f)) * f32(524288.0f);
        const u32 distance(truncate(under)), complement = ~standing;
        return {blend(row_.is_one_of(row_.scored()), complement, distance), complement, id};
    }
    /// The digits that have been settled so far, in the words of a rank.
    struct settled_words {
        private_variable<u32> distance, key, id;
        constexpr explicit settled_words(assembler& code) noexcept
            : distance(code, u32(0u)), key(code, u32(0u)), id(code, u32(0u)) {}
        constexpr rank load() const noexcept {
            const u32 d = distance, k = key;
            return {d, k, id};
        }
    };

    /// Of some tokens.
    struct sums {
        constexpr explicit sums(assembler& code) noexcept : count(code, u32(0u)), mass(code, {0u, 0u}) {}
        private_variable<u32> count;
        spirv::private_pair mass;
        constexpr void add(const u32& more, const word_pair& more_mass) noexcept {
            count = count + more;
            mass.add(more_mass);
        }
    };
    constexpr word_pair mass_at(const u32& digit) const noexcept {
        const u32 low = low_[digit];
        return {low, high_[digit]};
    }

    /// Which digit of a rank a level settles.
    struct place {
        boolean in_distance, in_key, in_id;
        u32 shift;

        constexpr u32 word_of(const rank& r) const noexcept {
            return blend(in_distance, r.distance, blend(in_key, r.key, r.id));
        }
        constexpr boolean shares_words_ahead(const rank& a, const rank& b) const noexcept {
            const boolean distance = a.distance == b.distance;
            const boolean key = a.key == b.key;
            return in_distance | (distance & (in_key | key));
        }
        /// Whether a does not rank behind the end, of which the digits up to this place are settled.
        constexpr boolean is_not_behind(const rank& a, const rank& end) const noexcept {
            const boolean nearer = (!in_distance) & (a.distance < end.distance);
            const boolean higher = in_id & (a.distance == end.distance) & (a.key < end.key);
            const boolean within = (word_of(a) >> shift) <= (word_of(end) >> shift);
            return nearer | higher | (shares_words_ahead(a, end) & within);
        }
    };
    constexpr place place_of(const u32& level) const noexcept {
        const boolean in_distance = level < 3u;
        const boolean in_key = (level < 7u) & !in_distance;
        const boolean in_id = !(level < 7u);
        const u32 last = blend(in_distance, u32(2u), blend(in_key, u32(6u), u32(9u)));
        return {in_distance, in_key, in_id, (last - level) << 3u};
    }

    /// What is done for every token.
    constexpr void write_functions(prefix_goal& goal) noexcept {
        add_up_ = row_.visitor([&](const u32& key, const u32& id) {
            const place at = place_of(level_);
            const u32 standing = row_.standing(key);
            const rank r = rank_of(standing, id), settled = settled_.load();
            const u32 shifted = at.word_of(r) >> at.shift;
            const boolean shares =
                at.shares_words_ahead(r, settled) & ((shifted >> 8u) == ((at.word_of(settled) >> at.shift) >> 8u));
            spirv::if_(code_, (standing != 0u) & shares, [&] {
                const u32 digit = shifted & 255u;
                counts_[digit].add(1u);
                spirv::if_(code_, goal.by_mass != 0u,
                           [&] { group_.add(low_[digit], high_[digit], spirv::wide(row_.weight(key))); });
            });
        });
    }
    constexpr void settle(const u32& digit) noexcept {
        const place at = place_of(level_);
        const u32 here = digit << at.shift;
        settled_.distance = settled_.distance | blend(at.in_distance, here, u32(0u));
        settled_.key = settled_.key | blend(at.in_key, here, u32(0u));
        settled_.id = settled_.id | blend(at.in_id, here, u32(0u));
    }

    constexpr void clear() const noexcept {
        spirv::for_(code_, group_.invocation, u32(digits), group_.size, [&](const u32& i) {
            counts_[i] = 0u;
            low_[i] = 0u;
            high_[i] = 0u;
        });
        group_.sync();
    }
    constexpr void add_up_groups() const noexcept {
        spirv::if_(code_, group_.invocation < u32(groups), [&] {
            sums of_group(code_);
            const u32 first = group_.invocation << 4u;
            spirv::for_(code_, first, first + 16u, u32(1u),
                        [&](const u32& i) { of_group.add(counts_[i], mass_at(i)); });
            const word_pair mass = of_group.mass;
            const u32 count = of_group.count;
            group_counts_[group_.invocation] = count;
            group_low_[group_.invocation] = mass.low;
            group_high_[group_.invocation] = mass.high;
        });
        group_.sync();
    }
    /// At the first level, where every token has been added up.
    constexpr word_pair mass_of_all() const noexcept {
        private_pair mass(code_, {0u, 0u});
        spirv::for_(code_, u32(0u), u32(groups), u32(1u), [&](const u32& i) {
            const u32 low = group_low_[i];
            mass.add({low, group_high_[i]});
        });
        return mass;
    }
    /// The digit in which the running sums come to the goal, or 256. What lies ahead of it is added up.
    constexpr u32 find_digit(const prefix_goal& goal, sums& ahead) const noexcept {
        const u32 in_group = pass_over(goal, ahead, group_counts_, group_low_, group_high_, u32(0u), u32(groups));
        variable<u32> digit(code_, u32(digits));
        spirv::if_(code_, in_group < u32(groups), [&] {
            const u32 first = in_group << 4u;
            digit = pass_over(goal, ahead, counts_, low_, high_, first, first + 16u);
        });
        return digit;
    }
    constexpr u32 pass_over(const prefix_goal& goal, sums& ahead, const spirv::shared<u32>& counts,
                            const spirv::shared<u32>& low, const spirv::shared<u32>& high, const u32& first,
                            const u32& end) const noexcept {
        variable<u32> i(code_, first), goes_on(code_, u32(1u));
        spirv::while_(
            code_, [&] { return (goes_on != 0u) & (i < end); },
            [&] {
                const u32 count = counts[i], mass_low = low[i];
                const word_pair mass{mass_low, high[i]};
                const boolean is_heavy = (goal.by_mass == 0u) | (goal.target.load() < ahead.mass.load() + mass);
                spirv::if_(
                    code_, is_heavy & (goal.least <= ahead.count + count), [&] { goes_on = 0u; },
                    [&] {
                        ahead.add(count, mass);
                        i = i + 1u;
                    });
            },
            [] {});
        return i;
    }

    work_group& group_;
    assembler& code_;
    row_tokens& row_;
    exact_numbers& numbers_;
    spirv::shared<u32> counts_, low_, high_, group_counts_, group_low_, group_high_;
    private_variable<u32> level_;
    settled_words settled_;
    spirv::integer_function<2> add_up_;
};

}  // namespace riffle::gpu
