#pragma once
#include <cstdint>

#include <riffle/core/by_token.hpp>
#include <riffle/core/context.hpp>
#include <riffle/core/facts.hpp>
#include <riffle/core/token_set.hpp>

namespace riffle::inline RIFFLE_ABI {

/// Makes the end likelier the longer the text: once more than `start` tokens are generated, the logit l of every token
/// in `ends` becomes l + |l| · (factor^(generated - start) - 1). (transformers' ExponentialDecayLengthPenalty.)
///
/// `factor` > 1 ends sooner, < 1 later, 1 = off; it must be positive, finite and no denormal. `start` counts generated
/// tokens, the prompt does not count, and below 0 there are so many more of them; no `ends` = off. The power counts as
/// at most 1e38; a banned end stays banned.
///
/// Cost: O(greatest id of `ends` in the row / 32 + ends) a step; wide it keeps changed logits beside the row, and
/// copies a block only where more than 16 of its own change (core/row.hpp).
struct length_penalty {
    std::int32_t start = 0;  ///< generated tokens up to which nothing changes; the prompt does not count
    float factor = 1.0f;     ///< growth with each token from there: above 1 ends sooner; positive, 1 is off
    token_set ends{};        ///< the tokens that end the text; none is off

    static constexpr const char* name = "length_penalty";
    static constexpr facts fact{.edits = true};

    template <class Logits>
    void change(Logits& of, const context& x) const noexcept {
        const std::int64_t over = std::int64_t{x.at().position} - start;
        if (over <= 0 || factor == 1.0f) return;
        double power = 1.0, square = double(factor);  // by repeated squaring: nothing to fuse
        for (std::int64_t e = over; e > 0; e >>= 1) {
            if (e & 1) power = (std::min)(power * square, 1e38);
            square = (std::min)(square * square, 1e38);
        }
        change_each(of, ends, logit_edit{.share = -float(power - 1.0)});
    }

    status(check)() const noexcept {
        if (!(flushed(factor) > 0.0f) || factor > greatest_logit)
            return status::invalid(name, "factor", double(factor), "is not a positive number");
        return {};
    }
    template <class Check>
    status check_at_setup(const Check& known) const noexcept {
        return known(name, "ends", ends);
    }
};

}  // namespace riffle
