#pragma once
// The arithmetic of numerics::reproducible a second time, as plain scalar statements: slow and obvious. Nothing here
// comes from riffle, so that an error in riffle's own arithmetic cannot hide behind itself.

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "reference/uint128.hpp"

namespace riffle_tests::reference {

inline constexpr float minus_infinity = -std::numeric_limits<float>::infinity();
inline constexpr float greatest_float = std::numeric_limits<float>::max();

/// The result of one operation, rounded to float: through memory, so that no compiler contracts it with the next one.
inline float rounded(float result) {
    volatile float stored = result;
    return stored;
}

inline std::uint32_t bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }
inline float float_of(std::uint32_t bits) { return std::bit_cast<float>(bits); }

/// Denormals, and the least normal float, count as 0.
inline bool counts_as_zero(float value) { return std::fabs(value) <= std::numeric_limits<float>::min(); }

/// A result on the way, which a processor may flush.
inline float flushed(float value) { return counts_as_zero(value) ? 0.0f : value; }

/// NaN -> -inf, +inf -> the greatest float, what counts as 0 and -0 -> +0.
inline float canonical(float value) {
    const std::uint32_t bits = bits_of(value);
    const std::uint32_t magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return minus_infinity;
    if (bits == 0x7f800000u) return greatest_float;
    if (counts_as_zero(value)) return 0.0f;
    return value;
}

/// A polynomial by Horner's rule, highest coefficient first.
template <std::size_t N>
float polynomial(const float (&coefficients)[N], float x) {
    float sum = coefficients[0];
    for (std::size_t i = 1; i < N; ++i) {
        const float product = rounded(sum * x);
        sum = rounded(product + coefficients[i]);
    }
    return sum;
}

struct octaves_and_rest {
    float octaves, rest;
};
/// x = octaves * log(2) + rest, the octaves whole (by the addition of 3 * 2^22) and log(2) in two parts.
inline octaves_and_rest whole_octaves(float x) {
    const float shifter = 12582912.0f;
    const float in_octaves = rounded(x * 1.44269504f);
    const float shifted = rounded(in_octaves + shifter);
    const float octaves = rounded(shifted - shifter);
    const float coarse = rounded(octaves * 0.693359375f);
    const float high = rounded(x - coarse);
    const float fine = rounded(octaves * -2.12194440e-4f);
    return {octaves, rounded(high - fine)};
}

/// trunc(exp(x) * 2^30) for x <= 0.
inline std::uint32_t fixed_mass(float below_maximum) {
    float x = below_maximum;
    if (!(x > -22.0f)) x = -22.0f;
    if (!(x < 0.0f)) x = 0.0f;
    const auto [octaves, r] = whole_octaves(x);
    const float p =
        polynomial({1.3981999507e-3f, 8.3334519073e-3f, 4.1665795894e-2f, 1.6666665459e-1f, 5.0000001201e-1f}, r);
    const float pr = rounded(p * r);
    const float prr = rounded(pr * r);
    const float one_more = rounded(r + 1.0f);
    const float e = rounded(prr + one_more);
    // e * 2^octaves * 2^30: a change of exponent
    const auto exponent = std::int32_t(octaves) + 30;
    const float scaled = float_of(std::uint32_t(std::int32_t(bits_of(e)) + exponent * (std::int32_t{1} << 23)));
    return std::uint32_t(scaled);
}

/// log(2^exponent * (1 + f))
inline float log_of_parts(float f, float exponent) {
    const float p =
        polynomial({7.0376836292e-2f, -1.1514610310e-1f, 1.1676998740e-1f, -1.2420140846e-1f, 1.4249322787e-1f,
                    -1.6668057665e-1f, 2.0000714765e-1f, -2.4999993993e-1f, 3.3333331174e-1f},
                   f);
    const float z = rounded(f * f);
    const float fz = rounded(f * z);
    const float cubic = rounded(p * fz);
    const float low = rounded(exponent * -2.12194440e-4f);
    const float half = rounded(z * 0.5f);
    const float sum = rounded(cubic + low);
    const float less = rounded(sum - half);
    const float tail = rounded(f + less);
    const float high = rounded(exponent * 0.693359375f);
    return rounded(tail + high);
}

