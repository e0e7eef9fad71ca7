#pragma once
// The distributions by which selectors draw, as their publications write them down, in double precision; and rows to
// draw from.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include <riffle/riffle.hpp>

#include "integers.hpp"

namespace riffle_tests {

using namespace riffle;

// --- the distributions
// --------------------------------------------------------------------------------------------------------

using shares = std::vector<double>;

/// Ids by probability, the likeliest first, the lower among equals.
inline std::vector<std::size_t> ranked(const shares& p) {
    std::vector<std::size_t> order(p.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p[a] > p[b]; });
    return order;
}
/// The distribution of the k likeliest alone.
inline shares of_the_first(const shares& p, std::size_t k) {
    const auto order = ranked(p);
    shares kept(p.size(), 0.0);
    double total = 0.0;
    for (std::size_t r = 0; r < std::min(k, p.size()); ++r) total += p[order[r]];
    for (std::size_t r = 0; r < std::min(k, p.size()); ++r) kept[order[r]] = p[order[r]] / total;
    return kept;
}

inline shares distribution_of_selector(const dist&, const shares& p) { return p; }
inline shares distribution_of_selector(const gumbel&, const shares& p) { return p; }
/// turboderp's skew: u^exp(-amount) for u, so C^exp(amount) for the running probability C.
inline shares distribution_of_selector(const skew& s, const shares& p) {
    const double e = std::exp(double(s.amount));
    shares distribution(p.size(), 0.0);
    double running = 0.0, before = 0.0;
    for (const std::size_t i : ranked(p)) {
        running = std::min(1.0, running + p[i]);
        distribution[i] = std::pow(running, e) - std::pow(before, e);
        before = running;
    }
    return distribution;
}
/// Basu et al. 2020, algorithm 2, at mu = 2 tau.
inline shares distribution_of_selector(const mirostat_v2& s, const shares& p) {
    std::size_t k = 0;
    for (const double x : p) k += -std::log2(x) <= 2.0 * double(s.tau);
    return of_the_first(p, std::max<std::size_t>(k, 1));
}
/// Algorithm 1, at mu = 2 tau.
inline shares distribution_of_selector(const mirostat& s, const shares& p) {
    const auto order = ranked(p);
    double products = 0.0, squares = 0.0;
    for (std::size_t i = 0; i + 1 < std::min<std::size_t>(std::size_t(s.m), p.size()); ++i) {
        const double t = std::log(double(i + 2) / double(i + 1));
        products += t * std::log(p[order[i]] / p[order[i + 1]]);
        squares += t * t;
    }
    const double exponent = products / squares, e = exponent - 1.0;
    const double k =
        std::pow(e * std::exp2(2.0 * double(s.tau)) / (1.0 - std::pow(double(s.n_vocab), -e)), 1.0 / exponent);
    return of_the_first(p, std::size_t(std::clamp(k, 1.0, 1e9)));
}
/// llama.cpp#17927, at an average of what was accepted; the chain begins with one at the target.
inline shares distribution_of_adaptive_p(double target, double average, const shares& p) {
    if (target < 0.0) return p;
    const double wanted = std::clamp(2.0 * target - average, 0.0, 1.0);
    shares distribution;
    double total = 0.0;
    for (const double x : p) {
        const double d = std::fabs(x - wanted) / 0.3;
        distribution.push_back(std::exp(5.0 - 10.0 * d * d / (1.0 + d)));
        total += distribution.back();
    }
    for (double& x : distribution) x /= total;
    return distribution;
}
inline shares distribution_of_selector(const adaptive_p& s, const shares& p) {
    return distribution_of_adaptive_p(double(s.target), double(s.target), p);
}

// --- the rows --------------------------------------------------------------------------------------------------------

/// Zipf's law with an exponent of a bit over 1, in no order, and with a little noise: as language has it.
inline std::vector<float> zipf_row(std::size_t size) {
    integers random(size);
    std::vector<float> row(size);
    for (std::size_t i = 0; i < size; ++i)
        row[i] = float(-1.15 * std::log(double(i + 1))) + random.real(0, 1) * 0.25f + 2.0f;
    for (std::size_t i = size - 1; i > 0; --i) std::swap(row[i], row[random.below(std::uint32_t(i + 1))]);
    return row;
}
/// A handful of likely tokens over many that are equal.
inline std::vector<float> flat_row(std::size_t size) {
    std::vector<float> row(size, -1.0f);
    for (std::size_t i = 0; i < 12; ++i) row[(i * 7919 + 3) % size] = float(i % 5) * 0.75f;
    return row;
}

}  // namespace riffle_tests
