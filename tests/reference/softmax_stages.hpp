#pragma once
// Stages that look at the softmax statistics of all candidates: their mass, entropy, collision, extremes.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <riffle/riffle.hpp>

#include "reference/between.hpp"
#include "reference/plain_stages.hpp"

namespace riffle_tests::reference {

/// d: how far a logit lies under the maximum, in units of 2^-16 nats, at most 255.99 nats.
inline std::uint32_t distance(const candidate& c, float maximum) {
    float nats = rounded(maximum - c.logit);
    if (nats > 255.99f) nats = 255.99f;
    return std::uint32_t(rounded(nats * 65536.0f));
}

/// Sums over candidates, illegal ones left out.
struct softmax_statistics {
    float maximum = minus_infinity, minimum = greatest_float;
    std::uint64_t legal = 0, mass = 0;
    uint128 distances = 0, squares = 0;  ///< sums of w d and of w^2 / 256, each rounded down

    void add(const candidate& c) {
        const std::uint64_t w = weight(c, maximum);
        mass += w;
        distances += uint128(w) * distance(c, maximum);
        squares += w * w / 256;
    }
    /// log of the sum of exp(l - maximum)
    float log_mass() const { return log(float(double(mass) / 1073741824.0)); }
    /// The mean of d, in units of 2^-16 nats.
    std::uint32_t mean_distance() const { return std::uint32_t(distances / mass); }
    /// The mean of d, in nats, to 2^-24.
    float mean_nats() const { return rounded(float(std::uint64_t(distances * 256 / mass)) * 5.9604644775390625e-8f); }
    /// The mean of log_mass + d.
    float entropy() const { return rounded(log_mass() + mean_nats()); }
    float logit_of(float log_probability) const {
        return canonical(rounded(maximum + rounded(log_probability + log_mass())));
    }
};
inline softmax_statistics statistics_of_all(std::vector<candidate> c) {
    softmax_statistics all;
    drop_illegal(c);
    sort_by_rank(c);
    if (c.empty()) return all;
    all.maximum = c.front().logit;
    all.minimum = c.back().logit;
    all.legal = c.size();
    for (const candidate& one : c) all.add(one);
    return all;
}

/// Those whose logit reaches the cut, at least the `least` first in rank.
inline void keep_from(std::vector<candidate>& c, float cut, std::size_t least) {
    drop_illegal(c);
    sort_by_rank(c);
    std::size_t n = 0;
    while (n < c.size() && c[n].logit >= cut) ++n;
    keep_first(c, std::max({n, std::size_t{1}, least}));
}
inline void drop_weightless(std::vector<candidate>& c, float maximum) {
    std::vector<candidate> heavy;
    for (const candidate& one : c)
        if (weight(one, maximum) > 0) heavy.push_back(one);
    c = heavy;
}

inline void apply(const riffle::typical& s, state_between& b, const situation&) {
    if (s.p >= 1.0f) return;
    drop_illegal(b.left);
    const softmax_statistics all = statistics_of_all(b.left);
    drop_weightless(b.left, all.maximum);
    if (b.left.empty()) return;
    const std::int64_t mean = all.mean_distance();
    const auto score = [&](const candidate& c) { return std::abs(std::int64_t{distance(c, all.maximum)} - mean); };
    std::stable_sort(b.left.begin(), b.left.end(), [&](const candidate& x, const candidate& y) {
        return score(x) != score(y) ? score(x) < score(y) : x.id < y.id;
    });
    const std::uint64_t target = share_of(s.p, all.mass);
    std::size_t n = 0;
    for (std::uint64_t sum = 0; n < b.left.size() && sum <= target; ++n) sum += weight(b.left[n], all.maximum);
    keep_first(b.left, std::max({n, std::size_t{1}, s.min_keep}));
}

inline void apply(const riffle::epsilon_cutoff& s, state_between& b, const situation&) {
    if (parameter(s.epsilon) <= 0.0f) return;
    drop_illegal(b.left);
    if (b.left.empty()) return;
    keep_from(b.left, statistics_of_all(b.left).logit_of(log(s.epsilon)), s.min_keep);
}

inline void apply(const riffle::eta_cutoff& s, state_between& b, const situation&) {
    if (parameter(s.epsilon) <= 0.0f) return;
    drop_illegal(b.left);
    if (b.left.empty()) return;
    const softmax_statistics all = statistics_of_all(b.left);
    const float log_epsilon = log(s.epsilon);
    const float by_entropy = rounded(rounded(log_epsilon * 0.5f) - all.entropy());
    keep_from(b.left, all.logit_of(std::min(log_epsilon, by_entropy)), s.min_keep);
}

inline void apply(const riffle::top_a& s, state_between& b, const situation&) {
    if (parameter(s.a) <= 0.0f) return;
    drop_illegal(b.left);
    if (b.left.empty()) return;
    const softmax_statistics all = statistics_of_all(b.left);
    const float twice = rounded(all.log_mass() + all.log_mass());
    keep_from(b.left, all.logit_of(rounded(log(s.a) - twice)), 1);
}

inline void apply(const riffle::p_less& s, state_between& b, const situation&) {
    drop_illegal(b.left);
    if (b.left.empty()) return;
    const softmax_statistics all = statistics_of_all(b.left);
    const float slack = 6.103515625e-5f;  // 2^-14
    float bound = 0.0f;
    if (!s.normalised) {
        bound = float(to_double(all.squares) / double(all.mass) / double(all.mass) * 256.0);
    } else {
        if (all.legal < 2) return;
        const double square = to_double(uint128(all.mass) * all.mass);
        const double excess = to_double(all.squares * 256 * all.legal) - square;
        bound = float(excess / square / double(all.legal - 1));
        if (bound <= 1e-30f) return;
    }
    keep_from(b.left, all.logit_of(rounded(log(bound) - slack)), 1);
}

inline void apply(const riffle::min_k& s, state_between& b, const situation&) {
    drop_illegal(b.left);
    sort_by_rank(b.left);
    if (b.left.empty()) return;
    const auto logit = [&](std::size_t rank) { return b.left[rank - 1].logit; };
    const std::size_t size = b.left.size();
    const float range = flushed(std::min(rounded(logit(1) - logit(size)), greatest_float));
    if (range == 0.0f) return;
    // the greatest gap in relation to its rank; the range divides all alike
    std::size_t cliff = 1;
    float greatest = -1.0f;
    for (std::size_t rank = 1; rank < size; ++rank) {
        const float gap = flushed(rounded(flushed(rounded(logit(rank) - logit(rank + 1))) / float(rank)));
        if (gap > greatest) {
            greatest = gap;
            cliff = rank;
        }
    }
    const float least = rounded(s.tau / range);
    const std::size_t k = std::max(cliff, least < float(size) ? std::size_t(least) : size);
    const float last = logit(std::min(k, size));
    keep_from(b.left, last, 1);
}

inline void apply(const riffle::top_h& s, state_between& b, const situation&) {
    if (s.alpha > 1.0f) return;
    drop_illegal(b.left);
    sort_by_rank(b.left);
    if (b.left.empty()) return;
    const softmax_statistics all = statistics_of_all(b.left);
    drop_weightless(b.left, all.maximum);
    const bool nothing = parameter(s.alpha) <= 0.0f;
    const float bound = rounded((nothing ? 0.0f : s.alpha) * all.entropy());
    softmax_statistics prefix;
    prefix.maximum = all.maximum;
    std::size_t n = 0;
    while (n < b.left.size()) {
        prefix.add(b.left[n]);
        const float surprise = rounded(all.log_mass() + prefix.mean_nats());
        const float share = float(double(prefix.mass) / double(all.mass));
        const float entropy = s.renormalised ? prefix.entropy() : rounded(share * surprise);
        if (n >= std::max(s.min_keep, std::size_t{1}) && (nothing || entropy > bound)) break;
        ++n;
    }
    keep_first(b.left, n);
}

inline void apply(const riffle::tail_free& s, state_between& b, const situation&) {
    if (s.z >= 1.0f) return;
    drop_illegal(b.left);
    sort_by_rank(b.left);
    if (b.left.empty()) return;
    const float maximum = b.left[0].logit;
    drop_weightless(b.left, maximum);
    const std::size_t size = b.left.size();
    if (size < 3) return;
    std::vector<std::uint64_t> bends;
    std::uint64_t total = 0;
    for (std::size_t i = 0; i + 2 < size; ++i) {
        const auto w = [&](std::size_t j) { return std::int64_t{weight(b.left[j], maximum)}; };
        bends.push_back(std::uint64_t(std::abs(w(i) - 2 * w(i + 1) + w(i + 2))));
        total += bends.back();
    }
    if (total == 0) {  // no bend is more than another
        for (auto& bend : bends) bend = 1;
        total = bends.size();
    }
    std::size_t first = 0;
    if (parameter(s.z) > 0.0f) {
        const std::uint64_t target = share_of(s.z, total);
        for (std::uint64_t sum = bends[0]; sum <= target; sum += bends[first]) ++first;
    }
    const std::size_t kept = s.centred && parameter(s.z) > 0.0f ? first + 1 : first;
    keep_first(b.left, std::max({kept, s.min_keep, std::size_t{1}}));
}

inline void apply(const riffle::dynamic_temperature& s, state_between& b, const situation& x) {
    if (parameter(s.range) <= 0.0f) return apply(riffle::temperature{s.t}, b, x);
    const softmax_statistics all = statistics_of_all(b.left);
    if (all.legal < 2) return;
    const float low = std::max(rounded(s.t - s.range), 0.0f);
    const float width = rounded(rounded(s.t + s.range) - low);
    const float share = rounded(all.entropy() / log(float(all.legal)));
    const float power = exp(rounded(log(share) * s.exponent));
    const float t = rounded(low + rounded(width * power));
    const float least = 5.421010862427522e-20f;  // 2^-64
    if (t <= least) {                            // as temperature, but never the first in rank alone
        for (candidate& c : b.left)
            if (c.logit != minus_infinity) c.logit = canonical(rounded(c.logit * 18446744073709551616.0f));
        return;
    }
    const float scale = parameter(rounded(1.0f / t));
    for (candidate& c : b.left)
        if (c.logit != minus_infinity) c.logit = canonical(rounded(c.logit * scale));
}

inline void apply(const riffle::quadratic& s, state_between& b, const situation&) {
    if (parameter(s.factor) <= 0.0f) return;
    const float maximum = statistics_of_all(b.left).maximum;
    const auto seen = [](float value, float least) { return std::fabs(value) < least ? 0.0f : value; };
    const float by_square = seen(rounded(rounded(rounded(3.0f - s.curve) * 0.5f) * s.factor), 0x1p-50f);
    const float by_cube = seen(rounded(rounded(rounded(s.curve - 1.0f) * 0.5f) * s.factor), 0x1p-50f);
    for (candidate& c : b.left) {
        if (c.logit == minus_infinity) continue;
        const float d = seen(std::max(rounded(c.logit - maximum), -1e6f), 0x1p-25f);
        const float square = rounded(d * d);
        const float added = std::abs(maximum) <= 1e6f ? maximum : 0.0f;
        const float less = rounded(added - rounded(by_square * square));
        c.logit = canonical(rounded(less + rounded(rounded(by_cube * square) * d)));
    }
}

inline void apply(const riffle::xtc& s, state_between& b, const situation& x) {
    if (s.probability <= 0.0f || s.threshold > 0.5f) return;
    const std::uint64_t limit = share_of(s.probability, ~std::uint64_t{0});
    if (s.probability < 1.0f && random_bits(x.at, s.seed, 3, 0, x.occurrence) >= limit) return;
    const softmax_statistics all = statistics_of_all(b.left);
    if (all.legal == 0) return;
    const float cut = parameter(s.threshold) > 0.0f ? all.logit_of(log(s.threshold)) : -greatest_float;
    std::vector<candidate> top;
    for (const candidate& c : b.left)
        if (c.logit >= cut) top.push_back(c);
    sort_by_rank(top);
    if (top.size() < 2) return;
    std::vector<candidate> left;
    std::size_t legal = 0;
    for (const candidate& c : b.left) {
        if (c.logit >= cut && c.id != top.back().id && !s.exempt.contains(c.id)) continue;
        left.push_back(c);
        legal += c.logit > minus_infinity;
    }
    if (legal >= s.min_keep) b.left = left;
}

inline void apply(const riffle::factual_nucleus& s, state_between& b, const situation& x) {
    if (s.p >= 1.0f && (s.p_min >= 1.0f || s.decay == 1.0f)) return;
    float share = s.p;
    for (std::size_t i = x.accepted.size(); i-- > 0 && x.accepted.size() - i <= 4096;) {
        if (!x.generated[i] || s.resets.contains(x.accepted[i])) break;
        share = std::max(parameter(rounded(share * parameter(s.decay))), s.p_min);
    }
    drop_illegal(b.left);
    sort_by_rank(b.left);
    if (b.left.empty()) return;
    const softmax_statistics all = statistics_of_all(b.left);
    const std::uint64_t target = share_of(share, all.mass);
    std::size_t n = 0;
    for (std::uint64_t sum = 0; n < b.left.size() && sum <= target; ++n) sum += weight(b.left[n], all.maximum);
    keep_first(b.left, std::max({n, std::size_t{1}, s.min_keep}));
}

inline void apply(const riffle::skew& s, state_between& b, const situation& x) {
    drop_illegal(b.left);
    sort_by_rank(b.left);
    if (b.left.empty()) return;
    const softmax_statistics all = statistics_of_all(b.left);
    // one of the 2^23 odd multiples of 2^-24, each of which is a float
    const std::uint64_t odd = 2 * (random_bits(x.at, s.seed, 7) >> 41) + 1;
    float u = float(odd) * 5.9604644775390625e-8f;
    const float amount = std::min(std::max(s.amount, -80.0f), 80.0f);
    if (parameter(amount) != 0.0f) u = exp(rounded(log(u) * exp(-amount)));
    const std::uint64_t target = share_of(u, all.mass);
    std::uint64_t sum = 0;
    for (const candidate& c : b.left) {
        sum += weight(c, all.maximum);
        if (sum > target) {
            b.token = c.id;
            return;
        }
    }
}

}  // namespace riffle_tests::reference