struct split_float {
    float f, exponent;
};
/// x = 2^exponent * (1 + f), sqrt(1/2) <= 1 + f < sqrt(2)
inline split_float split(float x) {
    const std::uint32_t bits = bits_of(x);
    float mantissa = float_of((bits & 0x007fffffu) | 0x3f000000u);
    auto exponent = float(std::int32_t(bits >> 23) - 126);
    if (mantissa < 0.707106781f) {
        exponent = rounded(exponent - 1.0f);
        mantissa = rounded(mantissa + mantissa);
    }
    return {rounded(mantissa - 1.0f), exponent};
}

inline float log(float value) {
    const float least = 1.17549435e-38f;
    const split_float parts = split(value > least ? value : least);
    return log_of_parts(parts.f, parts.exponent);
}

/// -log(1 - v)
inline float minus_log_complement(float v) {
    const float complement = rounded(1.0f - v);
    if (complement >= 0.75f) return -log_of_parts(-v, 0.0f);
    const split_float parts = split(complement);
    return -log_of_parts(parts.f, parts.exponent);
}

/// exp(x), -87 <= x <= 88
inline float exp(float value) {
    float x = value;
    if (!(x > -87.0f)) x = -87.0f;
    if (!(x < 88.0f)) x = 88.0f;
    const auto [octaves, r] = whole_octaves(x);
    const float p = polynomial(
        {1.9875691500e-4f, 1.3981999507e-3f, 8.3334519073e-3f, 4.1665795894e-2f, 1.6666665459e-1f, 5.0000001201e-1f},
        r);
    const float pr = rounded(p * r);
    const float prr = rounded(pr * r);
    const float one_more = rounded(r + 1.0f);
    const float e = rounded(prr + one_more);
    return float_of(std::uint32_t(std::int32_t(bits_of(e)) + std::int32_t(octaves) * (std::int32_t{1} << 23)));
}

/// 1 / x for normal x > 0: a guess from the exponent, and four steps of Newton's.
inline float reciprocal(float x) {
    float y = float_of(0x7ef311c3u - bits_of(x));
    for (int step = 0; step < 4; ++step) {
        const float product = rounded(x * y);
        const float rest = rounded(2.0f - product);
        y = rounded(y * rest);
    }
    return y;
}

/// base^exponent in double by repeated squaring, at most 1e38 all along; 1 for exponents below 1.
inline double limited_power(double base, std::int64_t exponent) {
    double power = 1.0, square = base;
    for (std::int64_t e = exponent; e > 0; e /= 2) {
        volatile double product = power * square, next = square * square;
        if (e % 2 == 1) power = product < 1e38 ? product : 1e38;
        square = next < 1e38 ? next : 1e38;
    }
    return power;
}

inline float tanh(float value) {
    const float x = flushed(value);
    const float v = float_of(bits_of(x) & 0x7fffffffu);
    float magnitude = 0.0f;
    if (v <= 0.5625f) {
        const float z = rounded(v * v);
        const float series =
            polynomial({-0.00652557218f, 0.0212633535f, -0.0539017532f, 0.133330738f, -0.333333317f}, z);
        const float odd = rounded(series * z);
        const float correction = rounded(v * odd);
        magnitude = rounded(v + correction);
    } else {
        const float limited = v < 20.0f ? v : 20.0f;
        const float y = rounded(limited * 2.88539008f);
        const auto n = std::int32_t(y);
        const float fraction = rounded(y - float(n));
        const float h = rounded(1.0f - fraction);
        float power = polynomial(
            {2.08179150e-4f, 1.26921661e-3f, 9.65219506e-3f, 5.54960236e-2f, 2.40227204e-1f, 6.93147171e-1f, 1.0f}, h);
        if (!(power < 2.0f)) power = 2.0f;
        const float s = float_of(bits_of(power) - std::uint32_t(n + 1) * 0x00800000u);
        const float d = rounded(0.328125f - s);
        float q = polynomial(
            {0.357582738f, 0.064253148f, 0.270615098f, 0.317959790f, 0.427050721f, 0.566916406f, 0.752941190f}, d);
        if (!(q < 1.0f)) q = 1.0f;
        const float twice = rounded(q + q);
        magnitude = rounded(twice - 1.0f);
    }
    return float_of(bits_of(magnitude) | (bits_of(x) & 0x80000000u));
}

