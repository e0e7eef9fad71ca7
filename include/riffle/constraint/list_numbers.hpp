#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/constraint/mixed_hash.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// Numbers lists in the order in which they are met; each list has one number.
template <class Number>
class basic_list_numbers {
public:
    using list = std::vector<Number>;

    /// The number of a list; count() grows where it is new. O(its length), on average.
    std::uint32_t number_of(const list& of) {
        std::size_t slot = slot_of(of);
        if (slots_[slot] != 0) return slots_[slot] - 1;
        lists_.push_back(of);
        slots_[slot] = std::uint32_t(lists_.size());
        if (2 * lists_.size() >= slots_.size()) {
            slots_.assign(2 * slots_.size(), 0);
            for (std::size_t i = 0; i < lists_.size(); ++i) slots_[slot_of(lists_[i])] = std::uint32_t(i + 1);
        }
        return std::uint32_t(lists_.size() - 1);
    }
    std::size_t count() const noexcept { return lists_.size(); }
    /// Until the next list is numbered.
    const list& operator[](std::size_t number) const noexcept { return lists_[number]; }

private:
    std::size_t slot_of(const list& of) const noexcept {
        std::uint64_t hash = of.size();
        for (const Number n : of) hash = mixed(hash, n);
        std::size_t slot = std::size_t(hash) & (slots_.size() - 1);
        while (slots_[slot] != 0 && lists_[slots_[slot] - 1] != of) slot = (slot + 1) & (slots_.size() - 1);
        return slot;
    }
    std::vector<list> lists_;
    std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(64, 0);
};
using list_numbers = basic_list_numbers<std::uint32_t>;

}  // namespace riffle::detail
