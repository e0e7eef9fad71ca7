#pragma once
#include <cstddef>
#include <cstdint>

#include <riffle/core/candidates.hpp>
#include <riffle/math/elementwise.hpp>
#include <riffle/math/fixed_mass.hpp>
#include <riffle/math/wide_integer.hpp>

namespace riffle::inline RIFFLE_ABI {

/// The distance of a logit under the maximum in nats; what is further away, and NaN, counts as so far.
inline constexpr float farthest_distance = 255.99f;
template <class V>
RIFFLE_INLINE constexpr V near_distance(const V& logit, const V& maximum) noexcept {
    return lesser_of(maximum - logit, V(farthest_distance));
}
/// A near_distance in units of 2^-16 nats, rounded down: below 2^24.
template <class V>
RIFFLE_INLINE constexpr auto fixed(const V& near_distance) noexcept {
    return truncate(near_distance * V(65536.0f));
}
template <class V>
RIFFLE_INLINE constexpr auto fixed_distance(const V& logit, const V& maximum) noexcept {
    return fixed(near_distance(logit, maximum));
}

/// What a stage may look at in the softmax statistics of all candidates, besides their maximum and mass: bits of
/// facts::softmax_parts.
namespace softmax_part {
inline constexpr std::uint8_t none = 0;
inline constexpr std::uint8_t distances = 1;  ///< Σ w·d: the entropy
inline constexpr std::uint8_t squares = 2;    ///< Σ w²: the collision entropy
inline constexpr std::uint8_t support = 4;    ///< how many are legal, and the least of them
inline constexpr std::uint8_t all = 7;
}  // namespace softmax_part

/// What stages compute cuts of, over any value type.
template <class V>
struct softmax_values {
    V maximum;
    V log_mass;  ///< log Σ exp(l - maximum), in nats
    V entropy;   ///< -Σ p log p, in nats; only where it was asked for

    /// The logit of a log-probability.
    RIFFLE_INLINE constexpr V logit_of(const V& log_probability) const noexcept {
        return canonical(maximum + (log_probability + log_mass));
    }
};

/// What is known of all candidates at once, as sums over their weights w and distances d under the maximum: integers,
/// so that neither the order nor the width of the summation shows.
struct softmax_statistics {
    float maximum = illegal_logit;
    float minimum = greatest_logit;  ///< least legal logit
    std::uint64_t legal = 0;         ///< how many are legal
    std::uint64_t mass = 0;          ///< Σ w
    uint128 distance;                ///< Σ w·d
    uint128 squares;                 ///< Σ (w² >> 8)

    /// log Σ exp(l - maximum), in nats: what separates a logit's distance from its surprise.
    float log_mass() const noexcept { return log(lanes<1>(float(double(mass) * 0x1p-30)))[0]; }
    /// Σ p·d in units of 2^-16 nats, rounded down.
    std::uint32_t mean_distance() const noexcept { return mass ? std::uint32_t(detail::divide(distance, mass)) : 0; }
    /// -Σ p log p in nats.
    float entropy() const noexcept {
        const std::uint64_t mean = mass ? detail::divide(distance * 256, mass) : 0;
        return (lanes<1>(log_mass()) + lanes<1>(float(mean) * 0x1p-24f))[0];
    }
    /// The natural logarithm of Σ p², the probability that two draws agree.
    float log_collision() const noexcept {
        const double share = to_double(squares) / double(mass) / double(mass);
        return log(lanes<1>(float(share * 256.0)))[0];
    }
    /// log p of a logit.
    float log_probability(float logit) const noexcept {
        return (lanes<1>(logit) - lanes<1>(maximum) - lanes<1>(log_mass()))[0];
    }
    /// The logit of a log-probability.
    float logit_of(float log_probability) const noexcept {
        return values<softmax_part::none>().logit_of(lanes<1>(log_probability))[0];
    }
    /// With the entropy where `Parts` has distances.
    template <std::uint8_t Parts>
    softmax_values<lanes<1>> values() const noexcept {
        const float known = (Parts & softmax_part::distances) != 0 ? entropy() : 0.0f;
        return {lanes<1>(maximum), lanes<1>(log_mass()), lanes<1>(known)};
    }

    /// The sums of a block or of some candidates; the maximum stays.
    void add(std::uint64_t weights, std::uint64_t weighted_distances, std::uint64_t weighted_squares) noexcept {
        mass += weights;
        distance = distance + uint128{weighted_distances, 0};
        squares = squares + uint128{weighted_squares, 0};
    }
};

/// The softmax statistics of candidates; leaves every weight in the bits of p, as weigh does, and 0 for illegal ones.
/// O(size).
inline softmax_statistics softmax_of(candidates& c) noexcept {
    softmax_statistics all;
    const std::size_t best = c.greatest();
    if (best == c.size) return all;
    all.maximum = c[best].logit;
    c.weigh(all.maximum);
    for (const auto& token : c) {
        if (!(token.logit > illegal_logit)) continue;
        ++all.legal;
        if (token.logit < all.minimum) all.minimum = token.logit;
        const std::uint64_t w = candidates::weight(token);
        if (w == 0) continue;
        const auto d = std::uint32_t(fixed_distance(lanes<1>(token.logit), lanes<1>(all.maximum))[0]);
        all.add(w, w * d, w * w >> 8);
    }
    return all;
}

}  // namespace riffle
