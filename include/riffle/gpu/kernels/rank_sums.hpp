#pragma once
#include <cstdint>

#include <riffle/gpu/host/row_layout.hpp>
#include <riffle/gpu/kernels/keys.hpp>
#include <riffle/gpu/kernels/work_group.hpp>
#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI::gpu {

/// How much ranks before a token, among few: one an invocation at most, each with a weight.
///
/// Their weights are added up in bins along the order of ranks, and in groups of bins. An invocation adds up the groups
/// and the bins ahead of its own, and looks at the tokens of its own bin one by one, which are linked: what that costs
/// grows with how many share a bin, and not with how many there are. One barrier. Only integers are added, so it does
/// not show who comes first.
class rank_sums {
    static constexpr std::uint32_t groups = 8, group_exponent = 3;  ///< a group has 2^group_exponent bins

public:
    static constexpr std::uint32_t bins = groups << group_exponent;
    static constexpr std::uint32_t no_bin = bins;  ///< of an invocation that has no token

    /// Twice as many words as there are invocations: two calls take turns, so that one barrier will do. Between calls
    /// others may use what standings and links lie in.
    struct memory {
        spirv::shared_twice<u32> standings, links, weights;
    };
    /// `of_tokens`: none where there will be no calls.
    constexpr rank_sums(work_group& of, const memory* of_tokens) noexcept : group_(of), code_(of.code) {
        if (!of_tokens) return;
        tokens_ = *of_tokens;
        words_ = spirv::shared<u32>(code_, all_words);
        for (auto* each : {&calls_, &bin_, &weight_, &before_low_, &before_high_}) each->declare(code_);
        calls_ = 0u;
        bin_ = u32(no_bin);
        write_function();
    }
    /// Ahead of the first call, and of a sync.
    constexpr void clear() const noexcept {
        spirv::for_(code_, group_.invocation, u32(all_words), group_.size, [&](const u32& i) { words_[i] = 0u; });
    }

    /// By all invocations. Tokens with a greater standing rank before others, and of equals those with a lesser id;
    /// whoever ranks before another has no greater bin.
    constexpr void add_up(const u32& standing, const u32& id, const u32& weight, const u32& bin) noexcept {
        add_up_(standing, id, weight, bin);
    }
    /// Of all that rank before the invocation's own token (0 where it has none), and of all there are.
    constexpr word_pair before() const noexcept { return joined(before_low_, before_high_); }
    constexpr word_pair all() const noexcept {
        const u32 first = sums_of(turn()) + u32(whole);
        const u32 low = words_[first];
        return joined(low, words_[first + sums].load());
    }

private:
    // A weight has up to 31 bits; the sums of its lower 16 and of the others fit words, for up to 2^16 tokens.
    static constexpr std::uint32_t half_bits = 16, half_mask = (1u << half_bits) - 1;
    static constexpr word_pair joined(const u32& low, const u32& high) noexcept {
        const word_pair upper{high << half_bits, high >> half_bits};
        return spirv::wide(low) + upper;
    }
    // A link is the id of a token and the place of the next one in its bin, or its own where there is none.
    static constexpr std::uint32_t id_bits = 22, place_bits = 32 - id_bits;
    static_assert(most_tokens_a_row <= 1u << id_bits && most_invocations <= 1u << place_bits);
    static constexpr std::uint32_t id_mask = (1u << id_bits) - 1, place_mask = (1u << place_bits) - 1;

    // Of each of two turns: where the tokens of a bin begin, with the number of the call, so that nobody need clear it;
    // then the sums of bins, of groups, and of all, of the lower halves and of the upper ones.
    static constexpr std::uint32_t whole = bins + groups, sums = whole + 1, all_words = 2 * (bins + 2 * sums);
    static constexpr u32 head_of(const u32& turn, const u32& bin) noexcept { return turn * u32(bins) + bin; }
    static constexpr u32 sums_of(const u32& turn) noexcept { return turn * u32(2 * sums) + u32(2 * bins); }
    constexpr u32 turn() const noexcept { return calls_ & 1u; }

