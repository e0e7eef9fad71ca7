#pragma once
// Every stage, and a chain of them, as slowly and obviously as can be: what riffle's stages mean, one after the other.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <riffle/riffle.hpp>

#include "reference/arithmetic.hpp"

namespace riffle_tests::reference {

struct candidate {
    std::int32_t id;
    float logit;
};

/// What a stage may look at besides its candidates.
struct situation {
    std::vector<std::int32_t> accepted;  ///< oldest first, prompt included
    draw_place at;
};

/// Candidates between two stages.
struct state_between {
    std::vector<candidate> left;
    std::int32_t token = -1;  ///< what a selector chose
    std::uint64_t mass = 0;   ///< S, where the selector is dist
};

inline bool by_rank(const candidate& a, const candidate& b) {
    if (a.logit != b.logit) return a.logit > b.logit;
    return a.id < b.id;
}
inline void sort_by_rank(std::vector<candidate>& c) { std::stable_sort(c.begin(), c.end(), by_rank); }
inline void drop_illegal(std::vector<candidate>& c) {
    std::vector<candidate> legal;
    for (const candidate& one : c)
        if (one.logit != minus_infinity) legal.push_back(one);
    c = legal;
}
inline void keep_first(std::vector<candidate>& c, std::size_t n) {
    if (n < c.size()) c.erase(c.begin() + std::ptrdiff_t(n), c.end());
}
inline std::uint32_t weight(const candidate& c, float maximum) { return fixed_mass(rounded(c.logit - maximum)); }

/// A parameter, or its reciprocal: denormals count as 0.
inline float parameter(float value) { return (bits_of(value) & 0x7f800000u) == 0 ? 0.0f : value; }

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
    const float cut = rounded(maximum - rounded(nats * s.n));
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
        if (count == 0) continue;
        const float repeated = c.logit <= 0.0f ? rounded(c.logit * s.repeat) : rounded(c.logit * inverse);
        const float frequent = rounded(float(count) * parameter(s.frequency));
        const float taken = rounded(frequent + parameter(s.presence));
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

/// Any of riffle's stages.
using any_spec = std::variant<riffle::greedy, riffle::dist, riffle::gumbel, riffle::temperature, riffle::soft_cap,
                              riffle::top_k, riffle::top_p, riffle::min_p, riffle::top_n_sigma, riffle::logit_bias,
                              riffle::penalties, riffle::mask>;

inline bool selects(const any_spec& s) { return s.index() < 3; }

/// A chain: a list of stages and what it has accepted.
struct model {
    std::vector<any_spec> stages;
    situation now;

    state_between run(std::vector<candidate> left) const {
        state_between b{std::move(left)};
        for (candidate& c : b.left) c.logit = canonical(c.logit);
        for (const any_spec& stage : stages) std::visit([&](const auto& spec) { apply(spec, b, now); }, stage);
        return b;
    }
    state_between run(std::span<const float> row) const {
        std::vector<candidate> all;
        for (std::size_t i = 0; i < row.size(); ++i) all.push_back({std::int32_t(i), row[i]});
        return run(std::move(all));
    }
    void accept(std::int32_t token) {
        now.accepted.push_back(token);
        ++now.at.position;
        now.at.attempt = 0;
    }
    void prompt(std::span<const std::int32_t> tokens) {
        now.accepted.insert(now.accepted.end(), tokens.begin(), tokens.end());
    }
};

// ---- what failures print

inline std::string print(const char* format, double a, double b = 0, double c = 0, double d = 0) {
    char text[128];
    std::snprintf(text, sizeof text, format, a, b, c, d);
    return text;
}
inline std::string describe(const riffle::greedy&) { return "greedy"; }
inline std::string describe(const riffle::dist& s) { return print("dist{%g}", double(s.seed)); }
inline std::string describe(const riffle::gumbel& s) { return print("gumbel{%g}", double(s.seed)); }
inline std::string describe(const riffle::temperature& s) { return print("temperature{%.9g}", double(s.t)); }
inline std::string describe(const riffle::soft_cap& s) { return print("soft_cap{%.9g}", double(s.cap)); }
inline std::string describe(const riffle::top_k& s) { return print("top_k{%g}", s.k); }
inline std::string describe(const riffle::top_p& s) {
    return print("top_p{%.9g, %g}", double(s.p), double(s.min_keep));
}
inline std::string describe(const riffle::min_p& s) {
    return print("min_p{%.9g, %g}", double(s.p), double(s.min_keep));
}
inline std::string describe(const riffle::top_n_sigma& s) { return print("top_n_sigma{%.9g}", double(s.n)); }
inline std::string describe(const riffle::penalties& s) {
    return print("penalties{%g, %.9g, %.9g, %.9g}", s.last_n, double(s.repeat), double(s.frequency),
                 double(s.presence));
}
inline std::string describe(const riffle::logit_bias& s) {
    std::string text = "logit_bias{";
    for (const auto& entry : s.biases) text += print("%g: %g, ", entry.token, double(entry.bias));
    return text + "}";
}
inline std::string describe(const riffle::mask& s) {
    std::size_t legal = 0;
    for (std::size_t id = 0; id < s.words.size() * 32; ++id) legal += is_legal(s, std::int32_t(id));
    return print("mask{%g words, %g legal}", double(s.words.size()), double(legal));
}
inline std::string describe(const model& m) {
    std::string text;
    for (const any_spec& stage : m.stages) {
        if (!text.empty()) text += " | ";
        text += std::visit([](const auto& spec) { return describe(spec); }, stage);
    }
    return text;
}

}  // namespace riffle_tests::reference
