#pragma once
#include <riffle/core/candidates.hpp>
#include <riffle/core/last_choice.hpp>
#include <riffle/core/draws.hpp>
#include <riffle/core/status.hpp>
#include <riffle/math/elementwise.hpp>

namespace riffle::inline RIFFLE_ABI {

/// Draws by mass, as dist does, and leaves the chosen candidate's probability in its p.
inline void draw_with_probability(candidates& c, const draws& random) noexcept {
    c.selected = -1;
    const std::size_t best = c.greatest();
    if (best == c.size) return;
    const std::uint64_t total = c.weigh(c[best].logit);
    c.select_by_weight(multiply_high(random.bits(), total));
    if (c.selected < 0) return;
    token_data& chosen = c[std::size_t(c.selected)];
    chosen.p = float(double(candidates::weight(chosen)) / double(total));
}

/// What a chain answers when a stage that learns from its own choices is given another token: the token is taken, and
/// the stage stays as it is.
inline step not_its_choice(const char* stage, token_id token) noexcept {
    return {status::invalid(stage, "token", double(token), "is not what it chose last, so it learnt nothing")};
}

/// What both versions of mirostat keep: how far mu has drifted from its start at 2 · tau.
struct surprise_control {
    float drift = 0.0f;

    float mu(float tau) const noexcept { return (lanes<1>(2.0f) * lanes<1>(tau) + lanes<1>(drift))[0]; }

    /// mu -= eta · (surprise - tau), where the token is the one that was chosen last.
    step accept(const char* stage, token_id token, const last_choice* last, float tau, float eta) noexcept {
        if (last == nullptr) return {};
        if (last->token != token) return not_its_choice(stage, token);
        constexpr float bits_in_a_nat = 1.44269504f;
        const lanes<1> surprise = -(log(lanes<1>(last->p)) * lanes<1>(bits_in_a_nat));
        const float moved = (lanes<1>(drift) - lanes<1>(eta) * (surprise - lanes<1>(tau)))[0];
        drift = moved > -1e6f ? (moved < 1e6f ? moved : 1e6f) : -1e6f;
        return {};
    }

    static status check_target(const char* stage, float tau, float eta) noexcept {
        if (!(absolute(lanes<1>(tau))[0] <= 1e6f))
            return status::invalid(stage, "tau", double(tau), "is not a number between -1e6 and 1e6");
        if (!(absolute(lanes<1>(eta))[0] <= 1e6f))
            return status::invalid(stage, "eta", double(eta), "is not a number between -1e6 and 1e6");
        return {};
    }
};

}  // namespace riffle
