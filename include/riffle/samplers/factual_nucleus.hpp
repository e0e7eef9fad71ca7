#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <riffle/core/context.hpp>
#include <riffle/core/facts.hpp>
#include <riffle/core/token_set.hpp>

namespace riffle::inline RIFFLE_ABI {

/// top_p with decay: the share p shrinks by `decay` with every token of a sentence, down to `p_min`, and starts anew
/// behind a token of `resets` (the end of a sentence): p_t = max(p_min, p · decay^t), t = tokens generated since.
/// Beginnings may vary, facts later in the sentence less. (Factual-nucleus sampling, Lee et al. 2022, arXiv 2206.04624;
/// TensorRT-LLM's top_p_decay.) Otherwise as top_p.
///
/// Both `p` and `p_min` >= 1 = off; tokens that weigh nothing are dropped all the same while p >= 1 shrinks; `decay` in
/// [0, 1], 1 = top_p where p_min is at most p, 0 = p_min from the second token on; p_min above p takes over at the
/// second token, whatever the decay, and p_min <= 0 is no least share. NaN is an error in each, and a decay below 0 or
/// above 1. A prompt's token resets too. The share is followed over 4,096 tokens at most, and stays then.
///
/// Cost: that of top_p, and O(tokens since the reset), at most until p_min is reached.
struct factual_nucleus {
    float p = 0.9f;            ///< mass kept at the beginning of a sentence; 1 or more keeps all that weigh
    float decay = 0.9f;        ///< p shrinks by it with each token; 0 to 1, with 1 it stays
    float p_min = 0.3f;        ///< p shrinks no further than that; 0 or below is no bound
    token_set resets{};        ///< behind one of them, as the end of a sentence, p starts anew
    std::size_t min_keep = 0;  ///< tokens left at least; 0 counts as 1

    static constexpr const char* name = "factual_nucleus";
    static constexpr facts fact{.keeps_sorted = true, .narrows = narrowing::mass};

    bool narrows_now() const noexcept { return !(p >= 1.0f && (p_min >= 1.0f || decay == 1.0f)); }
    std::size_t keeps_at_least() const noexcept { return min_keep > 1 ? min_keep : 1; }
    /// How many tokens it looks back: until p_min is reached, or a few more. By logarithms, less what each product may
    /// be rounded up by, and their own errors.
    std::int32_t window() const noexcept {
        if (!(p > 0.0f && p > p_min) || decay == 1.0f) return 0;
        if (flushed(decay) == 0.0f) return 1;
        const lanes<1> high = log(lanes<1>(p)), low = log(lanes<1>(p_min)), rate = -log(lanes<1>(decay));
        const lanes<1> error = (absolute(high) + absolute(low)) * lanes<1>(3e-7f), per_token(0x1.1p-24f);
        const float way = (high - low + error)[0], by_token = (rate - per_token)[0];
        return by_token * float(most_steps - 2) > way ? std::int32_t(way / by_token) + 2 : most_steps;
    }

    /// The share of the next token.
    float share(const context& x) const noexcept {
        const history& tokens = x.tokens();
        const std::size_t most = (std::min)(tokens.remembered(), std::size_t(most_steps));
        float now = p;
        for (std::size_t back = 0; back < most; ++back) {
            const auto& entry = tokens.recent(back);
            if (!entry.generated || resets.contains(entry.token)) break;
            const float last = now;
            now = shrunk(last);
            if (now == last || !(last > p_min)) break;  // as small as it becomes
        }
        return now;
    }
    std::uint64_t target(std::uint64_t total, const context& x) const noexcept { return share_of(share(x), total); }

    void apply(candidates& c, const context& x) const noexcept {
        if (!narrows_now()) return;
        const std::size_t best = c.greatest();
        const float maximum = best < c.size ? c[best].logit : 0.0f;
        c.keep_legal();
        const std::uint64_t total = c.weigh(maximum);
        c.keep_weighed_nucleus(target(total, x), keeps_at_least());
    }

    status(check)() const noexcept {
        if (p != p) return status::invalid(name, "p", double(p), "is not a number");
        if (p_min != p_min) return status::invalid(name, "p_min", double(p_min), "is not a number");
        if (!(flushed(decay) >= 0.0f) || decay > 1.0f)
            return status::invalid(name, "decay", double(decay), "is not in [0, 1]");
        return {};
    }
    template <class Check>
    status check_at_setup(const Check& known) const noexcept {
        const status s = known.share(name, "p", p), least = known.share(name, "p_min", p_min);
        return !s.ok() ? s : !least.ok() ? least : known(name, "resets", resets);
    }

private:
    RIFFLE_LOCAL static constexpr std::int32_t most_steps = 4096;

    float shrunk(float share) const noexcept {
        const lanes<1> factor = greater_of(lanes<1>(decay), lanes<1>(0x1p-126f));  // a host may trap at inf * 0
        const float less = flushed(decay) == 0.0f ? 0.0f : flushed(lanes<1>(share) * factor)[0];
        return less > p_min ? less : p_min;
    }
};

}  // namespace riffle
