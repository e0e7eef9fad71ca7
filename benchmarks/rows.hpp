#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
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

/// A sure model: the bulk of medium, twenty tokens that fall from 8 deviations above the mean by 0.3 each, and one
/// at 14.
inline std::vector<float> peaked(std::size_t size, std::uint64_t seed) {
    generator g(seed);
    const float mean = -2.0f + g.uniform(), deviation = 2.0f + g.uniform();
    std::vector<float> row(size);
    for (auto& logit : row) logit = mean + deviation * g.normal();
    for (int i = 0; i < 20; ++i) row[g.next() % size] = mean + deviation * (8.0f - 0.3f * float(i));
    row[g.next() % size] = mean + deviation * 14.0f;
    return row;
}

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

/// A normal bulk of deviation 2, and thirty likely tokens with neighbouring ids, from the height 10 down by 0.15 each:
/// as in vocabularies whose words of one kind stand together.
inline std::vector<float> side_by_side(std::size_t size, std::uint64_t seed) {
    constexpr std::size_t likely = 30;
    generator g(seed);
    std::vector<float> row = flat(size, seed);
    const std::size_t first = size > likely ? g.next() % (size - likely) : 0;
    for (std::size_t i = 0; i < likely && i < size; ++i) row[first + i] = 10.0f - 0.15f * float(i);
    return row;
}

// What a sampler fears: rows on which bounds do not help, or help too late.

inline std::vector<float> all_equal(std::size_t size, std::uint64_t seed) {
    return std::vector<float>(size, float(seed));
}
/// From -8 to 8 in equal steps.
inline std::vector<float> ascending(std::size_t size, std::uint64_t seed) {
    std::vector<float> row(size);
    for (std::size_t i = 0; i < size; ++i) row[i] = -8.0f + 16.0f * float(i + seed) / float(size);
    return row;
}
inline std::vector<float> descending(std::size_t size, std::uint64_t seed) {
    std::vector<float> row = ascending(size, seed);
    return {row.rbegin(), row.rend()};
}
/// Flat, in steps of a quarter, as coarse number formats have it: thousands are equal at any cut.
inline std::vector<float> ties(std::size_t size, std::uint64_t seed) {
    std::vector<float> row = flat(size, seed);
    for (auto& logit : row) logit = std::round(logit * 4.0f) / 4.0f;
    return row;
}
/// 100,000 tokens (four of five where there are fewer) within two nats of the greatest, the others far below.
inline std::vector<float> survivors(std::size_t size, std::uint64_t seed) {
    generator g(seed);
    const std::size_t many = size > 125000 ? 100000 : size / 5 * 4;
    std::vector<float> row(size);
    for (auto& logit : row) logit = (g.next() % size < many ? 10.0f : -20.0f) - 2.0f * g.uniform();
    return row;
}

// What nobody but an enemy would say.

/// 0 or 1.
inline std::vector<float> two_valued(std::size_t size, std::uint64_t seed) {
    generator g(seed);
    std::vector<float> row(size);
    for (auto& logit : row) logit = float(g.next() & 1);
    return row;
}
/// Of both signs, which all count as 0.
inline std::vector<float> denormals(std::size_t size, std::uint64_t seed) {
    generator g(seed);
    std::vector<float> row(size);
    for (auto& logit : row) logit = g.normal() * 0x1p-130f;
    return row;
}
/// Neighbouring floats from 1 upwards, each once, in no order.
inline std::vector<float> one_ulp_apart(std::size_t size, std::uint64_t seed) {
    generator g(seed);
    std::vector<float> row(size);
    for (std::size_t i = 0; i < size; ++i) row[i] = 1.0f + float(i) * 0x1p-23f;
    for (std::size_t i = size; i > 1; --i) std::swap(row[i - 1], row[g.next() % i]);
    return row;
}
/// Over the whole range of floats.
inline std::vector<float> huge(std::size_t size, std::uint64_t seed) {
    generator g(seed);
    std::vector<float> row(size);
    for (auto& logit : row) logit = (2.0f * g.uniform() - 1.0f) * 3.4e38f;
    return row;
}
inline std::vector<float> all_but_one_masked(std::size_t size, std::uint64_t seed) {
    std::vector<float> row(size, -INFINITY);
    row[generator(seed).next() % size] = 1.0f;
    return row;
}
/// One likely token, and all others as far below it as they can be and weigh something.
inline std::vector<float> faint_tail(std::size_t size, std::uint64_t seed) {
    generator g(seed);
    std::vector<float> row(size);
    for (auto& logit : row) logit = -20.7f - 0.05f * g.uniform();
    row[g.next() % size] = 0.0f;
    return row;
}

inline float from_half(std::uint16_t half) {
    const std::uint32_t exponent = half >> 10 & 31, fraction = half & 1023, sign = std::uint32_t{half} >> 15 << 31;
    const float magnitude = exponent == 0    ? std::ldexp(float(fraction), -24)
                            : exponent == 31 ? INFINITY
                                             : std::ldexp(float(1024 + fraction), int(exponent) - 25);
    return sign ? -magnitude : magnitude;
}

/// Recorded rows: a file of float16, `size` to a row; every 32nd row, so that several contexts are among them.
inline std::vector<std::vector<float>> recorded(const std::string& path, std::size_t size) {
    std::vector<std::vector<float>> all;
    std::FILE* file = std::fopen(path.c_str(), "rb");
    if (!file) return all;
    std::vector<std::uint16_t> halves(size);
    for (std::size_t i = 0; std::fread(halves.data(), 2, size, file) == size; ++i) {
        if (i % 32) continue;
        all.emplace_back();
        for (const auto half : halves) all.back().push_back(from_half(half));
    }
    std::fclose(file);
    return all;
}

struct kind {
    const char* name;
    std::vector<float> (*make)(std::size_t size, std::uint64_t seed);
};
/// What models say, what a sampler fears, and what an enemy says.
inline constexpr kind of_models[] = {
    {"peaked", peaked}, {"medium", medium}, {"flat", flat}, {"side by side", side_by_side}};
inline constexpr kind feared[] = {{"all equal", all_equal},
                                  {"ascending", ascending},
                                  {"descending", descending},
                                  {"ties", ties},
                                  {"100,000 survivors", survivors}};
inline constexpr kind hostile[] = {{"two-valued", two_valued},
                                   {"denormals", denormals},
                                   {"one ulp apart", one_ulp_apart},
                                   {"huge", huge},
                                   {"all but one masked", all_but_one_masked},
                                   {"tail 20.7 below", faint_tail}};

/// Eight rows of a kind.
template <class Make>
std::vector<std::vector<float>> eight(Make make, std::size_t size) {
    std::vector<std::vector<float>> all;
    for (std::uint64_t seed = 1; seed <= 8; ++seed) all.push_back(make(size, seed));
    return all;
}

}  // namespace rows
