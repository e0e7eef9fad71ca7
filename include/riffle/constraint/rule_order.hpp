#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <riffle/constraint/byte_automaton.hpp>
#include <riffle/constraint/grouped_lists.hpp>
#include <riffle/constraint/shortest_texts.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// The order of a draft's rules in which each comes before those that it calls before a byte is read. There is none
/// where a rule calls itself so: left recursion.
template <class Draft>
class rule_order {
public:
    /// False where there is none. Of each node: `steps`, and the rules of `arcs`.
    bool find(const Draft& draft, const grouped_lists& steps, const grouped_lists& arcs,
              const shortest_texts<Draft>& shortest) {
        const std::size_t count = draft.rules.size();
        order_.assign(count, 0);
        state_.assign(count, unseen);
        seen_.assign(draft.nodes.size(), ~0u);
        next_ = std::uint32_t(count);
        for (std::uint32_t rule = 0; rule < count; ++rule)
            if (state_[rule] == unseen && !visit_from(rule, draft, steps, arcs, shortest)) return false;
        return true;
    }
    /// A rule's place.
    std::uint32_t operator[](std::uint32_t rule) const noexcept { return order_[rule]; }
    /// The rule that calls itself before a byte is read.
    std::uint32_t left_recursive() const noexcept { return left_recursive_; }

private:
    enum : std::uint8_t { unseen, open, done };
    struct visit {
        std::uint32_t rule;
        std::size_t next;
        std::vector<std::uint32_t> calls;
    };

    /// Depth first; a rule is placed when all that it calls are.
    bool visit_from(std::uint32_t first, const Draft& draft, const grouped_lists& steps, const grouped_lists& arcs,
                    const shortest_texts<Draft>& shortest) {
        std::vector<visit> visits;
        const auto enter = [&](std::uint32_t rule) {
            state_[rule] = open;
            visits.push_back({rule, 0, unread_calls(rule, draft, steps, arcs, shortest)});
        };
        enter(first);
        while (!visits.empty()) {
            visit& v = visits.back();
            if (v.next == v.calls.size()) {
                state_[v.rule] = done;
                order_[v.rule] = --next_;
                visits.pop_back();
                continue;
            }
            const std::uint32_t called = v.calls[v.next++];
            if (state_[called] == open) {
                left_recursive_ = called;
                return false;
            }
            if (state_[called] == unseen) enter(called);
        }
        return true;
    }
    /// The rules that one calls before a byte is read in it.
    std::vector<std::uint32_t> unread_calls(std::uint32_t rule, const Draft& draft, const grouped_lists& steps,
                                            const grouped_lists& arcs, const shortest_texts<Draft>& shortest) {
        std::vector<std::uint32_t> calls, left{draft.rules[rule].start};
        while (!left.empty()) {
            const std::uint32_t n = left.back();
            left.pop_back();
            if (std::exchange(seen_[n], rule) == rule) continue;
            steps.each(n, [&](std::uint32_t to) { left.push_back(to); });
            const auto& node = draft.nodes[n];
            if (node.calls()) {
                calls.push_back(std::uint32_t(node.called));
                if (shortest.of_rule(calls.back()) == 0) left.push_back(node.returns_to);
            }
            if (!node.walks()) continue;
            bool can_skip = shortest.can_skip(draft, n);
            arcs.each(n, [&](std::uint32_t called) {
                calls.push_back(called);
                can_skip |= shortest.of_rule(called) == 0;
            });
            if (can_skip) left.push_back(node.returns_to);
        }
        return calls;
    }

    std::vector<std::uint32_t> order_;
    std::vector<std::uint8_t> state_;
    std::vector<std::uint32_t> seen_;  ///< of each node, by which rule
    std::uint32_t next_ = 0, left_recursive_ = 0;
};

}  // namespace riffle::detail
