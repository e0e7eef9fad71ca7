#pragma once
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <riffle/chain/dynamic_chain.hpp>
#include <riffle/chain/pipeline.hpp>
#include <riffle/chain/stage_table.hpp>
#include <riffle/chain/superset.hpp>
#include <riffle/core/candidates.hpp>
#include <riffle/core/facts.hpp>
#include <riffle/samplers/dist.hpp>
#include <riffle/samplers/dry.hpp>
#include <riffle/samplers/dynamic_temperature.hpp>
#include <riffle/samplers/greedy.hpp>
#include <riffle/samplers/logit_bias.hpp>
#include <riffle/samplers/min_p.hpp>
#include <riffle/samplers/penalties.hpp>
#include <riffle/samplers/soft_cap.hpp>
#include <riffle/samplers/temperature.hpp>
#include <riffle/samplers/top_k.hpp>
#include <riffle/samplers/top_n_sigma.hpp>
#include <riffle/samplers/top_p.hpp>
#include <riffle/samplers/typical.hpp>
#include <riffle/samplers/xtc.hpp>

// A chain's stages as the adapter meets them: behind their table, and by their types.

namespace riffle::inline RIFFLE_ABI::llama::detail {

inline bool has_selector(const stage_table& stages) noexcept {
    return stages.size() > 0 && stages.fact(stages.size() - 1).selects != selecting::no;
}

/// Calls visit(i, spec) for every stage of a chain, in order, until it answers false. Stages whose type cannot be told
/// (in an any_pipeline, or a user's own in a dynamic_chain) are visited as unknown_stage.
struct unknown_stage {};
template <class P, class... Stages, class Visit>
void visit_stages(const pipeline<P, Stages...>& chain, Visit visit) {
    [&]<std::size_t... Index>(std::index_sequence<Index...>) {
        (void)(visit(Index, std::get<Index>(chain.stages())) && ...);
    }(std::index_sequence_for<Stages...>());
}
template <class Policies, class Visit>
void visit_stages(const basic_dynamic_chain<Policies>& chain, Visit visit) {
    auto& stages = const_cast<basic_dynamic_chain<Policies>&>(chain);  // only looked at
    bool more = true;
    const auto visit_as = [&]<class S>(std::size_t i, std::type_identity<S>) {
        const S* const stage = stages.template get_if<S>(i);
        if (stage) more = visit(i, *stage);
        return stage != nullptr;
    };
    for (std::size_t i = 0; more && i < chain.table().size(); ++i) {
        const bool known =
            [&]<class... Known>(std::tuple<Known...>*) {
                return (visit_as(i, std::type_identity<Known>()) || ...);
            }(static_cast<std::tuple<logit_bias, penalties, dry, top_n_sigma, top_k, typical, top_p, min_p, xtc,
                                     temperature, dynamic_temperature, soft_cap, dist, greedy>*>(nullptr));
        if (!known) more = visit(i, unknown_stage());
    }
}
template <class Chain, class Visit>
void visit_stages(const Chain&, Visit visit) {
    visit(std::size_t{0}, unknown_stage());
}

}  // namespace riffle::llama::detail
