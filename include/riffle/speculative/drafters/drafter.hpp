#pragma once
#include <cstddef>
#include <span>
#include <type_traits>

#include <riffle/core/token.hpp>
#include <riffle/speculative/drafts/draft.hpp>
#include <riffle/speculative/drafts/draft_tree.hpp>

namespace riffle::inline RIFFLE_ABI {

/// Whatever guesses how a text goes on: riffle's own drafters, and any type of a user's that can be moved and has
///
/// * `void accept(std::span<const token_id> tokens)`: the text got these, from the prompt or generated. Drafted tokens
///   never come here before the text has them;
/// * `propose(draft& d, std::size_t most)`: adds tokens to `d` until it has `most`, or fewer, or none, behind those it
///   has, which it neither takes away nor learns. Answers how many it added;
/// * `void reset()`: a new text begins;
/// * `bytes()`, const: the memory it holds, or 0.
///
/// None may throw: first_of and draft_after would end the program.
///
///     struct repeats_itself {
///         riffle::token_id last = -1;
///         void accept(std::span<const riffle::token_id> t) { if (!t.empty()) last = t.back(); }
///         std::size_t propose(riffle::draft& d, std::size_t most) { return d.size() < most && d.push(last) ? 1 : 0; }
///         void reset() { last = -1; }
///         std::size_t bytes() const { return 0; }
///     };
template <class Drafter>
concept token_drafter = std::is_object_v<Drafter> && std::is_move_constructible_v<Drafter> &&
    requires(Drafter& d, const Drafter& same, std::span<const token_id> tokens, draft& line, std::size_t most) {
        d.accept(tokens);
        std::size_t(d.propose(line, most));
        d.reset();
        std::size_t(same.bytes());
    };

/// A drafter that proposes trees too: `propose(draft_tree& t, std::size_t most)` adds nodes until the tree has `most`,
/// and no token twice behind one node.
template <class Drafter>
concept tree_drafter = token_drafter<Drafter> && requires(Drafter& d, draft_tree& tree, std::size_t most) {
    std::size_t(d.propose(tree, most));
};

/// A drafter that also learns from what the model found likely, as recycled_tokens does.
template <class Drafter>
concept learning_drafter =
    token_drafter<Drafter> && requires(Drafter& d, token_id behind, std::span<const token_data> likeliest) {
        d.learn(behind, likeliest);
    };

}  // namespace riffle
