#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <riffle/core/row.hpp>
#include <riffle/math/fixed_mass.hpp>
#include <riffle/wide/dispatch.hpp>

namespace riffle::wide {

/// Sums lanes of 32-bit weights in 64 bits. Even and odd lanes are kept apart, which is cheaper than widening.
template <int N>
class mass_sum {
public:
#if RIFFLE_VECTORS
    RIFFLE_INLINE void add(const int_lanes<N>& weights) noexcept {
        pair pairs;
        std::memcpy(&pairs, &weights.v, sizeof pairs);
        even_ += pairs & 0xffffffffu;
        odd_ += pairs >> 32;
    }
    RIFFLE_INLINE std::uint64_t total() const noexcept {
        const pair sum = even_ + odd_;
        std::uint64_t s = 0;
        for (int i = 0; i < N / 2; ++i) s += sum[i];
        return s;
    }

private:
    using pair = typename int_lanes<N>::pair_vector;
    pair even_{}, odd_{};
#else
    void add(const int_lanes<N>& weights) noexcept {
        for (int i = 0; i < N; ++i) sum_ += std::uint32_t(weights[i]);
    }
    std::uint64_t total() const noexcept { return sum_; }

private:
    std::uint64_t sum_ = 0;
#endif
};

/// Σ fixed_mass(map(l) - maximum) of every block whose peak reaches `cut`; a block below weighs nothing.
template <class Fold>
struct mass_pass {
    template <int N>
    static RIFFLE_INLINE std::uint64_t run(const row& r, const float* const& peaks, float cut,
                                           const Fold& map_by_reference, float maximum,
                                           std::uint64_t* const& masses) noexcept {
        using V = lanes<N>;
        const Fold map = map_by_reference;  // by value, so that no store can change its parameters
        const V top(maximum);
        std::uint64_t total = 0;
        for (std::size_t b = 0; b < r.blocks(); ++b) {
            masses[b] = 0;
            if (!(peaks[b] >= cut)) continue;
            const float* x = r.block(b);
            mass_sum<N> s0, s1;
            for (std::size_t i = 0; i < block_size; i += 4 * N) {  // four chains of dependent operations side by side
                const auto w0 = fixed_mass(map.uncanonical(V::load(x + i)) - top);
                const auto w1 = fixed_mass(map.uncanonical(V::load(x + i + N)) - top);
                const auto w2 = fixed_mass(map.uncanonical(V::load(x + i + 2 * N)) - top);
                const auto w3 = fixed_mass(map.uncanonical(V::load(x + i + 3 * N)) - top);
                s0.add(w0 + w1);  // weights are at most 2^30, so two fit into 32 bits
                s1.add(w2 + w3);
            }
            masses[b] = s0.total() + s1.total();
            total += masses[b];
        }
        return total;
    }
};

/// The same for numerics::fast: weights stay floats within a block, and the products and sums of exp may fuse. Maps and
/// the distance to the maximum do not: at logits of 1e9 what a fused product rounds differently is more than the whole
/// range of weights. Weights below 1 count as 0 here too, or a block could have mass and no token to pick.
template <class Fold>
struct fast_mass_pass {
    template <int N>
    static RIFFLE_INLINE std::uint64_t run(const row& r, const float* const& peaks, float cut,
                                           const Fold& map_by_reference, float maximum,
                                           std::uint64_t* const& masses) noexcept {
        using V = lanes<N>;
        using Sum = lanes<N, true>;
        const Fold map = map_by_reference;
        const V top(maximum);
        std::uint64_t total = 0;
        for (std::size_t b = 0; b < r.blocks(); ++b) {
            masses[b] = 0;
            if (!(peaks[b] >= cut)) continue;
            const float* x = r.block(b);
            Sum s0(0.0f), s1(0.0f), s2(0.0f), s3(0.0f);
            for (std::size_t i = 0; i < block_size; i += 4 * N) {
                s0 = s0 + weights<Sum>(map, top, x + i);
                s1 = s1 + weights<Sum>(map, top, x + i + N);
                s2 = s2 + weights<Sum>(map, top, x + i + 2 * N);
                s3 = s3 + weights<Sum>(map, top, x + i + 3 * N);
            }
            const Sum sum = (s0 + s1) + (s2 + s3);
            float block_mass = 0.0f;
            for (int i = 0; i < N; ++i) block_mass += sum[i];
            masses[b] = std::uint64_t(block_mass);
            total += masses[b];
        }
        return total;
    }

private:
    template <class Sum, class V>
    static RIFFLE_INLINE Sum weights(const Fold& map, const V& top, const float* logits) noexcept {
        const V below = map.uncanonical(V::load(logits)) - top;
        const Sum weight = float_mass(Sum(below.v));
        return select(weight >= Sum(1.0f), weight, Sum(0.0f));
    }
};

/// Block masses of the mapped row and their sum. `maximum` is the greatest mapped logit, `cut` a bound on raw logits
/// under which nothing weighs.
template <bool Fast, class Fold>
std::uint64_t find_mass(const row& r, const float* peaks, float cut, const Fold& map, float maximum,
                        std::uint64_t* masses) noexcept {
    if constexpr (Fast) return run<fast_mass_pass<Fold>>(r, peaks, cut, map, maximum, masses);
    else return run<mass_pass<Fold>>(r, peaks, cut, map, maximum, masses);
}

}  // namespace riffle::wide
