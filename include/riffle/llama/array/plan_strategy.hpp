#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <tuple>
#include <type_traits>

#include <riffle/chain/cpu_machine.hpp>
#include <riffle/chain/dynamic_chain.hpp>
#include <riffle/chain/pipeline.hpp>
#include <riffle/chain/plan.hpp>
#include <riffle/chain/scratch.hpp>
#include <riffle/chain/stage_list.hpp>
#include <riffle/core/candidates.hpp>
#include <riffle/core/context.hpp>
#include <riffle/core/facts.hpp>
#include <riffle/core/policies.hpp>
#include <riffle/core/row.hpp>
#include <riffle/core/status.hpp>
#include <riffle/llama/array/write_back.hpp>
#include <riffle/math/fixed_mass.hpp>
#include <riffle/wide/dispatch.hpp>
#include <riffle/wide/fused_maps.hpp>
#include <riffle/wide/mass.hpp>
#include <riffle/wide/max.hpp>
#include <riffle/wide/preimage.hpp>
#include <riffle/wide/rewrite.hpp>

namespace riffle::inline RIFFLE_ABI::llama::detail {

using machine = cpu_machine;

/// The maps of stages [first, end) over a whole row; false for chains whose stages have no pass of their own for it.
template <class P, class... Stages>
bool map_row(const pipeline<P, Stages...>& chain, std::size_t first, std::size_t end, riffle::detail::row& r) noexcept {
    std::size_t i = 0;
    const auto map_by = [&]<class S>(const S& stage) {
        if constexpr (P::arithmetic != numerics::llama && facts_of<S>().maps)
            if (i >= first && i < end) wide::rewrite(r, fused_maps<S>(stage));
        ++i;
    };
    std::apply([&](const auto&... stages) { (map_by(stages), ...); }, chain.stages());
    return true;
}
template <class Chain>
bool map_row(const Chain& chain, std::size_t first, std::size_t end, riffle::detail::row& r) noexcept {
    decltype(auto) stages = chain.view();
    for (std::size_t i = first; i < end; ++i)
        if (stages.fact(i).maps && !stages[i].ops->rewrite) return false;
    for (std::size_t i = first; i < end; ++i)
        if (stages.fact(i).maps) stages[i].ops->rewrite(stages[i], r);
    return true;
}

/// For an array that is a row: the plan that the chain has for a row.
class plan_strategy {
public:
    plan_strategy(const stage_list& stages, const plan& p, candidates& c, const riffle::detail::scratch& memory,
                  const context& x) noexcept
        : stages_(stages), plan_(p), c_(c), memory_(memory), context_(x) {}

    /// The logits of c, behind the verbs that the plan has ahead of the row, are in memory.copies, and their `maximum`
    /// is known. `map_row(first, end, row)` maps a whole row as those stages do, where it can.
    template <class MapRow>
    status run(machine& on, const wide::row_maximum& maximum, MapRow map_row) noexcept {
        const auto end = stages_.has_selector() ? run_to::token_among_all : run_to::selector;
        on.run(stages_, plan_, memory_, context_, {memory_.copies, c_.size}, end, &maximum, plan_.first_on_row());
        if (!on.state().ok()) return on.state();
        if (!plan_.has(pass::pick)) {
            take_found(on.found(), false, c_);
            return on.state();
        }
        const token_data chosen = on.found()[0];  // which lies where map_blocks works
        riffle::detail::row& all = on.edited_row();
        if (plan_.pending < plan_.bridge && !map_row(plan_.pending, plan_.bridge, all)) map_blocks(all);
        select_of_all(on, chosen);
        return on.state();
    }

private:
    /// The maps that the passes had folded in, block by block as candidates.
    void map_blocks(riffle::detail::row& r) noexcept {
        token_data* const block = memory_.tokens;
        for (std::size_t b = 0; b < r.blocks(); ++b) {
            float* const logits = r.own(b);
            for (std::size_t i = 0; i < block_size; ++i) block[i] = {token_id(i), canonical(logits[i]), 0.0f};
            map_tokens({block, block_size});
            for (std::size_t i = 0; i < block_size; ++i) logits[i] = block[i].logit;
        }
    }
    void map_tokens(std::span<token_data> tokens) noexcept {
        stages_.passes_for(plan_.bridge).map_tokens({&stages_[plan_.pending], plan_.bridge - plan_.pending}, tokens);
    }
    /// The block maxima, which the pending maps keep in order; answers the greatest.
    float map_maxima(std::size_t blocks) noexcept {
        float greatest = illegal_logit;
        token_data* const block_maxima = memory_.tokens;
        for (std::size_t b = 0; b < blocks; ++b)
            block_maxima[b] = {token_id(b), canonical(memory_.block_maxima[b]), 0.0f};
        if (plan_.pending < plan_.bridge) map_tokens({block_maxima, blocks});
        for (std::size_t b = 0; b < blocks; ++b)
            greatest = (std::max)(greatest, memory_.block_maxima[b] = block_maxima[b].logit);
        return greatest;
    }
    /// A token of all: the others stay, with their logits behind all maps.
    void select_of_all(machine& on, const token_data& chosen) noexcept {
        riffle::detail::row& r = on.edited_row();
        c_.sorted = false;
        c_.selected = chosen.id;
        if (stages_.fact(plan_.bridge).selects == selecting::by_own_distribution) {
            wide::run<write_back_pass<true>>(r, memory_.block_maxima, written(), c_.data);
            stages_.prepare(plan_.bridge, c_);  // the logits that it drew by
            c_[std::size_t(c_.selected)].p = chosen.p;
            return;
        }
        const float maximum = map_maxima(r.blocks());
        const written w = with_p(maximum, double(unit_mass) / double(mass_of(on, maximum)));
        if (plan_.pending < plan_.bridge) wide::run<write_back_pass<false>>(r, memory_.block_maxima, w, c_.data);
        else wide::run<write_back_pass<true>>(r, memory_.block_maxima, w, c_.data);
    }
    /// The mass of all tokens, which a plan that draws by noise, or not at all, has not asked for.
    std::uint64_t mass_of(machine& on, float maximum) const noexcept {
        if (on.total_mass() > 0) return on.total_mass();
        const float cut = wide::raw_cut((std::max)(maximum - mass_range, std::numeric_limits<float>::lowest()));
        return wide::find_mass<false>(on.edited_row(), memory_.block_maxima, cut, fused_maps<>{}, maximum,
                                      memory_.masses);
    }

    const stage_list& stages_;
    const plan& plan_;
    candidates& c_;
    const riffle::detail::scratch& memory_;
    const context& context_;
};

}  // namespace riffle::llama::detail
