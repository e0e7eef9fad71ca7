#pragma once
// Stages that change every logit.

#include <limits>

#include "samplers/limits.hpp"

namespace riffle_tests {

template <>
inline limit_table limits<riffle::temperature>() {
    using riffle::temperature;
    return limits_of(temperature{}).parameter("t", &temperature::t, {0x1p-64f, 1.0f}, [](float t) {
        if (is_nan(t)) return refused("is not a number");
        if (t <= 0.0f || is_zero(t)) return keeps_first(1);
        if (t < 0x1p-64f) return counts_as(temperature{.t = 0x1p-64f});
        return t == 1.0f ? off() : usual();
    });
}
template <>
inline limit_table limits<riffle::dynamic_temperature>() {
    using riffle::dynamic_temperature;
    return limits_of(dynamic_temperature{.t = 0.8f, .range = 0.0f})
        .parameter(
            "t", &dynamic_temperature::t, {1.0f},
            [](float t) { return is_nan(t) ? refused("is not a number") : counts_as(riffle::temperature{.t = t}); })
        .with({.t = 1.0f, .range = 0.5f, .exponent = 1.0f})
        .parameter("t", &dynamic_temperature::t, {0.5f, -0.5f},
                   [](float t) { return is_finite(t) ? usual() : refused("is not a finite number"); })
        .parameter("range", &dynamic_temperature::range, {1.0f},
                   [](float range) {
                       if (is_nan(range) || range > std::numeric_limits<float>::max())
                           return refused("is not a finite number");
                       return range <= 0.0f || is_zero(range) ? counts_as(riffle::temperature{.t = 1.0f}) : usual();
                   })
        .parameter("exponent", &dynamic_temperature::exponent, {1.0f},
                   [](float exponent) { return is_finite(exponent) ? usual() : refused("is not a finite number"); });
}
template <>
inline limit_table limits<riffle::soft_cap>() {
    return limits_of(riffle::soft_cap{.cap = 2.0f}).parameter("cap", &riffle::soft_cap::cap, {0x1p125f}, [](float cap) {
        if (is_nan(cap)) return refused("is not a number");
        return cap <= 0.0f || is_zero(cap) || cap > 0x1p125f ? off() : usual();
    });
}
template <>
inline limit_table limits<riffle::quadratic>() {
    using riffle::quadratic;
    constexpr auto rule = "is not a number between -1e6 and 1e6";
    return limits_of(quadratic{.factor = 0.3f, .curve = 1.5f})
        .parameter("factor", &quadratic::factor, {-1e6f, 1e6f},
                   [](float factor) {
                       if (!(std::fabs(factor) <= 1e6f)) return refused(rule);
                       return factor <= 0.0f || is_zero(factor) ? off() : usual();
                   })
        .parameter("curve", &quadratic::curve, {-1e6f, 1.0f, 3.0f, 1e6f}, [](float curve) {
            if (!(std::fabs(curve) <= 1e6f)) return refused(rule);
            return is_zero(curve) ? counts_as(quadratic{.factor = 0.3f, .curve = 0.0f}) : usual();
        });
}

}  // namespace riffle_tests
