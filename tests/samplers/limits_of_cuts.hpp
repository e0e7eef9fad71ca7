#pragma once
// Stages that keep some of the candidates.

#include <cstddef>
#include <cstdint>
#include <limits>

#include "reference/variants.hpp"
#include "samplers/limits.hpp"

namespace riffle_tests {

template <>
inline limit_table limits<riffle::top_k>() {
    return limits_of(riffle::top_k{.k = 3}).parameter("k", &riffle::top_k::k, {3, 9}, [](std::int32_t k) {
        return k <= 0 ? off() : keeps_first(std::size_t(k));
    });
}
template <>
inline limit_table limits<riffle::top_p>() {
    using riffle::top_p;
    const auto of_p = [](std::size_t min_keep) {
        return [=](float p) {
            if (is_nan(p)) return refused("is not a number");
            if (p >= 1.0f) return off();
            return p <= 0.0f || is_zero(p) ? keeps_first(min_keep) : usual();
        };
    };
    return limits_of(top_p{.p = 0.6f, .min_keep = 4})
        .parameter("p", &top_p::p, {0.5f, 1.0f}, of_p(4))
        .with({.p = 0.6f})
        .parameter("p", &top_p::p, {}, of_p(0))
        .parameter("min_keep", &top_p::min_keep, {3}, [](std::size_t n) {
            if (n > 300) return keeps_all();
            return n <= 1 ? counts_as(top_p{.p = 0.6f, .min_keep = 1}) : usual();
        });
}
template <>
inline limit_table limits<riffle::factual_nucleus>() {
    using riffle::factual_nucleus, riffle::token_set;
    return limits_of(factual_nucleus{.p = 0.7f, .decay = 0.8f, .p_min = 0.3f, .resets = {4}})
        .parameter("p", &factual_nucleus::p, {0.3f, 1.0f},
                   [](float p) {
                       if (is_nan(p)) return refused("is not a number");
                       return p <= 0.0f || is_zero(p) ? keeps_first(1) : usual();  // the first token of a text
                   })
        .with({.p = 0.7f, .decay = 0.8f, .p_min = 1.0f})
        .parameter("p", &factual_nucleus::p, {1.0f},
                   [](float p) {
                       if (is_nan(p)) return refused("is not a number");
                       return p >= 1.0f ? off() : p <= 0.0f || is_zero(p) ? keeps_first(1) : usual();
                   })
        .with({.p = 1.0f, .decay = 1.0f})
        .parameter("p_min", &factual_nucleus::p_min, {},
                   [](float least) { return is_nan(least) ? refused("is not a number") : off(); })
        .with({.p = 0.7f, .decay = 0.8f, .p_min = 0.3f, .resets = {4}})
        .parameter("decay", &factual_nucleus::decay, {0.0f, 1.0f},
                   [](float decay) {
                       if (is_zero(decay)) return usual();
                       if (!(decay >= 0.0f && decay <= 1.0f)) return refused("is not in [0, 1]");
                       return decay == 1.0f ? counts_as(riffle::top_p{.p = 0.7f}) : usual();
                   })
        .parameter("p_min", &factual_nucleus::p_min, {0.7f, 1.0f},
                   [](float least) { return is_nan(least) ? refused("is not a number") : usual(); })
        .values("resets", &factual_nucleus::resets, {{{}}, {{-1}}, {{2147483647}}, {{0, 1, 2, 3, 4, 5, 6, 7, 8}}})
        .parameter("min_keep", &factual_nucleus::min_keep, {4},
                   [](std::size_t n) { return n > 300 ? keeps_all() : usual(); });
}
template <>
inline limit_table limits<riffle::min_p>() {
    using riffle::min_p;
    return limits_of(min_p{.p = 0.5f})
        .parameter("p", &min_p::p, {1.0f},
                   [](float p) {
                       if (is_nan(p)) return refused("is not a number");
                       return p <= 0.0f || is_zero(p) ? off() : usual();
                   })
        .parameter("min_keep", &min_p::min_keep, {3}, [](std::size_t n) {
            if (n > 300) return keeps_all();
            return n <= 1 ? counts_as(min_p{.p = 0.5f, .min_keep = 1}) : usual();
        });
}
template <>
inline limit_table limits<riffle::typical>() {
    using riffle::typical;
    const auto of_p = [](std::size_t min_keep) {
        return [=](float p) {
            if (is_nan(p)) return refused("is not a number");
            if (p >= 1.0f) return off();
            return p <= 0.0f || is_zero(p) ? counts_as(typical{.p = 0.0f, .min_keep = min_keep}) : usual();
        };
    };
    return limits_of(typical{.p = 0.5f, .min_keep = 4})
        .parameter("p", &typical::p, {1.0f}, of_p(4))
        .with({.p = 0.5f})
        .parameter("p", &typical::p, {}, of_p(1))
        .parameter("min_keep", &typical::min_keep, {3}, [](std::size_t n) {
            if (n > 300) return keeps_all();
            return n <= 1 ? counts_as(typical{.p = 0.5f, .min_keep = 1}) : usual();
        });
}
template <>
inline limit_table limits<riffle::top_n_sigma>() {
    return limits_of(riffle::top_n_sigma{.n = 1.0f}).parameter("n", &riffle::top_n_sigma::n, {1.0f}, [](float n) {
        if (is_nan(n)) return refused("is not a number");
        if (n >= 0x1p31f) return keeps_all();
        return n <= 0.0f || is_zero(n) ? off() : usual();
    });
}
template <>
inline limit_table limits<riffle::top_a>() {
    return limits_of(riffle::top_a{.a = 0.2f}).parameter("a", &riffle::top_a::a, {1.0f}, [](float a) {
        if (is_nan(a)) return refused("is not a number");
        return a <= 0.0f || is_zero(a) ? off() : a >= 0x1p31f ? keeps_first(1) : usual();
    });
}
template <>
inline limit_table limits<riffle::tail_free>() {
    using riffle::tail_free;
    const auto of_z = [](const tail_free& at_zero) {
        return [=](float z) {
            if (is_nan(z)) return refused("is not a number");
            if (z >= 1.0f) return off();
            return z <= 0.0f || is_zero(z) ? counts_as(at_zero) : usual();
        };
    };
    return limits_of(tail_free{.z = 0.5f, .min_keep = 4})
        .parameter("z", &tail_free::z, {1.0f}, of_z({.z = 0.0f, .min_keep = 4}))
        .with({.z = 0.5f, .centred = true})
        .parameter("z", &tail_free::z, {1.0f}, of_z({.z = 0.0f}))
        .with({.z = 0.5f})
        .parameter("z", &tail_free::z, {1.0f}, of_z({.z = 0.0f}))
        .parameter("min_keep", &tail_free::min_keep, {3},
                   [](std::size_t n) {
                       if (n > 300) return keeps_all();
                       return n <= 1 ? counts_as(tail_free{.z = 0.5f, .min_keep = 1}) : usual();
                   })
        .parameter("centred", &tail_free::centred, {}, [](bool) { return usual(); });
}
template <>
inline limit_table limits<riffle::epsilon_cutoff>() {
    using riffle::epsilon_cutoff;
    return limits_of(epsilon_cutoff{.epsilon = 0.1f, .min_keep = 4})
        .parameter("epsilon", &epsilon_cutoff::epsilon, {1.0f},
                   [](float epsilon) {
                       if (is_nan(epsilon)) return refused("is not a number");
                       if (epsilon > 1.0f) return keeps_first(4);
                       return epsilon <= 0.0f || is_zero(epsilon) ? off() : usual();
                   })
        .with({.epsilon = 0.1f})
        .parameter("min_keep", &epsilon_cutoff::min_keep, {3}, [](std::size_t n) {
            if (n > 300) return keeps_all();
            return n <= 1 ? counts_as(epsilon_cutoff{.epsilon = 0.1f, .min_keep = 1}) : usual();
        });
}
template <>
inline limit_table limits<riffle::eta_cutoff>() {
    using riffle::eta_cutoff;
    return limits_of(eta_cutoff{.epsilon = 0.1f})
        .parameter("epsilon", &eta_cutoff::epsilon, {1.0f},
                   [](float epsilon) {
                       if (is_nan(epsilon)) return refused("is not a number");
                       return epsilon <= 0.0f || is_zero(epsilon) ? off() : usual();
                   })
        .parameter("min_keep", &eta_cutoff::min_keep, {3}, [](std::size_t n) {
            if (n > 300) return keeps_all();
            return n <= 1 ? counts_as(eta_cutoff{.epsilon = 0.1f, .min_keep = 1}) : usual();
        });
}
template <>
inline limit_table limits<riffle::p_less>() {
    return limits_of(riffle::p_less{}).parameter("normalised", &riffle::p_less::normalised, {}, [](bool) {
        return usual();
    });
}
template <>
inline limit_table limits<riffle::top_h>() {
    using riffle::top_h;
    const auto of_alpha = [](std::size_t min_keep) {
        return [=](float alpha) {
            if (is_nan(alpha)) return refused("is not a number");
            if (alpha > 1.0f) return off();
            return alpha <= 0.0f || is_zero(alpha) ? keeps_first(min_keep) : usual();
        };
    };
    return limits_of(top_h{.alpha = 0.4f, .min_keep = 4})
        .parameter("alpha", &top_h::alpha, {1.0f}, of_alpha(4))
        .with({.alpha = 0.4f, .renormalised = true})
        .parameter("alpha", &top_h::alpha, {1.0f}, of_alpha(1))
        .with({.alpha = 0.4f})
        .parameter("alpha", &top_h::alpha, {1.0f}, of_alpha(0))
        .parameter("min_keep", &top_h::min_keep, {3},
                   [](std::size_t n) {
                       if (n > 300) return keeps_all();
                       return n <= 1 ? counts_as(top_h{.alpha = 0.4f, .min_keep = 1}) : usual();
                   })
        .parameter("renormalised", &top_h::renormalised, {}, [](bool) { return usual(); });
}
template <>
inline limit_table limits<riffle::min_k>() {
    return limits_of(riffle::min_k{.tau = 3.0f}).parameter("tau", &riffle::min_k::tau, {3.0f}, [](float tau) {
        if (is_zero(tau)) return counts_as(riffle::min_k{.tau = 0.0f});
        if (!(tau >= 0.0f)) return refused("is not 0 or a positive number");
        return tau >= std::numeric_limits<float>::max() ? keeps_all() : usual();
    });
}
template <>
inline limit_table limits<riffle::xtc>() {
    using riffle::xtc;
    return limits_of(xtc{.probability = 1.0f, .threshold = 0.1f})
        .parameter("probability", &xtc::probability, {1.0f},
                   [](float probability) {
                       if (is_nan(probability)) return refused("is not a number");
                       if (probability >= 1.0f) return counts_as(xtc{.probability = 1.0f, .threshold = 0.1f});
                       return probability <= 0.0f || is_zero(probability) ? off() : usual();
                   })
        .parameter("threshold", &xtc::threshold, {0.5f},
                   [](float threshold) {
                       if (is_nan(threshold)) return refused("is not a number");
                       if (threshold > 0.5f) return off();
                       const bool none = threshold <= 0.0f || is_zero(threshold);
                       return none ? counts_as(xtc{.probability = 1.0f, .threshold = -1.0f}) : usual();
                   })
        .parameter("min_keep", &xtc::min_keep, {7}, [](std::size_t n) { return n > 300 ? off() : usual(); })
        .seed(&xtc::seed)
        .values("exempt", &xtc::exempt, {{{}}, {{-1, 2147483647}}, {ids_between(0, 300, 1), off()}});
}
template <>
inline limit_table limits<riffle::infill>() {
    const riffle::infill usual_one = variants_of<riffle::infill>()[0];
    return limits_of(usual_one).values(
        "vocab", &riffle::infill::vocab,
        {{nullptr, refused("is no vocabulary"), 0.0}, {variants_of<riffle::infill>()[3].vocab}});
}
template <>
inline limit_table limits<riffle::mask>() {
    return limits_of(riffle::mask{})
        .values("words", &riffle::mask::words,
                {{{}}, {{0u}}, {{0x80000001u}}, {std::vector<std::uint32_t>(10, 0xffffffffu), keeps_all()}})
        .values("count", &riffle::mask::count, {{0}, {1}, {riffle::legal_tokens::unknown - 1}});
}
template <>
inline limit_table limits<riffle::allowed_tokens>() {
    return limits_of(riffle::allowed_tokens{})
        .values("tokens", &riffle::allowed_tokens::tokens,
                {{{}}, {{-1}}, {{2147483647}}, {{0}}, {ids_between(0, 300, 1), keeps_all()}});
}

}  // namespace riffle_tests
