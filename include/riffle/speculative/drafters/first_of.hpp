#pragma once
#include <cstddef>
#include <span>
#include <tuple>
#include <utility>

#include <riffle/core/token.hpp>
#include <riffle/speculative/drafts/draft.hpp>
#include <riffle/speculative/drafts/draft_tree.hpp>
#include <riffle/speculative/drafters/drafter.hpp>

namespace riffle::inline RIFFLE_ABI {

/// A drafter of several: it asks one after the other until one adds something to the draft. All of them read the text,
/// so that each can be asked at any time.
///
///     first_of drafter(suffix_automaton{.least_match = 4}, recycled_tokens{});
///     std::get<0>(drafter.drafters).longest_draft = 32;
///
/// The drafters are moved in: one that has a name is given by std::move. Costs what those cost that are asked.
template <token_drafter... Drafters>
struct first_of {
    static_assert(sizeof...(Drafters) > 0, "first_of needs a drafter");

    /// In the order in which they are asked.
    std::tuple<Drafters...> drafters;

    /// Takes them over.
    explicit first_of(Drafters&&... given) noexcept : drafters(std::move(given)...) {}

    /// What the text got; for all of them.
    void accept(std::span<const token_id> tokens) noexcept {
        std::apply([&](auto&... each) { (each.accept(tokens), ...); }, drafters);
    }
    /// What the model found likely; for those that learn from it. There where one does.
    void learn(token_id behind, std::span<const token_data> likeliest) noexcept
        requires(learning_drafter<Drafters> || ...)
    {
        const auto teach = [&](auto& each) {
            if constexpr (requires { each.learn(behind, likeliest); }) each.learn(behind, likeliest);
        };
        std::apply([&](auto&... each) { (teach(each), ...); }, drafters);
    }
    /// Adds what the first one adds that adds anything. Answers how many tokens were added.
    std::size_t propose(draft& d, std::size_t most) noexcept { return propose_first(d, most); }
    /// Adds to a tree what the first one proposes that proposes anything. Drafters that propose no trees are left out;
    /// this member is there where one of them does.
    std::size_t propose(draft_tree& t, std::size_t most) noexcept
        requires(tree_drafter<Drafters> || ...)
    {
        return propose_first(t, most);
    }
    /// A new text, for all of them.
    void reset() noexcept {
        std::apply([](auto&... each) { (each.reset(), ...); }, drafters);
    }
    /// The memory that all of them hold.
    std::size_t bytes() const noexcept {
        return std::apply([](const auto&... each) { return (std::size_t(each.bytes()) + ...); }, drafters);
    }

private:
    template <class Proposal>
    std::size_t propose_first(Proposal& p, std::size_t most) noexcept {
        const std::size_t had = p.size();
        const auto has_added = [&](auto& each) {
            if constexpr (requires { each.propose(p, most); }) each.propose(p, most);
            return p.size() > had;
        };
        std::apply([&](auto&... each) { static_cast<void>((has_added(each) || ...)); }, drafters);
        return p.size() - had;
    }
};

}  // namespace riffle
