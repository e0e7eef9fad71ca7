#pragma once
// Rows of logits made from random_integers, so that they are the same with every compiler and library.

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "reference/arithmetic.hpp"

namespace riffle_tests {

/// Random integers (splitmix64).
class random_integers {
public:
    explicit random_integers(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 0x1234567u) {}
    std::uint64_t next() {
        state_ += 0x9E3779B97F4A7C15u;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        return z ^ (z >> 31);
    }
    /// 0 ... bound - 1
    std::size_t below(std::size_t bound) { return std::size_t(next() % bound); }
    /// Roughly normal around 0 with a deviation of about `deviation` (four uniform random_integers): exact in a float.
    float bell(float deviation) {
        const std::uint64_t z = next();
        const std::int64_t sum = std::int64_t(z & 0xffff) + std::int64_t(z >> 16 & 0xffff) +
                                 std::int64_t(z >> 32 & 0xffff) + std::int64_t(z >> 48) - 131070;
        return reference::rounded(float(sum) * reference::rounded(deviation * (1.0f / 37837.0f)));
    }

private:
    std::uint64_t state_;
};

enum class shape {
    random,  ///< a bell of deviation 3
    peaked,  ///< a low bulk and a few tokens high above
    flat,    ///< all within half a nat
    tied,    ///< few different values
    equal,   ///< one value
    ascending,
    descending,
    holes,       ///< every third -inf
    masked,      ///< all -inf
    sprinkled,   ///< NaN and infinities among random ones
    tiny,        ///< denormals, -0 and the least normals near the maximum
    negative,    ///< the same with no value above 0
    neighbours,  ///< adjacent floats near the maximum, which a temperature merges
    extreme,     ///< the greatest and lowest floats among others
    infinite,    ///< all +inf
};
inline constexpr std::array all_shapes{shape::random,     shape::peaked,    shape::flat,       shape::tied,
                                       shape::equal,      shape::ascending, shape::descending, shape::holes,
                                       shape::masked,     shape::sprinkled, shape::tiny,       shape::negative,
                                       shape::neighbours, shape::extreme,   shape::infinite};

inline const char* name_of(shape s) {
    constexpr std::array names{"random",    "peaked",     "flat",       "tied",    "equal",
                               "ascending", "descending", "holes",      "masked",  "sprinkled",
                               "tiny",      "negative",   "neighbours", "extreme", "infinite"};
    return names[std::size_t(s)];
}

inline float tiny_logit(random_integers& from, bool negative_only) {
    constexpr float least = std::numeric_limits<float>::min(), denormal = std::numeric_limits<float>::denorm_min();
    constexpr std::array any{0.0f,          -0.0f,  denormal, -denormal,   0.5f * least,
                             -0.5f * least, -least, least,    2.0f * least};
    return any[from.below(negative_only ? 7 : any.size())];
}

inline std::vector<float> make_row(shape s, std::size_t size, std::uint64_t seed) {
    random_integers from(seed ^ std::uint64_t(s) << 40 ^ std::uint64_t(size) << 20);
    std::vector<float> row(size);
    using reference::minus_infinity;
    constexpr float nan = std::numeric_limits<float>::quiet_NaN();
    constexpr std::array bases{1.0f, 0.1f, 20.5f, 8.0f, -3.0f, 3.9999998f};
    const float base = bases[from.below(bases.size())];
    for (std::size_t i = 0; i < size; ++i) {
        float& l = row[i];
        switch (s) {
        case shape::random: l = from.bell(3.0f); break;
        case shape::peaked: l = from.below(size) < 4 ? 12.0f + from.bell(1.0f) : -4.0f + from.bell(2.0f); break;
        case shape::flat: l = from.bell(0.1f); break;
        case shape::tied: l = float(std::int32_t(from.below(7)) - 3) * 0.5f; break;
        case shape::equal: l = base; break;
        case shape::ascending: l = float(i) * 0.0078125f - 3.0f; break;
        case shape::descending: l = 5.0f - float(i) * 0.0078125f; break;
        case shape::holes: l = from.below(3) == 0 ? minus_infinity : from.bell(3.0f); break;
        case shape::masked: l = from.below(4) == 0 ? nan : minus_infinity; break;
        case shape::sprinkled:
            switch (from.below(40)) {
            case 0: l = nan; break;
            case 1: l = -nan; break;
            case 2: l = minus_infinity; break;
            case 3: l = from.below(size) < 3 ? -minus_infinity : 2.0f; break;
            default: l = from.bell(3.0f);
            }
            break;
        case shape::tiny: l = from.below(3) == 0 ? tiny_logit(from, false) : -1.0f + from.bell(0.2f); break;
        case shape::negative: l = from.below(3) == 0 ? tiny_logit(from, true) : -1.0f + from.bell(0.2f); break;
        case shape::neighbours: {
            const float near = reference::float_of(reference::bits_of(base) + std::uint32_t(from.below(12)));
            l = from.below(4) == 0 ? near : near - 1.0f - float(from.below(3));
            break;
        }
        case shape::extreme: {
            constexpr std::array values{std::numeric_limits<float>::max(),
                                        std::numeric_limits<float>::lowest(),
                                        3.0e38f,
                                        -3.0e38f,
                                        1.0e30f,
                                        0.0f};
            l = from.below(3) == 0 ? values[from.below(values.size())] : from.bell(3.0f);
            break;
        }
        case shape::infinite: l = -minus_infinity; break;
        }
    }
    return row;
}

}  // namespace riffle_tests
