#pragma once
#include <cstdint>

#include <riffle/gpu/spirv/control.hpp>
#include <riffle/gpu/spirv/wide_integers.hpp>
#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI::gpu {

using spirv::assembler;
using spirv::boolean;
using spirv::private_pair;
using spirv::private_variable;
using spirv::u32;
using spirv::variable;
using spirv::word_pair;

/// The invocations that work on a row together, and what they find out together: sums and maxima of what each of them
/// holds. Only of integers, so that no order shows.
class work_group {
public:
    constexpr explicit work_group(assembler& to) noexcept
        : code(to), lane(spirv::lane(to)), size(spirv::group_size(to)), cells_(to, turns * cells_a_turn),
          turn_(to, u32(0u)), sum_high_(to) {
        write_functions();
        spirv::if_(code, lane < u32(cells_a_turn), [&] { cells_[lane] = 0u; });
        sync();
    }

    assembler& code;
    const u32 lane, size;

    /// All invocations have come here, and each sees what the others wrote to shared memory.
    constexpr void sync() const noexcept { spirv::barrier(code); }
    /// By one of them.
    template <class Then>
    constexpr void once(Then then) const noexcept {
        spirv::if_(code, lane == 0u, then);
    }

    /// Four words of shared memory, all 0, to add to until sync and to read from then on, until the next turn but one
    /// is begun: those of three turns take turns, and whoever begins one clears the next, so that one barrier will do.
    /// Answers the first.
    constexpr u32 begin_turn() const noexcept { return begin_turn_(u32(0u)); }
    constexpr auto cell(const u32& index) const noexcept { return cells_[index]; }

    constexpr u32 greatest(const u32& value) const noexcept { return greatest_(value); }
    constexpr u32 least(const u32& value) const noexcept { return ~greatest_(~value); }
    constexpr u32 sum(const u32& value) const noexcept { return sum_(value, u32(0u)); }
    constexpr word_pair sum(const word_pair& value) const noexcept {
        const u32 low = sum_(value.low, value.high);
        return {low, sum_high_};
    }
    /// Adds to a pair of shared words: whoever makes the low one wrap adds one to the high one.
    template <class Element>
    constexpr void add(const Element& low, const Element& high, const word_pair& value) const noexcept {
        const u32 before = low.add(value.low);
        const u32 carry = spirv::add_with_carry(before, value.low).high;
        const u32 more = value.high + carry;
        spirv::if_(code, more != 0u, [&] { high.add(more); });
    }

private:
    static constexpr std::uint32_t turns = 3, cells_a_turn = 4;

    constexpr void write_functions() noexcept {
        begin_turn_ = spirv::integer_function<1>(code, [&](const u32&) {
            const u32 mine = turn_;
            const u32 next = blend(mine == u32(cells_a_turn * (turns - 1)), u32(0u), mine + u32(cells_a_turn));
            const u32 invocation = spirv::lane(code);
            spirv::if_(code, invocation < u32(cells_a_turn), [&] { cells_[next + invocation] = 0u; });
            turn_ = next;
            return mine;
        });
        greatest_ = spirv::integer_function<1>(code, [&](const u32& value) {
            const u32 at = begin_turn();
            if (code.options().subgroups) {
                const u32 of_subgroup = spirv::subgroup_greatest(code, value);
                spirv::if_(code, spirv::is_elected(code), [&] { cell(at).raise(of_subgroup); });
            } else {
                cell(at).raise(value);
            }
            sync();
            return cell(at).load();
        });
        sum_ = spirv::integer_function<2>(code, [&](const u32& low, const u32& high) {
            const u32 at = begin_turn();
            const u32 above = at + 1u;
            add(cell(at), cell(above), {low, high});
            sync();
            sum_high_ = cell(above).load();
            return cell(at).load();
        });
    }

    spirv::shared<u32> cells_;
    private_variable<u32> turn_, sum_high_;
    spirv::integer_function<1> begin_turn_, greatest_;
    spirv::integer_function<2> sum_;
};

}  // namespace riffle::gpu
