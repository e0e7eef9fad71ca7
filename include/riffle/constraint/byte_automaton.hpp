#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <riffle/constraint/code_points.hpp>
#include <riffle/constraint/expressions.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// A node of the automaton that a grammar is compiled to, in which rules call each other. A node has edges, or calls a
/// rule, or is where a rule ends; and it may lead on to other nodes without anything being read.
struct automaton_node {
    enum : std::uint32_t { unlimited = expression::unlimited };
    enum : std::int32_t { no_rule = -1 };
    /// What a node whose edges are the characters of a set does once it has read one.
    enum class loop_kind : std::uint8_t {
        none,
        endless,  ///< it is there again
        counted,  ///< the repetition that it is all of is there again, as often as that goes on
    };

    std::uint32_t edges = 0, token_edges = 0, steps = 0;  ///< where its own begin; they end where the next node's do
    std::int32_t called = no_rule;                        ///< the rule that it calls, or of which it is a repetition
    std::uint32_t returns_to = 0;                         ///< the node behind the call, or behind the repetition
    std::uint32_t least = 0;                              ///< repetitions
    std::uint32_t most = 0;                               ///< repetitions; 0: it is a plain call
    std::uint32_t loop_set = 0;                           ///< the set of characters of a loop
    loop_kind loop = loop_kind::none;
    bool ends_rule = false;
    bool is_tail = false;  ///< nothing lies between it and the end of its rule

    bool calls() const noexcept { return called != no_rule; }
    bool repeats() const noexcept { return most != 0; }
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
        bool is_repeated = false;    ///< it is the inside of a repetition
    };

    std::vector<automaton_node> nodes;  ///< and one more, where the lists of the last one end
    std::vector<byte_edge> edges;
    std::vector<token_edge> token_edges;
    std::vector<std::uint32_t> steps;
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
    bool reads_something(std::uint32_t node) const noexcept {
        return nodes[node].edges != nodes[node + 1].edges || nodes[node].token_edges != nodes[node + 1].token_edges;
    }
};
using byte_automaton = basic_byte_automaton<code_point_set>;

}  // namespace riffle::detail
