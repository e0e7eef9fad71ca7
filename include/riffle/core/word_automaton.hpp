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

    /// Of a list of words, each a range of symbols; empty ones are never found. Once. Throws std::bad_alloc.
    template <class Words>
    void build(const Words& words) {
        for (const auto& one : words) add(one, [](const auto& symbol) { return symbol; });
        finish();
    }
    /// One more word, ahead of finish, each of its symbols as `read_as` has it; the first has number 0. Throws
    /// std::bad_alloc.
    template <class Word, class ReadAs>
    void add(const Word& one, const ReadAs& read_as) {
        if (states_.empty()) states_.emplace_back();
        state at = start;
        for (const auto& symbol : one) at = child(at, read_as(symbol));
        const std::uint32_t number = words_++;
        if (at == start || states_[at].ended != none) return;
        states_[at].ended = number;
        states_[at].length = states_[at].depth;
    }
    /// Behind the last word; only then are words found. Throws std::bad_alloc.
    void finish() {
        if (states_.empty()) states_.emplace_back();
        put_in_order();
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
    std::span<const edge> edges_of(state s) const noexcept { return {first_of(s), states_[s].count}; }
    /// Which lie ahead of those that they are a beginning of.
    const std::vector<state>& by_depth() const noexcept { return by_depth_; }

private:
    struct node {
        std::uint32_t first = 0, count = 0;  ///< of its edges; ahead of finish, first is the latest child, 0 = none
        state shorter = start;
        std::uint32_t ended = none;
        std::uint32_t length = 0;  ///< of that word
        std::uint32_t depth = 0;
    };

    /// Ahead of finish, the edge to state s is edges_[s - 1], and its `to` is the child that came one earlier.
    state child(state of, Symbol symbol) {
        for (state s = states_[of].first; s != 0; s = edges_[s - 1].to)
            if (edges_[s - 1].symbol == symbol) return s;
        const auto made = state(states_.size());
        node n;
        n.depth = states_[of].depth + 1;
        states_.push_back(n);
        edges_.push_back({symbol, states_[of].first});
        states_[of].first = made;
        return made;
    }
    /// Edges lie together by where they begin, and then by their symbols.
    void put_in_order() {
        std::vector<edge> in_order;
        in_order.reserve(edges_.size());
        for (node& n : states_) {
            const std::size_t first = in_order.size();
            for (state s = n.first; s != 0; s = edges_[s - 1].to) in_order.push_back({edges_[s - 1].symbol, s});
            std::sort(in_order.data() + first, in_order.data() + in_order.size());
            n.first = std::uint32_t(first);
            n.count = std::uint32_t(in_order.size() - first);
        }
        edges_.swap(in_order);
    }
    const edge* first_of(state s) const noexcept { return edges_.data() + states_[s].first; }
    state longer(state from, const Symbol& symbol) const noexcept {
        const edge *first = first_of(from), *last = first + states_[from].count;
        const edge* found = std::lower_bound(first, last, edge{symbol, 0});
        return found != last && found->symbol == symbol ? found->to : state{none};
    }
    void find_shorter() {
        by_depth_.assign(1, start);
        for (std::size_t i = 0; i < by_depth_.size(); ++i) {
            const state s = by_depth_[i];
            for (const edge *e = first_of(s), *last = e + states_[s].count; e != last; ++e) {
                node& n = states_[e->to];
                n.shorter = s == start ? state{start} : next(states_[s].shorter, e->symbol);
                if (n.ended == none) {
                    n.ended = states_[n.shorter].ended;
                    n.length = states_[n.shorter].length;
                }
                by_depth_.push_back(e->to);
            }
        }
    }

    std::vector<node> states_;
    std::vector<edge> edges_;
    std::vector<state> by_depth_;
    std::uint32_t words_ = 0;
};

}  // namespace riffle::detail
