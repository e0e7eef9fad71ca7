#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <riffle/constraint/automaton_draft.hpp>
#include <riffle/constraint/byte_automaton.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// Finds the loops over sets of characters in an automaton. The tokens that are legal in such a loop are known without
/// walking them (class_slice.hpp), so it is worth looking; a loop that is not found costs time and nothing else.
template <class Automaton>
class loop_finder {
public:
    /// Sets of so few characters have few tokens, which are soon walked.
    enum : std::size_t { least_of_loop = 20 };

    explicit loop_finder(Automaton& of) : of_(of), seen_(of.nodes.size(), ~0u), rule_ending_(of.nodes.size(), no_rule) {
        for (std::uint32_t r = 0; r < of.rules.size(); ++r) rule_ending_[of.rules[r].end] = r;
        find_rules_called_again();
    }
    /// Marks the nodes of `of_sets`, each of which reads the characters of one of the sets.
    template <class OfCharacters>
    void find(const std::vector<OfCharacters>& of_sets, const std::vector<code_point_set>& sets) {
        for (const OfCharacters& s : of_sets) {
            const loop_kind kind = sets[s.set].size() < least_of_loop ? loop_kind::none : kind_of(s.node, s.to);
            if (kind != loop_kind::none) mark(s.node, kind, number_of(sets[s.set]));
        }
        // What is ahead of a loop over its set, as the first of `[a-z]+`, is as good as in it.
        for (const OfCharacters& s : of_sets) {
            if (of_.nodes[s.node].loop != loop_kind::none) continue;
            visit_near(s.to, [&](std::uint32_t n) {
                const automaton_node& next = of_.nodes[n];
                if (next.loop == loop_kind::endless && of_.loop_sets[next.loop_set] == sets[s.set])
                    mark(s.node, next.loop, next.loop_set);
            });
        }
    }

private:
    using loop_kind = automaton_node::loop_kind;
    enum : std::uint32_t { no_rule = ~0u };
    /// So many nodes are looked at from each set of characters: what lies further away is no loop worth finding.
    enum : std::size_t { most_looked_at = 256 };

    void mark(std::uint32_t node, loop_kind kind, std::uint32_t set) noexcept {
        of_.nodes[node].loop = kind;
        of_.nodes[node].loop_set = set;
    }
    std::uint32_t number_of(const code_point_set& set) {
        for (std::size_t i = 0; i < of_.loop_sets.size(); ++i)
            if (of_.loop_sets[i] == set) return std::uint32_t(i);
        of_.loop_sets.push_back(set);
        return std::uint32_t(of_.loop_sets.size() - 1);
    }

    /// Of a node that reads a character and leads to another one.
    loop_kind kind_of(std::uint32_t node, std::uint32_t to) {
        std::uint32_t ended = no_rule;
        if (reaches(to, node, ended)) return loop_kind::endless;
        if (ended == no_rule) return loop_kind::none;
        const std::uint32_t rule = ended;
        if (!reaches(of_.rules[rule].start, node, ended)) return loop_kind::none;
        if (called_again_[rule] != 0) return loop_kind::endless;
        return of_.rules[rule].is_repeated ? loop_kind::counted : loop_kind::none;
    }
    /// Without a byte being read. `ended` becomes the rule that ends on the way, if one does.
    bool reaches(std::uint32_t from, std::uint32_t to, std::uint32_t& ended) {
        bool found = false;
        visit_near(from, [&](std::uint32_t n) {
            found |= n == to;
            if (rule_ending_[n] != no_rule) ended = rule_ending_[n];
        });
        return found;
    }
    /// Rules that, wherever they are called, can be called again behind that, without end.
    void find_rules_called_again() {
        called_again_.assign(of_.rules.size(), 0);
        std::vector<std::uint8_t> is_left(of_.rules.size());
        for (std::size_t i = 0; i + 1 < of_.nodes.size(); ++i) {
            const automaton_node& node = of_.nodes[i];
            for (const walk_arc& arc : of_.arcs_of(std::uint32_t(i))) {
                called_again_[arc.rule] = 1;
                const bool is_again = arc.to == i && of_.walk_of(arc.to).most == walk::unlimited &&
                                      of_.comes_again(arc.rule, arc.to) && of_.lengths_of(arc.to).empty();
                if (!is_again) is_left[arc.rule] = 1;
            }
            if (!node.calls()) continue;
            bool is_again = false;
            visit_near(node.returns_to, [&](std::uint32_t n) { is_again |= of_.nodes[n].called == node.called; });
            called_again_[std::uint32_t(node.called)] = 1;
            if (!is_again) is_left[std::uint32_t(node.called)] = 1;
        }
        is_left[of_.root] = 1;  // it is called from outside
        for (std::size_t r = 0; r < called_again_.size(); ++r) called_again_[r] &= !is_left[r];
    }
    /// The nodes that can be reached without a byte being read in that rule.
    template <class Visit>
    void visit_near(std::uint32_t from, Visit visit) {
        ++round_;
        std::vector<std::uint32_t> left{from};
        for (std::size_t looked_at = 0; !left.empty() && looked_at < most_looked_at; ++looked_at) {
            const std::uint32_t n = left.back();
            left.pop_back();
            if (std::exchange(seen_[n], round_) == round_) continue;
            visit(n);
            for (const std::uint32_t to : of_.steps_of(n)) left.push_back(to);
            const automaton_node& node = of_.nodes[n];
            const bool can_skip = node.calls()   ? of_.rules[std::uint32_t(node.called)].is_nullable
                                  : node.walks() ? node.may_end_walk && of_.walk_of(n).may_end(of_.walk_of(n).begin())
                                                 : false;
            if (can_skip) left.push_back(node.returns_to);
        }
    }

    Automaton& of_;
    std::vector<std::uint32_t> seen_;  ///< for each node: the round in which it was met
    std::uint32_t round_ = 0;
    std::vector<std::uint32_t> rule_ending_;  ///< for each node: the rule that it is the end of
    std::vector<std::uint8_t> called_again_;  ///< for each rule
};

}  // namespace riffle::detail
