#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include <riffle/core/status.hpp>
#include <riffle/core/token.hpp>
#include <riffle/speculative/drafts/draft_tree.hpp>

namespace riffle::inline RIFFLE_ABI {

/// What became of a draft.
struct verified {
    /// What the text got: the accepted tokens of the draft, then one more, which the chain's law gave; all of them are
    /// accepted by the chain. Without the one more where the text has ended, or was cut. Empty where the round failed.
    /// In memory of the speculator, until its next round.
    std::span<const token_id> tokens;
    std::size_t accepted = 0;  ///< how many of them were drafted
    std::size_t drafted = 0;   ///< how many tokens the draft had; of a tree, its nodes
    /// The drafted token that was accepted last: a node of a tree, a place in a line; draft_tree::root for none.
    std::int32_t node = draft_tree::root;
    /// Whether the last token is among the ends that were given, or a stage of the chain says that the text is
    /// complete. (Where a stage asks to go back instead, chain.last_step().rewind says so.)
    bool finished = false;
    status state;  ///< why the round failed; chain, history and position are then as they were
};

}  // namespace riffle
