#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/constraint/byte_automaton.hpp>
#include <riffle/constraint/grouped_lists.hpp>
#include <riffle/constraint/shortest_texts.hpp>
#include <riffle/constraint/walks.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// How many arcs lead from each node of a walk to its end. A walk that counts must not go where no number of arcs that
/// it may still take leads to an end: then a text could be begun that cannot be finished.
template <class Draft>
class walk_lengths {
public:
    /// What has more ranges of lengths is refused, and what still finds new ones after so many arcs.
    enum : std::size_t { most_ranges = 64, most_steps = 1 << 14 };

    /// False where there are too many.
    bool find(const Draft& draft, const shortest_texts<Draft>& shortest) {
        arcs_ = grouped_lists(
            draft.arcs, draft.walks.size(), [&](const auto& a) { return draft.nodes[a.from].walk; },
            [](const auto&, std::uint32_t i) { return i; });
        of_node_.assign(draft.nodes.size(), {});
        for (std::uint32_t w = 0; w < draft.walks.size(); ++w)
            if (draft.walks[w].bounds.memory == walk_memory::count && draft.walks[w].nodes > 1 &&
                !find_of(w, draft, shortest))
                return false;
        return true;
    }
    /// Of a node, ascending. A walk of one node has none: it may take any number of arcs.
    const std::vector<walk_length>& operator[](std::uint32_t node) const noexcept { return of_node_[node]; }

    /// Whether no walk ever gets from a node to an end, since it counts and has a bound.
    bool is_too_far_from_an_end(std::uint32_t node, const Draft& draft) const noexcept {
        const auto& w = draft.walks[draft.nodes[node].walk];
        return w.bounds.memory == walk_memory::count && w.nodes > 1 && of_node_[node].empty();
    }

    /// From so many arcs on, more of them make no difference to any node of a walk.
    std::uint32_t longest_told_apart(const typename Draft::walk_nodes& w) const noexcept {
        std::uint32_t most = 0;
        for (std::uint32_t n = w.first; n < w.first + w.nodes; ++n)
            for (const walk_length& l : of_node_[n])
                most = (std::max)(most, l.most == walk::unlimited ? l.least : l.most + 1);
        return most;
    }
    /// Whether a walk that begins at a node can be ended at all.
    bool can_be_ended(std::uint32_t node, const Draft& draft, const shortest_texts<Draft>& shortest) const noexcept {
        const std::uint32_t number = draft.nodes[node].walk;
        const auto& w = draft.walks[number];
        if (w.bounds.memory == walk_memory::set)
            return has_bits(number, draft.nodes[node].may_end_walk, draft, shortest);
        if (w.nodes == 1) return w.bounds.least == 0 || is_live(draft, shortest, *arcs_.begin(number));
        for (const walk_length& l : of_node_[node])
            if (l.least <= w.bounds.most && w.bounds.least <= l.most) return true;
        return false;
    }

private:
    static bool is_live(const Draft& draft, const shortest_texts<Draft>& shortest, std::uint32_t arc) noexcept {
        return shortest.of_rule(draft.arcs[arc].to.rule) != shortest_texts<Draft>::endless;
    }
    bool has_bits(std::uint32_t number, bool may_end_at_once, const Draft& draft,
                  const shortest_texts<Draft>& shortest) const noexcept {
        const walk& bounds = draft.walks[number].bounds;
        std::uint64_t bits = 0;
        bool needs_a_bit = !may_end_at_once;
        arcs_.each(number, [&](std::uint32_t arc) {
            const std::uint32_t bit = draft.arcs[arc].to.bit;
            if (!is_live(draft, shortest, arc)) return;
            if (bit < walk::no_bit) bits |= std::uint64_t{1} << bit;
            else needs_a_bit = false;
        });
        const auto needed = (std::max)((std::max)(bounds.least, std::uint32_t(std::popcount(bounds.required))),
                                       std::uint32_t{needs_a_bit});
        return (bits & bounds.required) == bounds.required && std::uint32_t(std::popcount(bits)) >= needed &&
               needed <= bounds.most;
    }

    /// Back from the ends, an arc at a time.
    bool find_of(std::uint32_t number, const Draft& draft, const shortest_texts<Draft>& shortest) {
        const auto& w = draft.walks[number];
        const bool is_bounded = w.bounds.most != walk::unlimited;
        std::vector<std::uint32_t> live;
        arcs_.each(number, [&](std::uint32_t arc) {
            if (is_live(draft, shortest, arc)) live.push_back(arc);
        });
        const grouped_lists into(
            live, w.nodes, [&](std::uint32_t arc) { return draft.arcs[arc].to.to - w.first; },
            [&](std::uint32_t arc, std::uint32_t) { return draft.arcs[arc].from; });
        std::vector<std::uint32_t> now, next;  // the nodes from which so many arcs lead to an end
        for (std::uint32_t n = w.first; n < w.first + w.nodes; ++n)
            if (draft.nodes[n].may_end_walk) now.push_back(n);
        for (std::uint32_t length = 0; !now.empty(); ++length) {
            for (const std::uint32_t n : now) {
                if (!is_bounded) add_to_one(of_node_[n], length, w.nodes);
                else if (!add(of_node_[n], length)) return false;
            }
            if (length == (is_bounded ? w.bounds.most : 2 * w.nodes)) return true;
            next.clear();
            for (const std::uint32_t n : now) into.each(n - w.first, [&](std::uint32_t from) { next.push_back(from); });
            std::sort(next.begin(), next.end());
            next.erase(std::unique(next.begin(), next.end()), next.end());
            if (next == now) {  // and so it stays
                for (const std::uint32_t n : now) of_node_[n].back().most = walk::unlimited;
                return true;
            }
            if (length == most_steps) return false;
            now.swap(next);
        }
        return true;
    }
    static bool add(std::vector<walk_length>& to, std::uint32_t length) {
        if (!to.empty() && to.back().most + 1 == length) to.back().most = length;
        else to.push_back({length, length});
        return to.size() <= most_ranges;
    }
    /// Where nothing bounds a walk, what counts is how long it can become. One of as many arcs as there are nodes goes
    /// in a circle, and can do so again.
    static void add_to_one(std::vector<walk_length>& to, std::uint32_t length, std::uint32_t nodes) {
        if (to.empty()) to.push_back({length, length});
        to.back().most = length >= nodes ? std::uint32_t{walk::unlimited} : length;
    }

    std::vector<std::vector<walk_length>> of_node_;
    grouped_lists arcs_;  ///< of each walk
};

}  // namespace riffle::detail
