#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// Finds words in a text that is read symbol by symbol: of bytes, of characters or of tokens (Aho and Corasick, 1975).
/// A state is the longest beginning of a word that the text ends with. Reading a symbol takes constant time on average,
/// and no memory: a state is a number.
template <class Symbol>
class word_automaton {
public:
    using state = std::uint32_t;
    enum : state { start = 0 };
    enum : std::uint32_t { none = ~0u };

    /// An edge to a longer beginning of a word.
    struct edge {
        Symbol symbol;
        state to;
        friend bool operator<(const edge& a, const edge& b) noexcept { return a.symbol < b.symbol; }
    };

    /// Of a list of words, each a range of symbols; empty ones are never found. Throws std::bad_alloc.
    template <class Words>
    void build(const Words& words) {
        states_.assign(1, {});
        std::vector<std::vector<edge>> edges(1);
        std::uint32_t number = 0;
        for (const auto& one : words) add(one, number++, edges);
        for (std::size_t s = 0; s < states_.size(); ++s) {
            states_[s].first = std::uint32_t(edges_.size());
            std::sort(edges[s].begin(), edges[s].end());
            edges_.insert(edges_.end(), edges[s].begin(), edges[s].end());
            states_[s].count = std::uint32_t(edges[s].size());
        }
        find_shorter();
    }
    /// States; 0 where it was not built.
    std::size_t size() const noexcept { return states_.size(); }
    /// Where a symbol leads to.
    state next(state from, const Symbol& symbol) const noexcept {
        for (;;) {
            const state to = longer(from, symbol);
            if (to != none) return to;
            if (from == start) return start;
            from = states_[from].shorter;
        }
    }
    /// The number of the longest word that ends here, the first of equal ones; none.
    std::uint32_t word_at(state s) const noexcept { return states_[s].ended; }
    /// How many symbols that word has; 0: none ends here.
    std::uint32_t length_at(state s) const noexcept { return states_[s].length; }
    /// Symbols of the longest beginning of a word that the text ends with.
    std::uint32_t depth(state s) const noexcept { return states_[s].depth; }
    /// The longest beginning of a word that a text which ends so ends with, but for this one.
    state shorter(state s) const noexcept { return states_[s].shorter; }
    /// To longer beginnings, by their symbols.
    std::span<const edge> edges_of(state s) const noexcept {
        return {edges_.data() + states_[s].first, states_[s].count};
    }
    /// Which lie ahead of those that they are a beginning of.
    const std::vector<state>& by_depth() const noexcept { return by_depth_; }

private:
    struct node {
        std::uint32_t first = 0, count = 0;  ///< of its edges
        state shorter = start;
        std::uint32_t ended = none;
        std::uint32_t length = 0;  ///< of that word
        std::uint32_t depth = 0;
    };

    template <class Word>
    void add(const Word& one, std::uint32_t number, std::vector<std::vector<edge>>& edges) {
        state at = start;
        for (const Symbol symbol : one) {
            const auto known =
                std::find_if(edges[at].begin(), edges[at].end(), [&](const edge& e) { return e.symbol == symbol; });
            if (known != edges[at].end()) {
                at = known->to;
                continue;
            }
            const auto made = state(states_.size());
            node n;
            n.depth = states_[at].depth + 1;
            states_.push_back(n);
            edges.emplace_back();
            edges[at].push_back({symbol, made});
            at = made;
        }
        if (at == start || states_[at].ended != none) return;
        states_[at].ended = number;
        states_[at].length = states_[at].depth;
    }
    state longer(state from, const Symbol& symbol) const noexcept {
        const std::span<const edge> edges = edges_of(from);
        const auto found = std::lower_bound(edges.begin(), edges.end(), edge{symbol, 0});
        return found != edges.end() && found->symbol == symbol ? found->to : state{none};
    }
    void find_shorter() {
        by_depth_.assign(1, start);
        for (std::size_t i = 0; i < by_depth_.size(); ++i) {
            const state s = by_depth_[i];
            for (const edge& e : edges_of(s)) {
                node& n = states_[e.to];
                n.shorter = s == start ? state{start} : next(states_[s].shorter, e.symbol);
                if (n.ended == none) {
                    n.ended = states_[n.shorter].ended;
                    n.length = states_[n.shorter].length;
                }
                by_depth_.push_back(e.to);
            }
        }
    }

    std::vector<node> states_;
    std::vector<edge> edges_;
    std::vector<state> by_depth_;
};

}  // namespace riffle::detail
