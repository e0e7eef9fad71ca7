#pragma once
#include <algorithm>
#include <cstddef>

#include <riffle/core/candidates.hpp>
#include <riffle/core/row.hpp>
#include <riffle/core/tuning.hpp>
#include <riffle/wide/above.hpp>
#include <riffle/wide/fused_maps.hpp>
#include <riffle/wide/histogram.hpp>
#include <riffle/wide/max.hpp>

namespace riffle::inline RIFFLE_ABI::wide {

/// Pads values[0, size) with -inf to a multiple of 16, which must fit.
inline std::size_t pad_maxima(float* values, std::size_t size) noexcept {
    const std::size_t padded = (size + 15) / 16 * 16;
    std::fill(values + size, values + padded, illegal_logit);
    return padded;
}

/// The k-th greatest of what `count_reaching(cut)` counts, or a little less as long as at most k + slack reach that: 1
/// <= k <= the number of values. -inf when fewer than k are above it. `low` and `high` enclose it, as a guess: halving
/// starts between them, and where the guess was wrong, or all lies at one end, goes on over all floats by their keys.
template <class Count>
float kth_greatest_by(const Count& count_reaching, std::size_t k, std::size_t slack, float guessed_low,
                      float guessed_high) noexcept {
    constexpr int first_halvings = 12;
    std::int64_t low = ordered_key(illegal_logit), high = std::int64_t{ordered_key(-illegal_logit)} + 1;
    for (int step = 0; low + 1 < high; ++step) {  // count(low) >= k > count(high)
        const std::int64_t half_way = ordered_key(0.5f * guessed_low + 0.5f * guessed_high);
        const std::int64_t middle =
            step < first_halvings && low < half_way && half_way < high ? half_way : (low + high) >> 1;
        const float cut = from_ordered_key(std::int32_t(middle));
        const std::size_t reached = count_reaching(cut);
        if (reached >= k) {
            low = middle;
            guessed_low = cut;
            if (reached <= k + slack) break;
        } else {
            high = middle;
            guessed_high = cut;
        }
    }
    return from_ordered_key(std::int32_t(low));
}

/// The k-th greatest of values[0, padded), or a little less: `slack` more may reach it.
inline float kth_greatest(const float* values, std::size_t padded, std::size_t k, std::size_t slack, float guessed_low,
                          float guessed_high) noexcept {
    return kth_greatest_by([=](float cut) { return count_at_least(values, padded, cut); }, k, slack, guessed_low,
                           guessed_high);
}

/// Whether k is too large for the maxima of blocks to bound it. k <= r.size().
inline bool needs_groups(const detail::row& r, std::size_t k) noexcept { return 2 * k > r.blocks(); }

/// Where the k-th greatest of a row's maxima may be looked for: as far below the least of blocks as that is below the
/// greatest. 1 <= blocks.
inline float guess_below(const float* block_maxima, std::size_t blocks, float maximum) noexcept {
    float least = maximum;
    for (std::size_t b = 0; b < blocks; ++b) least = block_maxima[b] < least ? block_maxima[b] : least;
    return 2.0f * least - maximum;
}

/// A raw logit that at least k logits reach, when k are legal: the k-th greatest of disjoint groups' maxima is one,
/// since each of those groups holds a logit as great (delegates: Dr. Top-k, arXiv 2109.08219). 0 < k <= r.size().
/// Blocks of 256 serve a small k, one group a lane a larger one; beyond that the logits of a short row are counted, and
/// a long one takes a histogram. `groups` holds 16 floats a block, and what find_max leaves there where it
/// `has_groups`; `bins` holds buckets::count.
template <class Row>
float bound_of_rank(const Row& r, float* block_maxima, std::size_t k, float maximum, float* groups, bool has_groups,
                    std::uint64_t* bins) noexcept {
    constexpr float everything = std::numeric_limits<float>::lowest();
    if (k >= r.size()) return everything;
    const auto kth_of = [&](float* maxima, std::size_t count) {
        const float low = guess_below(block_maxima, r.blocks(), maximum);
        return (std::max)(kth_greatest(maxima, pad_maxima(maxima, count), k, k / 8, low, maximum), everything);
    };
    if (!needs_groups(r, k)) return kth_of(block_maxima, r.blocks());
    const std::size_t count = group_count(r);
    const bool groups_serve = k <= count - count / 8;  // then about twice as many reach the bound, at most
    if (!groups_serve && r.blocks() <= tuning::blocks_to_count) {
        const auto count_reaching = [&](float cut) { return count_above(r, block_maxima, cut, r.size()); };
        const float low = guess_below(block_maxima, r.blocks(), maximum);
        return (std::max)(kth_greatest_by(count_reaching, k, k / 8, low, maximum), everything);
    }
    if (!has_groups) find_max(r, block_maxima, groups);
    if (groups_serve) return kth_of(groups, count);

    float low = maximum;  // the least legal group maximum: about where the bulk of the row begins
    for (std::size_t i = 0; i < count; ++i)
        if (groups[i] > illegal_logit && groups[i] < low) low = groups[i];
    const auto by = buckets::between(low, maximum);
    std::fill(bins, bins + buckets::count, 0);
    count_by_bucket(r, block_maxima, fused_maps<>{}, by, bins);
    const std::size_t bucket = bucket_exceeding({bins, buckets::count}, k - 1);
    return bucket == 0 ? everything : by.least_of(bucket, maximum);
}

/// A raw logit that at least k logits reach, above one that far more do: by counting over the blocks that reach that,
/// up to `enough` each time.
inline float closer_bound(const detail::row& r, const float* block_maxima, std::size_t k, float bound,
                          std::size_t enough) noexcept {
    float maximum = bound;
    for (std::size_t b = 0; b < r.blocks(); ++b) maximum = block_maxima[b] > maximum ? block_maxima[b] : maximum;
    const auto count_reaching = [&](float cut) { return count_above(r, block_maxima, cut, enough); };
    return (std::max)(kth_greatest_by(count_reaching, k, k, bound, maximum), bound);
}

/// Keeps the k first in rank of candidates that stand in ascending id, in that order, which the draw likes. None is
/// NaN. `logits` has room for all of theirs, padded. O(size), some twenty times over numbers alone.
RIFFLE_NOINLINE inline void keep_greatest_in_order(candidates& c, std::size_t k, float* logits) noexcept {
    if (k >= c.size) return c.keep_legal();
    float least = greatest_logit, greatest = illegal_logit;
    for (std::size_t i = 0; i < c.size; ++i) {
        logits[i] = c[i].logit;
        least = logits[i] < least ? logits[i] : least;
        greatest = logits[i] > greatest ? logits[i] : greatest;
    }
    const float cut = kth_greatest(logits, pad_maxima(logits, c.size), k, 0, least, greatest);
    if (!(cut > illegal_logit)) return c.keep_legal();
    std::size_t ties = k;  // that stay
    for (std::size_t i = 0; i < c.size; ++i) ties -= logits[i] > cut;
    c.keep_if([&](const token_data& token) {
        const bool is_tie = token.logit == cut && ties > 0;
        ties -= is_tie;
        return is_tie || token.logit > cut;
    });
}
/// Appends to `found`, which is empty, the k first in rank of the mapped row, mapped; all when fewer are legal.
/// 0 < k <= r.size(). In ascending id, unless they are few or most of the row. `bound` is a raw logit that k tokens
/// reach. Memory and time stay bounded when far more than k do (equal logits, sorted rows): once too many are gathered
/// all but the k best are dropped, and later tokens must beat the last of those, which a tie cannot, as ids ascend.
/// `mapping` has map(span of tokens), mapped_maximum() and raw_cut(mapped target).
template <class Mapping>
void find_greatest(const detail::row& r, const float* block_maxima, std::size_t k, float bound, const Mapping& mapping,
                   candidates& found) noexcept {
    constexpr std::size_t blocks_at_once = 16;
    const std::size_t enough = 4 * k + 4 * block_size;
    const std::size_t room = r.blocks() * block_size, most = (std::min)(enough + block_size, room);
    const bool in_order = 3 * (room - most) >= most + 16;  // the logits fit into the memory behind
    const auto keep = [&] {
        if (in_order && found.size >= tuning::rank_in_order)
            keep_greatest_in_order(found, k, reinterpret_cast<float*>(found.end()));
        else found.keep_greatest(k);
    };
    bool is_close = false;
    for (std::size_t b = 0; b < r.blocks();) {
        const std::size_t old = found.size, behind = (std::min)(b + blocks_at_once, r.blocks());
        found.size += find_above(r, block_maxima, b, behind, bound, found.data + old, enough - old);
        mapping.map({found.data + old, found.size - old});
        b = behind;
        if (found.size <= enough) continue;
        b = std::size_t(found.end()[-1].id) / block_size + 1;  // it stopped behind this block
        const float top = mapping.mapped_maximum();
        if (std::all_of(found.begin(), found.end(), [top](const token_data& t) { return t.logit >= top; })) {
            found.size = k;  // ties for the first rank, in ascending id
            return;
        }
        if (!is_close) {  // far more reach the bound, as in a row that rises: once it is looked for again
            is_close = true;
            token_data last{0, closer_bound(r, block_maxima, k, bound, enough), 0.0f};
            mapping.map({&last, 1});
            if (const float closer = mapping.raw_cut(last.logit); closer > bound) {
                bound = closer;
                found.size = b = 0;
                continue;
            }
        }
        keep();
        if (found.size < k) continue;  // a map made some of them illegal
        float last = greatest_logit;
        for (const token_data& token : found) last = token.logit < last ? token.logit : last;
        if (last >= mapping.mapped_maximum()) return;
        bound = mapping.raw_cut(next_canonical(last));
    }
    keep();
}

}  // namespace riffle::wide
