#pragma once
#include <cstdint>

#include <riffle/core/last_choice.hpp>
#include <riffle/core/facts.hpp>
#include <riffle/core/softmax_statistics.hpp>
#include <riffle/samplers/parts/surprise.hpp>

namespace riffle::inline RIFFLE_ABI {

/// Mirostat 2.0: keeps the tokens whose surprise -log2 p is at most mu, at least the best, and draws from them as dist
/// does; mu starts at 2 · tau and follows the surprise of what is accepted: mu -= eta · (surprise - tau). (Basu et al.
/// 2020, arXiv 2007.14966, algorithm 2.) A selector.
///
/// Tokens more than 20.8 nats under the maximum are never kept.
///
/// `tau`: the surprise aimed at, in bits, usual 3 to 8; `eta`: how fast mu follows, usual 0.1; both within ±1e6, else
/// an error, and mu never drifts further than 1e6 from its start; where it is below 0 the best stays alone. `seed` as
/// in dist. mu moves only in accept, and only for the token that was chosen last: a token from elsewhere leaves it, and
/// the step says so. (llama.cpp moves mu in apply, so a rejected token moves it too; numerics::llama repeats that.)
///
/// Wide: max, mass, and the blocks that reach the cut. No sort: O(candidates).
struct mirostat_v2 {
    float tau = 5.0f;        ///< surprise aimed at, in bits; usual 3 to 8, within ±1e6
    float eta = 0.1f;        ///< how fast mu follows; usual 0.1, within ±1e6
    std::uint64_t seed = 0;  ///< of the draws; any

    static constexpr const char* name = "mirostat_v2";
    static constexpr std::uint8_t kind = stream_kind::mirostat_v2;
    static constexpr facts fact{.draws = true, .narrows = narrowing::likelihood, .selects = selecting::by_mass};

    using state = surprise_control;

    bool narrows_now() const noexcept { return true; }
    std::size_t keeps_at_least() const noexcept { return 1; }
    /// The logit whose surprise is mu, or where nothing weighs any more.
    float cut(const softmax_statistics& of_all, const state& kept) const noexcept {
        constexpr float nats_in_a_bit = 0.693147181f;
        const float by_surprise = of_all.logit_of(-(lanes<1>(kept.mu(tau)) * lanes<1>(nats_in_a_bit))[0]);
        return (std::max)(by_surprise, canonical((lanes<1>(of_all.maximum) - lanes<1>(mass_range))[0]));
    }

    void prepare(candidates& c, const state& kept) const noexcept {
        const softmax_statistics of_all = softmax_of(c);
        if (of_all.mass == 0) return c.keep_legal();
        c.keep_above(cut(of_all, kept), keeps_at_least());
    }
    void choose(candidates& c, const draws& random, const state&) const noexcept { draw_with_probability(c, random); }
    step accept(state& kept, token_id token, const last_choice* last) const noexcept {
        return kept.accept(name, token, last, tau, eta);
    }

    status(check)() const noexcept { return surprise_control::check_target(name, tau, eta); }
};

}  // namespace riffle
