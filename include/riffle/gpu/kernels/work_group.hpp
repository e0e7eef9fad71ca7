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
    /// Ahead of the first exchange comes a sync.
    constexpr explicit work_group(assembler& to) noexcept
        : code(to), size(spirv::group_size(to)), invocation(to, spirv::invocation_index(to)),
          shared_words_(to, exchanges * words_an_exchange), exchange_(to, u32(0u)), sum_high_(to) {
        write_functions();
        spirv::if_(code, invocation < u32(words_an_exchange), [&] { shared_words_[invocation] = 0u; });
    }

    assembler& code;
    const u32 size;
    const private_variable<u32> invocation;

    /// All invocations have come here, and each sees what the others wrote to shared memory.
    constexpr void sync() const noexcept { spirv::barrier(code); }
    /// By one of them.
    template <class Then>
    constexpr void once(Then then) const noexcept {
        spirv::if_(code, invocation == 0u, then);
    }

    /// Four words of shared memory, all 0, to add to until sync and to read from then on, until the next exchange but
    /// one is begun: those of three take turns, and whoever begins one clears the next, so that one barrier will do.
    /// Answers the first.
    constexpr u32 begin_exchange() const noexcept { return begin_exchange_(u32(0u)); }
    constexpr auto shared_word(const u32& index) const noexcept { return shared_words_[index]; }

    constexpr u32 greatest(const u32& value) const noexcept { return greatest_(value); }
    constexpr u32 least(const u32& value) const noexcept { return ~greatest_(~value); }
    constexpr u32 sum(const u32& value) const noexcept { return sum_(value, u32(0u)); }
    constexpr word_pair sum(const word_pair& value) const noexcept {
        const u32 low = sum_(value.low, value.high);
        return {low, sum_high_};
    }
    /// The bits that any has.
    constexpr u32 any_bits(const u32& value) const noexcept {
        const u32 at = begin_exchange();
        shared_word(at).set_bits(value);
        sync();
        return shared_word(at).load();
    }
    /// Adds to a pair of shared words.
    template <class Element>
    constexpr void add(const Element& low, const Element& high, const u32& value) const noexcept {
        const u32 before = low.add(value);
        spirv::if_(code, before + value < before, [&] { high.add(1u); });
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
    static constexpr std::uint32_t exchanges = 3, words_an_exchange = 4;

    constexpr void write_functions() noexcept {
        begin_exchange_ = spirv::integer_function<1>(code, [&](const u32&) {
            const u32 mine = exchange_;
            const u32 next =
                blend(mine == u32(words_an_exchange * (exchanges - 1)), u32(0u), mine + u32(words_an_exchange));
            const u32 index = invocation;
            spirv::if_(code, index < u32(words_an_exchange), [&] { shared_words_[next + index] = 0u; });
            exchange_ = next;
            return mine;
        });
        greatest_ = spirv::integer_function<1>(code, [&](const u32& value) {
            const u32 at = begin_exchange();
            if (code.options().subgroups) {
                const u32 of_subgroup = spirv::subgroup_greatest(code, value);
                spirv::if_(code, spirv::is_elected(code), [&] { shared_word(at).raise(of_subgroup); });
            } else {
                shared_word(at).raise(value);
            }
            sync();
            return shared_word(at).load();
        });
        sum_ = spirv::integer_function<2>(code, [&](const u32& low, const u32& high) {
            const u32 at = begin_exchange();
            const u32 above = at + 1u;
            add(shared_word(at), shared_word(above), {low, high});
            sync();
            sum_high_ = shared_word(above).load();
            return shared_word(at).load();
        });
    }

    spirv::shared<u32> shared_words_;
    private_variable<u32> exchange_, sum_high_;
    spirv::integer_function<1> begin_exchange_, greatest_;
    spirv::integer_function<2> sum_;
};

}  // namespace riffle::gpu
