#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <riffle/core/row.hpp>
#include <riffle/core/token.hpp>
#include <riffle/math/lanes.hpp>
#include <riffle/wide/dispatch.hpp>

namespace riffle::wide {

/// Calls visit(lane) for every set lane of a mask, lowest first: the mask as bytes, eight to a word.
template <int N, class Visit>
RIFFLE_INLINE void for_each_lane(const int_lanes<N>& mask, Visit visit) noexcept {
#if RIFFLE_VECTORS
    constexpr int words = (N + 7) / 8;
    const auto bytes = __builtin_convertvector(mask.v, typename int_lanes<N>::byte_vector);
    std::uint64_t word[words] = {};
    std::memcpy(word, &bytes, sizeof bytes);
    for (int w = 0; w < words; ++w)
        while (word[w]) {
            const int byte = std::countr_zero(word[w]) / 8;
            visit(std::size_t(8 * w + byte));
            word[w] &= ~(std::uint64_t{0xff} << 8 * byte);
        }
#else
    for (int i = 0; i < N; ++i)
        if (mask[i]) visit(std::size_t(i));
#endif
}

/// Every logit >= cut of blocks [first, last) as a candidate, in ascending id; blocks whose peak lies below are skipped.
struct above_pass {
    template <int N>
    static RIFFLE_INLINE std::size_t run(const row& r, const float* const& peaks, std::size_t first, std::size_t last, float cut, token_data* const& out) noexcept {
        using V = lanes<N>;
        const V least(cut);
        std::size_t n = 0;
        for (std::size_t b = first; b < last; ++b) {
            if (!(peaks[b] >= cut)) continue;
            const float* x = r.block(b);
            for (std::size_t i = 0; i < block_size; i += N)
                for_each_lane(int_lanes<N>(V::load(x + i) >= least), [&](std::size_t lane) {
                    out[n++] = {token_id(b * block_size + i + lane), x[i + lane], 0.0f};
                });
        }
        return n;
    }
};

/// How many logits of blocks [first, last) of an array are >= cut.
struct count_pass {
    template <int N>
    static RIFFLE_INLINE std::size_t run(const float* const& values, std::size_t padded, float cut) noexcept {
        using V = lanes<N>;
        const V least(cut);
        int_lanes<N> count(0);
        for (std::size_t i = 0; i < padded; i += N) count = select(V::load(values + i) >= least, count + 1, count);
        std::size_t total = 0;
        for (int i = 0; i < N; ++i) total += std::size_t(count[i]);
        return total;
    }
};

/// Appends to `out` every logit >= cut of blocks [first, last), as it stands in the row; answers how many.
inline std::size_t find_above(const row& r, const float* peaks, std::size_t first, std::size_t last, float cut, token_data* out) noexcept {
    return run<above_pass>(r, peaks, first, last, cut, out);
}

/// How many of values[0, padded) are >= cut; `padded` is a multiple of 16.
inline std::size_t count_at_least(const float* values, std::size_t padded, float cut) noexcept { return run<count_pass>(values, padded, cut); }

}  // namespace riffle::wide
