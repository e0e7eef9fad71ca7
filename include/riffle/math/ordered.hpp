#pragma once
#include <bit>
#include <cstdint>
#include <limits>

#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI {

/// The greatest finite float; what +inf becomes in a row.
RIFFLE_LOCAL inline constexpr float greatest_logit = (std::numeric_limits<float>::max)();
/// The logit of a token that may not be chosen.
RIFFLE_LOCAL inline constexpr float illegal_logit = -std::numeric_limits<float>::infinity();

/// A key that orders as the float does: a < b exactly when ordered_key(a) < ordered_key(b), for all but NaN, and with
/// -0 < +0.
constexpr std::int32_t ordered_key(float value) noexcept {
    const auto bits = std::bit_cast<std::int32_t>(value);
    return bits ^ ((bits >> 31) & 0x7fffffff);
}

/// The float of an ordered_key.
constexpr float from_ordered_key(std::int32_t key) noexcept {
    return std::bit_cast<float>(key ^ ((key >> 31) & 0x7fffffff));
}

/// The bits of the least magnitude that does not count as 0: the float above the least normal one, 2^-126. Denormals
/// count as 0, since processors and devices may flush them; and 2^-126 does, since a product just below it either
/// rounds up to it or is flushed.
RIFFLE_LOCAL inline constexpr std::int32_t least_magnitude = 0x00800001;

/// The form in which every logit is compared: NaN becomes -inf, +inf the greatest float, -0 and what is below
/// least_magnitude +0. Decided on the bits, never by comparing, so that flush-to-zero modes and GPU rules for min and
/// max cannot show.
constexpr float canonical(float value) noexcept {
    const auto bits = std::bit_cast<std::int32_t>(value);
    const auto magnitude = bits & 0x7fffffff;
    if (magnitude >= 0x7f800000) return bits == 0x7f800000 ? greatest_logit : illegal_logit;
    const std::int32_t kept = magnitude < least_magnitude ? 0 : -1;  // no branch: which it is can be hard to guess
    return std::bit_cast<float>(bits & kept);
}

/// A parameter of a stage as the library uses it: 0 for a denormal, by its bits, so that flush-to-zero cannot show.
/// (Given, not computed, so the least normal float may stay. What is computed is flushed as lanes.)
constexpr float flushed(float value) noexcept {
    return (std::bit_cast<std::uint32_t>(value) & 0x7f800000u) == 0 ? 0.0f : value;
}

/// The least canonical float above a canonical, finite one.
constexpr float next_canonical(float value) noexcept {
    constexpr float least = std::bit_cast<float>(least_magnitude);
    if (value == 0.0f) return least;
    if (value == -least) return 0.0f;
    return from_ordered_key(ordered_key(value) + 1);
}

}  // namespace riffle
