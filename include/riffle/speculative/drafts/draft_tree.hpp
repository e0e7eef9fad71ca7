#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <riffle/core/growing_array.hpp>
#include <riffle/core/token.hpp>
#include <riffle/speculative/drafts/draft_laws.hpp>

namespace riffle::inline RIFFLE_ABI {

/// Several continuations of the text that share their beginnings. A node is a token behind its parent; `root`, which is
/// no node, is the text. Siblings stand in the order in which they were drawn, and verifiers ask them in that order.
/// Keeps its memory, so that nothing is allocated once it was as large.
class draft_tree {
public:
    /// The parent of nodes right behind the text.
    static constexpr std::int32_t root = -1;
    /// What push answers where it refuses.
    static constexpr std::int32_t refused = -2;

    /// Empty.
    draft_tree() noexcept = default;
    /// Copies nodes and laws. Allocates; where there is no memory, the copy is empty.
    draft_tree(const draft_tree& other) noexcept { copy(other); }
    /// Copies nodes and laws; the memory stays where it is enough.
    draft_tree& operator=(const draft_tree& other) noexcept {
        if (this != &other) copy(other);
        return *this;
    }
    /// Takes the memory along.
    draft_tree(draft_tree&& other) noexcept { swap(other); }
    /// Takes the memory along.
    draft_tree& operator=(draft_tree&& other) noexcept {
        swap(other);
        return *this;
    }
    ~draft_tree() = default;

    /// Of no nodes; the memory stays.
    void clear() noexcept {
        nodes_.clear();
        laws_.clear();
        first_of_root_ = last_of_root_ = none;
    }
    /// Proposes a token for certain behind `parent`, a node or root, after the siblings that are there. Answers the new
    /// node; `refused`, which is below 0, and nothing changed, for an id below 0, a parent that is none, or without
    /// memory.
    std::int32_t push(std::int32_t parent, token_id token) noexcept {
        if (token < 0 || !is_parent(parent)) return refused;
        return add(parent, token, {laws_.size(), 0, 1, 1});
    }
    /// Proposes a token that was drawn from `law`, as draft::push takes it: the law of the first sibling, also where
    /// the later ones were drawn without replacement. (Verifiers take out what came before themselves.) An empty law
    /// proposes it for certain.
    std::int32_t push(std::int32_t parent, token_id token, std::span<const token_probability> law) noexcept {
        if (law.empty()) return push(parent, token);
        detail::draft_laws::place made;
        const bool is_good = token >= 0 && is_parent(parent) && laws_.push(token, law, made);
        return is_good ? add_drawn(parent, token, made) : refused;
    }
    /// Proposes a token that was drawn from the law that a chain's weigh() gave, as draft::push_weighed.
    template <class Weighed>
    std::int32_t push_weighed(std::int32_t parent, token_id token, const Weighed& law) noexcept {
        detail::draft_laws::place made;
        const bool is_good = token >= 0 && is_parent(parent) && laws_.push_weighed(token, law, made);
        return is_good ? add_drawn(parent, token, made) : refused;
    }

    /// How many nodes it has; they are numbered from 0 on, parents before children.
    std::size_t size() const noexcept { return nodes_.size(); }
    /// Whether it has none.
    bool empty() const noexcept { return nodes_.empty(); }
    /// The token of a node, from 0 to below size, which is not checked, here and below.
    token_id token(std::int32_t n) const noexcept { return at(n).token; }
    /// The node before it, or root.
    std::int32_t parent(std::int32_t n) const noexcept { return at(n).parent; }
    /// Tokens from the text to the node, itself included: 1 for children of root.
    std::size_t depth(std::int32_t n) const noexcept { return n < 0 ? 0 : at(n).depth; }
    /// The depth of the deepest node, 0 where there is none. O(nodes).
    std::size_t deepest() const noexcept {
        std::size_t most_tokens = 0;
        for (const node& n : nodes_) most_tokens = n.depth > most_tokens ? n.depth : most_tokens;
        return most_tokens;
    }
    /// The first child of a node or of root; below 0 where it has none.
    std::int32_t first_child(std::int32_t n) const noexcept { return n < 0 ? first_of_root_ : at(n).first_child; }
    /// The sibling that was pushed next; below 0 behind the last.
    std::int32_t next_sibling(std::int32_t n) const noexcept { return at(n).next_sibling; }
    /// The child of a node or of root that has this token, the first of several; below 0 where none has.
    std::int32_t child(std::int32_t n, token_id token) const noexcept {
        std::int32_t c = first_child(n);
        while (c >= 0 && at(c).token != token) c = at(c).next_sibling;
        return c;
    }
    /// The law that a node's token was drawn from, as draft::law. Valid until the tree is changed.
    std::span<const token_probability> law(std::int32_t n) const noexcept { return laws_.given(at(n).law); }

    /// Makes room for so many nodes, and so many entries of all their laws. False where there is no memory.
    [[nodiscard]] bool reserve(std::size_t nodes, std::size_t entries_of_laws = 0) noexcept {
        return nodes_.reserve(nodes) && laws_.reserve(entries_of_laws);
    }
    /// For verifiers: the law of a node's token in integers.
    detail::draft_law weights(std::int32_t n) const noexcept { return laws_.weights(at(n).law); }

private:
    static constexpr std::int32_t none = -1;
    static constexpr std::size_t most = std::size_t{1} << 30;
    struct node {
        token_id token;
        std::int32_t parent;
        std::int32_t first_child, last_child, next_sibling;
        std::uint32_t depth;
        detail::draft_laws::place law;
    };

    const node& at(std::int32_t n) const noexcept { return nodes_[std::size_t(n)]; }
    node& at(std::int32_t n) noexcept { return nodes_[std::size_t(n)]; }
    bool is_parent(std::int32_t n) const noexcept {
        return n == root || (n >= 0 && std::size_t(n) < nodes_.size() && nodes_.size() < most);
    }
    std::int32_t add_drawn(std::int32_t parent, token_id token, const detail::draft_laws::place& made) noexcept {
        const std::int32_t n = add(parent, token, made);
        if (n < 0) laws_.shorten(made);
        return n;
    }
    std::int32_t add(std::int32_t parent, token_id token, const detail::draft_laws::place& made) noexcept {
        const auto n = std::int32_t(nodes_.size());
        if (!nodes_.push({token, parent, none, none, none, std::uint32_t(depth(parent) + 1), made})) return refused;
        std::int32_t& first = parent < 0 ? first_of_root_ : at(parent).first_child;
        std::int32_t& last = parent < 0 ? last_of_root_ : at(parent).last_child;
        if (last < 0) first = n;
        else at(last).next_sibling = n;
        last = n;
        return n;
    }
    void copy(const draft_tree& other) noexcept {
        clear();
        if (!nodes_.append(other.nodes_.data(), other.nodes_.size()) || !laws_.assign(other.laws_)) return clear();
        first_of_root_ = other.first_of_root_;
        last_of_root_ = other.last_of_root_;
    }
    void swap(draft_tree& other) noexcept {
        nodes_.swap(other.nodes_);
        std::swap(laws_, other.laws_);
        std::swap(first_of_root_, other.first_of_root_);
        std::swap(last_of_root_, other.last_of_root_);
    }

    detail::growing_array<node> nodes_;
    detail::draft_laws laws_;
    std::int32_t first_of_root_ = none, last_of_root_ = none;
};

}  // namespace riffle
