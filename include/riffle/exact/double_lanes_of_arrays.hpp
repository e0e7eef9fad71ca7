#pragma once
#include <bit>
#include <cstdint>

#include <riffle/math/config.hpp>

// Doubles as a plain array: where a compiler has no vectors (exact/double_lanes.hpp).

namespace riffle::inline RIFFLE_ABI::exact {

/// N doubles at once, as math/lanes.hpp has floats: for evaluations whose error is bounded, so products and sums may
/// fuse unless rounded() says otherwise.
template <int N>
struct double_lanes {
    double v[N] = {};

    double_lanes() noexcept = default;
    double_lanes(double value) noexcept {
        for (double& d : v) d = value;
    }
    static double_lanes load(const float* from) noexcept {
        double_lanes r;
        for (int i = 0; i < N; ++i) r.v[i] = double(from[i]);
        return r;
    }
    void store(float* to) const noexcept {
        for (int i = 0; i < N; ++i) to[i] = float(v[i]);
    }
    double operator[](int lane) const noexcept { return v[lane]; }

    friend double_lanes operator+(double_lanes a, const double_lanes& b) noexcept {
        for (int i = 0; i < N; ++i) a.v[i] += b.v[i];
        return a;
    }
    friend double_lanes operator-(double_lanes a, const double_lanes& b) noexcept {
        for (int i = 0; i < N; ++i) a.v[i] -= b.v[i];
        return a;
    }
    friend double_lanes operator*(double_lanes a, const double_lanes& b) noexcept {
        for (int i = 0; i < N; ++i) a.v[i] *= b.v[i];
        return a;
    }
    static double_lanes scaled(double_lanes a, const double_lanes& b) noexcept {
        for (int i = 0; i < N; ++i)
            a.v[i] = std::bit_cast<double>(std::bit_cast<std::uint64_t>(a.v[i]) +
                                           (std::bit_cast<std::uint64_t>(b.v[i]) << 52));
        return a;
    }
    friend double_lanes absolute(double_lanes a) noexcept {
        for (double& d : a.v) d = d < 0.0 ? -d : d;
        return a;
    }
    friend double_lanes greater_of(double_lanes a, const double_lanes& b) noexcept {
        for (int i = 0; i < N; ++i) a.v[i] = a.v[i] > b.v[i] ? a.v[i] : b.v[i];
        return a;
    }
    friend double_lanes rounded(double_lanes a) noexcept {
        for (double& d : a.v) {
            volatile double stored = d;
            d = stored;
        }
        return a;
    }
};

}  // namespace riffle::exact
