#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include <riffle/core/row.hpp>
#include <riffle/core/tuning.hpp>
#include <riffle/math/fixed_mass.hpp>
#include <riffle/wide/dispatch.hpp>
#include <riffle/wide/preimage.hpp>

namespace riffle::inline RIFFLE_ABI::wide {

/// Equal buckets of logits between two values. Which bucket a logit falls into rises with the logit, rounding included.
struct buckets {
    static constexpr std::size_t count = tuning::buckets_of_row;
    float low = 0.0f;    ///< where bucket 0 ends, more or less: all below fall into it
    float scale = 0.0f;  ///< buckets a nat

    static buckets between(float low, float high) noexcept {
        // Of a row wider than the greatest float the buckets are those of its upper part.
        if (0.5f * high - 0.5f * low > 0.5f * greatest_logit) low = high - greatest_logit;
        constexpr float least_width = 0x1p-117f;  // below it the scale would be no float
        return {low, float(count - 1) / (std::max)(high - low, least_width)};
    }
    template <class V>
    RIFFLE_INLINE auto bucket_of(const V& logit) const noexcept {
        const V position = (greater_of(logit, V(low)) - V(low)) * V(scale);  // below, -inf too, is bucket 0
        return truncate(lesser_of(position, V(float(count - 1))));
    }
    /// The least logit of a bucket and those above, which hold `maximum`.
    float least_of(std::size_t bucket, float maximum) const noexcept {
        return least_float(maximum, [&](float l) { return bucket_of(lanes<1>(l))[0] >= std::int32_t(bucket); });
    }
};

/// Counts, or sums of weights, of the legal logits by bucket.
template <bool Weighted, class Maps>
struct histogram_pass {
    template <int N>
    static RIFFLE_INLINE void run(const detail::row& r, const float* const& block_maxima, float cut,
                                  const Maps& map_by_reference, const buckets& by, float maximum,
                                  std::uint64_t* const& bins) noexcept {
        using V = lanes<N>;
        const Maps map = map_by_reference;
        const V top(maximum);
        for (std::size_t b = 0; b < r.blocks(); ++b) {
            if (!(block_maxima[b] >= cut)) continue;
            const float* x = r.block(b);
            std::int32_t bucket[block_size];
            std::uint32_t weight[block_size];
            for (std::size_t i = 0; i < block_size; i += N) {
                const V l = map(V::load(x + i));
                const auto into = by.bucket_of(l);
                std::memcpy(bucket + i, &into.v, sizeof into.v);
                if constexpr (Weighted) {
                    const auto w = fixed_mass(l - top);
                    std::memcpy(weight + i, &w.v, sizeof w.v);
                } else {
                    const auto one = blend(l > V(illegal_logit), int_lanes<N>(1), int_lanes<N>(0));
                    std::memcpy(weight + i, &one.v, sizeof one.v);
                }
            }
            for (std::size_t i = 0; i < block_size; ++i) bins[bucket[i]] += weight[i];
        }
    }
};

/// Adds to bins[0, buckets::count) how many legal logits of the mapped row fall into each bucket.
template <class Maps>
void count_by_bucket(const detail::row& r, const float* block_maxima, const Maps& map, const buckets& by,
                     std::uint64_t* bins) noexcept {
    run_baseline<histogram_pass<false, Maps>>(r, block_maxima, std::numeric_limits<float>::lowest(), map, by, 0.0f,
                                              bins);
}

/// Adds to bins the mass of each bucket; blocks whose maximum lies under `cut` weigh nothing.
template <class Maps>
void mass_by_bucket(const detail::row& r, const float* block_maxima, float cut, const Maps& map, const buckets& by,
                    float maximum, std::uint64_t* bins) noexcept {
    run<histogram_pass<true, Maps>>(r, block_maxima, cut, map, by, maximum, bins);
}

/// The highest bucket such that it and all above it hold more than `target`; 0 when no bucket does.
inline std::size_t bucket_exceeding(std::span<const std::uint64_t> bins, std::uint64_t target) noexcept {
    std::uint64_t sum = 0;
    for (std::size_t b = bins.size(); b-- > 0;) {
        sum += bins[b];
        if (sum > target) return b;
    }
    return 0;
}

}  // namespace riffle::wide
