#pragma once
#include <riffle/core/by_token.hpp>
#include <riffle/core/context.hpp>
#include <riffle/core/facts.hpp>
#include <riffle/core/token_set.hpp>

namespace riffle::inline RIFFLE_ABI {

/// Encoder repetition penalty, also called hallucination penalty: favours the tokens of a source (the encoder's input,
/// the prompt), each once however often it occurs: a negative logit is multiplied by 1 / penalty, any other by penalty.
/// (transformers' EncoderRepetitionPenalty.)
///
/// `penalty` > 1 favours them, < 1 disfavours, 1 = off; it must be positive, finite and no denormal.
///
/// Cost: O(greatest id in the row / 32 + tokens) a step; wide it keeps changed logits beside the row, and copies a
/// block only where more than 16 of its own change (core/row.hpp).
struct encoder_repetition {
    float penalty = 1.0f;  ///< above 1 favours the tokens, below 1 disfavours; positive, 1 is off
    token_set tokens{};    ///< those of the source, each counted once

    static constexpr const char* name = "encoder_repetition";
    static constexpr facts fact{.edits = true};

    template <class Logits>
    void change(Logits& of, const context&) const noexcept {
        if (penalty == 1.0f) return;
        const float inverse = flushed(1.0f / penalty);  // finite, since penalty is no denormal
        change_each(of, tokens, logit_edit{.if_not_positive = inverse, .if_positive = penalty});
    }

    status(check)() const noexcept {
        if (!(flushed(penalty) > 0.0f) || penalty > greatest_logit)
            return status::invalid(name, "penalty", double(penalty), "is not a positive number");
        return {};
    }
    template <class Check>
    status check_at_setup(const Check& known) const noexcept {
        return known(name, "tokens", tokens);
    }
};

}  // namespace riffle
