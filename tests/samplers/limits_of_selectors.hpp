#pragma once
// Stages that choose a token.

#include <cmath>
#include <cstdint>

#include "samplers/limits.hpp"

namespace riffle_tests {

template <>
inline limit_table limits<riffle::greedy>() {
    return limits_of(riffle::greedy{});
}
template <>
inline limit_table limits<riffle::dist>() {
    return limits_of(riffle::dist{}).seed(&riffle::dist::seed);
}
template <>
inline limit_table limits<riffle::gumbel>() {
    return limits_of(riffle::gumbel{}).seed(&riffle::gumbel::seed);
}
template <>
inline limit_table limits<riffle::skew>() {
    using riffle::skew;
    return limits_of(skew{.amount = 0.5f})
        .parameter("amount", &skew::amount, {-80.0f, 80.0f},
                   [](float amount) {
                       if (is_nan(amount)) return refused("is not a number");
                       if (is_zero(amount)) return off();
                       return usual();
                   })
        .seed(&skew::seed);
}
/// Of tau and eta.
inline meaning within_a_million(float value) {
    return std::fabs(value) <= 1e6f ? usual() : refused("is not a number between -1e6 and 1e6");
}
/// What both have; `usual_one` is either.
template <class Mirostat>
limits_of<Mirostat> limits_of_mirostat(const Mirostat& usual_one) {
    return limits_of(usual_one)
        .parameter("tau", &Mirostat::tau, {-1e6f, 1e6f}, within_a_million)
        .parameter("eta", &Mirostat::eta, {-1e6f, 1e6f}, within_a_million)
        .seed(&Mirostat::seed);
}
template <>
inline limit_table limits<riffle::mirostat>() {
    using riffle::mirostat;
    return limits_of_mirostat(mirostat{.tau = 1.5f, .n_vocab = 300})
        .parameter("m", &mirostat::m, {2, 300}, [](std::int32_t m) { return m < 2 ? refused("is below 2") : usual(); })
        .parameter("n_vocab", &mirostat::n_vocab, {1, 300},
                   [](std::int32_t n) { return n < 1 ? refused("is not the size of a vocabulary") : usual(); });
}
template <>
inline limit_table limits<riffle::mirostat_v2>() {
    using riffle::mirostat_v2;
    return limits_of_mirostat(mirostat_v2{.tau = 1.5f})
        .with({.tau = 1.5f})
        .parameter("tau", &mirostat_v2::tau, {}, [](float tau) {
            return tau <= -1.0f && within_a_million(tau).is == meaning::way::usual ? keeps_first(1)
                                                                                   : within_a_million(tau);
        });
}
template <>
inline limit_table limits<riffle::adaptive_p>() {
    using riffle::adaptive_p;
    return limits_of(adaptive_p{.target = 0.3f})
        .parameter("target", &adaptive_p::target, {0.0f, 1.0f},
                   [](float target) {
                       if (is_nan(target)) return refused("is not a number");
                       if (is_zero(target)) return counts_as(adaptive_p{.target = 0.0f});
                       if (target < 0.0f) return off();  // as dist
                       return target > 1.0f ? counts_as(adaptive_p{.target = 1.0f}) : usual();
                   })
        .parameter("decay", &adaptive_p::decay, {0.0f, 0.99f},
                   [](float decay) { return is_nan(decay) ? refused("is not a number") : usual(); })
        .seed(&adaptive_p::seed);
}

}  // namespace riffle_tests
