#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <riffle/constraint/automaton_draft.hpp>
#include <riffle/constraint/byte_automaton.hpp>
#include <riffle/constraint/loop_finder.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// Makes an automaton of its draft: what leads nowhere is cut off, so that a text that can be gone on with can be
/// finished; nodes that do nothing are passed over; rules get the order in which they are called.
template <class Draft>
class automaton_compiler {
public:
    explicit automaton_compiler(Draft& draft) : d_(draft) {}

    enum class outcome { good, matches_nothing, left_recursion };

    outcome compile(byte_automaton& into) {
        find_shortest();
        collect_steps();
        if (!order_rules()) return outcome::left_recursion;
        if (matches_nothing(0)) return outcome::matches_nothing;
        cut_dead_ends();
        pass_over_steps();
        collect_steps();
        turn_tail_calls_into_loops();
        collect_steps();
        write(into);
        loop_finder(into).find(d_.of_sets, d_.sets);
        return outcome::good;
    }
    /// Of the draft's rules, the one that calls itself before a byte is read.
    std::uint32_t left_recursive() const noexcept { return left_recursive_; }
    /// Whether no text matches one of the draft's rules.
    bool matches_nothing(std::uint32_t rule) const noexcept { return shortest_of_rule_[rule] == endless; }

private:
    enum : std::uint32_t { endless = 1u << 30 };

    /// Lists of numbers, one for each node.
    struct lists {
        std::vector<std::uint32_t> begins, all;
        std::size_t begin(std::uint32_t of) const noexcept { return begins[of]; }
        std::size_t end(std::uint32_t of) const noexcept { return begins[of + 1]; }
    };
    template <class Items, class From, class Number>
    static lists group(const Items& items, std::size_t nodes, From from, Number number) {
        lists made;
        made.begins.assign(nodes + 1, 0);
        for (const auto& item : items) ++made.begins[from(item) + 1];
        for (std::size_t i = 0; i < nodes; ++i) made.begins[i + 1] += made.begins[i];
        made.all.resize(items.size());
        std::vector<std::uint32_t> next(made.begins.begin(), made.begins.end() - 1);
        std::uint32_t i = 0;
        for (const auto& item : items) made.all[next[from(item)]++] = number(item, i++);
        return made;
    }

    // ---- the shortest text from each node to the end of its rule (Knuth, "A generalization of Dijkstra's algorithm",
    // 1977). Where there is none, nothing can come of the node.

    struct way_back {
        std::uint32_t from, to, bytes;
    };
    struct distance {
        std::uint32_t bytes, node;
        bool operator<(const distance& other) const noexcept { return bytes > other.bytes; }  // the least first
    };

    void find_shortest() {
        const std::size_t nodes = d_.nodes.size();
        shortest_.assign(nodes, endless);
        shortest_of_rule_.assign(d_.rules.size(), endless);
        std::vector<way_back> ways;
        for (const auto& e : d_.edges) ways.push_back({e.from, e.to.to, 1});
        for (const auto& e : d_.token_edges) ways.push_back({e.from, e.to.to, 1});
        for (const auto& s : d_.steps) ways.push_back({s.from, s.to, 0});
        std::vector<way_back> calls;  // `to` is the rule
        for (std::uint32_t n = 0; n < nodes; ++n) {
            const auto& node = d_.nodes[n];
            if (node.called == automaton_node::no_rule) continue;
            if (node.most != 0 && node.least == 0) ways.push_back({n, node.returns_to, 0});
            calls.push_back({n, std::uint32_t(node.called), 0});
        }
        const auto number = [](const way_back&, std::uint32_t i) { return i; };
        const lists into = group(
            ways, nodes, [](const way_back& w) { return w.to; }, number);
        const lists callers = group(
            calls, d_.rules.size(), [](const way_back& w) { return w.to; }, number);
        const lists returns = group(
            calls, nodes, [&](const way_back& w) { return d_.nodes[w.from].returns_to; }, number);

        std::vector<distance> heap;
        std::vector<std::uint8_t> is_settled(nodes);
        const auto offer = [&](std::uint32_t node, std::uint64_t bytes) {
            bytes = (std::min<std::uint64_t>)(bytes, endless - 1);  // so long that it does not matter how long
            if (bytes >= shortest_[node]) return;
            shortest_[node] = std::uint32_t(bytes);
            heap.push_back({std::uint32_t(bytes), node});
            std::push_heap(heap.begin(), heap.end());
        };
        const auto offer_call = [&](std::uint32_t n) {
            const auto& node = d_.nodes[n];
            const std::uint64_t inside = shortest_of_rule_[std::uint32_t(node.called)];
            const std::uint64_t behind = shortest_[node.returns_to];
            if (inside == endless || behind == endless) return;
            offer(n, inside * (node.most != 0 ? node.least : 1) + behind);
        };
        for (const auto& rule : d_.rules) offer(rule.end, 0);
        while (!heap.empty()) {
            std::pop_heap(heap.begin(), heap.end());
            const distance nearest = heap.back();
            heap.pop_back();
            if (std::exchange(is_settled[nearest.node], std::uint8_t{1})) continue;
            for (std::size_t i = into.begin(nearest.node); i < into.end(nearest.node); ++i)
                offer(ways[into.all[i]].from, std::uint64_t{nearest.bytes} + ways[into.all[i]].bytes);
            for (std::size_t i = returns.begin(nearest.node); i < returns.end(nearest.node); ++i)
                offer_call(calls[returns.all[i]].from);
            const std::uint32_t r = d_.nodes[nearest.node].rule;
            if (nearest.node < byte_automaton::first_of_rules || d_.rules[r].start != nearest.node) continue;
            shortest_of_rule_[r] = nearest.bytes;
            for (std::size_t i = callers.begin(r); i < callers.end(r); ++i) offer_call(calls[callers.all[i]].from);
        }
    }
    bool is_nullable(std::uint32_t rule) const noexcept { return shortest_of_rule_[rule] == 0; }

