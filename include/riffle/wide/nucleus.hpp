#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include <riffle/core/row.hpp>
#include <riffle/core/token.hpp>
#include <riffle/core/tuning.hpp>
#include <riffle/math/fixed_mass.hpp>
#include <riffle/wide/dispatch.hpp>
#include <riffle/wide/histogram.hpp>
#include <riffle/wide/lane_operations.hpp>
#include <riffle/wide/mass.hpp>
#include <riffle/wide/wide_sum.hpp>

// Where a large nucleus ends, without a sort and without a histogram of the whole row. The mass that it leaves out lies
// in many tokens of little weight each, so a few blocks of the row tell nearly where it begins: a band of logits. One
// pass then takes the mass of the row, that of all from the band upwards, and the tokens of the band, among which the
// end is looked for. A wrong guess costs time, never a token: the masses show whether the end lies in the band.

namespace riffle::inline RIFFLE_ABI::wide {

/// Logits between which a nucleus ends, or an empty band where nobody knows: then high <= low.
struct band {
    float low = illegal_logit, high = illegal_logit;
    bool empty() const noexcept { return !(high > low); }
};

/// The tokens of a band, in ascending id: mapped logits, weights, and for every block where its tokens end among them.
struct band_tokens {
    float* logits;
    std::uint32_t* weights;
    std::uint32_t* ends;
    std::size_t size;

