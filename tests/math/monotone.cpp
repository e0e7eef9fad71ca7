// Whether the maps that the plan commutes past a cut never fall. Every float in the long run; otherwise every 1009th
// one, all floats around each power of two, and all of the binade where tanh changes from one formula to the other.

#include <array>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

#include <riffle/math/elementwise.hpp>
#include <riffle/math/ordered.hpp>
#include <riffle/samplers/soft_cap.hpp>
#include <riffle/samplers/temperature.hpp>
#include <riffle/wide/dispatch.hpp>
#include <riffle/wide/fused_maps.hpp>

#include "long_run.hpp"

namespace riffle_tests::math_monotone {
namespace {

using namespace riffle;

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr std::size_t chunk = 4096;

/// The mapped values of `chunk` floats whose ordered keys stand `stride` apart, from the first.
template <class Map>
struct map_pass {
    template <int N>
    static RIFFLE_INLINE void run(const float* const& x, const Map& map, float* const& out) noexcept {
        for (std::size_t i = 0; i < chunk; i += N) map(lanes<N>::load(x + i)).store(out + i);
    }
};

/// Expects the map not to fall on floats of keys first, first + stride, ... up to last; the last chunk ends in
/// repetitions.
template <class Map>
void expect_rising(const Map& map, std::int64_t first, std::int64_t last, std::int64_t stride) {
    std::array<float, chunk> x, y;
    float previous = -inf;
    for (std::int64_t key = first; key <= last;) {
        for (auto& value : x) {
            value = from_ordered_key(std::int32_t(std::min(key, last)));
            key += stride;
        }
        wide::run<map_pass<Map>>(x.data(), map, y.data());
        bool rising = y[0] >= previous;
        for (std::size_t i = 1; i < chunk; ++i) rising &= y[i] >= y[i - 1];
        if (!rising) {
            for (std::size_t i = 0; i < chunk; ++i) {
                ASSERT_GE(y[i], previous) << "the value of " << x[i];
                previous = y[i];
            }
        }
        previous = y[chunk - 1];
    }
}

template <class Map>
void expect_monotone(const Map& map, float most = inf) {
    const std::int64_t lowest = ordered_key(-inf), highest = ordered_key(most);
    if (riffle_tests::long_run("every float, once for each map")) return expect_rising(map, lowest, highest, 1);
    expect_rising(map, lowest, highest, 1009);
    for (int exponent = 0; exponent < 255; exponent += 3) {
        const std::int64_t power = std::int64_t{exponent} << 23;
        expect_rising(map, std::max(power - 2048, std::int64_t{0}), std::min(power + 2047, highest), 1);
        expect_rising(map, std::max(-power - 2048, lowest), std::min(-power + 2047, std::int64_t{-1}), 1);
    }
}

struct tanh_map {
    template <class V>
    RIFFLE_INLINE V operator()(const V& x) const noexcept {
        return tanh(x);
    }
};
struct product_map {
    float factor;
    template <class V>
    RIFFLE_INLINE V operator()(const V& x) const noexcept {
        return x * V(factor);
    }
};
struct canonical_map {
    template <class V>
    RIFFLE_INLINE V operator()(const V& x) const noexcept {
        return canonical(x);
    }
};

TEST(Monotone, Tanh) {
    expect_monotone(tanh_map{});
    expect_rising(tanh_map{}, ordered_key(0.5f), ordered_key(1.0f), 1);
    expect_rising(tanh_map{}, ordered_key(0.5625f) - 100000, ordered_key(0.5625f) + 100000, 1);
}

TEST(Monotone, ProductWithAPositiveConstant) {
    for (const float factor : {0x1p-64f, 0.3f, 1.0f / 0.8f, 1.1f, 3.0f, 0x1.fffffep63f}) {
        SCOPED_TRACE(factor);
        // An infinity times a factor is one; 0 and infinity never meet, since the least factor is above 0.
        expect_monotone(product_map{factor});
    }
}

TEST(Monotone, Canonical) { expect_monotone(canonical_map{}); }

// The maps of stages, as the passes apply them: to rows in which there is no +inf.
template <class... Stages>
void expect_monotone_stages(const Stages&... stages) {
    expect_monotone(fused_maps<Stages...>(stages...), greatest_logit);
}

TEST(Monotone, Temperature) {
    for (const float t : {1e-30f, 0.01f, 0.7f, 0.8f, 1.1f, 1.5f, 100.0f, 1e30f, inf}) {
        SCOPED_TRACE(t);
        expect_monotone_stages(temperature{.t = t});
    }
}

TEST(Monotone, SoftCap) {
    for (const float cap : {1e-30f, 0.5f, 5.0f, 30.0f, 50.0f, 1e30f}) {
        SCOPED_TRACE(cap);
        expect_monotone_stages(soft_cap{.cap = cap});
    }
}

TEST(Monotone, TemperatureAndSoftCap) {
    expect_monotone_stages(temperature{.t = 0.8f}, soft_cap{.cap = 30.0f});
    expect_monotone_stages(soft_cap{.cap = 30.0f}, temperature{.t = 1.3f});
}

}  // namespace
}  // namespace riffle_tests::math_monotone
