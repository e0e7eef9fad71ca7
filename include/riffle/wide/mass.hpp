#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <riffle/core/row.hpp>
#include <riffle/math/fixed_mass.hpp>
#include <riffle/wide/dispatch.hpp>
#include <riffle/wide/lane_operations.hpp>
#include <riffle/wide/wide_sum.hpp>

namespace riffle::inline RIFFLE_ABI::wide {

/// Goes through the blocks whose maximum reaches `cut`, for weighing; logits that do not reach it weigh nothing. Of a
/// block it shows all logits, or where few reach the cut those alone, moved together and padded with -inf to whole
/// vectors.
template <int N>
class blocks_to_weigh {
public:
    RIFFLE_INLINE blocks_to_weigh(const detail::row& r, const float* block_maxima, float cut) noexcept
        : row_(r), block_maxima_(block_maxima), cut_(cut) {
        prepare(0);
    }
    /// To the next block; false behind the last. It is prepared one block ahead: what has just been moved together is
    /// still on its way to memory, and reading it at once would wait.
    RIFFLE_INLINE bool next() noexcept {
        index = next_index_;
        logits = next_logits_;
        size = next_size_;
        if (index == row_.blocks()) return false;
        prepare(index + 1);
        return true;
    }
    std::size_t index = 0;  ///< of the block
    const float* logits = nullptr;
    std::size_t size = 0;  ///< a multiple of N

private:
    RIFFLE_INLINE void prepare(std::size_t b) noexcept {
        while (b < row_.blocks() && !(block_maxima_[b] >= cut_)) ++b;
        next_index_ = b;
        if (b == row_.blocks()) return;
        next_logits_ = row_.block(b);
        next_size_ = block_size;
        if constexpr (compresses<N>) {
            const float* const x = next_logits_;
            float* const kept = kept_ + (kept_at_ ^= block_size + N);
            constexpr std::size_t probe = block_size / 4;
            const lanes<N> bound(cut_);
            std::size_t reaching = 0, n = 0;
            for (std::size_t i = 0; i < probe; i += N)
                reaching += std::size_t(std::popcount(lanes_reaching(lanes<N>::load(x + i), bound)));
            if (reaching > probe / 2) return;
            for (std::size_t i = 0; i < block_size; i += N) {
                const auto l = lanes<N>::load_once(x + i);
                n += compress(l, lanes_reaching(l, bound), kept + n);
            }
            lanes<N>(illegal_logit).store(kept + n);
            next_logits_ = kept;
            next_size_ = (n + N - 1) / N * N;
        }
    }

    const detail::row& row_;
    const float* const block_maxima_;
    const float cut_;
    std::size_t next_index_ = 0;
    const float* next_logits_ = nullptr;
    std::size_t next_size_ = 0, kept_at_ = 0;
    float kept_[compresses<N> ? 2 * (block_size + N) : 1];  ///< of this block and the next, turn about
};

/// Σ fixed_mass(map(l) - maximum) of every block whose maximum reaches `cut`; a block below weighs nothing.
template <class Maps>
struct mass_pass {
    template <int N>
    static RIFFLE_INLINE std::uint64_t run(const detail::row& r, const float* const& block_maxima, float cut,
                                           const Maps& map_by_reference, float maximum,
                                           std::uint64_t* const& masses) noexcept {
        using V = lanes<N>;
        const Maps map = map_by_reference;  // by value, so that no store can change its parameters
        const V top(map.top(maximum));
        std::uint64_t total = 0;
        blocks_to_weigh<N> of(r, block_maxima, cut);
        while (of.next()) {
            const float* x = of.logits;
            wide_sum<N> s0, s1;
            std::size_t i = 0;
            for (; i + 4 * N <= of.size; i += 4 * N) {  // four chains of dependent operations side by side
                const auto w0 = weights(map, top, x + i);
                const auto w1 = weights(map, top, x + i + N);
                const auto w2 = weights(map, top, x + i + 2 * N);
                const auto w3 = weights(map, top, x + i + 3 * N);
                s0.add(w0 + w1);  // weights are at most 2^30, so two fit into 32 bits
                s1.add(w2 + w3);
            }
            for (; i < of.size; i += N) s0.add(weights(map, top, x + i));
            masses[of.index] = s0.total() + s1.total();
            total += masses[of.index];
        }
        return total;
    }

private:
    template <class V>
    static RIFFLE_INLINE auto weights(const Maps& map, const V& top, const float* logits) noexcept {
        return fixed_mass(map.for_weights(V::load(logits)) - top);
    }
};

/// Block masses for numerics::fast: weights stay floats within a block, and the products and sums of exp may fuse. Maps
/// and the distance to the maximum do not: at logits of 1e9 what a fused product rounds differently is more than the
/// whole range of weights. Weights below 1 count as 0 here too, or a block could have mass and no token to pick.
template <class Maps>
struct fast_mass_pass {
    template <int N>
    static RIFFLE_INLINE std::uint64_t run(const detail::row& r, const float* const& block_maxima, float cut,
                                           const Maps& map_by_reference, float maximum,
                                           std::uint64_t* const& masses) noexcept {
        using V = lanes<N>;
        using Sum = lanes<N, true>;
        const Maps map = map_by_reference;
        const V top(map.top(maximum));
        std::uint64_t total = 0;
        blocks_to_weigh<N> of(r, block_maxima, cut);
        while (of.next()) {
            const float* x = of.logits;
            Sum s0(0.0f), s1(0.0f), s2(0.0f), s3(0.0f);
            std::size_t i = 0;
            for (; i + 4 * N <= of.size; i += 4 * N) {
                s0 = s0 + weights<Sum>(map, top, x + i);
                s1 = s1 + weights<Sum>(map, top, x + i + N);
                s2 = s2 + weights<Sum>(map, top, x + i + 2 * N);
                s3 = s3 + weights<Sum>(map, top, x + i + 3 * N);
            }
            for (; i < of.size; i += N) s0 = s0 + weights<Sum>(map, top, x + i);
            const Sum sum = (s0 + s1) + (s2 + s3);
            float block_mass = 0.0f;
            for (int lane = 0; lane < N; ++lane) block_mass += sum[lane];
            masses[of.index] = std::uint64_t(block_mass);
            total += masses[of.index];
        }
        return total;
    }

private:
    template <class Sum, class V>
    static RIFFLE_INLINE Sum weights(const Maps& map, const V& top, const float* logits) noexcept {
        const V below = map.for_weights(V::load(logits)) - top;
        const Sum weight = float_mass(Sum(below.v));
        return blend(weight >= Sum(1.0f), weight, Sum(0.0f));
    }
};

/// Block masses of the mapped row and their sum. `maximum` is the greatest mapped logit, `cut` a bound on raw logits
/// under which nothing weighs.
template <bool Fast, class Maps>
std::uint64_t find_mass(const detail::row& r, const float* block_maxima, float cut, const Maps& map, float maximum,
                        std::uint64_t* masses) noexcept {
    std::fill(masses, masses + r.blocks(), 0);  // the passes go to the blocks that weigh something only
    if constexpr (Fast) return run<fast_mass_pass<Maps>>(r, block_maxima, cut, map, maximum, masses);
    else return run<mass_pass<Maps>>(r, block_maxima, cut, map, maximum, masses);
}

}  // namespace riffle::wide
