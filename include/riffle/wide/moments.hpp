#pragma once
#include <cstddef>
#include <cstdint>

#include <riffle/core/row.hpp>
#include <riffle/core/softmax_statistics.hpp>
#include <riffle/math/elementwise.hpp>
#include <riffle/math/wide_integer.hpp>
#include <riffle/wide/dispatch.hpp>
#include <riffle/wide/lane_operations.hpp>
#include <riffle/wide/wide_sum.hpp>

namespace riffle::inline RIFFLE_ABI {

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
        const std::uint64_t variance =
            detail::divide(sum_of_squares * count - uint128::product(sum, sum), count * count);
        return detail::square_root(variance << 16);
    }
};

namespace wide {

/// Sums over a few distances a lane, as floats t and rounded down as integers d. Σd² needs 50 bits, and 64-bit products
/// take the lanes apart; here its low 32 bits are summed as integers that wrap, and Σt² in floats tells the rest.
template <int N>
struct distance_sums {
    /// While Σt² of a lane in half a block is at most this, no distance reaches 255.99 nats, and that of `at_once` of
    /// them, Σt² < 2^50, differs from Σd² by less than 0.44 * 2^32: t² - d² < 2t, in sum 2 sqrt(64 Σt²) < 2^29 at
    /// most, and up to 20 sums after one another round by 2^-24 Σt² each.
    static constexpr float most = N > 8 ? 0x1p47f : 0x1.ffep47f;
    static constexpr std::size_t at_once = 64;  ///< distances a lane, of one block or more

    int_lanes<N> distances, low_squares;
    lanes<N> squares;

    RIFFLE_INLINE void add(const lanes<N>& t) noexcept {
        const auto d = truncate_24_bits(t);
        distances = distances + d;
        low_squares = low_squares + multiply_low(d, d);
        squares = multiply_add(t, t, squares);
    }
    RIFFLE_INLINE void add(const distance_sums& other) noexcept {
        distances = distances + other.distances;
        low_squares = low_squares + other.low_squares;
        squares = squares + other.squares;
    }
    /// Not where there was a NaN.
    RIFFLE_INLINE bool are_near() const noexcept {
        return lanes_reaching(lanes<N>(most), squares) == (std::uint64_t{1} << N) - 1;
    }
    /// Σd² without its low 32 bits: what Σt² is nearest to.
    RIFFLE_INLINE int_lanes<N> high_squares() const noexcept {
        using V = lanes<N>;
        const V low = V::from_int(shift_right_logical(low_squares, 1)) * V(0x1p-31f);
        return truncate(squares * V(0x1p-32f) - low + V(0.5f));
    }
};

/// Takes every logit for legal and near, since most rows have no others and a bound on each costs a third of the pass.
/// Blocks where that is wrong show it by their sums, and are added up again with care.
template <class Maps>
struct moments_pass {
    template <int N>
    static RIFFLE_INLINE moments run(const detail::row& r, const float* const& block_maxima,
                                     const Maps& map_by_reference, float maximum) noexcept {
        using V = lanes<N>;
        const Maps map = map_by_reference;
        // A power of two, so that one rounding or two give (maximum - l) * 2^16 to the bit.
        const bool fits = absolute(lanes<1>(maximum))[0] < 0x1p100f;  // else the product is no float
        const V scale(-65536.0f), top(fits ? maximum * 65536.0f : 0.0f);
        const std::size_t quick = fits ? block_size : 0;  // logits of a block
        moments all;
        sums<N> total;
        std::size_t summed = 0;  // blocks; the squares of 256 are less than 2^64 together
        for (std::size_t b = 0; b < r.blocks(); ++b) {
            if (!(block_maxima[b] > illegal_logit)) continue;
            const float* x = r.block(b);
            distance_sums<N> even, odd;  // two, since a sum of floats waits for the one before
            RIFFLE_UNROLL(2)
            for (std::size_t i = 0; i < quick; i += 2 * N) {
                even.add(multiply_add(map(V::load(x + i)), scale, top));
                odd.add(multiply_add(map(V::load(x + i + N)), scale, top));
            }
            if (fits && even.are_near() && odd.are_near()) {
                even.add(odd);
                all.count += block_size;
                total.add(even);
            } else {
                all.count += add_legal(x, map, V(maximum), total);
            }
            if (++summed % 256 == 0) total.move_squares_to(all);
        }
        total.move_squares_to(all);
        all.sum = total.distances.total();
        return all;
    }

private:
    template <int N>
    struct sums {
        wide_sum<N> distances, squares;
        int_lanes<N> high_squares;   ///< to be added to the squares, times 2^32
        distance_sums<N> few;        ///< of the last near blocks, not yet in the others
        std::size_t few_a_lane = 0;  ///< how many distances of a lane are in it

        RIFFLE_INLINE void add(const distance_sums<N>& block) noexcept {
            few.add(block);
            few_a_lane += block_size / N;
            if (few_a_lane == distance_sums<N>::at_once) settle_few();
        }
        RIFFLE_INLINE void add(const int_lanes<N>& of_distances, const wide_sum<N>& of_squares) noexcept {
            distances.add(of_distances);
            squares += of_squares;
        }
        RIFFLE_INLINE void move_squares_to(moments& m) noexcept {
            settle_few();
            std::uint64_t high = 0;
            for (int i = 0; i < N; ++i) high += std::uint32_t(high_squares[i]);
            m.sum_of_squares = m.sum_of_squares + uint128{squares.total() + (high << 32), 0};
            squares = {};
            high_squares = 0;
        }

    private:
        RIFFLE_INLINE void settle_few() noexcept {
            distances.add(few.distances);
            squares.add(few.low_squares);
            high_squares = high_squares + few.high_squares();
            few = {};
            few_a_lane = 0;
        }
    };

    /// A block in which there are illegal or far tokens; answers how many are legal.
    template <int N>
    static RIFFLE_INLINE std::uint64_t add_legal(const float* x, const Maps& map, const lanes<N>& maximum,
                                                 sums<N>& total) noexcept {
        using V = lanes<N>;
        int_lanes<N> distances, count;
        wide_sum<N> squares;
        for (std::size_t i = 0; i < block_size; i += N) {
            const V logits = map(V::load(x + i));
            const auto is_legal = logits > V(illegal_logit);
            const auto d = blend(is_legal, fixed_distance(logits, maximum), int_lanes<N>(0));
            distances = distances + d;
            squares.add_products(d, d);
            count = blend(is_legal, count + 1, count);
        }
        total.add(distances, squares);
        std::uint64_t legal = 0;
        for (int i = 0; i < N; ++i) legal += std::uint32_t(count[i]);
        return legal;
    }
};

/// Moments of the mapped row; `maximum` is the greatest mapped logit.
template <class Maps>
moments find_moments(const detail::row& r, const float* block_maxima, const Maps& map, float maximum) noexcept {
    return run<moments_pass<Maps>>(r, block_maxima, map, maximum);
}

}  // namespace wide
}  // namespace riffle
