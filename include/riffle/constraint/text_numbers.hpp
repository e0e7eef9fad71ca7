#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/constraint/mixed_hash.hpp>
#include <riffle/core/text.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// Numbers texts in the order in which they are met. The texts lie elsewhere.
template <class Text>
class basic_text_numbers {
public:
    /// The number of a text; count() grows where it is new. O(its length), on average.
    std::uint32_t number_of(const Text& of) {
        const std::size_t slot = slot_of(of);
        if (slots_[slot] != 0) return slots_[slot] - 1;
        texts_.push_back(of);
        slots_[slot] = std::uint32_t(texts_.size());
        if (2 * texts_.size() >= slots_.size()) {
            slots_.assign(2 * slots_.size(), 0);
            for (std::size_t i = 0; i < texts_.size(); ++i) slots_[slot_of(texts_[i])] = std::uint32_t(i + 1);
        }
        return std::uint32_t(texts_.size() - 1);
    }
    bool has(const Text& of) const noexcept { return slots_[slot_of(of)] != 0; }
    std::size_t count() const noexcept { return texts_.size(); }
    const Text& operator[](std::size_t number) const noexcept { return texts_[number]; }

private:
    std::size_t slot_of(const Text& of) const noexcept {
        std::uint64_t hash = of.size();
        for (const char c : of) hash = mixed(hash, std::uint8_t(c));
        std::size_t slot = std::size_t(hash) & (slots_.size() - 1);
        while (slots_[slot] != 0 && !(texts_[slots_[slot] - 1] == of)) slot = (slot + 1) & (slots_.size() - 1);
        return slot;
    }
    std::vector<Text> texts_;
    std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(16, 0);
};
using text_numbers = basic_text_numbers<text>;

}  // namespace riffle::detail
