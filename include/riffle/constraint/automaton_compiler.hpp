#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include <riffle/constraint/automaton_draft.hpp>
#include <riffle/constraint/byte_automaton.hpp>
#include <riffle/constraint/grouped_lists.hpp>
#include <riffle/constraint/loop_finder.hpp>
#include <riffle/constraint/rule_order.hpp>
#include <riffle/constraint/shortest_texts.hpp>
#include <riffle/constraint/walk_lengths.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// Makes an automaton of its draft: what leads nowhere is cut off, so that a text that can be gone on with can be
/// finished; nodes that do nothing are passed over; rules get the order in which they are called.
template <class Draft>
class automaton_compiler {
public:
    explicit automaton_compiler(Draft& draft) : draft_(draft) {}

    enum class outcome { good, matches_nothing, left_recursion, too_large };

    outcome compile(byte_automaton& into) {
        if (!find_shortest()) return outcome::too_large;
        collect_steps();
        const grouped_lists arcs(
            draft_.arcs, draft_.nodes.size(), [](const auto& a) { return a.from; },
            [](const auto& a, std::uint32_t) { return a.to.rule; });
        if (!order_.find(draft_, steps_, arcs, shortest_)) return outcome::left_recursion;
        if (shortest_.of_rule(byte_automaton::root) == endless) return outcome::matches_nothing;
        cut_dead_ends();
        pass_over_steps();
        collect_steps();
        turn_tail_calls_into_loops();
        collect_steps();
        write(into);
        loop_finder(into).find(draft_.of_sets, draft_.sets);
        return outcome::good;
    }
    /// Of the draft's rules, the one that calls itself before a byte is read.
    std::uint32_t left_recursive() const noexcept { return order_.left_recursive(); }

private:
    bool is_nullable(std::uint32_t rule) const noexcept { return shortest_.of_rule(rule) == 0; }
    bool is_endless(std::uint32_t rule) const noexcept { return shortest_.of_rule(rule) == endless; }

    /// The shortest texts, where walks have enough arcs that have a text. Which have one depends on the walks again, so
    /// all walks are closed at first, and opened as they are found to have enough. Those that stay closed are cut off.
    bool find_shortest() {
        std::vector<std::uint8_t> is_closed(draft_.nodes.size());
        std::vector<std::uint32_t> closed;
        for (std::uint32_t n = 0; n < draft_.nodes.size(); ++n)
            if (draft_.nodes[n].walks() && draft_.nodes[n].begins_walk &&
                draft_.walks[draft_.nodes[n].walk].nodes > 1) {
                is_closed[n] = 1;
                closed.push_back(n);
            }
        for (bool has_opened = true; has_opened;) {
            shortest_.find(draft_, is_closed);
            if (!lengths_.find(draft_, shortest_)) return false;
            has_opened = false;
            std::erase_if(closed, [&](std::uint32_t n) {
                if (!lengths_.can_be_ended(n, draft_, shortest_)) return false;
                is_closed[n] = 0;
                return has_opened = true;
            });
        }
        for (const std::uint32_t n : closed) draft_.nodes[n].walk = automaton_node::no_walk;
        std::erase_if(draft_.arcs, [&](const auto& a) {
            return !draft_.nodes[a.from].walks() || lengths_.is_too_far_from_an_end(a.to.to, draft_);
        });
        return true;
    }
    void cut_dead_ends() {
        const auto leads_on = [&](std::uint32_t to) { return shortest_.of_node(to) != endless; };
        std::erase_if(draft_.edges, [&](const auto& e) { return !leads_on(e.to.to); });
        std::erase_if(draft_.token_edges, [&](const auto& e) { return !leads_on(e.to.to); });
        std::erase_if(draft_.steps, [&](const auto& s) { return !leads_on(s.to); });
        std::erase_if(draft_.of_sets, [&](const auto& s) { return !leads_on(s.to); });
        for (auto& node : draft_.nodes)
            if (node.calls() && (is_endless(std::uint32_t(node.called)) || !leads_on(node.returns_to)))
                node.called = automaton_node::no_rule;
        std::erase_if(draft_.arcs, [&](const auto& a) {
            return is_endless(a.to.rule) || !leads_on(a.to.to) || !leads_on(draft_.nodes[a.from].returns_to);
        });
        for (const auto& a : draft_.arcs)  // what matches the empty text may come less often
            if (is_nullable(a.to.rule)) draft_.walks[draft_.nodes[a.from].walk].bounds.least = 0;
        for (auto& node : draft_.nodes)
            if (node.walks() && !leads_on(node.returns_to)) node.walk = automaton_node::no_walk;
    }

