#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/constraint/expressions.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// The rules that no way from the root leads to, by number. Every rule must have a body.
template <class Rules>
std::vector<std::uint32_t> rules_without_use(const Rules& of) {
    std::vector<std::uint8_t> is_used(of.rules.size());
    std::vector<std::uint32_t> left{of.root};
    is_used[of.root] = 1;
    std::vector<expression_id> inside;
    while (!left.empty()) {
        inside.assign(1, of.rules[left.back()].body);
        left.pop_back();
        while (!inside.empty()) {
            const expression& e = of.at(inside.back());
            inside.pop_back();
            for (std::size_t i = 0; e.has_parts() && i < e.count; ++i) inside.push_back(of.part(e, i));
            if (e.kind != expression_kind::rule || is_used[e.first]) continue;
            is_used[e.first] = 1;
            left.push_back(e.first);
        }
    }
    std::vector<std::uint32_t> unused;
    for (std::size_t i = 0; i < is_used.size(); ++i)
        if (!is_used[i]) unused.push_back(std::uint32_t(i));
    return unused;
}

}  // namespace riffle::detail
