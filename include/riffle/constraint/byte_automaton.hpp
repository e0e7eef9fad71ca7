#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <riffle/constraint/code_points.hpp>
#include <riffle/constraint/expressions.hpp>
#include <riffle/constraint/walks.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// A node of the automaton that a grammar is compiled to, in which rules call each other. A node has edges, or calls a
/// rule, or is one of a walk, which calls the rules of its arcs, or is where a rule ends; and it may lead on to other
/// nodes without anything being read.
struct automaton_node {
    enum : std::int32_t { no_rule = -1 };
    enum : std::uint32_t { no_walk = ~0u };
    /// What a node whose edges are the characters of a set does once it has read one.
    enum class loop_kind : std::uint8_t {
        none,
        endless,  ///< it is there again
        counted,  ///< the arc of a walk that it is all of is there again, as often as that goes on
    };

    /// Where its own begin; they end where the next node's do.
    std::uint32_t edges = 0, token_edges = 0, steps = 0, arcs = 0, lengths = 0;
    std::uint32_t rule = 0;         ///< that it is part of
    std::int32_t called = no_rule;  ///< the rule that it calls
    std::uint32_t returns_to = 0;   ///< the node behind the call, or behind the walk
    std::uint32_t walk = no_walk;   ///< that it is a node of
    std::uint32_t loop_set = 0;     ///< the set of characters of a loop
    loop_kind loop = loop_kind::none;
    bool ends_rule = false;
    bool may_end_walk = false;
    bool is_tail = false;  ///< nothing lies between it and the end of its rule

    bool calls() const noexcept { return called != no_rule; }
    bool walks() const noexcept { return walk != no_walk; }
};
/// A rule that a walk calls; `to` is the node of the walk behind it.
struct walk_arc {
    std::uint32_t rule, to, bit;
};
/// From a node of a walk that counts, so many arcs lead to an end.
struct walk_length {
    std::uint32_t least, most;
};
/// A byte that is read.
struct byte_edge {
    std::uint8_t first, last;
    std::uint32_t to;
};
/// A token that is read as a whole.
struct token_edge {
    std::uint32_t reference;
    bool negated;
    std::uint32_t to;
};

/// A grammar, compiled: an automaton over bytes in which rules call each other. Immutable.
template <class Set>
struct basic_byte_automaton {
    /// The text is complete where this is reached; and what follows is not known there.
    enum : std::uint32_t { accepting = 0, unknown = 1, first_of_rules = 2 };

    struct rule {
        std::uint32_t start = 0, end = 0;
        std::uint32_t order = 0;     ///< rules are called, before a byte is read, in ascending order
        std::uint32_t shortest = 0;  ///< bytes of the shortest text that it matches
        bool is_nullable = false;    ///< it matches the empty text
        bool is_repeated = false;    ///< it is an arc of a walk that leads back to where it begins
        std::uint32_t captured = ~0u;  ///< the rule of the grammar whose texts are remembered; ~0: none
    };
    /// Whether it has a rule whose texts are remembered.
    bool has_captures = false;

    std::vector<automaton_node> nodes;  ///< and one more, where the lists of the last one end
    std::vector<byte_edge> edges;
    std::vector<token_edge> token_edges;
    std::vector<std::uint32_t> steps;
    std::vector<walk_arc> arcs;
    std::vector<walk_length> lengths;
    std::vector<walk> walks;
    std::vector<rule> rules;
    static constexpr std::uint32_t root = 0;  ///< among the rules

    std::uint8_t class_of[256] = {};  ///< bytes of a class are alike in every node
    std::uint32_t classes = 1;
    std::uint8_t byte_of_class[256] = {};

    std::vector<Set> loop_sets;
    std::vector<token_reference> tokens;

    std::span<const byte_edge> edges_of(std::uint32_t node) const noexcept {
        return {edges.data() + nodes[node].edges, edges.data() + nodes[node + 1].edges};
    }
    std::span<const token_edge> token_edges_of(std::uint32_t node) const noexcept {
        return {token_edges.data() + nodes[node].token_edges, token_edges.data() + nodes[node + 1].token_edges};
    }
    std::span<const std::uint32_t> steps_of(std::uint32_t node) const noexcept {
        return {steps.data() + nodes[node].steps, steps.data() + nodes[node + 1].steps};
    }
    std::span<const walk_arc> arcs_of(std::uint32_t node) const noexcept {
        return {arcs.data() + nodes[node].arcs, arcs.data() + nodes[node + 1].arcs};
    }
    const walk& walk_of(std::uint32_t node) const noexcept { return walks[nodes[node].walk]; }
    /// How many arcs lead from a node of a walk to an end, as ranges, ascending. None: any number does.
    std::span<const walk_length> lengths_of(std::uint32_t node) const noexcept {
        return {lengths.data() + nodes[node].lengths, lengths.data() + nodes[node + 1].lengths};
    }
    /// Whether a walk can come to an end from a node.
    bool can_be_ended(std::uint32_t node, const walk_progress& now) const noexcept {
        if (walk_of(node).memory != walk_memory::count || lengths_of(node).empty()) return true;
        for (const walk_length& l : lengths_of(node))
            if (l.least <= now.most && now.least <= l.most) return true;
        return false;
    }
    /// Whether a node is one of a walk that counts, and a rule is an arc that leads back there.
    bool comes_again(std::uint32_t called, std::uint32_t node) const noexcept {
        if (!nodes[node].walks() || walk_of(node).memory != walk_memory::count) return false;
        for (const walk_arc& arc : arcs_of(node))
            if (arc.rule == called && arc.to == node) return true;
        return false;
    }
    /// So many arcs may be taken before a walk has to turn to its end; perhaps more.
    std::uint32_t arcs_to_spare(std::uint32_t node, const walk_progress& now) const noexcept {
        if (lengths_of(node).empty()) return now.most;
        const walk_length& longest = lengths_of(node).back();
        if (longest.most != walk::unlimited || longest.least > now.most) return 0;
        return now.most == walk::unlimited ? now.most : now.most - longest.least;
    }
    bool reads_something(std::uint32_t node) const noexcept {
        return nodes[node].edges != nodes[node + 1].edges || nodes[node].token_edges != nodes[node + 1].token_edges;
    }
};
using byte_automaton = basic_byte_automaton<code_point_set>;

}  // namespace riffle::detail