    void cut_dead_ends() {
        const auto leads_on = [&](std::uint32_t to) { return shortest_[to] != endless; };
        std::erase_if(d_.edges, [&](const auto& e) { return !leads_on(e.to.to); });
        std::erase_if(d_.token_edges, [&](const auto& e) { return !leads_on(e.to.to); });
        std::erase_if(d_.steps, [&](const auto& s) { return !leads_on(s.to); });
        std::erase_if(d_.of_sets, [&](const auto& s) { return !leads_on(s.to); });
        for (std::uint32_t n = 0; n < d_.nodes.size(); ++n) {
            auto& node = d_.nodes[n];
            if (node.called == automaton_node::no_rule) continue;
            const auto rule = std::uint32_t(node.called);
            const bool can_begin = shortest_of_rule_[rule] != endless, can_end = leads_on(node.returns_to);
            if (node.most != 0 && can_begin && is_nullable(rule)) node.least = 0;
            if (can_begin && can_end) continue;
            if (can_end && node.most != 0 && node.least == 0) d_.add_step(n, node.returns_to);  // no repetition
            node.called = automaton_node::no_rule;
            node.most = 0;
        }
    }

    /// A node that has one step and nothing else is the node that the step leads to.
    void pass_over_steps() {
        const std::size_t nodes = d_.nodes.size();
        std::vector<std::uint32_t> others(nodes), only(nodes);
        for (const auto& e : d_.edges) ++others[e.from];
        for (const auto& e : d_.token_edges) ++others[e.from];
        std::vector<std::uint32_t> steps(nodes);
        for (const auto& s : d_.steps) {
            ++steps[s.from];
            only[s.from] = s.to;
        }
        const auto target = [&](std::uint32_t n) {
            for (std::size_t i = 0; i < nodes; ++i) {  // a ring of steps comes to an end too
                const auto& node = d_.nodes[n];
                if (steps[n] != 1 || others[n] != 0 || node.called != automaton_node::no_rule || node.ends_rule) break;
                if (d_.nodes[only[n]].most != 0 || i == 64) break;  // what returns to a repetition has counted one
                n = only[n];
            }
            return n;
        };
        for (auto& e : d_.edges) e.to.to = target(e.to.to);
        for (auto& e : d_.token_edges) e.to.to = target(e.to.to);
        for (auto& s : d_.steps) s.to = target(s.to);
        for (auto& s : d_.of_sets) s.to = target(s.to);
        for (auto& node : d_.nodes)
            if (node.called != automaton_node::no_rule) node.returns_to = target(node.returns_to);
        for (auto& rule : d_.rules) rule.start = target(rule.start);
        std::erase_if(d_.steps, [](const auto& s) { return s.from == s.to; });
    }
    void collect_steps() {
        steps_ = group(
            d_.steps, d_.nodes.size(), [](const auto& s) { return s.from; },
            [](const auto& s, std::uint32_t) { return s.to; });
    }

    // ---- the order of rules: each ahead of those that it calls before a byte is read

