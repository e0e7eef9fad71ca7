#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <riffle/core/candidates.hpp>
#include <riffle/core/draws.hpp>
#include <riffle/core/facts.hpp>
#include <riffle/core/token.hpp>
#include <riffle/wide/dispatch.hpp>
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
    std::uint64_t seed = 0;  ///< any; the noise of a token depends on it, the position and the token

    static constexpr const char* name = "gumbel";
    static constexpr std::uint8_t kind = stream_kind::gumbel;
    static constexpr facts fact{.keeps_sorted = true, .draws = true, .selects = selecting::by_noise};

    /// (A template, and `count` of a type that depends on it, so that including riffle compiles no pass.)
    template <class Candidates>
    void apply(Candidates& c, const draws& random) const noexcept {
        constexpr std::size_t at_once = 64;
        token_id ids[at_once] = {};
        float noise[at_once];
        c.selected = -1;
        token_data best{};
        for (std::size_t first = 0; first < c.size; first += at_once) {
            const auto count = (std::min)(at_once, c.size - first);
            for (std::size_t i = 0; i < count; ++i) ids[i] = c[first + i].id;
            wide::run<wide::noise_of_tokens_pass>(static_cast<const token_id*>(ids), count, random.counter(0),
                                                  random.seed(), static_cast<float*>(noise));
            for (std::size_t i = 0; i < count; ++i) {
                const float logit = c[first + i].logit;
                if (!(logit > illegal_logit)) continue;
                const token_data noisy{ids[i], logit + noise[i], 0.0f};
                if (c.selected >= 0 && !ranks_before(noisy, best)) continue;
                best = noisy;
                c.selected = std::int64_t(first + i);
            }
        }
    }
};

}  // namespace riffle
