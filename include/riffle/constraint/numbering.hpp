#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/constraint/mixed_hash.hpp>
#include <riffle/core/text.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// Numbers sequences in the order in which they are met; each has one number. Of numbers it keeps copies, texts lie
/// elsewhere.
template <class Sequence>
class numbering {
public:
    /// The number of a sequence; count() grows where it is new. O(its length), on average.
    std::uint32_t number_of(const Sequence& of) {
        const std::size_t slot = slot_of(of);
        if (slots_[slot] != 0) return slots_[slot] - 1;
        all_.push_back(of);
        slots_[slot] = std::uint32_t(all_.size());
        if (2 * all_.size() >= slots_.size()) {
            slots_.assign(2 * slots_.size(), 0);
            for (std::size_t i = 0; i < all_.size(); ++i) slots_[slot_of(all_[i])] = std::uint32_t(i + 1);
        }
        return std::uint32_t(all_.size() - 1);
    }
    std::size_t count() const noexcept { return all_.size(); }
    /// Until the next one is numbered.
    const Sequence& operator[](std::size_t number) const noexcept { return all_[number]; }

private:
    std::size_t slot_of(const Sequence& of) const noexcept {
        std::uint64_t hash = of.size();
        for (const auto item : of) hash = mixed(hash, std::uint64_t(item));
        std::size_t slot = std::size_t(hash) & (slots_.size() - 1);
        while (slots_[slot] != 0 && !(all_[slots_[slot] - 1] == of)) slot = (slot + 1) & (slots_.size() - 1);
        return slot;
    }
    std::vector<Sequence> all_;
    std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(16, 0);
};
using list_numbers = numbering<std::vector<std::uint32_t>>;
using text_numbers = numbering<text>;

}  // namespace riffle::detail
