#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <riffle/core/facts.hpp>
#include <riffle/core/legal_tokens.hpp>

namespace riffle::inline RIFFLE_ABI {

/// Leaves only the tokens whose bit is set: packed 32-bit words, lowest bit first, 1 = legal, a missing tail = illegal
/// (the layout of llguidance, XGrammar and SPIR-V).
///
/// No words at all leave nothing: an empty constraint must not let everything through. Change them between steps
/// through get<mask>(chain).words.
///
/// Whoever knows how many bits are set says so in `count`, and anew with other words: then they are not counted in each
/// step. A wrong count costs time, and changes no token. A few tokens by their ids are faster (allowed_tokens).
///
/// Wide: when few tokens are left they are gathered and nothing else of the row is read; otherwise mixed blocks are
/// copied. Narrow: O(candidates).
struct mask {
    std::vector<std::uint32_t> words{};         ///< bit i % 32 of word i / 32: token i is legal; none leaves no token
    std::size_t count = legal_tokens::unknown;  ///< bits that are set; a wrong number costs time alone

    static constexpr const char* name = "mask";
    static constexpr facts fact{.masks = true, .keeps_sorted = true, .narrows = narrowing::legal};

    legal_tokens legal_now() const noexcept { return legal_tokens::of_words({words.data(), words.size()}, count); }
};

}  // namespace riffle