    /// The nodes that can be reached from one of a rule without a byte being read in that rule.
    template <class Visit>
    void visit_unread(std::uint32_t from, std::vector<std::uint32_t>& seen, std::uint32_t mark, Visit visit) const {
        std::vector<std::uint32_t> left{from};
        while (!left.empty()) {
            const std::uint32_t n = left.back();
            left.pop_back();
            if (std::exchange(seen[n], mark) == mark) continue;
            const auto& node = d_.nodes[n];
            visit(n);
            for (std::size_t i = steps_.begin(n); i < steps_.end(n); ++i) left.push_back(steps_.all[i]);
            if (node.called == automaton_node::no_rule) continue;
            if (is_nullable(std::uint32_t(node.called)) || (node.most != 0 && node.least == 0))
                left.push_back(node.returns_to);
        }
    }
    bool order_rules() {
        struct visit {
            std::uint32_t rule;
            std::size_t next;
            std::vector<std::uint32_t> calls;
        };
        enum : std::uint8_t { unseen, open, done };
        const std::size_t count = d_.rules.size();
        std::vector<std::uint8_t> state(count, unseen);
        std::vector<std::uint32_t> seen(d_.nodes.size(), ~0u);
        std::vector<visit> visits;
        order_.assign(count, 0);
        auto next_order = std::uint32_t(count);
        const auto enter = [&](std::uint32_t rule) {
            state[rule] = open;
            visits.push_back({rule, 0, {}});
            visit_unread(d_.rules[rule].start, seen, rule, [&](std::uint32_t n) {
                if (d_.nodes[n].called != automaton_node::no_rule)
                    visits.back().calls.push_back(std::uint32_t(d_.nodes[n].called));
            });
        };
        for (std::uint32_t first = 0; first < count; ++first) {
            if (state[first] != unseen) continue;
            enter(first);
            while (!visits.empty()) {
                visit& v = visits.back();
                if (v.next == v.calls.size()) {
                    state[v.rule] = done;
                    order_[v.rule] = --next_order;
                    visits.pop_back();
                    continue;
                }
                const std::uint32_t called = v.calls[v.next++];
                if (state[called] == open) {
                    left_recursive_ = called;
                    return false;
                }
                if (state[called] == unseen) enter(called);
            }
        }
        return true;
    }

    /// A rule that calls itself last of all begins anew: `list ::= item list | item` is a loop.
    void turn_tail_calls_into_loops() {
        for (std::uint32_t n = 0; n < d_.nodes.size(); ++n) {
            auto& node = d_.nodes[n];
            if (node.called != std::int32_t(node.rule) || node.most != 0 || n < byte_automaton::first_of_rules)
                continue;
            if (!is_tail(node.returns_to)) continue;
            d_.add_step(n, d_.rules[node.rule].start);
            node.called = automaton_node::no_rule;
        }
    }
    bool is_tail(std::uint32_t n) const noexcept { return d_.nodes[n].ends_rule && steps_.begin(n) == steps_.end(n); }

    // ---- the automaton

    void write(byte_automaton& into) {
        const std::size_t count = d_.nodes.size();
        into.nodes.assign(count + 1, {});
        for (std::uint32_t n = 0; n < count; ++n) {
            const auto& from = d_.nodes[n];
            automaton_node& node = into.nodes[n];
            node.called = from.called;
            node.returns_to = from.returns_to;
            node.least = from.least;
            node.most = from.most;
            node.ends_rule = from.ends_rule;
            node.is_tail = is_tail(n);
        }
        const auto by_node = [](const auto& a, const auto& b) { return a.from < b.from; };
        std::sort(d_.edges.begin(), d_.edges.end(), [](const auto& a, const auto& b) {
            return a.from != b.from ? a.from < b.from : a.to.first < b.to.first;
        });
        std::sort(d_.token_edges.begin(), d_.token_edges.end(), by_node);
        std::sort(d_.steps.begin(), d_.steps.end(), by_node);
        const auto set_begins = [&](const auto& items, auto begin) {
            std::size_t next = 0;
            for (std::uint32_t n = 0; n <= count; ++n) {
                while (next < items.size() && items[next].from < n) ++next;
                into.nodes[n].*begin = std::uint32_t(next);
            }
        };
        set_begins(d_.edges, &automaton_node::edges);
        set_begins(d_.token_edges, &automaton_node::token_edges);
        set_begins(d_.steps, &automaton_node::steps);
        for (const auto& e : d_.edges) into.edges.push_back(e.to);
        for (const auto& e : d_.token_edges) into.token_edges.push_back(e.to);
        for (const auto& s : d_.steps) into.steps.push_back(s.to);
        for (std::uint32_t r = 0; r < d_.rules.size(); ++r)
            into.rules.push_back({d_.rules[r].start, d_.rules[r].end, order_[r], shortest_of_rule_[r], is_nullable(r),
                                  d_.rules[r].is_repeated});
        into.root = 0;
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

    Draft& d_;
    std::vector<std::uint32_t> shortest_, shortest_of_rule_, order_;
    lists steps_;
    std::uint32_t left_recursive_ = 0;
};

}  // namespace riffle::detail
