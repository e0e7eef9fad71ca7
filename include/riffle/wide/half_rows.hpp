#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <riffle/core/float16.hpp>
#include <riffle/core/logit_row.hpp>
#include <riffle/core/row.hpp>
#include <riffle/core/tuning.hpp>
#include <riffle/math/half_lanes.hpp>
#include <riffle/math/lanes.hpp>
#include <riffle/wide/dispatch.hpp>
#include <riffle/wide/half_widening.hpp>
#include <riffle/wide/max.hpp>

// Rows of 16-bit logits. The passes that look closer read blocks of floats, which are made as they are read and stay in
// the first cache. The pass for the maxima, which every step makes over the whole row, reads the 16 bits themselves.

namespace riffle::inline RIFFLE_ABI::wide {

/// The floats of a block.
template <class Half>
struct widen_pass {
    template <int N>
    static RIFFLE_INLINE void run(const std::byte* const& from, float* const& to) noexcept {
        RIFFLE_UNROLL(4)
        for (std::size_t i = 0; i < block_size; i += 2 * N) {
            lanes<N> first, second;
            widen(Half(), from + i * sizeof(Half), first, second);
            first.store(to + i);
            second.store(to + i + N);
        }
    }
};

/// max_pass over 16-bit logits, by integers that have their order. Those above infinity are NaN, or in the order of
/// integers below its negative: where a block has one of the first it is read again as floats.
template <class Half, std::int16_t Infinity>
struct half_max_pass {
    template <int N>
    static RIFFLE_INLINE row_maximum run(const detail::row& r, float* const& block_maxima,
                                         float* const& groups) noexcept {
        using H = half_lanes<N>;
        constexpr std::size_t distance = 2 * tuning::blocks_ahead;  // as many bytes as of floats
        const H lowest(std::int16_t(~Infinity));
        row_maximum found{illegal_logit, false};
        H least = lowest;
        for (std::size_t b = 0; b < r.blocks(); ++b) {
            float* const of_block = groups ? groups + b * N : nullptr;
            std::int32_t greatest = Infinity + 1;
            if (!r.unedited(b)) {
                const std::byte* x = r.halves(b);
                RIFFLE_PREFETCH(r.halves(b + distance < r.blocks() ? b + distance : b));
                H m0 = lowest, m1 = lowest;
                RIFFLE_UNROLL(4)
                for (std::size_t i = 0; i < block_size; i += 4 * N) {
                    const H x0 = ordered(H::load(x + i * sizeof(Half)));
                    const H x1 = ordered(H::load(x + (i + 2 * N) * sizeof(Half)));
                    m0 = greater_of(m0, x0);
                    m1 = greater_of(m1, x1);
                    least = lesser_of(least, lesser_of(x0, x1));
                }
                const H m = greater_of(m0, m1);
                greatest = reduce_max(m);
                if (of_block && greatest <= Infinity) {
                    lanes<N> first, second;
                    widen(Half(), ordered(m), first, second);
                    greater_of(first, second).store(of_block);
                }
            }
            if (greatest <= Infinity)
                block_maxima[b] = float(Half{std::uint16_t(greatest < 0 ? greatest ^ 0x7fff : greatest)});
            else found.saw_nan |= find_max_of_floats(r, b, block_maxima, of_block);
            if (block_maxima[b] > found.logit) found.logit = block_maxima[b];
        }
        std::int16_t of_lanes[std::size_t(2 * N)];
        std::memcpy(of_lanes, &least.v, sizeof of_lanes);
        for (const std::int16_t of_lane : of_lanes) found.saw_nan |= of_lane < ~Infinity;
        return found;
    }

private:
    static RIFFLE_NOINLINE bool find_max_of_floats(const detail::row& r, std::size_t b, float* block_maxima,
                                                   float* groups_of_block) noexcept {
        return find_max_of_block(r, b, block_maxima, groups_of_block);
    }
};

/// The bits of infinity.
template <class Half>
RIFFLE_LOCAL inline constexpr std::int16_t infinity_of = 0x7c00;
template <>
RIFFLE_LOCAL inline constexpr std::int16_t infinity_of<bfloat16> = 0x7f80;

template <class Half>
struct half_passes {
    static detail::half_reader::widen_block widener() noexcept {
#if RIFFLE_X86
        switch (width()) {
        case 16: return widen_block_16;
        case 8: return widen_block_8;
        default: break;
        }
#endif
        return widen_block_4;
    }
    static float widened(std::uint16_t bits) noexcept { return float(Half{bits}); }
    static row_maximum find_max(const detail::row& r, float* block_maxima, float* groups) noexcept {
        return wide::run<half_max_pass<Half, infinity_of<Half>>>(r, block_maxima, groups);
    }

private:
    // Each with the registers of its width, so that whoever reads a block has one call to make.
#if RIFFLE_X86
    RIFFLE_TARGET_AVX512 RIFFLE_PASS static void widen_block_16(const std::byte* from, float* to) noexcept {
        widen_pass<Half>::template run<16>(from, to);
    }
    RIFFLE_TARGET_AVX2 RIFFLE_PASS static void widen_block_8(const std::byte* from, float* to) noexcept {
        widen_pass<Half>::template run<8>(from, to);
    }
#endif
    RIFFLE_PASS static void widen_block_4(const std::byte* from, float* to) noexcept {
        widen_pass<Half>::template run<4>(from, to);
    }
};

}  // namespace riffle::wide

namespace riffle::inline RIFFLE_ABI::detail {

template <class Half>
struct half_reader_of {
    using passes = wide::half_passes<Half>;
    RIFFLE_LOCAL static constexpr half_reader value{passes::widener, passes::widened, passes::find_max,
                                                    std::is_same_v<Half, float16> ? logit_format::float16
                                                                                  : logit_format::bfloat16};
};

}  // namespace riffle::detail
