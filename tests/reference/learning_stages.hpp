#pragma once
// Selectors that learn from what is accepted.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/riffle.hpp>

#include "reference/between.hpp"
#include "reference/softmax_stages.hpp"

namespace riffle_tests::reference {

/// As dist draws, with the probability of what is drawn.
inline void draw(state_between& b, std::uint64_t bits) {
    if (b.left.empty()) return;
    const softmax_statistics all = statistics_of_all(b.left);
    const std::uint64_t target = multiply_high(bits, all.mass);
    std::vector<candidate> by_id = b.left;
    std::stable_sort(by_id.begin(), by_id.end(), [](const candidate& a, const candidate& c) { return a.id < c.id; });
    std::uint64_t sum = 0;
    for (const candidate& c : by_id) {
        sum += weight(c, all.maximum);
        if (sum <= target) continue;
        b.token = c.id;
        b.p = float(double(weight(c, all.maximum)) / double(all.mass));
        return;
    }
}

inline float mu(float tau, const situation& x) { return rounded(rounded(2.0f * tau) + x.kept_here().drift); }

inline void learn_surprise(float tau, float eta, const choice& last, learnt& kept) {
    const float surprise = -rounded(log(last.p) * 1.44269504f);
    const float moved = rounded(kept.drift - rounded(eta * rounded(surprise - tau)));
    kept.drift = std::min(std::max(moved, -1e6f), 1e6f);
}

inline void apply(const riffle::mirostat& s, state_between& b, const situation& x) {
    drop_illegal(b.left);
    sort_by_rank(b.left);
    if (b.left.empty()) return;
    float products = 0.0f, squares = 0.0f;
    for (std::size_t i = 0; i + 1 < std::min(std::size_t(s.m), b.left.size()); ++i) {
        const float t = rounded(log(float(i + 2)) - (i == 0 ? 0.0f : log(float(i + 1))));
        const float fall = std::min(rounded(b.left[i].logit - b.left[i + 1].logit), 1e6f);
        products = rounded(products + rounded(t * fall));
        squares = rounded(squares + rounded(t * t));
    }
    const float found = b.left.size() < 2 ? 0.0f : rounded(products / squares);
    const float exponent = std::max(found, 1e-6f);

    // k = (e 2^mu / (1 - n^-e))^(1 / s), e = s - 1
    const float e = rounded(exponent - 1.0f);
    const float log_n = log(float(s.n_vocab));
    const float times = rounded(e * log_n);
    const float log_mu = rounded(mu(s.tau, x) * 0.693147181f);
    float ratio = -log(log_n);
    if (!(std::fabs(times) < 1e-3f)) {
        const float rest = std::fabs(rounded(1.0f - exp(-times)));
        ratio = rounded(log(std::fabs(e)) - log(rest));
    }
    const float log_k = rounded(rounded(log_mu + ratio) / exponent);
    if (log_k < 21.0f) {
        const float k = exp(log_k);
        keep_first(b.left, k > 1.0f ? std::size_t(k) : 1);
    }
    draw(b, random_bits(x.at, s.seed, 4));
}
inline void learn(const riffle::mirostat& s, const choice& last, learnt& kept) {
    learn_surprise(s.tau, s.eta, last, kept);
}

inline void apply(const riffle::mirostat_v2& s, state_between& b, const situation& x) {
    drop_illegal(b.left);
    if (b.left.empty()) return;
    const softmax_statistics all = statistics_of_all(b.left);
    const float by_surprise = all.logit_of(-rounded(mu(s.tau, x) * 0.693147181f));
    const float weightless = canonical(rounded(all.maximum - 20.8f));
    keep_from(b.left, std::max(by_surprise, weightless), 1);
    draw(b, random_bits(x.at, s.seed, 5));
}
inline void learn(const riffle::mirostat_v2& s, const choice& last, learnt& kept) {
    learn_surprise(s.tau, s.eta, last, kept);
}

inline float aim(const riffle::adaptive_p& s) { return parameter(std::min(s.target, 1.0f)); }
inline float decay(const riffle::adaptive_p& s) { return parameter(std::min(std::max(s.decay, 0.0f), 0.99f)); }
/// The sums that the average is of: at first those to which they would come if the target had always been met.
inline learnt begun(const riffle::adaptive_p& s, learnt kept) {
    if (kept.weight > 0.0f) return kept;
    kept.weight = rounded(1.0f / rounded(1.0f - decay(s)));
    kept.sum = rounded(aim(s) * kept.weight);
    return kept;
}
inline void apply(const riffle::adaptive_p& s, state_between& b, const situation& x) {
    const softmax_statistics all = statistics_of_all(b.left);
    if (all.legal == 0) return;
    const std::vector<candidate> before = b.left;
    const auto per_weight = float(1.0 / double(all.mass));
    const auto probability = [&](const candidate& c) {
        return c.logit == minus_infinity ? 0.0f : rounded(float(weight(c, all.maximum)) * per_weight);
    };
    if (parameter(s.target) >= 0.0f) {
        const learnt kept = begun(s, x.kept_here());
        const float average = rounded(kept.sum / kept.weight);
        const float against = rounded(rounded(2.0f * aim(s)) - average);
        const float wanted = parameter(std::min(std::max(against, 0.0f), 1.0f));
        for (candidate& c : b.left) {
            if (c.logit == minus_infinity) continue;
            const float d = rounded(std::fabs(rounded(probability(c) - wanted)) * 3.33333333f);
            const float squared = rounded(rounded(10.0f * d) * d);
            c.logit = rounded(5.0f - rounded(squared * reciprocal(rounded(1.0f + d))));
        }
    }
    state_between drawn{b.left};
    drop_illegal(drawn.left);
    draw(drawn, random_bits(x.at, s.seed, 6));
    b.token = drawn.token;
    for (const candidate& c : before)
        if (c.id == b.token) b.p = probability(c);
}
inline void learn(const riffle::adaptive_p& s, const choice& last, learnt& kept) {
    if (parameter(s.target) < 0.0f) return;
    kept = begun(s, kept);
    kept.sum = rounded(last.p + rounded(decay(s) * kept.sum));
    kept.weight = rounded(1.0f + rounded(decay(s) * kept.weight));
}

}  // namespace riffle_tests::reference
