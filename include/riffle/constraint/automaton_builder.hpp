#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <riffle/constraint/automaton_draft.hpp>
#include <riffle/constraint/expressions.hpp>
#include <riffle/constraint/grammar_limits.hpp>
#include <riffle/constraint/loop_finder.hpp>
#include <riffle/constraint/rule_analysis.hpp>
#include <riffle/core/text.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// Turns the expressions of a grammar into a draft of its automaton: the root, and the rules that it comes to call.
template <class Rules>
class automaton_builder {
public:
    automaton_builder(const Rules& g, const grammar_limits& limits)
        : grammar_(g), limits_(limits), rules_(g), rule_of_(g.rules.size(), none), walked_(g.expressions.size(), none),
          draft_() {}

    /// False where it is larger than the limits allow.
    bool build() {
        call_of(grammar_.root);
        for (std::size_t i = 0; i < left_.size(); ++i) {
            const work& w = left_[i];
            const automaton_draft::rule& rule = draft_.rules[w.rule];
            put(w.body, rule.start, rule.end, grammar_.at(w.body).height);
            if (draft_.nodes.size() > limits_.nodes) return false;
        }
        return true;
    }
    automaton_draft& draft() noexcept { return draft_; }

private:
    enum : std::uint32_t { none = ~0u };
    /// What is put in the place of calls, and copied, comes to so many nodes at most; then rules are called, and
    /// repetitions counted.
    enum : std::size_t { most_inlined = 1 << 16 };
    /// Expressions within expressions, rules that stand in the place of calls included.
    enum : std::uint32_t { greatest_height = 1100 };

    /// Rules that are still to be put in.
    struct work {
        std::uint32_t rule;
        expression_id body;
    };

    std::uint32_t call_of(std::uint32_t rule) {
        if (rule_of_[rule] == none) {
            rule_of_[rule] = draft_.add_rule(rule);
            draft_.rules[rule_of_[rule]].is_captured = !grammar_.rules[rule].capture.empty();
            left_.push_back({rule_of_[rule], grammar_.rules[rule].body});
        }
        return rule_of_[rule];
    }
    /// An arc of a walk as a rule of its own.
    std::uint32_t walked(expression_id part, std::uint32_t named) {
        if (grammar_.at(part).kind == expression_kind::rule) return call_of(grammar_.at(part).first);
        if (walked_[part] == none) {
            walked_[part] = draft_.add_rule(named);
            left_.push_back({walked_[part], part});
        }
        return walked_[part];
    }

