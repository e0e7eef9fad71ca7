#pragma once
// Maps, cuts by rank, threshold, deviation and mass, biases and masks, and the selectors that keep nothing.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <riffle/riffle.hpp>

#include "reference/between.hpp"

namespace riffle_tests::reference {

inline void apply(const riffle::temperature& s, state_between& b, const situation&) {
    if (s.t == 1.0f) return;
    if (parameter(s.t) <= 0.0f) {
        drop_illegal(b.left);
        sort_by_rank(b.left);
        keep_first(b.left, 1);
        return;
    }
    const float least = 5.421010862427522e-20f;  // 2^-64
    const float scale = s.t > least ? parameter(rounded(1.0f / s.t)) : 18446744073709551616.0f;
    for (candidate& c : b.left)
        if (c.logit != minus_infinity) c.logit = canonical(rounded(c.logit * scale));
}

inline void apply(const riffle::soft_cap& s, state_between& b, const situation&) {
    if (parameter(s.cap) <= 0.0f || s.cap > 42535295865117307932921825928971026432.0f) return;  // 2^125
    const float scale = rounded(1.0f / s.cap);
    for (candidate& c : b.left) {
        if (c.logit == minus_infinity) continue;
        const float ratio = rounded(c.logit * scale);
        c.logit = canonical(rounded(s.cap * tanh(ratio)));
    }
}

inline void apply(const riffle::top_k& s, state_between& b, const situation&) {
    if (s.k <= 0) return;
    drop_illegal(b.left);
    sort_by_rank(b.left);
    keep_first(b.left, std::size_t(s.k));
}

inline void apply(const riffle::min_p& s, state_between& b, const situation&) {
    if (parameter(s.p) <= 0.0f) return;
    drop_illegal(b.left);
    sort_by_rank(b.left);
    if (b.left.empty()) return;
    const float threshold = rounded(b.left[0].logit + log(s.p));
    std::size_t n = 0;
    while (n < b.left.size() && b.left[n].logit >= threshold) ++n;
    keep_first(b.left, std::max({n, std::size_t{1}, s.min_keep}));
}

inline void apply(const riffle::top_p& s, state_between& b, const situation&) {
    if (s.p >= 1.0f) return;
    drop_illegal(b.left);
    sort_by_rank(b.left);
    if (b.left.empty()) return;
    const float maximum = b.left[0].logit;
    std::uint64_t total = 0;
    for (const candidate& c : b.left) total += weight(c, maximum);
    const std::uint64_t share = s.p <= 0.0f ? 0 : std::uint64_t(s.p * 18446744073709551616.0f);
    const std::uint64_t target = multiply_high(share, total);
    std::size_t n = 0;
    for (std::uint64_t sum = 0; n < b.left.size() && sum <= target; ++n) sum += weight(b.left[n], maximum);
    keep_first(b.left, std::max({n, std::size_t{1}, s.min_keep}));
}

inline void apply(const riffle::top_n_sigma& s, state_between& b, const situation&) {
    if (parameter(s.n) <= 0.0f || b.left.size() <= 1) return;
    drop_illegal(b.left);
    sort_by_rank(b.left);
    if (b.left.empty() || s.n > greatest_float) return;
    const float maximum = b.left[0].logit;
    uint128 count = 0, sum = 0, squares = 0;
    for (const candidate& c : b.left) {
        float distance = rounded(maximum - c.logit);
        if (distance > 255.99f) distance = 255.99f;
        const auto d = std::uint64_t(rounded(distance * 65536.0f));
        count += 1;
        sum += d;
        squares += uint128(d) * d;
    }
    const auto variance = std::uint64_t((count * squares - sum * sum) / (count * count));
    const auto deviation = float(square_root(variance * 65536));
    const float nats = rounded(deviation * 5.9604644775390625e-8f);
    const float cut = rounded(maximum - flushed(rounded(nats * s.n)));
    std::size_t n = 0;
    while (n < b.left.size() && b.left[n].logit >= cut) ++n;
    keep_first(b.left, n);
}

inline void apply(const riffle::logit_bias& s, state_between& b, const situation&) {
    for (const auto& entry : s.biases)
        for (candidate& c : b.left)
            if (c.id == entry.token) c.logit = canonical(rounded(c.logit + parameter(entry.bias)));
}

inline void apply(const riffle::penalties& s, state_between& b, const situation& x) {
    if (s.last_n == 0 || (s.repeat == 1.0f && s.frequency == 0.0f && s.presence == 0.0f)) return;
    std::size_t window = x.accepted.size();
    if (s.last_n >= 0) window = std::min(window, std::size_t(s.last_n));
    const std::span<const std::int32_t> recent(x.accepted.data() + (x.accepted.size() - window), window);
    const float inverse = parameter(rounded(1.0f / s.repeat));
    for (candidate& c : b.left) {
        std::int32_t count = 0;
        for (const std::int32_t token : recent) count += token == c.id;
        if (count == 0 || s.exempt.contains(c.id)) continue;
        const float repeated = flushed(rounded(c.logit * (c.logit <= 0.0f ? s.repeat : inverse)));
        const float frequent = parameter(rounded(float(count) * parameter(s.frequency)));
        const float taken = parameter(rounded(frequent + parameter(s.presence)));
        c.logit = canonical(rounded(repeated - taken));
    }
}

inline bool is_legal(const riffle::mask& s, std::int32_t id) {
    if (id < 0) return false;
    const std::size_t word = std::size_t(id) / 32;
    if (word >= s.words.size()) return false;
    return (s.words[word] & (1u << (id % 32))) != 0;
}
inline void apply(const riffle::mask& s, state_between& b, const situation&) {
    for (candidate& c : b.left)
        if (!is_legal(s, c.id)) c.logit = minus_infinity;
    drop_illegal(b.left);
}

inline void apply(const riffle::greedy&, state_between& b, const situation&) {
    std::vector<candidate> legal = b.left;
    drop_illegal(legal);
    sort_by_rank(legal);
    if (!legal.empty()) b.token = legal[0].id;
}

inline void apply(const riffle::dist& s, state_between& b, const situation& x) {
    std::vector<candidate> legal = b.left;
    drop_illegal(legal);
    if (legal.empty()) return;
    sort_by_rank(legal);
    const float maximum = legal[0].logit;
    std::stable_sort(legal.begin(), legal.end(), [](const candidate& a, const candidate& c) { return a.id < c.id; });
    for (const candidate& c : legal) b.mass += weight(c, maximum);
    const std::uint64_t target = multiply_high(random_bits(x.at, s.seed, 1), b.mass);
    std::uint64_t sum = 0;
    for (const candidate& c : legal) {
        sum += weight(c, maximum);
        if (sum > target) {
            b.token = c.id;
            return;
        }
    }
}

inline void apply(const riffle::gumbel& s, state_between& b, const situation& x) {
    std::vector<candidate> noisy = b.left;
    drop_illegal(noisy);
    if (noisy.empty()) return;
    for (candidate& c : noisy) c.logit = rounded(c.logit + gumbel_noise(x.at, s.seed, c.id));
    sort_by_rank(noisy);
    b.token = noisy[0].id;
}

}  // namespace riffle_tests::reference
