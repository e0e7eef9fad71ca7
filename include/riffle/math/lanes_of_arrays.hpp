#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <riffle/math/config.hpp>
#include <riffle/math/lane_types.hpp>

// Lanes as plain arrays, for the optimiser to vectorise: where a compiler has no vectors (math/lanes.hpp).

namespace riffle::inline RIFFLE_ABI {

template <int N>
struct int_lanes {
    std::int32_t v[N];

    int_lanes() noexcept : v{} {}
    int_lanes(std::int32_t value) noexcept {
        for (auto& e : v) e = value;
    }
    static int_lanes iota() noexcept {
        return make([](int i) { return i; });
    }
    static int_lanes load(const std::int32_t* from) noexcept {
        return make([&](int i) { return from[i]; });
    }
    template <class Call>
    static int_lanes make(Call f) noexcept {
        int_lanes r;
        for (int i = 0; i < N; ++i) r.v[i] = std::int32_t(f(i));
        return r;
    }
    std::int32_t operator[](int lane) const noexcept { return v[lane]; }
    static std::uint32_t u(std::int32_t a) noexcept { return std::uint32_t(a); }

    friend int_lanes operator+(const int_lanes& a, const int_lanes& b) noexcept {
        return make([&](int i) { return u(a.v[i]) + u(b.v[i]); });
    }
    friend int_lanes operator-(const int_lanes& a, const int_lanes& b) noexcept {
        return make([&](int i) { return u(a.v[i]) - u(b.v[i]); });
    }
    friend int_lanes operator&(const int_lanes& a, const int_lanes& b) noexcept {
        return make([&](int i) { return a.v[i] & b.v[i]; });
    }
    friend int_lanes operator|(const int_lanes& a, const int_lanes& b) noexcept {
        return make([&](int i) { return a.v[i] | b.v[i]; });
    }
    friend int_lanes operator^(const int_lanes& a, const int_lanes& b) noexcept {
        return make([&](int i) { return a.v[i] ^ b.v[i]; });
    }
    friend int_lanes operator~(const int_lanes& a) noexcept {
        return make([&](int i) { return ~a.v[i]; });
    }
    friend int_lanes operator<<(const int_lanes& a, int count) noexcept {
        return make([&](int i) { return u(a.v[i]) << count; });
    }
    friend int_lanes operator==(const int_lanes& a, const int_lanes& b) noexcept {
        return make([&](int i) { return -(a.v[i] == b.v[i]); });
    }
    friend int_lanes operator!=(const int_lanes& a, const int_lanes& b) noexcept {
        return make([&](int i) { return -(a.v[i] != b.v[i]); });
    }
    friend int_lanes operator<(const int_lanes& a, const int_lanes& b) noexcept {
        return make([&](int i) { return -(a.v[i] < b.v[i]); });
    }
    friend int_lanes shift_right_logical(const int_lanes& a, int count) noexcept {
        return make([&](int i) { return u(a.v[i]) >> count; });
    }
    friend int_lanes multiply_high(const int_lanes& a, std::uint32_t factor) noexcept {
        return make([&](int i) { return std::uint64_t{u(a.v[i])} * factor >> 32; });
    }
    friend int_lanes multiply_low(const int_lanes& a, std::uint32_t factor) noexcept {
        return make([&](int i) { return u(a.v[i]) * factor; });
    }
    friend int_lanes multiply_low(const int_lanes& a, const int_lanes& b) noexcept {
        return make([&](int i) { return u(a.v[i]) * u(b.v[i]); });
    }
    friend int_lanes blend(const int_lanes& mask, const int_lanes& a, const int_lanes& b) noexcept {
        return make([&](int i) { return mask.v[i] ? a.v[i] : b.v[i]; });
    }
};

template <int N, bool Contract>
struct lanes {
    using ints = int_lanes<N>;
    float v[N];

