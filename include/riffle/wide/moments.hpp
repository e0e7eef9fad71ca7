#pragma once
#include <cstddef>
#include <cstdint>

#include <riffle/core/law.hpp>
#include <riffle/core/row.hpp>
#include <riffle/math/elementwise.hpp>
#include <riffle/math/wide_integer.hpp>
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
        const Fold map = map_by_reference;
        const V top(maximum);
        moments all;
        for (std::size_t b = 0; b < r.blocks(); ++b) {
            if (!(peaks[b] > illegal_logit)) continue;
            const float* x = r.block(b);
            std::uint32_t distance[block_size];
            std::uint32_t legal[block_size];
            for (std::size_t i = 0; i < block_size; i += N) {
                const V l = map(V::load(x + i));
                const auto is_legal = l > V(illegal_logit);
                const auto d = fixed_distance(select(is_legal, l, top), top);
                const auto one = select(is_legal, int_lanes<N>(1), int_lanes<N>(0));
                std::memcpy(distance + i, &d.v, sizeof d.v);
                std::memcpy(legal + i, &one.v, sizeof one.v);
            }
            std::uint64_t count = 0, sum = 0, squares = 0;  // 256 distances below 2^24: no overflow
            for (std::size_t i = 0; i < block_size; ++i) {
                count += legal[i];
                sum += distance[i];
                squares += std::uint64_t{distance[i]} * distance[i];
            }
            all.count += count;
            all.sum += sum;
            all.sum_of_squares = all.sum_of_squares + uint128{squares, 0};
        }
        return all;
    }
};

/// Moments of the mapped row; `maximum` is the greatest mapped logit.
template <class Fold>
moments find_moments(const row& r, const float* peaks, const Fold& map, float maximum) noexcept {
    return run<moments_pass<Fold>>(r, peaks, map, maximum);
}

}  // namespace wide
}  // namespace riffle
