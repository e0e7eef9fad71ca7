#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <riffle/math/config.hpp>
#include <riffle/math/lanes.hpp>

// Lanes of 16 bits as a plain array, for the optimiser to vectorise (math/half_lanes.hpp).

namespace riffle::inline RIFFLE_ABI {

template <int N>
struct half_lanes {
    std::int16_t v[std::size_t(2 * N)];

    half_lanes() noexcept : v{} {}
    half_lanes(std::int16_t value) noexcept {
        for (auto& e : v) e = value;
    }
    /// 2N integers from memory of any alignment.
    static half_lanes load(const void* from) noexcept {
        half_lanes r;
        std::memcpy(r.v, from, sizeof r.v);
        return r;
    }
    friend half_lanes greater_of(const half_lanes& a, const half_lanes& b) noexcept {
        half_lanes r;
        for (int i = 0; i < 2 * N; ++i) r.v[i] = a.v[i] > b.v[i] ? a.v[i] : b.v[i];
        return r;
    }
    friend half_lanes lesser_of(const half_lanes& a, const half_lanes& b) noexcept {
        half_lanes r;
        for (int i = 0; i < 2 * N; ++i) r.v[i] = a.v[i] < b.v[i] ? a.v[i] : b.v[i];
        return r;
    }
    /// The bits of a sign and a magnitude as an integer with their order; and back.
    friend half_lanes ordered(const half_lanes& a) noexcept {
        half_lanes r;
        for (int i = 0; i < 2 * N; ++i) r.v[i] = std::int16_t(a.v[i] < 0 ? a.v[i] ^ 0x7fff : a.v[i]);
        return r;
    }
    /// Two lanes each as 32 bits, the first one below.
    friend int_lanes<N> pairs_of(const half_lanes& a) noexcept {
        return int_lanes<N>::make([&](int i) {
            return std::uint32_t(std::uint16_t(a.v[2 * i])) | std::uint32_t(std::uint16_t(a.v[2 * i + 1])) << 16;
        });
    }
};

}  // namespace riffle