    /// A node that has one step and nothing else is the node that the step leads to.
    void pass_over_steps() {
        const std::size_t nodes = draft_.nodes.size();
        std::vector<std::uint32_t> others(nodes), only(nodes);
        for (const auto& e : draft_.edges) ++others[e.from];
        for (const auto& e : draft_.token_edges) ++others[e.from];
        for (std::size_t n = 0; n < nodes; ++n) others[n] += draft_.nodes[n].walks();
        std::vector<std::uint32_t> steps(nodes);
        for (const auto& s : draft_.steps) {
            ++steps[s.from];
            only[s.from] = s.to;
        }
        const auto target = [&](std::uint32_t n) {
            for (std::size_t i = 0; i < nodes; ++i) {  // a ring of steps comes to an end too
                const auto& node = draft_.nodes[n];
                if (steps[n] != 1 || others[n] != 0 || node.calls() || node.ends_rule) break;
                if (draft_.nodes[only[n]].walks() || i == 64) break;  // what returns to a walk has taken an arc
                n = only[n];
            }
            return n;
        };
        for (auto& e : draft_.edges) e.to.to = target(e.to.to);
        for (auto& e : draft_.token_edges) e.to.to = target(e.to.to);
        for (auto& s : draft_.steps) s.to = target(s.to);
        for (auto& s : draft_.of_sets) s.to = target(s.to);
        for (auto& node : draft_.nodes)
            if (node.calls() || node.walks()) node.returns_to = target(node.returns_to);
        for (auto& rule : draft_.rules) rule.start = target(rule.start);
        std::erase_if(draft_.steps, [](const auto& s) { return s.from == s.to; });
    }
    void collect_steps() {
        steps_ = grouped_lists(
            draft_.steps, draft_.nodes.size(), [](const auto& s) { return s.from; },
            [](const auto& s, std::uint32_t) { return s.to; });
    }

    /// A rule that calls itself last of all begins anew: `list ::= item list | item` is a loop.
    void turn_tail_calls_into_loops() {
        for (std::uint32_t n = 0; n < draft_.nodes.size(); ++n) {
            auto& node = draft_.nodes[n];
            if (node.called != std::int32_t(node.rule) || n < byte_automaton::first_of_rules) continue;
            if (!is_tail(node.returns_to)) continue;
            draft_.add_step(n, draft_.rules[node.rule].start);
            node.called = automaton_node::no_rule;
        }
    }
    bool is_tail(std::uint32_t n) const noexcept { return draft_.nodes[n].ends_rule && steps_.is_empty(n); }

    // ---- the automaton

    void write(byte_automaton& into) {
        const std::size_t count = draft_.nodes.size();
        into.nodes.assign(count + 1, {});
        for (std::uint32_t n = 0; n < count; ++n) {
            const auto& from = draft_.nodes[n];
            automaton_node& node = into.nodes[n];
            node.rule = from.rule;
            node.called = from.called;
            node.returns_to = from.returns_to;
            node.walk = from.walk;
            node.may_end_walk = from.may_end_walk;
            node.ends_rule = from.ends_rule;
            node.is_tail = is_tail(n);
            node.lengths = std::uint32_t(into.lengths.size());
            into.lengths.insert(into.lengths.end(), lengths_[n].begin(), lengths_[n].end());
        }
        into.nodes[count].lengths = std::uint32_t(into.lengths.size());
        for (const auto& w : draft_.walks) {
            into.walks.push_back(w.bounds);
            into.walks.back().longest_told_apart = lengths_.longest_told_apart(w);
        }
        const auto by_node = [](const auto& a, const auto& b) { return a.from < b.from; };
        std::sort(draft_.edges.begin(), draft_.edges.end(), [](const auto& a, const auto& b) {
            return a.from != b.from ? a.from < b.from : a.to.first < b.to.first;
        });
        std::sort(draft_.token_edges.begin(), draft_.token_edges.end(), by_node);
        std::sort(draft_.steps.begin(), draft_.steps.end(), by_node);
        std::sort(draft_.arcs.begin(), draft_.arcs.end(), [](const auto& a, const auto& b) {
            return std::tie(a.from, a.to.rule, a.to.to, a.to.bit) < std::tie(b.from, b.to.rule, b.to.to, b.to.bit);
        });
        const auto set_begins = [&](const auto& items, auto begin) {
            std::size_t next = 0;
            for (std::uint32_t n = 0; n <= count; ++n) {
                while (next < items.size() && items[next].from < n) ++next;
                into.nodes[n].*begin = std::uint32_t(next);
            }
        };
        set_begins(draft_.edges, &automaton_node::edges);
        set_begins(draft_.token_edges, &automaton_node::token_edges);
        set_begins(draft_.steps, &automaton_node::steps);
        set_begins(draft_.arcs, &automaton_node::arcs);
        for (const auto& e : draft_.edges) into.edges.push_back(e.to);
        for (const auto& e : draft_.token_edges) into.token_edges.push_back(e.to);
        for (const auto& s : draft_.steps) into.steps.push_back(s.to);
        for (const auto& a : draft_.arcs) into.arcs.push_back(a.to);
        for (std::uint32_t r = 0; r < draft_.rules.size(); ++r) {
            const auto& rule = draft_.rules[r];
            into.rules.push_back({rule.start, rule.end, order_[r], shortest_.of_rule(r), is_nullable(r),
                                  rule.is_repeated, rule.is_captured ? rule.named : ~0u});
            into.has_captures |= rule.is_captured;
        }
        write_classes(into);
    }
    /// Bytes that no edge tells apart are one class.
    static void write_classes(byte_automaton& into) {
        bool begins[257] = {true};
        for (const auto& e : into.edges) begins[e.first] = begins[std::size_t{e.last} + 1] = true;
        std::uint32_t classes = 0;
        for (std::size_t byte = 0; byte < 256; ++byte) {
            if (begins[byte]) into.byte_of_class[classes++] = std::uint8_t(byte);
            into.class_of[byte] = std::uint8_t(classes - 1);
        }
        into.classes = classes;
    }

    static constexpr std::uint32_t endless = shortest_texts<Draft>::endless;

    Draft& draft_;
    shortest_texts<Draft> shortest_;
    walk_lengths<Draft> lengths_;
    rule_order<Draft> order_;
    grouped_lists steps_;  ///< of each node
};

}  // namespace riffle::detail