    /// In memory for `row_size` candidates, which have three times four bytes for every logit of whole blocks. All
    /// tokens may be in the band, and a vector is written behind them.
    static band_tokens in(token_data* memory, std::size_t row_size) noexcept {
        const std::size_t all = block_count(row_size) * block_size + 16;
        auto* const words = reinterpret_cast<std::byte*>(memory);
        return {reinterpret_cast<float*>(words), reinterpret_cast<std::uint32_t*>(words + 4 * all),
                reinterpret_cast<std::uint32_t*>(words + 8 * all), 0};
    }
};

/// Σ of all weights, and of those from the band upwards.
struct split_mass {
    std::uint64_t total = 0, reaching = 0;
};

/// Σ fixed_mass(map(l) - maximum) of the row, and by block of the raw logits that reach the band; and its tokens. Raw
/// logits under `cut` weigh nothing; raw.low >= cut.
template <class Maps>
struct split_mass_pass {
    template <int N>
    static RIFFLE_INLINE split_mass run(const detail::row& r, const float* const& block_maxima, float cut,
                                        const band& raw, const Maps& map_by_reference, float maximum,
                                        std::uint64_t* const& masses, band_tokens* const& tokens) noexcept {
        using V = lanes<N>;
        using Ints = int_lanes<N>;
        const Maps map = map_by_reference;
        const V top(map.top(maximum)), low(raw.low), high(raw.high);
        wide_sum<N> all;
        split_mass sums;
        float* const logits = tokens->logits;  // raw ones at first
        std::uint32_t* const ends = tokens->ends;
        std::size_t size = 0, ended = 0;  // tokens and blocks
        blocks_to_weigh<N> of(r, block_maxima, cut);
        while (of.next()) {
            const float* x = of.logits;
            wide_sum<N> reaching;
            const auto reaching_band = [&](const V& l, const Ints& w) {
                const std::uint64_t bits = lanes_reaching(l, low) & ~lanes_reaching(l, high);
                size += compress(l, bits, logits + size);
                return blend(l >= low, w, Ints(0));
            };
            for (; ended < of.index; ++ended) ends[ended] = std::uint32_t(size);
            std::size_t i = 0;
            for (; i + 2 * N <= of.size; i += 2 * N) {
                const V l0 = V::load_once(x + i), l1 = V::load_once(x + i + N);
                const Ints w0 = fixed_mass(map.for_weights(l0) - top), w1 = fixed_mass(map.for_weights(l1) - top);
                all.add(w0 + w1);  // weights are at most 2^30, so two fit into 32 bits
                const Ints r0 = reaching_band(l0, w0);
                reaching.add(r0 + reaching_band(l1, w1));
            }
            for (; i < of.size; i += N) {
                const V l = V::load_once(x + i);
                const Ints w = fixed_mass(map.for_weights(l) - top);
                all.add(w);
                reaching.add(reaching_band(l, w));
            }
            masses[of.index] = reaching.total();
            sums.reaching += masses[of.index];
        }
        for (; ended < r.blocks(); ++ended) ends[ended] = std::uint32_t(size);
        sums.total = all.total();

        V(illegal_logit).store(logits + size);  // to a whole vector
        for (std::size_t i = 0; i < size; i += N) {
            const V l = map(canonical(V::load(logits + i)));
            const auto w = fixed_mass(l - top);
            l.store(logits + i);
            std::memcpy(tokens->weights + i, &w.v, sizeof w.v);
        }
        tokens->size = size;
        return sums;
    }
};
template <class Maps>
split_mass find_split_mass(const detail::row& r, const float* block_maxima, float cut, const band& raw, const Maps& map,
                           float maximum, std::uint64_t* masses, band_tokens& tokens) noexcept {
    std::fill(masses, masses + r.blocks(), 0);
    const band weighing{(std::max)(cut, raw.low), raw.high};
    return run<split_mass_pass<Maps>>(r, block_maxima, cut, weighing, map, maximum, masses, &tokens);
}

/// Some tokens parted at a logit: Σ of the weights of those that reach it, the least logit of those, and the greatest
/// of the others.
struct parted_tokens {
    std::uint64_t mass = 0;
    float least_reaching = greatest_logit, greatest_below = illegal_logit;
};
/// What stands behind `size`, up to a whole vector, is -inf.
struct part_pass {
    template <int N>
    static RIFFLE_INLINE parted_tokens run(const float* const& logits, const std::uint32_t* const& weights,
                                           std::size_t size, float cut) noexcept {
        using V = lanes<N>;
        using Ints = int_lanes<N>;
        const V bound(cut);
        wide_sum<N> sum;
        V least(greatest_logit), greatest(illegal_logit);
        for (std::size_t i = 0; i < size; i += N) {
            const V l = V::load(logits + i);
            const auto reaches = l >= bound;
            Ints w;
            std::memcpy(&w.v, weights + i, sizeof w.v);
            sum.add(blend(reaches, w, Ints(0)));
            least = lesser_of(blend(reaches, l, V(greatest_logit)), least);
            greatest = greater_of(blend(reaches, V(illegal_logit), l), greatest);
        }
        parted_tokens parted{sum.total(), greatest_logit, reduce_max(greatest)};
        for (int i = 0; i < N; ++i)
            if (least[i] < parted.least_reaching) parted.least_reaching = least[i];
        return parted;
    }
};
inline parted_tokens part(const band_tokens& tokens, float cut) noexcept {
    return run<part_pass>(tokens.logits, tokens.weights, tokens.size, cut);
}

/// part() at a logit that all tokens of the band reach.
inline parted_tokens part(const band_tokens& tokens) noexcept {
    return part(tokens, std::numeric_limits<float>::lowest());
}

/// Where a nucleus ends: at the last of the tokens that have this logit and are kept, `ties` of `all_ties` in ascending
/// id.
struct nucleus_end {
    float logit;
    std::uint64_t ties, all_ties;
    bool splits_ties() const noexcept { return ties < all_ties; }
};

/// The end of the shortest prefix of the band, in the order of ranks, whose mass exceeds `target`, which is less than
/// the band's: by bisection on the bits of the cut, from one logit that there is to another, so that a band of few
/// values takes few passes. Tokens of equal logit weigh the same. `all` is part(tokens).
inline nucleus_end end_of_nucleus(const band_tokens& tokens, const parted_tokens& all, std::uint64_t target) noexcept {
    const float greatest = part(tokens, std::numeric_limits<float>::infinity()).greatest_below;
    std::int64_t low = ordered_key(all.least_reaching), high = ordered_key(greatest) + std::int64_t{1};
    std::uint64_t reaching = all.mass, beyond = 0;  // mass from `high` on <= target < that from `low` on
    while (low + 1 < high) {
        const std::int64_t middle = (low + high) >> 1;
        const parted_tokens parted = part(tokens, from_ordered_key(std::int32_t(middle)));
        if (parted.mass > target) {
            low = ordered_key(parted.least_reaching);
            reaching = parted.mass;
        } else {
            high = ordered_key(parted.greatest_below) + std::int64_t{1};
            beyond = parted.mass;
        }
    }
    const float logit = canonical(from_ordered_key(std::int32_t(low)));
    const std::size_t at = std::size_t(std::find(tokens.logits, tokens.logits + tokens.size, logit) - tokens.logits);
    const std::uint64_t weight = tokens.weights[at];
    return {logit, (target - beyond) / weight + 1, (reaching - beyond) / weight};
}

/// Takes the weights of what the nucleus does not keep out of the masses of the blocks; answers their sum.
inline std::uint64_t drop_behind(const nucleus_end& end, const band_tokens& tokens,
                                 std::span<std::uint64_t> masses) noexcept {
    const float* const logits = tokens.logits;
    const std::uint32_t* const weights = tokens.weights;
    std::uint64_t dropped = 0, ties = 0;
    for (std::size_t b = 0, first = 0; b < masses.size(); ++b) {
        const std::size_t behind = tokens.ends[b];
        std::uint64_t of_block = 0;
        for (std::size_t i = first; i < behind; ++i)  // without branches, which nothing foretells
            of_block += weights[i] & (logits[i] < end.logit ? ~std::uint32_t{0} : 0u);
        if (end.splits_ties())
            for (std::size_t i = first; i < behind; ++i)
                of_block += logits[i] == end.logit && ++ties > end.ties ? weights[i] : 0;
        masses[b] -= of_block;
        dropped += of_block;
        first = behind;
    }
    return dropped;
}

/// Makes the raw logits in [low, high) of blocks [first, last) -inf.
struct hide_between_pass {
    template <int N>
    static RIFFLE_INLINE void run(detail::row* const& r, std::size_t first, std::size_t last, float low,
                                  float high) noexcept {
        using V = lanes<N>;
        for (std::size_t b = first; b < last; ++b) {
            if (r->unedited(b) == illegal_block.logits) continue;
            float* const x = r->own(b);
            for (std::size_t i = 0; i < block_size; i += N) {
                const V l = V::load(x + i);
                const V below = blend(l >= V(low), V(illegal_logit), l);
                blend(l >= V(high), l, below).store(x + i);
            }
        }
    }
};

/// Hides the tied tokens that the nucleus does not keep, in blocks [first, last); their raw logits lie in [low, high).
inline void hide_ties(const nucleus_end& end, const band_tokens& tokens, detail::row& r, float low, float high,
                      std::size_t first, std::size_t last) noexcept {
    if (!end.splits_ties()) return;
    std::uint64_t ties = 0, before = 0;  // up to the block in which the last of those lies that stay; ahead of it
    std::size_t block = 0;
    for (std::size_t i = 0; block < last && ties <= end.ties; ++block) {
        before = ties;
        for (; i < tokens.ends[block]; ++i) ties += tokens.logits[i] == end.logit;
    }
    if (ties <= end.ties) return;
    if (block > first) {  // it is block - 1
        float* const x = r.own(block - 1);
        for (std::size_t j = 0; j < block_size; ++j)
            if (x[j] >= low && x[j] < high && ++before > end.ties) x[j] = illegal_logit;
    }
    run<hide_between_pass>(&r, (std::max)(block, first), last, low, high);
}

/// What a nucleus keeps of a row whose other tokens were not hidden: raw logits from `cut` on, and of those below
/// `beyond` the ids up to `last`.
struct nucleus_bound {
    float cut = -std::numeric_limits<float>::infinity(), beyond = cut;
    token_id last = null_token;

