#pragma once
#include <algorithm>
#include <cstddef>

#include <riffle/core/candidates.hpp>
#include <riffle/core/row.hpp>
#include <riffle/wide/above.hpp>
#include <riffle/wide/fold.hpp>
#include <riffle/wide/histogram.hpp>
#include <riffle/wide/preimage.hpp>

namespace riffle::wide {

/// Maxima of groups smaller than a block: one a lane, so `N` groups of block_size / N logits to a block.
struct group_max_pass {
    template <int N>
    static RIFFLE_INLINE std::size_t run(const row& r, float* const& groups) noexcept {
        using V = lanes<N>;
        for (std::size_t b = 0; b < r.blocks(); ++b) {
            const float* x = r.block(b);
            V m(illegal_logit);
            for (std::size_t i = 0; i < block_size; i += N) m = greater_of(V::load(x + i), m);
            m.store(groups + b * N);
        }
        return r.blocks() * N;
    }
};

/// Pads values[0, size) with -inf to a multiple of 16, which must fit.
inline std::size_t pad_peaks(float* values, std::size_t size) noexcept {
    const std::size_t padded = (size + 15) / 16 * 16;
    std::fill(values + size, values + padded, illegal_logit);
    return padded;
}

/// The k-th greatest of values[0, padded), or a little less, found by counting: 1 <= k <= the number of values.
/// -inf when fewer than k are above it.
inline float kth_greatest(const float* values, std::size_t padded, std::size_t k) noexcept {
    std::int64_t low = ordered_key(illegal_logit), high = std::int64_t{ordered_key(greatest_logit)} + 1;
    while (low + 1 < high) {  // count(low) >= k > count(high)
        const std::int64_t middle = (low + high) >> 1;
        const auto reached = count_at_least(values, padded, from_ordered_key(std::int32_t(middle)));
        if (reached >= k) {
            low = middle;
            if (reached <= k + k / 8) break;
        } else {
            high = middle;
        }
    }
    return from_ordered_key(std::int32_t(low));
}

/// A raw logit that at least k logits reach, when k are legal: the k-th greatest of disjoint groups' maxima is one,
/// since each of those groups holds a logit as great (delegates: Dr. Top-k, arXiv 2109.08219). Blocks of 256 serve a
/// small k, one group a lane a larger one, and beyond that a histogram. `groups` holds 16 floats a block, `bins`
/// buckets::count.
template <class Row>
float bound_of_rank(const Row& r, float* peaks, std::size_t k, float maximum, float* groups,
                    std::uint64_t* bins) noexcept {
    constexpr float everything = std::numeric_limits<float>::lowest();
    if (k >= r.size()) return everything;
    if (2 * k <= r.blocks()) return (std::max)(kth_greatest(peaks, pad_peaks(peaks, r.blocks()), k), everything);
    const std::size_t count = run<group_max_pass>(r, groups);
    const std::size_t padded = pad_peaks(groups, count);
    if (2 * k <= count) return (std::max)(kth_greatest(groups, padded, k), everything);

    float low = maximum;  // the least legal group maximum: about where the bulk of the row begins
    for (std::size_t i = 0; i < count; ++i)
        if (groups[i] > illegal_logit && groups[i] < low) low = groups[i];
    const auto by = buckets::between(low, maximum);
    std::fill(bins, bins + buckets::count, 0);
    count_by_bucket(r, peaks, fold<>{}, by, bins);
    const auto bucket = std::int32_t(bucket_exceeding({bins, buckets::count}, k - 1));
    if (bucket == 0) return everything;
    return least_float(maximum, [&](float x) { return by.bucket_of(lanes<1>(x))[0] >= bucket; });
}

/// Appends to `found` every token that can be among the k first in rank of the mapped row, mapped; k are among them
/// when k are legal. `bound` is a raw logit that k tokens reach. Memory and time stay bounded when far more than k do
/// (equal logits, sorted rows): once too many are gathered all but the k best are dropped, and later tokens must beat
/// the last of those, which a tie cannot, as ids ascend. `mapping` has map(span of tokens), mapped_maximum() and
/// raw_cut(mapped target).
template <class Mapping>
void find_greatest(const row& r, const float* peaks, std::size_t k, float bound, const Mapping& mapping,
                   candidates& found) noexcept {
    constexpr std::size_t blocks_at_once = 16;
    const std::size_t enough = 4 * k + blocks_at_once * block_size;
    for (std::size_t b = 0; b < r.blocks(); b += blocks_at_once) {
        const std::size_t old = found.size;
        found.size += find_above(r, peaks, b, (std::min)(b + blocks_at_once, r.blocks()), bound, found.data + old);
        mapping.map({found.data + old, found.size - old});
        if (found.size < enough) continue;
        found.keep_greatest(k);
        if (found.size < k) continue;  // a map made some of them illegal
        const float last =
            std::min_element(found.begin(), found.end(), [](auto& x, auto& y) { return x.logit < y.logit; })->logit;
        if (last >= mapping.mapped_maximum()) return;
        bound = mapping.raw_cut(next_canonical(last));
    }
}

}  // namespace riffle::wide
