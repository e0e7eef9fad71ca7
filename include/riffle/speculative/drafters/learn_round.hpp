#pragma once
#include <cstddef>
#include <cstdint>

#include <riffle/core/token.hpp>
#include <riffle/speculative/drafters/drafter.hpp>
#include <riffle/speculative/drafts/draft.hpp>
#include <riffle/speculative/drafts/draft_tree.hpp>
#include <riffle/speculative/verifying/logit_source.hpp>
#include <riffle/speculative/verifying/verified.hpp>

namespace riffle::inline RIFFLE_ABI {
namespace detail {

inline token_id drafted_token(const draft& line, std::int32_t n) noexcept { return line[std::size_t(n)]; }
inline token_id drafted_token(const draft_tree& tree, std::int32_t n) noexcept { return tree.token(n); }
inline std::int32_t one_ahead(const draft&, std::int32_t n) noexcept { return n - 1; }
inline std::int32_t one_ahead(const draft_tree& tree, std::int32_t n) noexcept { return tree.parent(n); }

/// Whether a node lies on the way to another; what is ahead of a node has a lower number.
template <class Proposal>
bool is_on_way_to(std::int32_t node, std::int32_t to, const Proposal& proposed) noexcept {
    while (to > node) to = one_ahead(proposed, to);
    return to == node;
}

}  // namespace detail

/// Teaches a drafter all rows of a round, those of refused tokens too: of each, what is likely by the distribution of
/// `narrow`, a chain of one's own that cuts, as top_k{8} | dist{}; its state stays as it is. `last` is the token that
/// the text ended with ahead of the round; rows are those of the verifier, and a row that is empty is left out. Where a
/// token was drafted at several places, an accepted one's row counts. A round that failed teaches nothing.
///
///     const verified& round = verifier.verify(chain, tree, rows);
///     learn_round(drafter, text.back(), narrow, tree, rows, round);
///     drafter.accept(round.tokens);
///
/// Costs a distribution of `narrow` a row: 7 µs where a row has 128,256 logits.
template <learning_drafter Drafter, class Chain, class Proposal, class Rows>
void learn_round(Drafter& drafter, token_id last, Chain& narrow, const Proposal& proposed, const Rows& rows,
                 const verified& round) noexcept {
    const detail::logit_source<Rows> source(rows);
    if (!round.state.ok() || !source.can_give(proposed.size() + 1).ok()) return;
    const auto learn_row = [&](std::int32_t node) {
        const token_id behind = node < 0 ? last : detail::drafted_token(proposed, node);
        drafter.learn(behind, narrow.distribution(source[std::size_t(node + 1)]));
    };
    for (std::int32_t n = 0; n < std::int32_t(proposed.size()); ++n)
        if (!detail::is_on_way_to(n, round.node, proposed)) learn_row(n);
    for (std::int32_t n = round.node; n >= 0; n = detail::one_ahead(proposed, n)) learn_row(n);
    learn_row(draft_tree::root);
}

}  // namespace riffle
