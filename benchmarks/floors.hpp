#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/riffle.hpp>

// What no sampler can be faster than on the machine at hand, with the same lanes: the units that times are given in.

namespace floors {

using namespace riffle;

/// The greatest of a row, and nothing else.
struct max_floor_pass {
    template <int N>
    static RIFFLE_INLINE float run(const float* const& x, std::size_t size) noexcept {
        using V = lanes<N>;
        V m0(illegal_logit), m1 = m0, m2 = m0, m3 = m0;
        std::size_t i = 0;
        for (; i + 4 * N <= size; i += 4 * N) {
            m0 = greater_of(V::load(x + i), m0);
            m1 = greater_of(V::load(x + i + N), m1);
            m2 = greater_of(V::load(x + i + 2 * N), m2);
            m3 = greater_of(V::load(x + i + 3 * N), m3);
        }
        float greatest = reduce_max(greater_of(greater_of(m0, m1), greater_of(m2, m3)));
        for (; i < size; ++i) greatest = x[i] > greatest ? x[i] : greatest;
        return greatest;
    }
};

/// Σ fixed_mass(l - maximum) of a row, and nothing else: no blocks, no maps.
struct mass_floor_pass {
    template <int N>
    static RIFFLE_INLINE std::uint64_t run(const float* const& x, std::size_t size, float maximum) noexcept {
        using V = lanes<N>;
        wide::wide_sum<N> s0, s1;
        std::size_t i = 0;
        for (; i + 4 * N <= size; i += 4 * N) {
            s0.add(fixed_mass(V::load(x + i) - V(maximum)) + fixed_mass(V::load(x + i + N) - V(maximum)));
            s1.add(fixed_mass(V::load(x + i + 2 * N) - V(maximum)) + fixed_mass(V::load(x + i + 3 * N) - V(maximum)));
        }
        std::uint64_t total = s0.total() + s1.total();
        for (; i < size; ++i) total += fixed_mass_of(x[i] - maximum);
        return total;
    }
};

/// Both floors of a row in memory of its own.
inline float max_of(const std::vector<float>& row) { return wide::run<max_floor_pass>(row.data(), row.size()); }
inline std::uint64_t mass_of(const std::vector<float>& row, float maximum) {
    return wide::run<mass_floor_pass>(row.data(), row.size(), maximum);
}

}  // namespace floors
