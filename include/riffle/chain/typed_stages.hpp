#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include <riffle/chain/cpu_machine.hpp>
#include <riffle/chain/folded_passes.hpp>
#include <riffle/chain/plan.hpp>
#include <riffle/chain/stage_functions.hpp>
#include <riffle/chain/stage_list.hpp>
#include <riffle/chain/stage_ops.hpp>
#include <riffle/chain/stage_state.hpp>
#include <riffle/core/policies.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// What the types of a chain settle while compiling: its plans, the passes that they have and the tables of its stages.
template <class Policies, class... Stages>
struct chain_of_types {
    static constexpr std::size_t count = sizeof...(Stages);
    static constexpr bool is_exact = Policies::arithmetic == numerics::llama;
    template <class S>
    using kept = stage_state<Policies, S>;
    using kept_states = std::tuple<typename kept<Stages>::type...>;

    /// Bytes of what they keep, in a mark.
    static constexpr std::size_t saved_bytes = (std::size_t{0} + ... + kept<Stages>::saved);
    /// What the chain keeps for these stages, at the beginning.
    static kept_states begin(const std::tuple<Stages...>& specs) noexcept {
        return [&]<std::size_t... Index>(std::index_sequence<Index...>) {
            return kept_states(kept<Stages>::begin(std::get<Index>(specs))...);
        }(std::index_sequence_for<Stages...>());
    }

    RIFFLE_LOCAL static constexpr std::array<facts, count> fact_table{facts_of<Stages>()...};
    RIFFLE_LOCAL static constexpr std::array<plan, count + 1> plans = [] {
        std::array<plan, count + 1> all{};
        for (std::size_t b = 0; b <= count; ++b)
            all[b] = is_exact ? make_exact_plan(count) : make_plan(fact_table.data(), count, b);
        return all;
    }();
    static constexpr std::uint64_t passes = [] {
        std::uint64_t all = 0;
        for (const plan& p : plans) all |= p.passes();
        return all;
    }();
    static constexpr auto written =
        (passes >> unsigned(pass::rewrite) & 1) != 0 ? maps_written_out::yes : maps_written_out::no;
    RIFFLE_LOCAL static constexpr std::array<const stage_ops*, count> ops{&ops_of<Policies, Stages, written>...};

    RIFFLE_LOCAL static constexpr std::array<std::uint8_t, count> occurrences = [] {
        std::array<std::uint8_t, count> all{};
        for (std::size_t i = 0; i < count; ++i)
            all[i] = occurrence_of(i, [](std::size_t j) -> const stage_ops& { return *ops[j]; });
        return all;
    }();

    /// The passes of a bridge: with the types of the maps pending there.
    template <std::size_t Bridge, std::size_t At, class... Pending>
    static constexpr const folded_passes* passes_with_maps() {
        if constexpr (At < Bridge) {
            using S = std::tuple_element_t<At, std::tuple<Stages...>>;
            if constexpr (fact_table[At].maps) return passes_with_maps<Bridge, At + 1, Pending..., S>();
            else return passes_with_maps<Bridge, At + 1, Pending...>();
        } else {
            using stage_there = std::tuple_element_t<Bridge, std::tuple<Stages...>>;
            return &folded_passes_of<Policies, stage_there, plans[Bridge].passes(), Pending...>;
        }
    }
    template <std::size_t Bridge>
    static constexpr const folded_passes* passes_at() {
        if constexpr (Bridge == count || !plans[Bridge].has(pass::max)) return &no_passes;
        else return passes_with_maps<Bridge, plans[Bridge].pending>();
    }
    RIFFLE_LOCAL static constexpr std::array<const folded_passes*, count + 1> folded =
        []<std::size_t... Bridge>(std::index_sequence<Bridge...>) {
            return std::array<const folded_passes*, count + 1>{passes_at<Bridge>()...};
        }(std::make_index_sequence<count + 1>());

    RIFFLE_LOCAL static constexpr chain_facts facts_of_chain = [] {
        chain_facts all{plans.data(), folded.data(), &handlers_of<cpu_machine, passes>, Policies::arithmetic};
        for (const stage_ops* const s : ops) all.add(*s);
        return all;
    }();
};

/// Where a chain whose stages keep something has saved it, for rewind.
template <std::size_t Bytes>
struct state_ring {
    std::array<std::byte, Bytes * stage_list::saved_states> saved{};
    std::byte* data() noexcept { return saved.data(); }
};
template <>
struct state_ring<0> {
    std::byte* data() noexcept { return nullptr; }
};

template <std::size_t Count>
struct stage_refs {
    std::array<stage_ref, Count> refs;
};
/// The stages of a chain of types, for as long as a call takes.
template <std::size_t Count>
class typed_stages : stage_refs<Count>, public stage_list {
public:
    template <class Policies, class... Stages>
    typed_stages(chain_of_types<Policies, Stages...> types, std::tuple<Stages...>& specs,
                 typename chain_of_types<Policies, Stages...>::kept_states& states, std::byte* ring) noexcept
        : typed_stages(types, specs, states, ring, std::index_sequence_for<Stages...>()) {}
    typed_stages(const typed_stages&) = delete;  // it refers to itself
    typed_stages& operator=(const typed_stages&) = delete;

private:
    template <class Types, class Specs, class States, std::size_t... Index>
    typed_stages(Types, Specs& specs, States& states, std::byte* ring, std::index_sequence<Index...>) noexcept
        : stage_refs<Count>{{stage_ref{Types::ops[Index], &std::get<Index>(specs), &std::get<Index>(states),
                                       Types::occurrences[Index]}...}},
          stage_list(this->refs.data(), Count, Types::facts_of_chain, ring) {}
};

}  // namespace riffle::detail
