#pragma once
#include <cstdint>
#include <span>

#include <riffle/core/facts.hpp>
#include <riffle/core/token_set.hpp>

namespace riffle::inline RIFFLE_ABI {

/// Leaves only these tokens: a mask made from ids. (vLLM's allowed_token_ids.) No tokens leave nothing, as with a mask
/// without words.
///
/// Wide: when few tokens are left they are gathered and nothing else of the row is read; otherwise mixed blocks are
/// copied. Narrow: O(candidates).
struct allowed_tokens {
    token_set tokens{};

    static constexpr const char* name = "allowed_tokens";
    static constexpr facts fact{.masks = true, .keeps_sorted = true, .narrows = narrowing::legal};

    std::span<const std::uint32_t> legal_words() const noexcept { return tokens.words(); }

    void apply(candidates& c) const noexcept {
        c.keep_if([&](const token_data& token) { return tokens.contains(token.id) && token.logit > illegal_logit; });
    }
    template <class Check>
    status check_ids(const Check& known) const noexcept {
        return known(name, "tokens", tokens);
    }
};

}  // namespace riffle
