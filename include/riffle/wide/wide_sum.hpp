#pragma once
#include <cstdint>

#include <riffle/math/lanes.hpp>
#include <riffle/wide/lane_operations.hpp>

namespace riffle::inline RIFFLE_ABI::wide {

/// Sums in 64 bits over lanes of 32-bit integers without a sign. Even and odd lanes are kept apart, which is cheaper
/// than widening.
template <int N>
class wide_sum {
public:
#if RIFFLE_VECTORS
    RIFFLE_INLINE void add(const int_lanes<N>& a) noexcept {
        even_ += pair(a.v) & 0xffffffffu;
        odd_ += pair(a.v) >> 32;
    }
    /// Adds a * b, or where it says so a * b >> Shift.
    template <int Shift = 0>
    RIFFLE_INLINE void add_products(const int_lanes<N>& a, const int_lanes<N>& b) noexcept {
        even_ += pair(even_products(a, b).v) >> Shift;
        odd_ += pair(even_products(odd_lanes(a), odd_lanes(b)).v) >> Shift;
    }
    RIFFLE_INLINE wide_sum& operator+=(const wide_sum& other) noexcept {
        even_ += other.even_;
        odd_ += other.odd_;
        return *this;
    }
    RIFFLE_INLINE std::uint64_t total() const noexcept {
        const pair sum = even_ + odd_;
        std::uint64_t s = 0;
        for (int i = 0; i < N / 2; ++i) s += sum[i];
        return s;
    }

private:
    using pair = typename int_lanes<N>::pair_vector;
    static RIFFLE_INLINE int_lanes<N> odd_lanes(const int_lanes<N>& a) noexcept {
        return int_lanes<N>(typename int_lanes<N>::vector(pair(a.v) >> 32));
    }
    pair even_{}, odd_{};
#else
    void add(const int_lanes<N>& a) noexcept {
        for (int i = 0; i < N; ++i) sum_ += std::uint32_t(a[i]);
    }
    template <int Shift = 0>
    void add_products(const int_lanes<N>& a, const int_lanes<N>& b) noexcept {
        for (int i = 0; i < N; ++i) sum_ += std::uint64_t{std::uint32_t(a[i])} * std::uint32_t(b[i]) >> Shift;
    }
    wide_sum& operator+=(const wide_sum& other) noexcept {
        sum_ += other.sum_;
        return *this;
    }
    std::uint64_t total() const noexcept { return sum_; }

private:
    std::uint64_t sum_ = 0;
#endif
};

}  // namespace riffle::wide
