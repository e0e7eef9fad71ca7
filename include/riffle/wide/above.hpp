#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>

#include <riffle/core/row.hpp>
#include <riffle/core/token.hpp>
#include <riffle/math/lanes.hpp>
#include <riffle/wide/dispatch.hpp>
#include <riffle/wide/lane_operations.hpp>

namespace riffle::inline RIFFLE_ABI::wide {

/// Which of 64 logits are at least as great as the bound: bit i for x[i].
template <int N>
RIFFLE_INLINE std::uint64_t logits_reaching(const float* x, const lanes<N>& bound) noexcept {
    using V = lanes<N>;
    std::uint64_t bits = 0;
    for (int i = 0; i < 64; i += 4 * N) {
        V greatest(illegal_logit);  // of four vectors, most of which hold nothing; in this order a NaN is passed over
        for (int j = i; j < i + 4 * N; j += N) greatest = greater_of(V::load(x + j), greatest);
        if (lanes_reaching(greatest, bound) == 0) continue;
        for (int j = i; j < i + 4 * N; j += N) bits |= lanes_reaching(V::load(x + j), bound) << j;
    }
    return bits;
}

/// Every logit >= cut of blocks [first, last) as a candidate, in ascending id, until there are more than `most`; blocks
/// whose maximum lies below are skipped.
struct above_pass {
    template <int N>
    static RIFFLE_INLINE std::size_t run(const detail::row& r, const float* const& block_maxima, std::size_t first,
                                         std::size_t last, float cut, std::size_t most,
                                         token_data* const& found) noexcept {
        const lanes<N> bound(cut);
        const float* const maxima = block_maxima;  // by value, so that no store can change them
        token_data* out = found;
        for (std::size_t b = first; b < last && std::size_t(out - found) <= most; ++b) {
            if (!(maxima[b] >= cut)) continue;
            const float* x = r.block(b);
            for (std::size_t i = 0; i < block_size; i += 64)
                for (std::uint64_t rest = logits_reaching(x + i, bound); rest; rest &= rest - 1) {
                    const std::size_t at = i + std::size_t(std::countr_zero(rest));
                    *out++ = {token_id(b * block_size + at), x[at], 0.0f};
                }
        }
        return std::size_t(out - found);
    }
};

/// How many of an array are >= cut.
struct count_pass {
    template <int N>
    static RIFFLE_INLINE std::size_t run(const float* const& values, std::size_t padded, float cut) noexcept {
        using V = lanes<N>;
        const V least(cut);
        int_lanes<N> count(0);
        for (std::size_t i = 0; i < padded; i += N) count = blend(V::load(values + i) >= least, count + 1, count);
        std::size_t total = 0;
        for (int i = 0; i < N; ++i) total += std::size_t(count[i]);
        return total;
    }
};

/// Appends to `out` every logit >= cut of blocks [first, last), as it stands in the row; answers how many. Where they
/// are more than `most` it stops soon: then they are some of them.
template <class Row>
std::size_t find_above(const Row& r, const float* block_maxima, std::size_t first, std::size_t last, float cut,
                       token_data* out, std::size_t most = std::size_t(-1)) noexcept {
    return run<above_pass>(r, block_maxima, first, last, cut, most, out);
}

/// Makes every logit < cut -inf. Blocks of which nothing reaches it all share one; the others get a private copy.
/// Maxima stay right.
struct hide_below_pass {
    template <int N>
    static RIFFLE_INLINE void run(detail::row* const& r, float* const& block_maxima, float cut) noexcept {
        using V = lanes<N>;
        const V bound(cut), illegal(illegal_logit);
        for (std::size_t b = 0; b < r->blocks(); ++b) {
            if (!(block_maxima[b] >= cut)) {
                block_maxima[b] = illegal_logit;
                r->hide(b);
                continue;
            }
            const float* from = r->block(b);
            float* to = r->own_unfilled(b);
            RIFFLE_UNROLL(4)
            for (std::size_t i = 0; i < block_size; i += N) {
                const V logit = V::load_once(from + i);
                blend(logit >= bound, logit, illegal).store(to + i);
            }
        }
    }
};
template <class Row>
void hide_below(Row& r, float* block_maxima, float cut) noexcept {
    run<hide_below_pass>(&r, block_maxima, cut);
}
/// Makes what does not reach the cut -inf in one block.
inline void hide_below(detail::row& r, std::size_t block, float cut) noexcept {
    float* x = r.own(block);
    for (std::size_t i = 0; i < block_size; ++i)
        if (!(x[i] >= cut)) x[i] = illegal_logit;
}

/// How many of values[0, padded) are >= cut; `padded` is a multiple of 16.
inline std::size_t count_at_least(const float* values, std::size_t padded, float cut) noexcept {
    return run<count_pass>(values, padded, cut);
}
/// How many logits of a row are >= cut, counted up to `enough` or a little beyond.
template <class Row>
std::size_t count_above(const Row& r, const float* block_maxima, float cut, std::size_t enough) noexcept {
    std::size_t reached = 0;
    for (std::size_t b = 0; b < r.blocks() && reached < enough; ++b)
        if (block_maxima[b] >= cut) reached += count_at_least(r.block(b), block_size, cut);
    return reached;
}

}  // namespace riffle::wide
