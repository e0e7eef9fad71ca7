#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <riffle/math/config.hpp>
#include <riffle/math/lane_types.hpp>

namespace riffle::inline RIFFLE_ABI {

/// One lane: the scalar form, of the same type as the wide ones, so that g++ cannot contract it either.
template <>
struct int_lanes<1> {
    std::int32_t v;
    RIFFLE_INLINE int_lanes() noexcept : v{} {}
    RIFFLE_INLINE int_lanes(std::int32_t value) noexcept : v(value) {}
    RIFFLE_INLINE int_lanes(const int_lanes& other) noexcept : v(other.v) {}
    RIFFLE_INLINE int_lanes& operator=(const int_lanes& other) noexcept {
        v = other.v;
        return *this;
    }
    static RIFFLE_INLINE int_lanes iota() noexcept { return 0; }
    RIFFLE_INLINE std::int32_t operator[](int) const noexcept { return v; }
    static RIFFLE_INLINE int_lanes of(std::uint32_t value) noexcept { return std::int32_t(value); }
    static RIFFLE_INLINE std::uint32_t u(const int_lanes& a) noexcept { return std::uint32_t(a.v); }

    friend RIFFLE_INLINE int_lanes operator+(const int_lanes& a, const int_lanes& b) noexcept {
        return of(u(a) + u(b));
    }
    friend RIFFLE_INLINE int_lanes operator-(const int_lanes& a, const int_lanes& b) noexcept {
        return of(u(a) - u(b));
    }
    friend RIFFLE_INLINE int_lanes operator&(const int_lanes& a, const int_lanes& b) noexcept { return a.v & b.v; }
    friend RIFFLE_INLINE int_lanes operator|(const int_lanes& a, const int_lanes& b) noexcept { return a.v | b.v; }
    friend RIFFLE_INLINE int_lanes operator^(const int_lanes& a, const int_lanes& b) noexcept { return a.v ^ b.v; }
    friend RIFFLE_INLINE int_lanes operator~(const int_lanes& a) noexcept { return ~a.v; }
    friend RIFFLE_INLINE int_lanes operator<<(const int_lanes& a, int count) noexcept { return of(u(a) << count); }
    friend RIFFLE_INLINE int_lanes operator==(const int_lanes& a, const int_lanes& b) noexcept { return -(a.v == b.v); }
    friend RIFFLE_INLINE int_lanes operator!=(const int_lanes& a, const int_lanes& b) noexcept { return -(a.v != b.v); }
    friend RIFFLE_INLINE int_lanes operator<(const int_lanes& a, const int_lanes& b) noexcept { return -(a.v < b.v); }
    friend RIFFLE_INLINE int_lanes shift_right_logical(const int_lanes& a, int count) noexcept {
        return of(u(a) >> count);
    }
    friend RIFFLE_INLINE int_lanes multiply_high(const int_lanes& a, std::uint32_t factor) noexcept {
        return of(std::uint32_t(std::uint64_t{u(a)} * factor >> 32));
    }
    friend RIFFLE_INLINE int_lanes multiply_low(const int_lanes& a, std::uint32_t factor) noexcept {
        return of(u(a) * factor);
    }
    friend RIFFLE_INLINE int_lanes multiply_low(const int_lanes& a, const int_lanes& b) noexcept {
        return of(u(a) * u(b));
    }
    friend RIFFLE_INLINE int_lanes blend(const int_lanes& mask, const int_lanes& a, const int_lanes& b) noexcept {
        return mask.v ? a.v : b.v;
    }
};

template <bool Contract>
struct lanes<1, Contract> {
    using ints = int_lanes<1>;
    float v;
    RIFFLE_INLINE lanes() noexcept : v{} {}
    RIFFLE_INLINE lanes(float value) noexcept : v(value) {}
    RIFFLE_INLINE lanes(const lanes& other) noexcept : v(other.v) {}
    RIFFLE_INLINE lanes& operator=(const lanes& other) noexcept {
        v = other.v;
        return *this;
    }
    static RIFFLE_INLINE lanes load(const float* from) noexcept { return *from; }
    RIFFLE_INLINE void store(float* to) const noexcept { *to = v; }
    RIFFLE_INLINE float operator[](int) const noexcept { return v; }

    friend RIFFLE_INLINE lanes operator+(const lanes& a, const lanes& b) noexcept {
        RIFFLE_NO_CONTRACTION
        return a.v + b.v;
    }
    friend RIFFLE_INLINE lanes operator-(const lanes& a, const lanes& b) noexcept {
        RIFFLE_NO_CONTRACTION
        return a.v - b.v;
    }
    friend RIFFLE_INLINE lanes operator*(const lanes& a, const lanes& b) noexcept {
        RIFFLE_NO_CONTRACTION
        return rounded(a.v * b.v);
    }
    friend RIFFLE_INLINE lanes operator/(const lanes& a, const lanes& b) noexcept { return a.v / b.v; }
    friend RIFFLE_INLINE lanes operator-(const lanes& a) noexcept { return -a.v; }
    friend RIFFLE_INLINE ints operator<(const lanes& a, const lanes& b) noexcept { return -(a.v < b.v); }
    friend RIFFLE_INLINE ints operator<=(const lanes& a, const lanes& b) noexcept { return -(a.v <= b.v); }
    friend RIFFLE_INLINE ints operator>(const lanes& a, const lanes& b) noexcept { return -(a.v > b.v); }
    friend RIFFLE_INLINE ints operator>=(const lanes& a, const lanes& b) noexcept { return -(a.v >= b.v); }
    friend RIFFLE_INLINE ints operator==(const lanes& a, const lanes& b) noexcept { return -(a.v == b.v); }
    friend RIFFLE_INLINE ints operator!=(const lanes& a, const lanes& b) noexcept { return -(a.v != b.v); }
    friend RIFFLE_INLINE lanes blend(const ints& mask, const lanes& a, const lanes& b) noexcept {
        return mask.v ? a.v : b.v;
    }
    friend RIFFLE_INLINE lanes greater_of(const lanes& a, const lanes& b) noexcept { return a.v > b.v ? a.v : b.v; }
    friend RIFFLE_INLINE lanes lesser_of(const lanes& a, const lanes& b) noexcept { return a.v < b.v ? a.v : b.v; }
    friend RIFFLE_INLINE ints as_bits(const lanes& a) noexcept { return std::bit_cast<std::int32_t>(a.v); }
    static RIFFLE_INLINE lanes from_bits(const ints& bits) noexcept { return std::bit_cast<float>(bits.v); }
    friend RIFFLE_INLINE ints truncate(const lanes& a) noexcept { return std::int32_t(a.v); }
    static RIFFLE_INLINE lanes from_int(const ints& a) noexcept { return float(a.v); }
};

}  // namespace riffle
