#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// Lists of numbers, one for each node of a graph, all in one array.
template <class Number>
class basic_grouped_lists {
public:
    basic_grouped_lists() = default;
    /// Of items: from(item) is the node in whose list number(item, index) stands.
    template <class Items, class From, class NumberOf>
    basic_grouped_lists(const Items& items, std::size_t nodes, From from, NumberOf number) {
        begins_.assign(nodes + 1, 0);
        for (const auto& item : items) ++begins_[from(item) + 1];
        for (std::size_t i = 0; i < nodes; ++i) begins_[i + 1] += begins_[i];
        all_.resize(items.size());
        std::vector<Number> next(begins_.begin(), begins_.end() - 1);
        Number i = 0;
        for (const auto& item : items) all_[next[from(item)]++] = number(item, i++);
    }

    const Number* begin(Number of) const noexcept { return all_.data() + begins_[of]; }
    const Number* end(Number of) const noexcept { return all_.data() + begins_[of + 1]; }
    bool is_empty(Number of) const noexcept { return begins_[of] == begins_[of + 1]; }
    /// Calls visit(number) for each of a node's list.
    template <class Visit>
    void each(Number of, Visit visit) const {
        for (const Number* i = begin(of); i != end(of); ++i) visit(*i);
    }

private:
    std::vector<Number> begins_, all_;
};
using grouped_lists = basic_grouped_lists<std::uint32_t>;

}  // namespace riffle::detail
