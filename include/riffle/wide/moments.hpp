#pragma once
#include <cstddef>
#include <cstdint>

#include <riffle/core/law.hpp>
#include <riffle/core/row.hpp>
#include <riffle/math/elementwise.hpp>
#include <riffle/math/wide_integer.hpp>
#include <riffle/wide/beyond_lanes.hpp>
#include <riffle/wide/dispatch.hpp>

namespace riffle {

/// Count, Σd and Σd² of the legal logits, d = truncate(min(maximum - l, 255.99) * 2^16): integers, so that no order of
/// summation shows.
struct moments {
    std::uint64_t count = 0;
    std::uint64_t sum = 0;
    uint128 sum_of_squares;

    /// Adds one distance.
    void add(std::uint32_t d) noexcept {
        ++count;
        sum += d;
        sum_of_squares = sum_of_squares + uint128{std::uint64_t{d} * d, 0};
    }
    /// The population deviation in units of 2^-24, rounded down: sqrt((N Σd² - (Σd)²) / N²).
    std::uint32_t deviation() const noexcept {
        if (count == 0) return 0;
        const std::uint64_t variance = divide(sum_of_squares * count - uint128::product(sum, sum), count * count);
        return square_root(variance << 16);
    }
};

namespace wide {

template <class Fold>
struct moments_pass {
    template <int N>
    static RIFFLE_INLINE moments run(const row& r, const float* const& peaks, const Fold& map_by_reference,
                                     float maximum) noexcept {
        using V = lanes<N>;
        using I = int_lanes<N>;
        const Fold map = map_by_reference;
        const V top(maximum);
        moments all;
        V farthest(0.0f);
        wide_sum<N> sum, squares;
        std::size_t summed = 0;  // blocks; the squares of 256 are less than 2^64 together
        for (std::size_t b = 0; b < r.blocks(); ++b) {
            if (!(peaks[b] > illegal_logit)) continue;
            const float* x = r.block(b);
            I sums(0);  // block_size / N distances below 2^24 a lane
            RIFFLE_UNROLL(2)
            for (std::size_t i = 0; i < block_size; i += N) {
                const V distance = near_distance(map(V::load(x + i)), top);
                const I d = fixed(distance);
                sums = sums + d;
                squares.add_products(d, d);
                farthest = greater_of(distance, farthest);
            }
            sum.add(sums);
            all.count += block_size;
            if (++summed % 256 == 0) {
                all.sum_of_squares = all.sum_of_squares + uint128{squares.total(), 0};
                squares = {};
            }
        }
        all.sum = sum.total();
        all.sum_of_squares = all.sum_of_squares + uint128{squares.total(), 0};
        bool saw_farthest = false;
        for (int i = 0; i < N; ++i) saw_farthest |= farthest[i] == farthest_distance;
        if (!saw_farthest) return all;
        // What is illegal was counted like a token that far away: it is taken out again.
        const std::uint64_t illegal = all.count - count_legal<N>(r, peaks, map);
        const std::uint64_t distance = std::uint32_t(fixed(lanes<1>(farthest_distance))[0]);
        all.count -= illegal;
        all.sum -= illegal * distance;
        all.sum_of_squares = all.sum_of_squares - uint128::product(illegal, distance * distance);
        return all;
    }

private:
    /// Legal tokens behind the map.
    template <int N>
    static RIFFLE_INLINE std::uint64_t count_legal(const row& r, const float* peaks, const Fold& map) noexcept {
        using V = lanes<N>;
        std::uint64_t legal = 0;
        for (std::size_t b = 0; b < r.blocks(); ++b) {
            if (!(peaks[b] > illegal_logit)) continue;
            int_lanes<N> count(0);
            RIFFLE_UNROLL(2)
            for (std::size_t i = 0; i < block_size; i += N)
                count = select(map(V::load(r.block(b) + i)) > V(illegal_logit), count + 1, count);
            for (int i = 0; i < N; ++i) legal += std::uint32_t(count[i]);
        }
        return legal;
    }
};

/// Moments of the mapped row; `maximum` is the greatest mapped logit.
template <class Fold>
moments find_moments(const row& r, const float* peaks, const Fold& map, float maximum) noexcept {
    return run<moments_pass<Fold>>(r, peaks, map, maximum);
}

}  // namespace wide
}  // namespace riffle
