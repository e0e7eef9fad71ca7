#pragma once
#include <limits>

#include <riffle/exact/discrete.hpp>
#include <riffle/exact/form.hpp>
#include <riffle/exact/softmax.hpp>
#include <riffle/samplers/adaptive_p.hpp>

namespace riffle::inline RIFFLE_ABI::exact {

/// llama_sampler_init_adaptive_p (MrJackSpade and others, llama.cpp #17927): draws tokens whose p is near a target that
/// moves so that a running average of the p of accepted tokens stays at `target`. A negative target draws by p. Logits
/// are rewritten without clearing the sorted flag, which is kept.
template <>
struct form<adaptive_p> {
    /// The generator, the running average as two sums, and the token that was drawn and not yet accepted. llama.cpp's
    /// clone draws from the beginning again, and when the token that the original drew last is accepted on it, it reads
    /// the p of that token from an array that it does not have. Here a copy then learns nothing.
    struct state {
        explicit state(const adaptive_p& spec) noexcept
            : random(spec.seed), sum(spec.target / (1.0f - decay_of(spec))), weight(1.0f / (1.0f - decay_of(spec))) {}
        state(const state& other) noexcept
            : random(other.random), sum(other.sum), weight(other.weight), pending(other.pending) {
            random.restart();
        }
        state& operator=(const state& other) noexcept { return *this = state(other); }
        state(state&&) noexcept = default;
        state& operator=(state&&) noexcept = default;
        ~state() = default;

        mersenne_twister random;
        float sum, weight;
        token_id pending = null_token;
        float pending_p = 0.0f;  ///< of the pending token, before logits were rewritten
        bool knows_p = false;
    };

    static status_code apply(const adaptive_p& spec, state& s, candidates& c, form_context& x) noexcept {
        if (const auto failure = softmax(c); failure != status_code::ok) return failure;
        if (spec.target < 0.0f) {
            c.selected = drawn_by_p(c, s.random, x.past.taken());
            return status_code::ok;
        }
        // The index of the token is known only when its p is overwritten: all p are kept until then.
        auto* const originals = x.memory.room<float>(c.size);
        if (!originals) return status_code::out_of_memory;
        for (std::size_t i = 0; i < c.size; ++i) originals[i] = c[i].p;
        rewrite(target_of(spec, s), c);
        softmax(c);
        c.selected = drawn_by_p(c, s.random, x.past.taken());
        s.pending = c[std::size_t(c.selected)].id;
        s.pending_p = originals[c.selected];
        s.knows_p = true;
        return status_code::ok;
    }
    static void accept(const adaptive_p& spec, state& s, token_id token) noexcept {
        if (token == s.pending && s.knows_p) {
            s.sum = s.pending_p + times(decay_of(spec), s.sum);
            s.weight = 1.0f + times(decay_of(spec), s.weight);
        }
        forget_pending(s);
    }
    static void reset(const adaptive_p& spec, state& s) noexcept { s = state(spec); }

    struct mark {
        std::uint32_t words;
        float sum, weight;
        token_id pending;
        float pending_p;
    };
    static mark save(const state& s) noexcept {
        return {s.random.words(), without_sign_of_nan(s.sum), s.weight, s.knows_p ? s.pending : null_token,
                without_sign_of_nan(s.pending_p)};
    }
    static void restore(const adaptive_p&, state& s, const mark& m) noexcept {
        s.random.seek(m.words);
        s.sum = m.sum;
        s.weight = m.weight;
        s.pending = m.pending;
        s.pending_p = m.pending_p;
        s.knows_p = m.pending != null_token;
    }

private:
    static constexpr float clamped(float value, float least, float most) noexcept {
        return value < least ? least : most < value ? most : value;
    }
    static float decay_of(const adaptive_p& spec) noexcept { return clamped(spec.decay, 0.0f, 0.99f); }
    static void forget_pending(state& s) noexcept {
        s.pending = null_token;
        s.knows_p = false;
    }

    /// The p to draw near to: as far on the other side of the target as the average is on one.
    static float target_of(const adaptive_p& spec, const state& s) noexcept {
        const float target = clamped(spec.target, 0.0f, 1.0f);
        return clamped(times(2.0f, target) - s.sum / s.weight, 0.0f, 1.0f);
    }
    /// A logit by the distance of p from the target: a parabola near it, and a line further off.
    static void rewrite(float target, candidates& c) noexcept {
        constexpr float per_width = 1.0f / 0.3f, peak = 5.0f, sharpness = 10.0f;
        for (auto& token : c) {
            if (token.logit == -std::numeric_limits<float>::infinity()) continue;
            const float distance = absolute(times(token.p - target, per_width));
            token.logit = peak - times(times(sharpness, distance), distance) / (1.0f + distance);
        }
    }
};

}  // namespace riffle::exact
