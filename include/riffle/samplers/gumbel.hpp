#pragma once
#include <cstdint>

#include <riffle/core/facts.hpp>
#include <riffle/wide/pick.hpp>

namespace riffle::inline RIFFLE_ABI {

/// Draws a token with probability proportional to exp(logit) by the Gumbel-max trick: the greatest logit + noise, where
/// the noise of a token depends on seed, position and the token alone. Removing other candidates, reordering them or
/// drawing the row in another batch cannot change which of two tokens wins. (E. J. Gumbel, 1954; keyed noise as in
/// FlashInfer's sampling from logits.)
///
/// `seed`: any. The noise is added to the logit itself, so from 2^24 on it is rounded to the steps of the logit, and
/// from 2^29 on it is gone: the lowest id among the greatest wins.
///
/// Wide: one max, then noise for tokens that can still win. Narrow: O(candidates).
struct gumbel {
    std::uint64_t seed = 0;

    static constexpr const char* name = "gumbel";
    static constexpr std::uint8_t kind = stream_kind::gumbel;
    static constexpr facts fact{.keeps_sorted = true, .draws = true, .selects = selecting::by_noise};

    void apply(candidates& c, const draws& random) const noexcept {
        c.selected = -1;
        token_data best{};
        for (std::size_t i = 0; i < c.size; ++i) {
            if (!(c[i].logit > illegal_logit)) continue;
            const token_data noisy{c[i].id, score(c[i], random), 0.0f};
            if (c.selected >= 0 && !ranks_before(noisy, best)) continue;
            best = noisy;
            c.selected = std::int64_t(i);
        }
    }

    /// Logit plus noise of one token.
    static float score(const token_data& token, const draws& random) noexcept {
        const lanes<1> noise = gumbel_noise<lanes<1>>(int_lanes<1>(token.id), random.counter(0), random.seed());
        return (lanes<1>(token.logit) + noise)[0];
    }
};

}  // namespace riffle
