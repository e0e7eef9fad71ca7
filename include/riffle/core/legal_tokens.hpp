#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include <riffle/core/token.hpp>

namespace riffle::inline RIFFLE_ABI {

/// What a stage that masks leaves legal in a step: all tokens, or those of packed words, or those of a list of ids, and
/// how many they are. A view: what it shows lives in the stage and its state, until either changes.
struct legal_tokens {
    /// Nobody has counted.
    static constexpr std::size_t unknown = std::size_t(-1);

    /// 32-bit words, lowest bit first, 1 = legal, a missing tail = illegal.
    std::span<const std::uint32_t> words{};
    /// Ascending. Where they are there, `words` are not asked.
    std::span<const token_id> ids{};
    /// How many are legal; ids that a row does not have may be counted. `unknown`: the machine counts.
    std::size_t count = unknown;
    bool are_all = false;  ///< nothing is illegal, and the rest is not asked

    /// O(1); O(log ids) where there are ids. False for ids below 0.
    bool contains(token_id id) const noexcept {
        if (are_all) return true;
        if (!ids.empty()) return std::binary_search(ids.begin(), ids.end(), id);
        const auto place = std::uint32_t(id) / 32;
        return id >= 0 && place < words.size() && (words[place] >> (std::uint32_t(id) % 32) & 1);
    }

    /// Calls visit(id) for every legal token of a row of that size, ascending. O(row_size / 32 + legal), or O(ids).
    template <class Visit>
    void each(std::size_t row_size, Visit visit) const noexcept {
        if (are_all) {
            for (std::size_t id = 0; id < row_size; ++id) visit(id);
        } else if (!ids.empty()) {
            for (const token_id id : ids)
                if (id >= 0 && std::size_t(id) < row_size) visit(std::size_t(id));
        } else {
            for (std::size_t w = 0; w < words.size() && w * 32 < row_size; ++w)
                for (std::uint32_t bits = words[w]; bits; bits &= bits - 1)
                    if (const std::size_t id = w * 32 + std::size_t(std::countr_zero(bits)); id < row_size) visit(id);
        }
    }

    /// Nothing is illegal.
    static legal_tokens all() noexcept { return {{}, {}, unknown, true}; }
    /// No words leave nothing.
    static legal_tokens of_words(std::span<const std::uint32_t> words, std::size_t count = unknown) noexcept {
        return {words, {}, count, false};
    }
    /// Ascending, each once. No ids leave nothing.
    static legal_tokens of_ids(std::span<const token_id> ids) noexcept { return {{}, ids, ids.size(), false}; }
};

}  // namespace riffle