    constexpr void add(const u32& turn, const u32& bin, const u32& low, const u32& high) const noexcept {
        const u32 first = sums_of(turn);
        const u32 its_bin = first + bin, its_group = first + u32(bins) + (bin >> group_exponent),
                  all = first + u32(whole);
        for (const u32* place : {&its_bin, &its_group, &all}) {
            words_[*place].add(low);
            words_[*place + u32(sums)].add(high);
        }
    }
    constexpr void write_function() noexcept {
        add_up_ = spirv::integer_function<4>(
            code_, [&](const u32& standing, const u32& id, const u32& weight, const u32& bin) {
                calls_ = calls_ + 1u;
                const boolean is_there = bin < u32(bins);
                const u32 now = turn();
                spirv::if_(code_, is_there, [&] {
                    link_to_bin(now, standing, id, weight, bin);
                    add(now, bin, weight & u32(half_mask), weight >> half_bits);
                });
                group_.sync();
                take_back(u32(1u) - now);
                bin_ = bin;
                weight_ = weight;
                before_low_ = 0u;
                before_high_ = 0u;
                spirv::if_(code_, is_there, [&] {
                    const u32 first = sums_of(now), group = bin >> group_exponent;
                    count(first + u32(bins), first + u32(bins) + group);
                    count(first + (group << group_exponent), first + bin);
                    look_at_bin(now, standing, id, bin);
                });
                return u32(0u);
            });
    }
    constexpr void link_to_bin(const u32& turn, const u32& standing, const u32& id, const u32& weight,
                               const u32& bin) const noexcept {
        const u32 place = group_.invocation, stamp = calls_ << place_bits;
        const u32 former = words_[head_of(turn, bin)].exchange(stamp | place);
        const u32 next = blend((former >> place_bits) == calls_, former & u32(place_mask), place);
        const u32 link = id | (next << id_bits);
        tokens_.standings(turn, place) = standing;
        tokens_.links(turn, place) = link;
        tokens_.weights(turn, place) = weight;
    }
    /// What the invocation added in the call before, which all have read.
    constexpr void take_back(const u32& turn) const noexcept {
        spirv::if_(code_, bin_ < u32(bins), [&] {
            const u32 weight = weight_;
            const u32 less_low = u32(0u) - (weight & u32(half_mask)), less_high = u32(0u) - (weight >> half_bits);
            add(turn, bin_, less_low, less_high);
        });
    }
    constexpr void count(const u32& from, const u32& end) noexcept {
        spirv::for_(code_, from, end, u32(1u), [&](const u32& i) {
            before_low_ = before_low_ + words_[i].load();
            before_high_ = before_high_ + words_[i + u32(sums)].load();
        });
    }
    constexpr void look_at_bin(const u32& turn, const u32& standing, const u32& id, const u32& bin) noexcept {
        variable<u32> place(code_, words_[head_of(turn, bin)].load() & u32(place_mask)), former(code_, u32(no_place));
        spirv::while_(
            code_, [&] { return place != former.load(); },
            [&] {
                const u32 here = place, link = tokens_.links(turn, here);
                const u32 its_standing = tokens_.standings(turn, here), its_weight = tokens_.weights(turn, here);
                const boolean is_before = ranks_before(its_standing, link & u32(id_mask), standing, id);
                const u32 weight = blend(is_before, its_weight, u32(0u));
                before_low_ = before_low_ + (weight & u32(half_mask));
                before_high_ = before_high_ + (weight >> half_bits);
                former = here;
                place = link >> id_bits;
            },
            [] {});
    }
    static constexpr std::uint32_t no_place = 0xffffffffu;

    work_group& group_;
    assembler& code_;
    memory tokens_;
    spirv::shared<u32> words_;
    spirv::integer_function<4> add_up_;
    private_variable<u32> calls_;         ///< calls so far
    private_variable<u32> bin_, weight_;  ///< what the invocation has added
    private_variable<u32> before_low_, before_high_;
};

}  // namespace riffle::gpu
