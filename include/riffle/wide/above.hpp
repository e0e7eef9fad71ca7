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

/// The lanes of a mask that are set, lowest first: the mask as bytes, eight to a word.
template <int N>
class set_lanes {
public:
#if RIFFLE_VECTORS
    RIFFLE_INLINE explicit set_lanes(const int_lanes<N>& mask) noexcept {
        const auto bytes = __builtin_convertvector(mask.v, typename int_lanes<N>::byte_vector);
        std::memcpy(word_, &bytes, sizeof bytes);
    }
    RIFFLE_INLINE bool empty() const noexcept {
        std::uint64_t all = 0;
        for (const auto w : word_) all |= w;
        return all == 0;
    }
    template <class Visit>
    RIFFLE_INLINE void for_each(Visit visit) const noexcept {
        for (int w = 0; w < words; ++w)
            for (std::uint64_t rest = word_[w]; rest;) {
                const int byte = std::countr_zero(rest) / 8;
                visit(std::size_t(8 * w + byte));
                rest &= ~(std::uint64_t{0xff} << 8 * byte);
            }
    }

private:
    static constexpr int words = (N + 7) / 8;
    std::uint64_t word_[words] = {};
#else
    explicit set_lanes(const int_lanes<N>& mask) noexcept : mask_(mask) {}
    bool empty() const noexcept { return !any(mask_); }
    template <class Visit>
    void for_each(Visit visit) const noexcept {
        for (int i = 0; i < N; ++i)
            if (mask_[i]) visit(std::size_t(i));
    }

private:
    int_lanes<N> mask_;
#endif
};

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
            for (std::size_t i = 0; i < block_size; i += 4 * N) {
                V greatest(illegal_logit);  // of four vectors, most of which hold nothing; in this order a NaN is passed over
                for (std::size_t j = i; j < i + 4 * N; j += N) greatest = greater_of(V::load(x + j), greatest);
                if (set_lanes<N>(greatest >= least).empty()) continue;
                for (std::size_t j = i; j < i + 4 * N; j += N)
                    set_lanes<N>(V::load(x + j) >= least).for_each([&](std::size_t lane) {
                        out[n++] = {token_id(b * block_size + j + lane), x[j + lane], 0.0f};
                    });
            }
        }
        return n;
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
std::size_t find_above(const Row& r, const float* peaks, std::size_t first, std::size_t last, float cut, token_data* out) noexcept {
    return run<above_pass>(r, peaks, first, last, cut, out);
}

/// How many of values[0, padded) are >= cut; `padded` is a multiple of 16.
inline std::size_t count_at_least(const float* values, std::size_t padded, float cut) noexcept { return run<count_pass>(values, padded, cut); }

}  // namespace riffle::wide
