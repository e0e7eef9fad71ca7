#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <riffle/constraint/byte_automaton.hpp>
#include <riffle/constraint/grouped_lists.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// How many bytes the shortest text has from each node of a draft to the end of its rule, a token being one. Where
/// there is none, nothing can come of the node. (Knuth, "A generalization of Dijkstra's algorithm", 1977.)
template <class Draft>
class shortest_texts {
public:
    enum : std::uint32_t { endless = 1u << 30 };

    /// `is_closed`: of each node, that it is to have none.
    void find(const Draft& draft, const std::vector<std::uint8_t>& is_closed) {
        const ways_back back(draft);
        search s(draft, back, is_closed, of_node_, of_rule_);
        s.run();
    }
    std::uint32_t of_node(std::uint32_t node) const noexcept { return of_node_[node]; }
    std::uint32_t of_rule(std::uint32_t rule) const noexcept { return of_rule_[rule]; }
    /// Whether a walk that begins at a node may be one of no arcs.
    static bool can_skip(const Draft& draft, std::uint32_t node) noexcept {
        const auto& n = draft.nodes[node];
        const walk& bounds = draft.walks[n.walk].bounds;
        return n.may_end_walk && (!n.begins_walk || bounds.may_end(bounds.begin()));
    }

private:
    /// Each edge, step and call against its direction.
    struct ways_back {
        struct way {
            std::uint32_t from, to, bytes;
        };
        /// A rule between two nodes, so many times.
        struct call {
            std::uint32_t from, to, behind, times;
        };
        std::vector<way> ways;
        std::vector<call> calls;
        grouped_lists into, callers, returns;

        explicit ways_back(const Draft& draft) {
            for (const auto& e : draft.edges) ways.push_back({e.from, e.to.to, 1});
            for (const auto& e : draft.token_edges) ways.push_back({e.from, e.to.to, 1});
            for (const auto& s : draft.steps) ways.push_back({s.from, s.to, 0});
            for (std::uint32_t n = 0; n < draft.nodes.size(); ++n) {
                const auto& node = draft.nodes[n];
                if (node.calls()) calls.push_back({n, std::uint32_t(node.called), node.returns_to, 1});
                if (node.walks() && can_skip(draft, n)) ways.push_back({n, node.returns_to, 0});
            }
            for (const auto& a : draft.arcs) {
                const auto& node = draft.nodes[a.from];
                if (a.from != a.to.to) calls.push_back({a.from, a.to.rule, a.to.to, 1});
                else if (node.begins_walk)  // it is all of the walk
                    calls.push_back({a.from, a.to.rule, node.returns_to, draft.walks[node.walk].bounds.least});
            }
            const auto target = [](const auto& w) { return w.to; };
            const auto index = [](const auto&, std::uint32_t i) { return i; };
            into = grouped_lists(ways, draft.nodes.size(), target, index);
            callers = grouped_lists(calls, draft.rules.size(), target, index);
            returns = grouped_lists(
                calls, draft.nodes.size(), [](const call& c) { return c.behind; }, index);
        }
    };
    class search {
    public:
        search(const Draft& draft, const ways_back& back, const std::vector<std::uint8_t>& is_closed,
               std::vector<std::uint32_t>& of_node, std::vector<std::uint32_t>& of_rule)
            : draft_(draft), back_(back), is_closed_(is_closed), of_node_(of_node), of_rule_(of_rule),
              is_settled_(draft.nodes.size()) {
            of_node_.assign(draft.nodes.size(), endless);
            of_rule_.assign(draft.rules.size(), endless);
        }
        void run() {
            for (const auto& rule : draft_.rules) offer(rule.end, 0);
            while (!heap_.empty()) {
                std::pop_heap(heap_.begin(), heap_.end());
                const distance nearest = heap_.back();
                heap_.pop_back();
                if (!std::exchange(is_settled_[nearest.node], std::uint8_t{1})) settle(nearest);
            }
        }

    private:
        struct distance {
            std::uint32_t bytes, node;
            bool operator<(const distance& other) const noexcept { return bytes > other.bytes; }  // the least first
        };
        void settle(const distance& nearest) {
            back_.into.each(nearest.node, [&](std::uint32_t way) {
                offer(back_.ways[way].from, std::uint64_t{nearest.bytes} + back_.ways[way].bytes);
            });
            back_.returns.each(nearest.node, [&](std::uint32_t call) { offer_call(back_.calls[call]); });
            const std::uint32_t rule = draft_.nodes[nearest.node].rule;
            if (nearest.node < byte_automaton::first_of_rules || draft_.rules[rule].start != nearest.node) return;
            of_rule_[rule] = nearest.bytes;
            back_.callers.each(rule, [&](std::uint32_t call) { offer_call(back_.calls[call]); });
        }
        void offer(std::uint32_t node, std::uint64_t bytes) {
            bytes = (std::min<std::uint64_t>)(bytes, endless - 1);  // so long that it does not matter how long
            if (bytes >= of_node_[node] || is_closed_[node] != 0) return;
            of_node_[node] = std::uint32_t(bytes);
            heap_.push_back({std::uint32_t(bytes), node});
            std::push_heap(heap_.begin(), heap_.end());
        }
        void offer_call(const typename ways_back::call& c) {
            const std::uint64_t inside = of_rule_[c.to], behind = of_node_[c.behind];
            if (inside == endless || behind == endless) return;
            offer(c.from, inside * c.times + behind);
        }

        const Draft& draft_;
        const ways_back& back_;
        const std::vector<std::uint8_t>& is_closed_;
        std::vector<std::uint32_t>&of_node_, &of_rule_;
        std::vector<distance> heap_;
        std::vector<std::uint8_t> is_settled_;
    };

    std::vector<std::uint32_t> of_node_, of_rule_;
};

}  // namespace riffle::detail
