#pragma once
// Whether tokens were drawn with the probabilities they should have.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/riffle.hpp>

namespace riffle_tests {

/// A token for draw i.
using draw_function = std::function<riffle::token_id(std::size_t)>;

/// How many deviations a normal variable exceeds once in a thousand times, and once in 10^9.
inline constexpr double once_in_a_thousand = 3.0902, once_in_a_billion = 5.9978;

/// The value that a chi-square variable exceeds as seldom (Wilson and Hilferty 1931; a little more where there are few
/// degrees).
inline double chi_square_limit(std::size_t degrees, double deviations = once_in_a_thousand) {
    const double spread = 2.0 / (9.0 * double(degrees));
    return double(degrees) * std::pow(1.0 - spread + deviations * std::sqrt(spread), 3.0);
}

/// exp of the logits, normalised, in double.
inline std::vector<double> softmax(std::span<const float> logits) {
    double maximum = -INFINITY, total = 0.0;
    for (const float l : logits) maximum = std::max(maximum, double(l));
    std::vector<double> p;
    for (const float l : logits) p.push_back(std::exp(double(l) - maximum));
    for (const double x : p) total += x;
    for (double& x : p) x /= total;
    return p;
}

/// `draw(i)` gives a token for i = 0 ... draws - 1. Tokens expected less than eight times share a cell.
inline void expect_drawn_from(const std::vector<double>& probabilities, std::size_t draws, const draw_function& draw,
                              const char* what) {
    std::vector<std::size_t> counts(probabilities.size());
    for (std::size_t i = 0; i < draws; ++i) {
        const riffle::token_id token = draw(i);
        ASSERT_GE(token, 0) << what;
        ASSERT_LT(std::size_t(token), counts.size()) << what;
        ++counts[std::size_t(token)];
    }
    double statistic = 0.0, rare = 0.0;
    std::size_t rare_count = 0, cells = 0;
    const auto add = [&](double expected, std::size_t count) {
        statistic += (double(count) - expected) * (double(count) - expected) / expected;
        ++cells;
    };
    for (std::size_t i = 0; i < counts.size(); ++i) {
        const double expected = probabilities[i] * double(draws);
        if (expected >= 8.0) {
            add(expected, counts[i]);
        } else {
            rare += expected;
            rare_count += counts[i];
        }
        if (probabilities[i] > 0.0) continue;
        EXPECT_EQ(counts[i], 0u) << what << ", token " << i;
    }
    if (rare >= 8.0) add(rare, rare_count);
    ASSERT_GE(cells, 2u) << what;
    EXPECT_LT(statistic, chi_square_limit(cells - 1)) << what << ", " << cells << " cells";
}

/// The same with a bound that only errors pass, and with cells that see more: tokens expected less than eight times
/// share a cell with their neighbours, so that a shift among many rare tokens shows too.
inline void expect_distribution(const std::vector<double>& probabilities, std::size_t draws, const draw_function& draw,
                                const std::string& what) {
    std::vector<std::size_t> counts(probabilities.size());
    for (std::size_t i = 0; i < draws; ++i) {
        const auto token = std::size_t(draw(i));
        ASSERT_LT(token, counts.size()) << what;  // null_token too
        ASSERT_GT(probabilities[token], 0.0) << what << ", token " << token;
        ++counts[token];
    }
    std::vector<std::pair<double, double>> cells;  // expected and counted
    double expected = 0.0, counted = 0.0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        expected += probabilities[i] * double(draws);
        counted += double(counts[i]);
        if (expected < 8.0) continue;
        cells.push_back({expected, counted});
        expected = counted = 0.0;
    }
    ASSERT_GE(cells.size(), 2u) << what;
    cells.back().first += expected;
    cells.back().second += counted;
    double statistic = 0.0;
    for (const auto& [mean, count] : cells) statistic += (count - mean) * (count - mean) / mean;
    EXPECT_LT(statistic, chi_square_limit(cells.size() - 1, once_in_a_billion))
        << what << ", " << cells.size() << " cells";
}

}  // namespace riffle_tests