    bool exists() const noexcept { return cut > -std::numeric_limits<float>::infinity(); }
    bool keeps(float raw, token_id token) const noexcept { return raw >= cut && (raw >= beyond || token <= last); }
};
/// The tied tokens have raw logits in [low, high).
inline nucleus_bound bound_of(const nucleus_end& end, const band_tokens& tokens, const detail::row& r, float low,
                              float high) noexcept {
    if (!end.splits_ties()) return {low, low, null_token};
    std::uint64_t ties = 0, before = 0;
    std::size_t block = 0;
    for (std::size_t i = 0; block < r.blocks() && ties < end.ties; ++block) {
        before = ties;
        for (; i < tokens.ends[block]; ++i) ties += tokens.logits[i] == end.logit;
    }
    const float* const x = r.block(block - 1);  // in which the last of those lies that stay
    std::size_t j = 0;
    for (; j < block_size; ++j)
        if (x[j] >= low && x[j] < high && ++before == end.ties) break;
    return {low, high, token_id((block - 1) * block_size + j)};
}

/// Pieces from all over a row as a row of their own: likely tokens have low ids in most vocabularies, so that a few
/// whole blocks would say little of the others.
class row_sample {
public:
    static constexpr std::size_t piece = tuning::piece_of_sample, pieces = tuning::pieces_of_sample,
                                 size = piece * pieces;

