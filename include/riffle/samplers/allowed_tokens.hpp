#pragma once
#include <cstdint>
#include <span>

#include <riffle/core/facts.hpp>
#include <riffle/core/legal_tokens.hpp>
#include <riffle/core/token_set.hpp>

namespace riffle::inline RIFFLE_ABI {

/// Leaves only these tokens: a mask made from ids. (vLLM's allowed_token_ids.) No tokens leave nothing, as with a mask
/// without words.
///
/// Wide: when few tokens are left they are gathered and nothing else of the row is read, for up to 256 not even the
/// words of the set; otherwise mixed blocks are copied. Narrow: O(candidates).
struct allowed_tokens {
    token_set tokens{};  ///< all others become illegal; none leaves no token

    static constexpr const char* name = "allowed_tokens";
    static constexpr facts fact{.masks = true, .keeps_sorted = true, .narrows = narrowing::legal};

    legal_tokens legal_now() const noexcept {
        if (!tokens.ids().empty()) return legal_tokens::of_ids(tokens.ids());
        return legal_tokens::of_words(tokens.words(), tokens.size());
    }

    template <class Check>
    status check_at_setup(const Check& known) const noexcept {
        return known(name, "tokens", tokens);
    }
};

}  // namespace riffle
