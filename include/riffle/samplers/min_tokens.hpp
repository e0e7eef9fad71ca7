#pragma once
#include <cstdint>

#include <riffle/core/by_token.hpp>
#include <riffle/core/context.hpp>
#include <riffle/core/facts.hpp>
#include <riffle/core/token_set.hpp>

namespace riffle::inline RIFFLE_ABI {

/// Bans tokens that end the text (end of generation, stop tokens) until `count` tokens are generated; the prompt does
/// not count. (vLLM's min_tokens, transformers' MinNewTokensLength.)
///
/// `count` <= 0 = off, as are no `ends`.
///
/// Cost: O(greatest id of `ends` in the row / 32 + ends) a step; wide it keeps changed logits beside the row, and
/// copies a block only where more than 16 of its own change (core/row.hpp).
struct min_tokens {
    std::int32_t count = 0;  ///< tokens generated ahead of the first end; 0 or below is off
    token_set ends{};        ///< the tokens banned until then; none is off

    static constexpr const char* name = "min_tokens";
    static constexpr facts fact{.edits = true};

    template <class Logits>
    void change(Logits& of, const context& x) const noexcept {
        if (count > 0 && x.at().position < std::uint32_t(count)) change_each(of, ends, logit_edit::banning());
    }
    template <class Check>
    status check_at_setup(const Check& known) const noexcept {
        return known(name, "ends", ends);
    }
};

}  // namespace riffle
