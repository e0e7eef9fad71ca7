#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include <riffle/core/facts.hpp>

namespace riffle::inline RIFFLE_ABI {

/// Leaves only the tokens whose bit is set: packed 32-bit words, lowest bit first, 1 = legal, a missing tail = illegal
/// (the layout of llguidance, XGrammar and SPIR-V).
///
/// No words at all leave nothing: an empty constraint must not let everything through. Change them between steps
/// through get<mask>(chain).words.
///
/// Wide: when few tokens are left they are gathered and nothing else of the row is read; otherwise mixed blocks are
/// copied. Narrow: O(candidates).
struct mask {
    std::vector<std::uint32_t> words;

    static constexpr const char* name = "mask";
    static constexpr facts fact{.masks = true, .keeps_sorted = true, .narrows = narrowing::legal};

    std::span<const std::uint32_t> legal_words() const noexcept { return {words.data(), words.size()}; }
    bool legal(token_id id) const noexcept {
        const auto place = std::uint32_t(id) / 32;
        return id >= 0 && place < words.size() && (words[place] >> (std::uint32_t(id) % 32) & 1);
    }

    void apply(candidates& c) const noexcept {
        c.keep_if([&](const token_data& token) { return legal(token.id) && token.logit > illegal_logit; });
    }
};

}  // namespace riffle