    /// An expression between two nodes. `height`: of what it is part of.
    void put(expression_id id, std::uint32_t from, std::uint32_t to, std::uint32_t height) {
        if (draft_.nodes.size() > limits_.nodes) return;  // it is refused
        const expression& e = grammar_.at(id);
        switch (e.kind) {
        case expression_kind::literal: return put_literal(grammar_.literal(e), from, to);
        case expression_kind::characters: return put_characters(grammar_.sets[e.first], from, to);
        case expression_kind::sequence: return put_sequence(e, 0, from, to, height);
        case expression_kind::alternatives: return put_alternatives(e, from, to, height);
        case expression_kind::repetition: return put_repetition(e, from, to, height);
        case expression_kind::graph: return put_graph(e, from, to, height);
        case expression_kind::rule: return put_rule(e.first, from, to, height);
        case expression_kind::token: draft_.token_edges.push_back({from, {e.first, e.negated, to}}); return;
        }
    }
    void put_literal(const text& bytes, std::uint32_t from, std::uint32_t to) {
        if (bytes.empty()) return draft_.add_step(from, to);
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            const std::uint32_t next = i + 1 == bytes.size() ? to : node_beside(from);
            draft_.add_edge(from, {std::uint8_t(bytes[i]), std::uint8_t(bytes[i])}, next);
            from = next;
        }
    }
    void put_characters(const code_point_set& set, std::uint32_t from, std::uint32_t to) {
        const auto& ranges = set.ranges();
        if (!ranges.empty() && ranges.back().last < 0x80 && set.size() < loop_finder<byte_automaton>::least_of_loop) {
            for (const auto& range : ranges)
                draft_.add_edge(from, {std::uint8_t(range.first), std::uint8_t(range.last)}, to);
            return;
        }
        const std::uint32_t reads = node_beside(from);
        draft_.add_step(from, reads);
        draft_.add_characters(set, reads, to);
        draft_.of_sets.push_back({reads, std::uint32_t(draft_.sets.size()), to});
        draft_.sets.push_back(set);
    }
    void put_sequence(const expression& e, std::size_t first, std::uint32_t from, std::uint32_t to,
                      std::uint32_t height) {
        if (first == e.count) return draft_.add_step(from, to);
        for (std::size_t i = first; i < e.count; ++i) {
            const std::uint32_t next = i + 1 == e.count ? to : node_beside(from);
            put(grammar_.part(e, i), from, next, height);
            from = next;
        }
    }
    void put_rule(std::uint32_t rule, std::uint32_t from, std::uint32_t to, std::uint32_t height) {
        const std::uint32_t higher = height + grammar_.at(grammar_.rules[rule].body).height;
        if (rules_.can_be_inlined(rule) && higher <= greatest_height && inlined_ + rules_.size(rule) <= most_inlined) {
            inlined_ += rules_.size(rule);
            return put(grammar_.rules[rule].body, from, to, higher);
        }
        const std::uint32_t calls = node_beside(from);
        draft_.add_step(from, calls);
        draft_.nodes[calls].called = std::int32_t(call_of(rule));
        draft_.nodes[calls].returns_to = to;
    }

    // ---- graphs, and repetitions that are not copied, which are graphs of one node and one arc

    std::uint32_t named_around(std::uint32_t node) const noexcept {
        return draft_.rules[draft_.nodes[node].rule].named;
    }
    std::uint32_t walk_node(std::uint32_t from, std::uint32_t to, bool may_end) {
        const std::uint32_t made = node_beside(from);
        automaton_draft::node& node = draft_.nodes[made];
        node.walk = std::uint32_t(draft_.walks.size());
        node.returns_to = to;
        node.may_end_walk = may_end;
        return made;
    }
    void put_walk_of_one(expression_id part, const walk& bounds, std::uint32_t from, std::uint32_t to) {
        const std::uint32_t node = walk_node(from, to, true);
        draft_.nodes[node].begins_walk = true;
        draft_.walks.push_back({bounds, node, 1});
        draft_.add_step(from, node);
        draft_.add_arc(node, walked(part, named_around(from)), node, walk::no_bit);
    }
    void put_graph(const expression& e, std::uint32_t from, std::uint32_t to, std::uint32_t height) {
        const expression_graph& graph = grammar_.graphs[e.least];
        if (graph.bounds.memory != walk_memory::nothing) return put_walk(e, graph, from, to);
        std::vector<std::uint32_t> nodes;
        for (std::size_t i = 0; i < graph.may_end.size(); ++i) {
            nodes.push_back(node_beside(from));
            if (graph.may_end[i] != 0) draft_.add_step(nodes[i], to);
        }
        draft_.add_step(from, nodes[0]);
        std::vector<std::size_t> arcs(e.count);  // those of one part that lead to one node stand together, and share it
        for (std::size_t i = 0; i < e.count; ++i) arcs[i] = i;
        const auto key = [&](std::size_t i) { return std::uint64_t{grammar_.part(e, i)} << 32 | graph.arcs[i].to; };
        std::sort(arcs.begin(), arcs.end(),
                  [&](std::size_t a, std::size_t b) { return key(a) != key(b) ? key(a) < key(b) : a < b; });
        for (std::size_t i = 0; i < arcs.size();) {
            std::size_t end = i + 1;
            while (end < arcs.size() && key(arcs[end]) == key(arcs[i])) ++end;
            const std::uint32_t begin = end == i + 1 ? nodes[graph.arcs[arcs[i]].from] : node_beside(from);
            put(grammar_.part(e, arcs[i]), begin, nodes[graph.arcs[arcs[i]].to], height);
            for (; i < end; ++i) draft_.add_step(nodes[graph.arcs[arcs[i]].from], begin);
        }
    }
    void put_walk(const expression& e, const expression_graph& graph, std::uint32_t from, std::uint32_t to) {
        std::vector<std::uint32_t> nodes;
        for (const std::uint8_t may_end : graph.may_end) nodes.push_back(walk_node(from, to, may_end != 0));
        const std::uint32_t first = walk_node(from, to, graph.may_end[0] != 0);
        draft_.nodes[first].begins_walk = true;
        draft_.walks.push_back({graph.bounds, nodes[0], std::uint32_t(nodes.size() + 1)});
        draft_.add_step(from, first);
        for (std::size_t i = 0; i < e.count; ++i) {
            const expression_graph::arc& arc = graph.arcs[i];
            const std::uint32_t rule = walked(grammar_.part(e, i), named_around(from));
            draft_.add_arc(nodes[arc.from], rule, nodes[arc.to], arc.bit);
            if (arc.from == 0) draft_.add_arc(first, rule, nodes[arc.to], arc.bit);
        }
    }

    void put_repetition(const expression& e, std::uint32_t from, std::uint32_t to, std::uint32_t height) {
        if (e.most == 0) return draft_.add_step(from, to);
        const expression_id part = grammar_.part(e, 0);
        const bool is_endless = e.most == expression::unlimited;
        const std::uint64_t copies = is_endless ? std::uint64_t{e.least} + 1 : e.most;
        const std::uint64_t nodes = copies * rules_.size_of(part);
        const bool is_small = copies <= rule_analysis<Rules>::most_copies &&
                              nodes <= rule_analysis<Rules>::most_copied && inlined_ + nodes <= most_inlined;
        if (!is_small && copies > 1) return put_walk_of_one(part, {.least = e.least, .most = e.most}, from, to);
        if (copies > 1) inlined_ += std::size_t(nodes);
        for (std::uint32_t i = 0; i < e.least; ++i) from = put_copy(part, from, height);
        if (is_endless) {
            const std::uint32_t again = node_beside(from);
            draft_.add_step(from, again);
            put(part, again, again, height);
            from = again;
        } else {
            for (std::uint32_t i = e.least; i < e.most; ++i) {
                draft_.add_step(from, to);
                from = put_copy(part, from, height);
            }
        }
        draft_.add_step(from, to);
    }
    std::uint32_t put_copy(expression_id part, std::uint32_t from, std::uint32_t height) {
        const std::uint32_t next = node_beside(from);
        put(part, from, next, height);
        return next;
    }

    // ---- alternatives. Literals, and what begins with one, become a tree of their bytes, so that a thousand words are
    // read in one way at a time; sets of characters become one set, so that a loop over them is seen.

    struct branch {
        text head;         ///< the literal that it begins with
        expression_id of;  ///< the alternative
    };

    text head_of(expression_id id) const noexcept {
        const expression& e = grammar_.at(id);
        if (e.kind == expression_kind::literal) return grammar_.literal(e);
        if (e.kind == expression_kind::sequence && grammar_.at(grammar_.part(e, 0)).kind == expression_kind::literal)
            return grammar_.literal(grammar_.at(grammar_.part(e, 0)));
        return {};
    }
    void put_alternatives(const expression& e, std::uint32_t from, std::uint32_t to, std::uint32_t height) {
        std::vector<branch> branches;
        std::vector<code_point_range> characters;
        std::size_t sets = 0;
        for (std::size_t i = 0; i < e.count; ++i)
            sets += grammar_.at(grammar_.part(e, i)).kind == expression_kind::characters;
        for (std::size_t i = 0; i < e.count; ++i) {
            const expression_id id = grammar_.part(e, i);
            if (grammar_.at(id).kind == expression_kind::characters) {
                const auto& ranges = grammar_.sets[grammar_.at(id).first].ranges();
                characters.insert(characters.end(), ranges.begin(), ranges.end());
                continue;
            }
            const text head = head_of(id);
            const decoded_character c = decode_utf8(head);
            const bool is_a_character = grammar_.at(id).kind == expression_kind::literal && c.length == head.size();
            if (sets > 0 && is_a_character && !head.empty()) characters.push_back({c.value, c.value});
            else if (head.empty()) put(id, from, to, height);
            else branches.push_back({head, id});
        }
        if (sets > 0) put_characters(code_point_set(std::move(characters)), from, to);
        put_tree(branches, from, to, height);
    }
    void put_tree(std::vector<branch>& branches, std::uint32_t from, std::uint32_t to, std::uint32_t height) {
        struct subtree {
            std::size_t begin, end;  ///< of the branches, which begin alike
            std::size_t read;        ///< bytes that have been read
            std::uint32_t from;
        };
        std::sort(branches.begin(), branches.end(), [](const branch& a, const branch& b) {
            return std::lexicographical_compare(a.head.begin(), a.head.end(), b.head.begin(), b.head.end());
        });
        std::vector<subtree> left;
        if (!branches.empty()) left.push_back({0, branches.size(), 0, from});
        while (!left.empty()) {
            subtree s = left.back();
            left.pop_back();
            for (; s.begin < s.end && branches[s.begin].head.size() == s.read; ++s.begin)
                put_behind_head(branches[s.begin].of, s.from, to, height);
            while (s.begin < s.end) {
                const text& first = branches[s.begin].head;
                std::size_t end = s.begin + 1;
                while (end < s.end && branches[end].head[s.read] == first[s.read]) ++end;
                const text& last = branches[end - 1].head;
                std::size_t read = s.read + 1;
                while (read < first.size() && read < last.size() && first[read] == last[read]) ++read;
                const bool is_whole = end == s.begin + 1 && is_literal(branches[s.begin].of);
                const std::uint32_t next = is_whole ? to : node_beside(s.from);
                put_literal(first.part(s.read, read - s.read), s.from, next);
                if (!is_whole) left.push_back({s.begin, end, read, next});
                s.begin = end;
            }
        }
    }
    bool is_literal(expression_id id) const noexcept { return grammar_.at(id).kind == expression_kind::literal; }
    void put_behind_head(expression_id id, std::uint32_t from, std::uint32_t to, std::uint32_t height) {
        if (is_literal(id)) draft_.add_step(from, to);
        else put_sequence(grammar_.at(id), 1, from, to, height);
    }

    std::uint32_t node_beside(std::uint32_t other) { return draft_.add_node(draft_.nodes[other].rule); }

    const Rules& grammar_;
    grammar_limits limits_;
    rule_analysis<Rules> rules_;
    std::vector<std::uint32_t> rule_of_;  ///< of a named rule, where it is called
    std::vector<std::uint32_t> walked_;   ///< of an expression, where it is an arc of a walk
    std::vector<work> left_;
    automaton_draft draft_;
    std::size_t inlined_ = 0;
};

}  // namespace riffle::detail
