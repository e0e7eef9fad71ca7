#pragma once
#include <bit>
#include <cstdint>

#include <riffle/math/config.hpp>
#include <riffle/math/lanes.hpp>

// Lanes of 16 bits as a vector of the compiler (math/half_lanes.hpp).

namespace riffle::inline RIFFLE_ABI {

template <int N>
struct half_lanes {
    typedef std::int16_t vector __attribute__((vector_size(4 * N)));
    vector v;

    RIFFLE_INLINE half_lanes() noexcept : v{} {}
    RIFFLE_INLINE half_lanes(std::int16_t value) noexcept : v(~(std::int16_t(~value) - vector{})) {}
    RIFFLE_INLINE explicit half_lanes(const vector& value) noexcept : v(value) {}
    RIFFLE_INLINE half_lanes(const half_lanes& other) noexcept : v(other.v) {}
    RIFFLE_INLINE half_lanes& operator=(const half_lanes& other) noexcept {
        v = other.v;
        return *this;
    }
    /// 2N integers from memory of any alignment.
    static RIFFLE_INLINE half_lanes load(const void* from) noexcept {
        half_lanes r;
        __builtin_memcpy(&r.v, from, sizeof r.v);
        RIFFLE_SETTLE(r.v)
        return r;
    }
    friend RIFFLE_INLINE half_lanes greater_of(const half_lanes& a, const half_lanes& b) noexcept {
        return half_lanes(a.v > b.v ? a.v : b.v);
    }
    friend RIFFLE_INLINE half_lanes lesser_of(const half_lanes& a, const half_lanes& b) noexcept {
        return half_lanes(a.v < b.v ? a.v : b.v);
    }
    /// The bits of a sign and a magnitude as an integer with their order; and back.
    friend RIFFLE_INLINE half_lanes ordered(const half_lanes& a) noexcept {
        return half_lanes(a.v ^ ((a.v >> 15) & std::int16_t(0x7fff)));
    }
    /// Two lanes each as 32 bits, the first one below.
    friend RIFFLE_INLINE int_lanes<N> pairs_of(const half_lanes& a) noexcept {
        int_lanes<N> r;
        __builtin_memcpy(&r.v, &a.v, sizeof r.v);
        if constexpr (std::endian::native == std::endian::big) r = r << 16 | shift_right_logical(r, 16);
        return r;
    }
};

}  // namespace riffle
