#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/constraint/expressions.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// Which rules of a grammar are small enough, and free of themselves, to stand in the place of each call: a call costs
/// something at each byte, and hides a loop over characters from the search for one.
template <class Rules>
class rule_analysis {
public:
    enum : std::uint32_t { greatest_inlined = 400, greatest_size = 1u << 30 };

    explicit rule_analysis(const Rules& g) : grammar_(g), size_(g.rules.size()), is_recursive_(g.rules.size()) {
        find_components();
    }

    bool can_be_inlined(std::uint32_t rule) const noexcept {
        return !is_recursive_[rule] && size_[rule] <= greatest_inlined && grammar_.rules[rule].capture.empty();
    }
    std::uint32_t size(std::uint32_t rule) const noexcept { return size_[rule]; }
    /// About how many nodes an expression becomes.
    std::uint32_t size_of(expression_id id) const noexcept {
        const expression& e = grammar_.at(id);
        switch (e.kind) {
        case expression_kind::literal: return e.count + 1;
        case expression_kind::characters: return std::uint32_t(1 + grammar_.sets[e.first].ranges().size());
        case expression_kind::token: return 2;
        case expression_kind::rule: return can_be_inlined(e.first) ? size_[e.first] : 2;
        case expression_kind::repetition: {
            const std::uint64_t copies = e.most == expression::unlimited ? std::uint64_t{e.least} + 1 : e.most;
            const std::uint32_t of_one = size_of(grammar_.part(e, 0));
            const bool is_copied = copies <= most_copies && copies * of_one <= most_copied;
            return is_copied ? std::uint32_t(copies * of_one) : of_one + 2;
        }
        case expression_kind::graph:
            if (grammar_.graphs[e.least].bounds.memory == walk_memory::nothing) break;
            return std::uint32_t(2 * grammar_.graphs[e.least].may_end.size());
        case expression_kind::sequence:
        case expression_kind::alternatives: break;
        }
        std::uint64_t all = e.kind == expression_kind::graph ? grammar_.graphs[e.least].may_end.size() : 1;
        for (std::size_t i = 0; i < e.count; ++i) all += size_of(grammar_.part(e, i));
        return std::uint32_t((std::min<std::uint64_t>)(all, greatest_size));
    }

    /// A repetition of so many parts at most, and so many nodes in all, is copies one behind the other.
    enum : std::uint32_t { most_copies = 8, most_copied = 64 };

private:
    /// The rules that an expression refers to.
    void references(expression_id id, std::vector<std::uint32_t>& to) const {
        const expression& e = grammar_.at(id);
        if (e.kind == expression_kind::rule) to.push_back(e.first);
        for (std::size_t i = 0; e.has_parts() && i < e.count; ++i) references(grammar_.part(e, i), to);
    }

    /// Strongly connected components (Tarjan, "Depth-first search and linear graph algorithms", 1972), without
    /// recursion over rules: there may be 65,536 of them in a row. They come with the rules referred to first, so that
    /// a rule's size is known when it is asked for.
    void find_components() {
        struct visit {
            std::uint32_t rule;
            std::size_t next = 0;
            std::vector<std::uint32_t> to;
        };
        constexpr std::uint32_t unseen = ~0u;
        const std::size_t count = grammar_.rules.size();
        std::vector<std::uint32_t> index(count, unseen), lowest(count);
        std::vector<std::uint8_t> is_open(count);
        std::vector<std::uint32_t> open;
        std::vector<visit> visits;
        std::uint32_t next_index = 0;
        const auto enter = [&](std::uint32_t rule) {
            index[rule] = lowest[rule] = next_index++;
            open.push_back(rule);
            is_open[rule] = 1;
            visits.push_back({rule, 0, {}});
            references(grammar_.rules[rule].body, visits.back().to);
        };
        for (std::uint32_t root = 0; root < count; ++root) {
            if (index[root] != unseen) continue;
            enter(root);
            while (!visits.empty()) {
                visit& v = visits.back();
                if (v.next < v.to.size()) {
                    const std::uint32_t to = v.to[v.next++];
                    if (to == v.rule) is_recursive_[to] = 1;
                    if (index[to] == unseen) enter(to);
                    else if (is_open[to]) lowest[v.rule] = (std::min)(lowest[v.rule], index[to]);
                    continue;
                }
                const std::uint32_t rule = v.rule;
                visits.pop_back();
                if (!visits.empty()) lowest[visits.back().rule] = (std::min)(lowest[visits.back().rule], lowest[rule]);
                if (lowest[rule] == index[rule]) close_component(rule, open, is_open);
            }
        }
    }
    void close_component(std::uint32_t first, std::vector<std::uint32_t>& open, std::vector<std::uint8_t>& is_open) {
        const bool has_others = open.back() != first;
        for (;;) {
            const std::uint32_t rule = open.back();
            open.pop_back();
            is_open[rule] = 0;
            if (has_others) is_recursive_[rule] = 1;
            size_[rule] = size_of(grammar_.rules[rule].body);
            if (rule == first) return;
        }
    }

    const Rules& grammar_;
    std::vector<std::uint32_t> size_;
    std::vector<std::uint8_t> is_recursive_;
};

}  // namespace riffle::detail
