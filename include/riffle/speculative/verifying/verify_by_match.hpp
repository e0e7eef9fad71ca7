#pragma once
#include <cstddef>
#include <cstdint>

#include <riffle/core/logit_row.hpp>
#include <riffle/core/token.hpp>
#include <riffle/speculative/drafts/draft.hpp>
#include <riffle/speculative/drafts/draft_tree.hpp>
#include <riffle/speculative/verifying/logit_source.hpp>
#include <riffle/speculative/verifying/round.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// What the chain samples from a row, accepted and given out; null_token where the round ends. is_drafted(token) says
/// which node of the draft it is, below 0 for none.
template <class Chain, class NodeOf>
token_id sample_next(round_of<Chain>& round, const logit_row& row, NodeOf node_of) noexcept {
    const token_id token = round.chain.sample(row);
    if (token < 0) {
        if (round.chain.last_step().refused) round.note(round.chain.last_step(), token, false, draft_tree::root);
        else round.fail_as_chain();
        return null_token;
    }
    const std::int32_t node = node_of(token);
    return round.note(round.chain.last_step(), token, node >= 0, node) && node >= 0 ? token : null_token;
}

/// Sample-and-match on a line.
template <class Chain, class Rows>
void match_line(round_of<Chain>& round, const draft& proposed, const logit_source<Rows>& rows) noexcept {
    for (std::size_t i = 0;; ++i) {
        const auto node_of = [&](token_id token) {
            return i < proposed.size() && proposed[i] == token ? std::int32_t(i) : draft_tree::root;
        };
        if (sample_next(round, rows[i], node_of) < 0) return;
    }
}

/// Sample-and-match on a tree: down to the child that has the sampled token.
template <class Chain, class Rows>
void match_tree(round_of<Chain>& round, const draft_tree& proposed, const logit_source<Rows>& rows) noexcept {
    for (std::int32_t at = draft_tree::root;;) {
        std::int32_t next = draft_tree::root;
        const auto child_of = [&](token_id token) { return next = proposed.child(at, token); };
        if (sample_next(round, rows[std::size_t(at + 1)], child_of) < 0) return;
        at = next;
    }
}

}  // namespace riffle::detail
