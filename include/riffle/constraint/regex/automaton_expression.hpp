#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <riffle/constraint/code_points.hpp>
#include <riffle/constraint/expressions.hpp>
#include <riffle/constraint/numbering.hpp>
#include <riffle/constraint/regex/character_automaton.hpp>
#include <riffle/constraint/walks.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// The characters of a set as they are: what an automaton over characters is made of, outside of JSON strings.
template <class Rules>
class plain_characters {
public:
    explicit plain_characters(Rules& of) : rules_(of) {}
    void add_parts(const code_point_set& set, std::vector<expression_id>& to) { to.push_back((*this)(set)); }
    expression_id operator()(const code_point_set& set) {
        key_.clear();
        for (const auto& range : set.ranges()) key_.insert(key_.end(), {range.first, range.last});
        const std::uint32_t number = numbers_.number_of(key_);
        if (number == made_.size()) made_.push_back(rules_.add_characters(set));
        return made_[number];
    }

private:
    Rules& rules_;
    list_numbers numbers_;
    std::vector<std::uint32_t> key_;
    std::vector<expression_id> made_;  ///< of each set that came before
};

/// The arcs of an automaton between the nodes of a graph, of which its start is the node `first`. `spell(set)`: one
/// character of a set as an expression; spell.add_parts(set, to): as several, of which one is it.
template <class Spell>
void add_arcs(expression_graph& graph, std::vector<expression_id>& parts, const character_automaton& of, Spell& spell,
              std::uint32_t first) {
    std::vector<std::uint32_t> targets;
    for (std::uint32_t s = 0; s < of.size(); ++s) {
        targets.clear();
        for (const auto& a : of.arcs(s))
            if (std::find(targets.begin(), targets.end(), a.to) == targets.end()) targets.push_back(a.to);
        for (const std::uint32_t to : targets) {
            std::vector<code_point_range> ranges;
            for (const auto& a : of.arcs(s))
                if (a.to == to) ranges.push_back({a.first, a.last});
            const code_point_set set(std::move(ranges));
            if (to == s) parts.push_back(spell(set));  // a loop is looked for in whole sets
            else spell.add_parts(set, parts);
            while (graph.arcs.size() < parts.size()) graph.arcs.push_back({first + s, first + to});
        }
    }
}
/// An automaton over characters as a graph. `spell(set)`: one character of a set as an expression. Its texts have
/// between `least` and `most` characters.
template <class Rules, class Spell>
expression_id automaton_expression(Rules& rules, const character_automaton& of, Spell& spell, std::uint32_t least = 0,
                                   std::uint32_t most = walk::unlimited) {
    expression_graph graph;
    std::vector<expression_id> parts;
    for (std::uint32_t s = 0; s < of.size(); ++s) graph.add_node(of.label(s) != 0);
    if (of.empty()) graph.add_node();
    add_arcs(graph, parts, of, spell, 0);
    if (least != 0 || most != walk::unlimited)
        graph.bounds = {.memory = walk_memory::count, .least = least, .most = most};
    return rules.add_graph(std::move(graph), parts.data());
}

}  // namespace riffle::detail
