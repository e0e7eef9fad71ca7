#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

// Rows to measure with, from fixed seeds and a generator of our own, so that every machine measures the same ones.

namespace rows {

class generator {
public:
    explicit generator(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 1) {}
    std::uint64_t next() {
        state_ += 0x9E3779B97F4A7C15u;
        std::uint64_t z = (state_ ^ (state_ >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        return z ^ (z >> 31);
    }
    float uniform() { return float(next() >> 40) * 0x1p-24f; }
    float normal() { return std::sqrt(-2.0f * std::log(1.0f - uniform())) * std::cos(6.2831853f * uniform()); }

private:
    std::uint64_t state_;
};

/// A normal bulk with mean -2..-1 and deviation 2..3, and 60 informative tokens that fall from 6..10 deviations above
/// the mean by 0.1..0.45 deviations each.
inline std::vector<float> medium(std::size_t size, std::uint64_t seed) {
    generator g(seed);
    const float mean = -2.0f + g.uniform(), deviation = 2.0f + g.uniform();
    std::vector<float> row(size);
    for (auto& logit : row) logit = mean + deviation * g.normal();
    float height = 6.0f + 4.0f * g.uniform();
    for (int i = 0; i < 60 && height > 0.0f; ++i) {
        row[g.next() % size] = mean + deviation * height;
        height -= 0.1f + 0.35f * g.uniform();
    }
    return row;
}

/// Normal, deviation 2, no informative tokens.
inline std::vector<float> flat(std::size_t size, std::uint64_t seed) {
    generator g(seed);
    std::vector<float> row(size);
    for (auto& logit : row) logit = 2.0f * g.normal();
    return row;
}

/// Eight rows of a kind.
template <class Make>
std::vector<std::vector<float>> eight(Make make, std::size_t size) {
    std::vector<std::vector<float>> all;
    for (std::uint64_t seed = 1; seed <= 8; ++seed) all.push_back(make(size, seed));
    return all;
}

}  // namespace rows
