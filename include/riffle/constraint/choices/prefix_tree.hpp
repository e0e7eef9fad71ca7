#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/constraint/choices/choice_matcher.hpp>
#include <riffle/core/token.hpp>

namespace riffle::inline RIFFLE_ABI {

/// The tokens of some choices behind a prompt as a tree, for one batch: beginnings that they share are there once.
/// Parents lie ahead of their children.
struct prefix_batch {
    std::vector<token_id> tokens;         ///< of each entry
    std::vector<std::int32_t> parents;    ///< the entry ahead of each; -1: the last token of the prompt
    std::vector<std::int32_t> positions;  ///< entries ahead of each: 0 stands right behind the prompt
    /// Whether an entry has to be evaluated: others come behind it. The rest is only looked up in their parents' rows.
    std::vector<std::uint8_t> is_evaluated;

    /// Entries.
    std::size_t size() const noexcept { return tokens.size(); }
};

namespace detail {

/// For each node of a matcher's tree of tokens: its entry in the batch of those choices that are on; none.
class batch_numbers {
public:
    enum : std::uint32_t { none = ~0u };

    template <class Matcher>
    void find(const Matcher& of) {
        entry_of_.clear();
        if (!of.data()) return;
        const choice_data& data = *of.data();
        entry_of_.assign(data.tokens.size(), none);
        for (std::size_t i = 0; i < of.size(); ++i) {
            if (!of.is_enabled(i)) continue;
            for (const std::uint32_t last : data.last_of(i))
                for (std::uint32_t n = last; n != choice_data::none && entry_of_[n] == none; n = data.tokens[n].parent)
                    entry_of_[n] = 0;
        }
        std::uint32_t entries = 0;
        for (std::uint32_t& e : entry_of_)
            if (e != none) e = entries++;
    }
    /// Of each node.
    const std::vector<std::uint32_t>& entries() const noexcept { return entry_of_; }

private:
    std::vector<std::uint32_t> entry_of_;
};

}  // namespace detail

/// The tokens of all choices of a matcher that are on, from the beginning of a choice, for one evaluation by the model.
/// Where a choice is ended by a token that ends generation (choice_options::end is empty), each such token is an entry
/// behind it. A choice that cannot be spelt has none.
///
///     const prefix_batch tree = prefix_tree(action);
///     for (std::size_t i = 0; i < tree.size(); ++i)
///         if (tree.is_evaluated[i]) batch.add(tree.tokens[i], prompt_length + tree.positions[i], ...);
///
/// (How a tree is evaluated at once is the engine's matter: a mask of attention, or a sequence of the cache for each
/// leaf.) Throws std::bad_alloc. O(tokens).
template <class Matcher>
prefix_batch prefix_tree(const Matcher& of) {
    prefix_batch batch;
    detail::batch_numbers numbers;
    numbers.find(of);
    const auto& entries = numbers.entries();
    for (std::size_t n = 0; n < entries.size(); ++n) {
        if (entries[n] == detail::batch_numbers::none) continue;
        const auto& node = of.data()->tokens[n];
        const bool is_first = node.parent == detail::choice_data::none;
        const std::int32_t parent = is_first ? -1 : std::int32_t(entries[node.parent]);
        batch.tokens.push_back(node.token);
        batch.parents.push_back(parent);
        batch.positions.push_back(std::int32_t(node.depth));
        batch.is_evaluated.push_back(0);
        if (parent >= 0) batch.is_evaluated[std::size_t(parent)] = 1;
    }
    return batch;
}

}  // namespace riffle
