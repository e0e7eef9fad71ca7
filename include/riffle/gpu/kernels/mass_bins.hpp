#pragma once
#include <cstdint>

#include <riffle/gpu/kernels/row_parts.hpp>
#include <riffle/gpu/kernels/work_group.hpp>
#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI::gpu {

/// The least shift that brings what is up to `greatest` below 2^bits, or the one above it.
constexpr u32 shift_to_bins(const u32& greatest, std::uint32_t bits) noexcept {
    const u32 exponent = u32(as_bits(spirv::f32::from_int(spirv::i32(greatest >> bits)))) >> 23u;
    return greater_of(exponent, u32(126u)) - 126u;
}

/// Integer sums of parts of the tokens, in shared memory, which whoever looks for a share of all of them walks through:
/// groups of bins first, then the bins of one. Several look one after another, and share the memory.
class mass_bins {
    // Ahead of those who call it: see row_edits.
    template <class Visit>
    constexpr void for_each_bin(Visit visit) const noexcept {
        spirv::for_(code_, group_.invocation, u32(most), group_.size, visit);
    }
    static constexpr u32 place_of(const u32& bin) noexcept { return u32(part_word::masses) + (bin << 1u); }

public:
    static constexpr std::uint32_t most = 1024, groups = 32;

    /// The words of a bin, and from `most` on of groups of them.
    constexpr auto low(const u32& bin) const noexcept { return words_(u32(0u), bin); }
    constexpr auto high(const u32& bin) const noexcept { return words_(u32(1u), bin); }
    /// Two arrays of at least `most` words, for who has other use for them while there are no sums.
    constexpr const spirv::shared_twice<u32>& memory() const noexcept { return words_; }

    /// `are_shared`: whether several work groups may add up one row's.
    constexpr mass_bins(work_group& of, bool are_wanted, bool are_shared) noexcept : group_(of), code_(of.code) {
        if (!are_wanted) return;
        if (are_shared) {
            are_gathered.declare(code_);
            are_gathered = 0u;
        }
        words_ = spirv::shared_twice<u32>(code_, words);
        left_.declare(code_);
        write_functions();
    }
    /// 1: what other work groups of the row have added up is in them already.
    private_variable<u32> are_gathered;
    /// Tells the others what this one has added up, and takes what all have told.
    constexpr void tell_part(const row_parts& parts) const noexcept {
        for_each_bin([&](const u32& bin) {
            const word_pair mass = of(bin);
            spirv::if_(code_, (mass.low | mass.high) != 0u, [&] { parts.add(place_of(bin), mass); });
        });
    }
    constexpr void take_parts(const row_parts& parts) noexcept {
        for_each_bin([&](const u32& bin) { set(bin, parts.take_pair(place_of(bin))); });
        are_gathered = 1u;
    }

    /// Ahead of the first sum, and of a sync.
    constexpr void clear() const noexcept { clear_(u32(0u)); }

    constexpr void add(const u32& bin, const u32& mass) const noexcept { group_.add(low(bin), high(bin), mass); }
    constexpr void add(const u32& bin, const word_pair& mass) const noexcept { group_.add(low(bin), high(bin), mass); }
    /// One that nobody adds to.
    constexpr void set(const u32& bin, const word_pair& mass) const noexcept {
        low(bin) = mass.low;
        high(bin) = mass.high;
    }
    constexpr word_pair of(const u32& bin) const noexcept {
        const u32 lower = low(bin);
        return {lower, high(bin).load()};
    }

    /// Behind a sync: the sums of groups of so many bins. Ends with a sync.
    constexpr void add_up_groups(const u32& bins_a_group) const noexcept { add_up_groups_(bins_a_group); }

    // By one invocation:

    /// The sum of all, which is told to the others: they know it behind the next sync.
    constexpr word_pair add_up_all() const noexcept {
        private_pair sum(code_, {0u, 0u});
        spirv::for_(code_, u32(most), u32(most + groups), u32(1u), [&](const u32& i) { sum.add(of(i)); });
        const word_pair all = sum;
        set(u32(told_at), all);
        return all;
    }
    /// The first bin with which the running sum exceeds what is left of a target, or the last that has any where that
    /// does not come to it; those ahead of it are taken off.
    constexpr u32 pass_over(private_pair& left, const u32& bins_a_group) noexcept {
        left_ = left.load();
        const u32 first = (walk_(u32(most), u32(most + groups)) - most) * bins_a_group;
        const u32 found = walk_(first, first + bins_a_group);
        left = left_.load();
        return found;
    }
    /// Tells another number than the sum.
    constexpr void tell(const word_pair& number) const noexcept { set(u32(told_at), number); }
    constexpr word_pair told() const noexcept { return of(u32(told_at)); }

private:
    static constexpr std::uint32_t told_at = most + groups, words = told_at + 1;

    constexpr void write_functions() noexcept {
        clear_ = spirv::integer_function<1>(code_, [&](const u32&) {
            spirv::for_(code_, group_.invocation, u32(words), group_.size, [&](const u32& i) { set(i, {0u, 0u}); });
            return u32(0u);
        });
        add_up_groups_ = spirv::integer_function<1>(code_, [&](const u32& bins_a_group) {
            const u32 group = group_.invocation;
            spirv::if_(code_, group < u32(groups), [&] {
                private_pair sum(code_, {0u, 0u});
                const u32 first = group * bins_a_group;
                spirv::for_(code_, first, first + bins_a_group, u32(1u), [&](const u32& i) { sum.add(of(i)); });
                set(group + most, sum);
            });
            group_.sync();
            return u32(0u);
        });
        walk_ = spirv::integer_function<2>(code_, [&](const u32& first, const u32& end) {
            variable<u32> i(code_, first), goes_on(code_, u32(1u)), last(code_, first);
            private_pair left_there(code_, left_.load());
            spirv::while_(
                code_, [&] { return (goes_on != 0u) & (i < end); },
                [&] {
                    const word_pair mass = of(i), rest = left_;
                    spirv::if_(code_, (mass.low | mass.high) != 0u, [&] {
                        last = i.load();
                        left_there = rest;
                    });
                    spirv::if_(
                        code_, rest < mass, [&] { goes_on = 0u; },
                        [&] {
                            left_ = rest - mass;
                            i = i + 1u;
                        });
                },
                [] {});
            left_ = left_there.load();
            return last.load();
        });
    }

    work_group& group_;
    assembler& code_;
    spirv::shared_twice<u32> words_;  ///< lower ones, and upper ones
    private_pair left_;               ///< of a walk
    spirv::integer_function<1> clear_, add_up_groups_;
    spirv::integer_function<2> walk_;
};

}  // namespace riffle::gpu
