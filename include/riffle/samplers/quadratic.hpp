#pragma once
#include <array>
#include <bit>
#include <cstdint>

#include <riffle/core/facts.hpp>
#include <riffle/core/softmax_statistics.hpp>
#include <riffle/math/elementwise.hpp>

namespace riffle::inline RIFFLE_ABI {

/// Quadratic sampling, also called smoothing: with d = l - maximum, l becomes maximum - (3 - curve)/2 · factor · d² +
/// (curve - 1)/2 · factor · d³. Near the maximum flatter, far from it steeper. (kalomaze; as in koboldcpp and
/// text-generation-webui. exllamav2 has curve = 1.)
///
/// `factor` > 0, usual 0.2 to 0.5; <= 0 = off. `curve` 1 = quadratic alone, up to 3 the order of tokens stays; outside
/// 1 to 3 far tokens can rise over near ones. Both within ±1e6, else an error. Tokens beyond 1e6 under the maximum
/// count as 1e6; a maximum beyond ±1e6 comes out as 0 (a constant, which no distribution shows; so great a one would
/// swallow the differences). A difference, d, below 2^-25 counts as 0, and a factor of d² or d³ below 2^-50: products
/// of them would be denormals.
///
/// Wide: max, softmax statistics, and a private copy of the row. Narrow: O(candidates).
struct quadratic {
    float factor = 0.3f;  ///< strength; usual 0.2 to 0.5, 0 or below is off
    float curve = 1.0f;   ///< 1 is the square alone, up to 3 falls steeper far from the maximum

    static constexpr const char* name = "quadratic";
    static constexpr facts fact{.adjusts = true};

    bool adjusts_now() const noexcept { return flushed(factor) > 0.0f; }

    /// The factors of d² and d³.
    std::array<float, 2> softmax_parameters() const noexcept {
        const lanes<1> f(factor), c(curve), half(0.5f);
        return {flushed_factor(((lanes<1>(3.0f) - c) * half * f)[0]),
                flushed_factor(((c - lanes<1>(1.0f)) * half * f)[0])};
    }
    /// The maximum, what it comes out as, and those factors.
    template <class V>
    static RIFFLE_INLINE constexpr std::array<V, 4> parameters(const softmax_values<V>& of_all,
                                                               const std::array<V, 2>& factors) noexcept {
        const V added = blend(absolute(of_all.maximum) <= V(1e6f), of_all.maximum, V(0.0f));
        return {of_all.maximum, added, factors[0], factors[1]};
    }
    std::array<float, 4> parameters(const softmax_statistics& of_all) const noexcept {
        const std::array<float, 2> factors = softmax_parameters();
        const lanes<1> maximum(of_all.maximum);
        const auto p = parameters<lanes<1>>({maximum, 0.0f, 0.0f}, {factors[0], factors[1]});
        return {p[0][0], p[1][0], p[2][0], p[3][0]};
    }
    template <class V>
    static RIFFLE_INLINE constexpr V map(const V& logit, const std::array<V, 4>& p) noexcept {
        const V distance = greater_of(logit - p[0], V(-1e6f));
        const V d = blend(distance > V(-0x1p-25f), V(0.0f), distance);
        const V square = d * d;
        const V parabola = p[1] - p[2] * square;
        return parabola + (p[3] * square) * d;
    }

    status(check)() const noexcept {
        if (!(absolute(lanes<1>(factor))[0] <= 1e6f))
            return status::invalid(name, "factor", double(factor), "is not a number between -1e6 and 1e6");
        if (!(absolute(lanes<1>(curve))[0] <= 1e6f))
            return status::invalid(name, "curve", double(curve), "is not a number between -1e6 and 1e6");
        return {};
    }

private:
    /// 0 below 2^-50. By its bits: of two comparisons of floats clang makes one vector, with lanes that hold anything,
    /// at which a host may trap.
    static float flushed_factor(float value) noexcept {
        constexpr std::uint32_t least = std::bit_cast<std::uint32_t>(0x1p-50f);
        return (std::bit_cast<std::uint32_t>(value) & 0x7fffffffu) < least ? 0.0f : value;
    }
};

}  // namespace riffle
