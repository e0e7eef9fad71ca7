#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/constraint/byte_automaton.hpp>
#include <riffle/constraint/code_points.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// An automaton that is being put together: nodes, and lists of what leads from one to another.
template <class Set>
struct basic_automaton_draft {
    struct node {
        std::uint32_t rule = 0;  ///< of which it is part
        std::int32_t called = automaton_node::no_rule;
        std::uint32_t returns_to = 0;
        std::uint32_t walk = automaton_node::no_walk;
        bool begins_walk = false;  ///< no arc of the walk leads there, unless the walk is that node alone
        bool may_end_walk = false;
        bool ends_rule = false;

        bool calls() const noexcept { return called != automaton_node::no_rule; }
        bool walks() const noexcept { return walk != automaton_node::no_walk; }
    };
    struct edge {
        std::uint32_t from;
        byte_edge to;
    };
    struct token {
        std::uint32_t from;
        token_edge to;
    };
    struct step {
        std::uint32_t from, to;
    };
    struct arc {
        std::uint32_t from;
        walk_arc to;
    };
    /// A walk, and its nodes, which lie one behind the other.
    struct walk_nodes {
        walk bounds;
        std::uint32_t first = 0, nodes = 0;
    };
    /// A node of which all edges are the characters of a set, and lead to one other node in the end.
    struct of_characters {
        std::uint32_t node, set, to;
    };
    struct rule {
        std::uint32_t start, end;
        std::uint32_t named;       ///< the named rule that it is, or is part of
        bool is_repeated = false;  ///< it is an arc of a walk that leads back to where it begins
        bool is_captured = false;  ///< the named rule has a capture
    };

    std::vector<node> nodes;
    std::vector<edge> edges;
    std::vector<token> token_edges;
    std::vector<step> steps;
    std::vector<arc> arcs;
    std::vector<walk_nodes> walks;
    std::vector<of_characters> of_sets;
    std::vector<Set> sets;
    std::vector<rule> rules;

    basic_automaton_draft() : nodes(byte_automaton::first_of_rules) {}

    std::uint32_t add_node(std::uint32_t of_rule) {
        nodes.push_back({});
        nodes.back().rule = of_rule;
        return std::uint32_t(nodes.size() - 1);
    }
    std::uint32_t add_rule(std::uint32_t named) {
        const auto number = std::uint32_t(rules.size());
        const std::uint32_t start = add_node(number), end = add_node(number);
        nodes[end].ends_rule = true;
        rules.push_back({start, end, named, false, false});
        return number;
    }
    void add_edge(std::uint32_t from, byte_range over, std::uint32_t to) {
        edges.push_back({from, {over.first, over.last, to}});
    }
    void add_step(std::uint32_t from, std::uint32_t to) {
        if (from != to) steps.push_back({from, to});
    }
    void add_arc(std::uint32_t from, std::uint32_t called, std::uint32_t to, std::uint32_t bit) {
        arcs.push_back({from, {called, to, bit}});
        if (from == to) rules[called].is_repeated = true;
    }
    /// The characters of a set, from one node to another. Sequences that begin alike share nodes, as do those that end
    /// in any continuation bytes.
    void add_characters(const Set& set, std::uint32_t from, std::uint32_t to) {
        const std::uint32_t of_rule = nodes[from].rule;
        std::uint32_t any_bytes[4] = {to, 0, 0, 0};  // from there so many continuation bytes lead to `to`
        const auto node_for_any = [&](std::size_t left) {
            for (std::size_t i = 1; i <= left; ++i) {
                if (any_bytes[i] != 0) continue;
                any_bytes[i] = add_node(of_rule);
                add_edge(any_bytes[i], {0x80, 0xBF}, any_bytes[i - 1]);
            }
            return any_bytes[left];
        };
        byte_sequence last;
        std::uint32_t path[4] = {from, 0, 0, 0};
        for_each_byte_sequence(set, [&](const byte_sequence& s) {
            std::size_t shared = 0;  // places at which it begins as the last one did
            while (last.length == s.length && shared + 1 < s.length && last.bytes[shared] == s.bytes[shared]) ++shared;
            for (std::size_t i = shared; i < s.length; ++i) {
                std::size_t others = i + 1;  // do only any bytes follow?
                while (others < s.length && s.bytes[others] == byte_range{0x80, 0xBF}) ++others;
                if (others == s.length) {
                    add_edge(path[i], s.bytes[i], node_for_any(s.length - 1 - i));
                    break;
                }
                path[i + 1] = add_node(of_rule);
                add_edge(path[i], s.bytes[i], path[i + 1]);
            }
            last = s;
        });
    }
};
using automaton_draft = basic_automaton_draft<code_point_set>;

}  // namespace riffle::detail