    lanes() noexcept : v{} {}
    lanes(float value) noexcept {
        for (auto& e : v) e = value;
    }
    explicit lanes(const float (&values)[N]) noexcept { std::memcpy(v, values, sizeof v); }
    template <class Call>
    static lanes make(Call f) noexcept {
        lanes r;
        for (int i = 0; i < N; ++i) r.v[i] = f(i);
        return r;
    }
    static lanes load(const float* from) noexcept {
        return make([&](int i) { return from[i]; });
    }
    static lanes load_once(const float* from) noexcept { return load(from); }
    void store(float* to) const noexcept { std::memcpy(to, v, sizeof v); }
    float operator[](int lane) const noexcept { return v[lane]; }

    friend lanes operator+(const lanes& a, const lanes& b) noexcept {
        RIFFLE_NO_CONTRACTION
        return make([&](int i) { return a.v[i] + b.v[i]; });
    }
    friend lanes operator-(const lanes& a, const lanes& b) noexcept {
        RIFFLE_NO_CONTRACTION
        return make([&](int i) { return a.v[i] - b.v[i]; });
    }
    friend lanes operator*(const lanes& a, const lanes& b) noexcept {
        RIFFLE_NO_CONTRACTION
        return make([&](int i) { return rounded(a.v[i] * b.v[i]); });
    }
    friend lanes operator/(const lanes& a, const lanes& b) noexcept {
        return make([&](int i) { return a.v[i] / b.v[i]; });
    }
    friend lanes operator-(const lanes& a) noexcept {
        return make([&](int i) { return -a.v[i]; });
    }
    friend ints operator<(const lanes& a, const lanes& b) noexcept {
        return ints::make([&](int i) { return -(a.v[i] < b.v[i]); });
    }
    friend ints operator<=(const lanes& a, const lanes& b) noexcept {
        return ints::make([&](int i) { return -(a.v[i] <= b.v[i]); });
    }
    friend ints operator>(const lanes& a, const lanes& b) noexcept {
        return ints::make([&](int i) { return -(a.v[i] > b.v[i]); });
    }
    friend ints operator>=(const lanes& a, const lanes& b) noexcept {
        return ints::make([&](int i) { return -(a.v[i] >= b.v[i]); });
    }
    friend ints operator==(const lanes& a, const lanes& b) noexcept {
        return ints::make([&](int i) { return -(a.v[i] == b.v[i]); });
    }
    friend ints operator!=(const lanes& a, const lanes& b) noexcept {
        return ints::make([&](int i) { return -(a.v[i] != b.v[i]); });
    }
    friend lanes blend(const ints& mask, const lanes& a, const lanes& b) noexcept {
        return make([&](int i) { return mask.v[i] ? a.v[i] : b.v[i]; });
    }
    friend lanes greater_of(const lanes& a, const lanes& b) noexcept {
        return make([&](int i) { return a.v[i] > b.v[i] ? a.v[i] : b.v[i]; });
    }
    friend lanes lesser_of(const lanes& a, const lanes& b) noexcept {
        return make([&](int i) { return a.v[i] < b.v[i] ? a.v[i] : b.v[i]; });
    }
    friend ints as_bits(const lanes& a) noexcept {
        return ints::make([&](int i) { return std::bit_cast<std::int32_t>(a.v[i]); });
    }
    static lanes from_bits(const ints& bits) noexcept {
        return make([&](int i) { return std::bit_cast<float>(bits.v[i]); });
    }
    friend ints truncate(const lanes& a) noexcept {
        return ints::make([&](int i) { return std::int32_t(a.v[i]); });
    }
    static lanes from_int(const ints& a) noexcept {
        return make([&](int i) { return float(a.v[i]); });
    }
};

namespace detail {
/// The lanes of these numbers, of a below N and of b from there on.
template <int... From, int N>
RIFFLE_INLINE int_lanes<N> permuted(const int_lanes<N>& a, const int_lanes<N>& b) noexcept {
    int_lanes<N> r;
    int lane = 0;
    ((r.v[lane++] = From < N ? a.v[From % N] : b.v[From % N]), ...);
    return r;
}
}  // namespace detail

}  // namespace riffle
