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

/// Takes every logit for legal and near, since most rows have no others and a bound on each costs a third of the pass.
/// Distances that do not fit say so by their bits, and then their block is added up again with care.
template <class Fold>
struct moments_pass {
    template <int N>
    static RIFFLE_INLINE moments run(const row& r, const float* const& peaks, const Fold& map_by_reference,
                                     float maximum) noexcept {
        using V = lanes<N>;
        const Fold map = map_by_reference;
        // A power of two, so that one rounding or two give (maximum - l) * 2^16 to the bit.
        const V scale(-65536.0f), top(maximum * 65536.0f);
        moments all;
        sums<N> total;
        std::size_t summed = 0;  // blocks; the squares of 256 are less than 2^64 together
        for (std::size_t b = 0; b < r.blocks(); ++b) {
            if (!(peaks[b] > illegal_logit)) continue;
            const float* x = r.block(b);
            int_lanes<N> distances(0), seen(0);  // block_size / N distances below 2^24 a lane
            wide_sum<N> squares;
            RIFFLE_UNROLL(2)
            for (std::size_t i = 0; i < block_size; i += 2 * N) {
                const auto d = truncate_24_bits(multiply_add(map(V::load(x + i)), scale, top));
                const auto e = truncate_24_bits(multiply_add(map(V::load(x + i + N)), scale, top));
                distances = distances + (d + e);
                squares.add_products(d, d);
                squares.add_products(e, e);
                seen = seen | (d | e);  // AVX-512 has an instruction for both
            }
            if (!any(shift_right_logical(seen, 24))) {
                all.count += block_size;
                total.add(distances, squares);
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
        RIFFLE_INLINE void add(const int_lanes<N>& of_distances, const wide_sum<N>& of_squares) noexcept {
            distances.add(of_distances);
            squares += of_squares;
        }
        RIFFLE_INLINE void move_squares_to(moments& m) noexcept {
            m.sum_of_squares = m.sum_of_squares + uint128{squares.total(), 0};
            squares = {};
        }
    };

    /// A block in which there are illegal or far tokens; answers how many are legal.
    template <int N>
    static RIFFLE_INLINE std::uint64_t add_legal(const float* x, const Fold& map, const lanes<N>& maximum,
                                                 sums<N>& total) noexcept {
        using V = lanes<N>;
        int_lanes<N> distances(0), count(0);
        wide_sum<N> squares;
        for (std::size_t i = 0; i < block_size; i += N) {
            const V logits = map(V::load(x + i));
            const auto is_legal = logits > V(illegal_logit);
            const auto d = select(is_legal, fixed_distance(logits, maximum), int_lanes<N>(0));
            distances = distances + d;
            squares.add_products(d, d);
            count = select(is_legal, count + 1, count);
        }
        total.add(distances, squares);
        std::uint64_t legal = 0;
        for (int i = 0; i < N; ++i) legal += std::uint32_t(count[i]);
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
