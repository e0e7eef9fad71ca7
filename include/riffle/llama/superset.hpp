#pragma once
#include <riffle/chain/stage_list.hpp>
#include <riffle/chain/superset.hpp>
#include <riffle/core/facts.hpp>

namespace riffle::inline RIFFLE_ABI::llama::detail {

/// The first stage of a chain that narrows, and how many logits a graph is to leave it; 0 when the chain cannot be
/// helped.
inline superset superset_for_graph(const stage_list& stages) noexcept {
    const superset found = riffle::superset_of(stages);
    // Of a threshold more may survive than the array holds that comes back: one of them has to be the choice.
    const bool is_threshold = found.size > 0 && stages.fact(found.bridge).narrows == narrowing::threshold;
    return is_threshold && !stages.has_selector() ? superset() : found;
}

}  // namespace riffle::llama::detail
