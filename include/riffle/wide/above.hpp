#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>

#include <riffle/core/row.hpp>
#include <riffle/core/token.hpp>
#include <riffle/math/lanes.hpp>
#include <riffle/wide/dispatch.hpp>

namespace riffle::wide {

/// Which lanes are at least as great as the bound, as bits; a NaN is not.
template <int N>
RIFFLE_INLINE std::uint64_t lanes_reaching(const lanes<N>& a, const lanes<N>& bound) noexcept {
    std::uint64_t bits = 0;
    for (int i = 0; i < N; ++i) bits |= std::uint64_t{a[i] >= bound[i]} << i;
    return bits;
}
// The lane type has no word for a mask as bits; x86 has an instruction. (As builtins, because the header that names the
// intrinsics would double what including riffle costs a compiler.)
#if RIFFLE_X86 && defined(__SSE2__)
inline constexpr int greater_equal = 29, current_rounding = 4;

RIFFLE_INLINE std::uint64_t lanes_reaching(const lanes<4>& a, const lanes<4>& bound) noexcept {
    return std::uint8_t(__builtin_ia32_movmskps(__builtin_ia32_cmpleps(bound.v, a.v)));
}
RIFFLE_TARGET_AVX2 inline std::uint64_t lanes_reaching(const lanes<8>& a, const lanes<8>& bound) noexcept {
    return std::uint8_t(__builtin_ia32_movmskps256(__builtin_ia32_cmpps256(a.v, bound.v, greater_equal)));
}
RIFFLE_TARGET_AVX512 inline std::uint64_t lanes_reaching(const lanes<16>& a, const lanes<16>& bound) noexcept {
    return std::uint16_t(
        __builtin_ia32_cmpps512_mask(a.v, bound.v, greater_equal, std::uint16_t(0xffff), current_rounding));
}
#endif

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

/// Every logit >= cut of blocks [first, last) as a candidate, in ascending id; blocks whose peak lies below are
/// skipped.
struct above_pass {
    template <int N>
    static RIFFLE_INLINE std::size_t run(const row& r, const float* const& peaks, std::size_t first, std::size_t last,
                                         float cut, token_data* const& found) noexcept {
        const lanes<N> bound(cut);
        const float* const peak = peaks;  // by value, so that no store can change them
        token_data* out = found;
        for (std::size_t b = first; b < last; ++b) {
            if (!(peak[b] >= cut)) continue;
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
        for (std::size_t i = 0; i < padded; i += N) count = select(V::load(values + i) >= least, count + 1, count);
        std::size_t total = 0;
        for (int i = 0; i < N; ++i) total += std::size_t(count[i]);
        return total;
    }
};

/// Appends to `out` every logit >= cut of blocks [first, last), as it stands in the row; answers how many.
template <class Row>
std::size_t find_above(const Row& r, const float* peaks, std::size_t first, std::size_t last, float cut,
                       token_data* out) noexcept {
    return run<above_pass>(r, peaks, first, last, cut, out);
}

/// How many of values[0, padded) are >= cut; `padded` is a multiple of 16.
inline std::size_t count_at_least(const float* values, std::size_t padded, float cut) noexcept {
    return run<count_pass>(values, padded, cut);
}

}  // namespace riffle::wide
