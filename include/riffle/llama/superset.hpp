#pragma once
#include <cstddef>
#include <type_traits>

#include <riffle/chain/superset.hpp>
#include <riffle/core/facts.hpp>
#include <riffle/llama/chain_stages.hpp>

namespace riffle::inline RIFFLE_ABI::llama::detail {

/// The first stage of a chain that narrows, and how many logits it is to be given; 0 when the chain cannot be helped.
template <class Chain>
superset superset_of(const Chain& chain) {
    superset found;
    bool is_threshold = false;
    visit_stages(chain, [&](std::size_t i, const auto& stage) {
        found = {i, superset_for(stage)};
        using S = std::remove_cvref_t<decltype(stage)>;
        if constexpr (riffle::stage<S>) is_threshold = facts_of<S>().narrows == narrowing::threshold;
        return found.size == 0 && keeps_below(stage);
    });
    // Of a threshold more may survive than the array holds that comes back: one of them has to be the choice.
    decltype(auto) stages = chain.table();
    return is_threshold && !has_selector(stages) ? superset() : found;
}

}  // namespace riffle::llama::detail
