#pragma once
#include <cstdint>

#include <riffle/core/last_choice.hpp>
#include <riffle/core/facts.hpp>
#include <riffle/core/softmax_statistics.hpp>
#include <riffle/samplers/parts/surprise.hpp>

namespace riffle::inline RIFFLE_ABI {

/// Adaptive-p: prefers tokens whose probability is near a target, and moves the target against the running average of
/// what was accepted, so that the average approaches it. With a = clamp(2 · target - average, 0, 1) and d = |p - a| /
/// 0.3 a logit becomes 5 - 10 · d² / (1 + d), and a token is drawn from that distribution. The average forgets by
/// `decay` a token and starts at the target. (MrJackSpade; llama.cpp#17927.) A selector; put a min_p ahead of it, since
/// it lifts the tail.
///
/// `target` in [0, 1], over 1 counts as 1; below 0 = draw as dist does; `decay` in [0, 0.99], clamped; NaN is an error
/// in each. `seed` as in dist.
///
/// | | published | llama.cpp 0.7.0 and numerics::llama | here |
/// |---|---|---|---|
/// | average moves | in apply | in accept, for the token last chosen | in accept, for the token last chosen |
/// | another token accepted | | passes silently | taken; the step says that nothing was learnt |
/// | -inf before | becomes a finite logit | stays -inf | stays -inf |
/// | reset | average; generator runs on | average and generator | average and draw position |
/// | copy | generator and probabilities too | neither: the copy restarts its stream | everything |
/// | a copy accepts what was applied before | learns | reads out of bounds; numerics::llama learns nothing | learns |
/// | `sorted` afterwards | left as it was, though logits changed | the same | false |
///
/// Wide: max, softmax statistics, then maximum and mass of the reshaped distribution, and a pick: no row of candidates,
/// no sort. Narrow: O(candidates).
struct adaptive_p {
    float target = -1.0f;    ///< probability aimed at, 0 to 1; below 0 draws as dist does
    float decay = 0.9f;      ///< what the average keeps of earlier tokens with each new one; 0 to 0.99
    std::uint64_t seed = 0;  ///< of the draws; any

    static constexpr const char* name = "adaptive_p";
    static constexpr std::uint8_t kind = stream_kind::adaptive_p;
    static constexpr facts fact{.draws = true, .selects = selecting::by_own_distribution};

    /// Σ decay^i · p and Σ decay^i over what was accepted. Without any weight the average stands at the target, as if
    /// it had always been met: both sums then start at their limits.
    struct state {
        float sum = 0.0f;
        float weight = 0.0f;
    };

    /// The distribution it draws from, logit by logit, over any value type.
    struct shaper {
        float maximum, per_weight, wanted;
        bool plain;

        template <class V>
        RIFFLE_INLINE V operator()(const V& logit) const noexcept {
            if (plain) return logit;
            const V d = absolute(probability(logit) - V(wanted)) * V(3.33333333f);
            const V shaped = V(5.0f) - V(10.0f) * d * d * reciprocal(V(1.0f) + d);
            return blend(logit > V(illegal_logit), shaped, V(illegal_logit));
        }
        template <class V>
        RIFFLE_INLINE V probability(const V& logit) const noexcept {
            return V::from_int(fixed_mass(logit - V(maximum))) * V(per_weight);
        }
    };

    shaper shape(const softmax_statistics& of_all, const state& kept) const noexcept {
        const bool plain = flushed(target) < 0.0f;  // and may be -inf, which nothing is computed of
        return {of_all.maximum, float(1.0 / double(of_all.mass)), plain ? 0.0f : wanted(kept), plain};
    }

    /// What it draws from, in place.
    void prepare(candidates& c, const state& kept) const noexcept {
        const softmax_statistics of_all = softmax_of(c);
        if (of_all.mass > 0) c.map_logits(shape(of_all, kept));
    }
    /// Leaves the weights that it draws by in p, as weigh of candidates does, and answers their sum; the logits stay.
    std::uint64_t weigh(candidates& c, const softmax_statistics& of_all, const state& kept) const noexcept {
        if (of_all.mass == 0) return 0;
        const shaper shaped = shape(of_all, kept);
        return c.weigh_mapped(shaped, c.greatest_mapped(shaped));
    }
    /// prepare, and the draw; the chosen candidate's p is the probability that it had before.
    void choose(candidates& c, const draws& random, const state& kept) const noexcept {
        c.selected = -1;
        const softmax_statistics of_all = softmax_of(c);
        if (of_all.mass == 0) return;
        const shaper shaped = shape(of_all, kept);
        c.select_by_weight(multiply_high(random.bits(), weigh(c, of_all, kept)));
        const float p = c.selected < 0 ? 0.0f : shaped.probability(lanes<1>(c[std::size_t(c.selected)].logit))[0];
        c.map_logits(shaped);
        if (c.selected >= 0) c[std::size_t(c.selected)].p = p;
    }

    step accept(state& kept, token_id token, const last_choice* last) const noexcept {
        if (last == nullptr || flushed(target) < 0.0f) return {};
        if (last->token != token) return not_its_choice(name, token);
        const state now = begun(kept);
        kept.sum = (lanes<1>(last->p) + lanes<1>(clamped_decay()) * lanes<1>(now.sum))[0];
        kept.weight = (lanes<1>(1.0f) + lanes<1>(clamped_decay()) * lanes<1>(now.weight))[0];
        return {};
    }

    status(check)() const noexcept {
        if (target != target) return status::invalid(name, "target", double(target), "is not a number");
        if (decay != decay) return status::invalid(name, "decay", double(decay), "is not a number");
        return {};
    }

private:
    float clamped_decay() const noexcept { return flushed(decay > 0.0f ? (decay < 0.99f ? decay : 0.99f) : 0.0f); }
    float aim() const noexcept { return flushed(target < 1.0f ? target : 1.0f); }
    state begun(const state& kept) const noexcept {
        if (kept.weight > 0.0f) return kept;
        const float weight = 1.0f / (lanes<1>(1.0f) - lanes<1>(clamped_decay()))[0];
        return {(lanes<1>(aim()) * lanes<1>(weight))[0], weight};
    }
    /// The probability that is wanted of the next token.
    float wanted(const state& kept) const noexcept {
        const state now = begun(kept);
        const float average = now.sum / now.weight;
        const float against = (lanes<1>(2.0f) * lanes<1>(aim()) - lanes<1>(average))[0];
        return flushed(against > 0.0f ? (against < 1.0f ? against : 1.0f) : 0.0f);
    }
};

}  // namespace riffle
