#pragma once
#include <cstddef>
#include <span>
#include <utility>

#include <riffle/core/token.hpp>
#include <riffle/speculative/drafts/draft.hpp>
#include <riffle/speculative/drafts/draft_tree.hpp>
#include <riffle/speculative/drafters/drafter.hpp>

namespace riffle::inline RIFFLE_ABI {

/// A drafter of two: the second goes on where the draft of the first ends, in the same draft, also where the first adds
/// nothing. Both read the text. (Asked for in llama.cpp's issue 23184.) It needs a second that continues behind what a
/// draft has, as riffle's own drafters do.
///
///     draft_after drafter(suffix_automaton{}, recycled_tokens{});   // a third: draft_after(draft_after(a, b), c)
///
/// The drafters are moved in: one that has a name is given by std::move. Costs what both cost.
template <token_drafter First, token_drafter Second>
struct draft_after {
    First first;    ///< asked first
    Second second;  ///< asked behind it, with what the draft then has

    /// Takes them over.
    explicit draft_after(First&& begins, Second&& goes_on) noexcept
        : first(std::move(begins)), second(std::move(goes_on)) {}

    /// What the text got; for both.
    void accept(std::span<const token_id> tokens) noexcept {
        first.accept(tokens);
        second.accept(tokens);
    }
    /// What the model found likely; for those that learn from it. There where one does.
    void learn(token_id behind, std::span<const token_data> likeliest) noexcept
        requires(learning_drafter<First> || learning_drafter<Second>)
    {
        if constexpr (learning_drafter<First>) first.learn(behind, likeliest);
        if constexpr (learning_drafter<Second>) second.learn(behind, likeliest);
    }
    /// Adds what the first adds, then what the second adds behind that, until the draft has `most`. Answers how many
    /// tokens were added.
    std::size_t propose(draft& d, std::size_t most) noexcept {
        const std::size_t had = d.size();
        first.propose(d, most);
        second.propose(d, most);
        return d.size() - had;
    }
    /// Adds to a tree what the first proposes, then what the second does, until it has `most` nodes. A drafter that
    /// proposes no trees is left out; this member is there where one of them does.
    std::size_t propose(draft_tree& t, std::size_t most) noexcept
        requires(tree_drafter<First> || tree_drafter<Second>)
    {
        const std::size_t had = t.size();
        if constexpr (tree_drafter<First>) first.propose(t, most);
        if constexpr (tree_drafter<Second>) second.propose(t, most);
        return t.size() - had;
    }
    /// A new text, for both.
    void reset() noexcept {
        first.reset();
        second.reset();
    }
    /// The memory that both hold.
    std::size_t bytes() const noexcept { return std::size_t(first.bytes()) + std::size_t(second.bytes()); }
};

}  // namespace riffle