    /// Of a row with at least so many logits, whose block maxima are known; `memory` has room for the sample.
    row_sample(const detail::row& r, const float* maxima_of_row, float* memory) noexcept : row_size_(r.size()) {
        for (std::size_t b = 0; b < size / block_size; ++b) {
            blocks_[b] = memory + b * block_size;
            block_maxima[b] = illegal_logit;
        }
        for (std::size_t i = 0; i < pieces; ++i) {
            const float* const from = r.block(block_of(i)) + first(i) % block_size;
            std::memcpy(memory + i * piece, from, piece * sizeof(float));
            float& block_maximum = block_maxima[i * piece / block_size];
            block_maximum = (std::max)(block_maximum, maxima_of_row[block_of(i)]);  // a bound will do
        }
        logits.assign(blocks_, size / block_size);
    }
    row_sample(const row_sample&) = delete;
    row_sample& operator=(const row_sample&) = delete;

    detail::row logits;
    float block_maxima[size / block_size];

private:
    /// The block of the row that a piece is from.
    std::size_t block_of(std::size_t i) const noexcept { return first(i) / block_size; }
    std::size_t first(std::size_t i) const noexcept {
        // i * row_size_ / pieces, which may wrap in 32 bits
        return (row_size_ / pieces * i + row_size_ % pieces * i / pieces) / piece * piece;
    }

    const float* blocks_[size / block_size];
    std::size_t row_size_;
};

/// The band in which a sample, whose masses by bucket these are, leaves out `left` of its mass: 60 % more or less, or
/// 30 or 15, where the sample has no more than about `most` tokens in it, else 7. `maximum` is the greatest logit, to
/// which the band goes where the sample weighs no more than that.
inline band band_of(std::span<const std::uint64_t> bins, const buckets& by, double left, std::size_t most,
                    float maximum) noexcept {
    const auto bucket_above = [&](double mass) {  // at which so much lies below
        const auto most_below = std::uint64_t((std::max)(mass, 0.0));
        std::size_t bucket = 0;
        for (std::uint64_t below = 0; bucket < bins.size() && (below += bins[bucket]) <= most_below;) ++bucket;
        return bucket;
    };
    const auto between = [&](double low_mass, double high_mass) -> band {
        const std::size_t low = bucket_above(low_mass), high = bucket_above(high_mass) + 1;
        if (low == 0 || low >= bins.size()) return {};
        return {by.least_of(low, maximum), high < bins.size() ? by.least_of(high, maximum) : next_canonical(maximum)};
    };
    for (const double margin : {0.6, 0.3, 0.15}) {
        const band wide = between(left * (1.0 - margin), left * (1.0 + margin));
        // As many as if all weighed as little as the last.
        if (!wide.empty() && 2.0 * margin * left <= double(most) * double(fixed_mass_of(wide.low - maximum)))
            return wide;
    }
    return between(left * 0.93, left * 1.07);
}

}  // namespace riffle::wide
