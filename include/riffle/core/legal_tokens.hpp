#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <riffle/core/token.hpp>

namespace riffle::inline RIFFLE_ABI {

/// What a stage that masks leaves legal in a step: all tokens, or those of packed words, or those of a list of ids, and
/// how many they are. A view: what it shows lives in the stage and its state, until either changes.
struct legal_tokens {
    static constexpr std::size_t unknown = std::size_t(-1);

    /// 32-bit words, lowest bit first, 1 = legal, a missing tail = illegal.
    std::span<const std::uint32_t> words{};
    /// Ascending. Where they are there, `words` are not asked.
    std::span<const token_id> ids{};
    /// How many are legal; ids that a row does not have may be counted. `unknown`: the machine counts.
    std::size_t count = unknown;
    bool are_all = false;  ///< nothing is illegal, and the rest is not asked

    bool contains(token_id id) const noexcept {
        if (are_all) return true;
        if (!ids.empty()) return std::binary_search(ids.begin(), ids.end(), id);
        const auto place = std::uint32_t(id) / 32;
        return id >= 0 && place < words.size() && (words[place] >> (std::uint32_t(id) % 32) & 1);
    }

    static legal_tokens all() noexcept { return {{}, {}, unknown, true}; }
    static legal_tokens of_words(std::span<const std::uint32_t> words, std::size_t count = unknown) noexcept {
        return {words, {}, count, false};
    }
    static legal_tokens of_ids(std::span<const token_id> ids) noexcept { return {{}, ids, ids.size(), false}; }
};

}  // namespace riffle
