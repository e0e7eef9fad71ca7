#pragma once
#include <utility>

#include <riffle/chain/stage_ops.hpp>
#include <riffle/samplers/dist.hpp>
#include <riffle/samplers/dynamic_temperature.hpp>
#include <riffle/samplers/greedy.hpp>
#include <riffle/samplers/logit_bias.hpp>
#include <riffle/samplers/min_p.hpp>
#include <riffle/samplers/temperature.hpp>
#include <riffle/samplers/top_k.hpp>
#include <riffle/samplers/top_p.hpp>

namespace riffle::inline RIFFLE_ABI::llama::detail {

template <class... Stages, class Visit>
bool visit_as_one_of(const stage_ref& s, Visit& visit) {
    const auto visit_as = [&]<class S>(const S* spec) {
        if (spec) visit(*spec);
        return spec != nullptr;
    };
    return (visit_as(static_cast<const Stages*>(spec_as<Stages>(s))) || ...);
}
/// visit(spec) for a stage that may have a form in a graph (graph.hpp); false for others.
template <class Visit>
bool visit_for_graph(const stage_ref& s, Visit visit) {
    return visit_as_one_of<logit_bias, top_k, top_p, min_p, temperature, dynamic_temperature, dist, greedy>(s, visit);
}

}  // namespace riffle::llama::detail
