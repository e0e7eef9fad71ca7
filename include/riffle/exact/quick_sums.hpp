#pragma once
#include <algorithm>
#include <cstddef>
#include <numeric>

#include <riffle/core/row.hpp>
#include <riffle/exact/full_row.hpp>
#include <riffle/math/elementwise.hpp>
#include <riffle/wide/dispatch.hpp>
#include <riffle/wide/mass.hpp>

namespace riffle::inline RIFFLE_ABI::exact {

/// Sums of exp for the blocks that reach `maximum - range`, in floats of our own, whose products and sums may fuse:
/// within 1e-6 of the sum of the C library's over the tokens that reach it. Of that exp has 2e-7; sums of eight, and
/// then of eight at most of those, have a rounding of 6e-8 for each but the first, so that small terms beside a great
/// one are not lost one by one. Answers how many tokens may have been left out.
struct quick_mass_pass {
    template <int N>
    static RIFFLE_INLINE std::size_t run(const detail::row& r, const float* const& block_maxima, float maximum,
                                         float range, double* const& sums) noexcept {
        using V = lanes<N, true>;
        const V top(maximum);
        std::size_t left_out = r.blocks() * block_size;
        wide::blocks_to_weigh<N> of(r, block_maxima, maximum - range);
        while (of.next()) {
            const float* x = of.logits;
            const float* const end = x + of.size;
            V s0(0.0f), s1(0.0f);
            while (x < end) {
                const float* const piece_end = (std::min)(x + 16 * N, end);
                V t0(0.0f), t1(0.0f);
                for (; x + 2 * N <= piece_end; x += 2 * N) {
                    t0 = t0 + exp(V::load(x) - top);
                    t1 = t1 + exp(V::load(x + N) - top);
                }
                if (x < piece_end) t0 = t0 + exp(V::load(x) - top), x += N;
                s0 = s0 + t0;
                s1 = s1 + t1;
            }
            const V sum = s0 + s1;
            double all = 0.0;
            for (int lane = 0; lane < N; ++lane) all += double(sum[lane]);
            sums[of.index] = all;
            if (of.size == block_size) left_out -= block_size;  // then it was shown whole
        }
        return left_out;
    }
};

/// Approximate sums of the blocks over the tokens within `range` of the maximum, in nats, and their sum; `beyond` is
/// what another weighs at most.
inline double find_quick_sums(full_row& r, float range, double beyond) noexcept {
    const std::size_t blocks = r.logits().blocks();
    std::fill(r.sums(), r.sums() + blocks, 0.0);
    const std::size_t left_out = wide::run<quick_mass_pass>(r.logits(), r.block_maxima(), r.maximum(), range, r.sums());
    const double whole = std::accumulate(r.sums(), r.sums() + blocks, 0.0);
    r.lacks(double(left_out) * beyond / whole);
    return whole;
}
/// Of a range in which all lies that counts: a million tokens beyond it weigh less than 1e-7 of the whole.
inline double find_all_quick_sums(full_row& r) noexcept { return find_quick_sums(r, 30.0f, 1e-13); }

/// Their sum within a millionth, where who found them may have done with less.
inline double sum_to_a_millionth(full_row& r) noexcept {
    if (r.lacking() > 1e-7) return find_all_quick_sums(r);
    return std::accumulate(r.sums(), r.sums() + r.logits().blocks(), 0.0);
}

}  // namespace riffle::exact