/// Philox4x32-10, as the paper states it.
inline std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::uint64_t seed) {
    auto key0 = std::uint32_t(seed & 0xffffffffu);
    auto key1 = std::uint32_t(seed >> 32);
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t product0 = std::uint64_t{0xD2511F53u} * counter[0];
        const std::uint64_t product1 = std::uint64_t{0xCD9E8D57u} * counter[2];
        const auto high0 = std::uint32_t(product0 >> 32), low0 = std::uint32_t(product0);
        const auto high1 = std::uint32_t(product1 >> 32), low1 = std::uint32_t(product1);
        counter = {high1 ^ counter[1] ^ key0, low1, high0 ^ counter[3] ^ key1, low0};
        key0 += 0x9E3779B9u;
        key1 += 0xBB67AE85u;
    }
    return counter;
}

/// Where a chain stands, as the counter of Philox sees it.
struct draw_place {
    std::uint32_t position = 0, attempt = 0;
    std::uint16_t sequence = 0;

    std::array<std::uint32_t, 4> counter(std::uint32_t number, std::uint16_t kind, std::uint16_t occurrence = 0) const {
        const auto stream = std::uint32_t(kind) << 8 | occurrence;
        return {number, position, std::uint32_t(sequence) << 16 | stream, attempt};
    }
};

/// 64 random bits of a stage.
inline std::uint64_t random_bits(const draw_place& at, std::uint64_t seed, std::uint16_t kind, std::uint32_t number = 0,
                                 std::uint16_t occurrence = 0) {
    const auto words = philox(at.counter(number, kind, occurrence), seed);
    return std::uint64_t(words[1]) << 32 | words[0];
}

/// The Gumbel noise of a token.
inline float gumbel_noise(const draw_place& at, std::uint64_t seed, std::int32_t token) {
    const auto words = philox(at.counter(std::uint32_t(token), 2), seed);
    const auto thirty_one_bits = float(std::int32_t(words[0] >> 1));
    const float middle = rounded(thirty_one_bits + 0.5f);
    float v = rounded(middle * 4.65661287e-10f);
    if (!(v < 0.99999994f)) v = 0.99999994f;
    return -log(minus_log_complement(v));
}

inline std::uint64_t multiply_high(std::uint64_t a, std::uint64_t b) { return std::uint64_t((uint128(a) * b) >> 64); }

/// A share of a total: floor(floor(p * 2^64) * total / 2^64), where p below 0 counts as 0 and from 1 up as 1 - 2^-64.
inline std::uint64_t share_of(float p, std::uint64_t total) {
    if (p <= 0.0f) return 0;
    const std::uint64_t share = p >= 1.0f ? ~std::uint64_t{0} : std::uint64_t(double(p) * 18446744073709551616.0);
    return multiply_high(share, total);
}

/// Both halves rounded, then their sum.
inline double to_double(uint128 value) {
    const auto high = double(std::uint64_t(value >> 64)), low = double(std::uint64_t(value));
    return high * 18446744073709551616.0 + low;
}

/// floor(sqrt(value)), by halving.
inline std::uint64_t square_root(std::uint64_t value) {
    std::uint64_t low = 0, high = std::uint64_t{1} << 32;
    while (high - low > 1) {
        const std::uint64_t middle = low + (high - low) / 2;
        if (uint128(middle) * middle <= value) low = middle;
        else high = middle;
    }
    return low;
}

}  // namespace riffle_tests::reference
