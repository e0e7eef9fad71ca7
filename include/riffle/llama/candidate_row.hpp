#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include <riffle/core/candidates.hpp>
#include <riffle/core/row.hpp>
#include <riffle/math/elementwise.hpp>
#include <riffle/wide/dispatch.hpp>
#include <riffle/wide/max.hpp>

// Candidates that are a row: one for every token, in the order of ids. Their logits are copied out, the passes read
// those, and what changed is written back.

namespace riffle::llama::detail {

/// Fewer candidates than this are worked on as they are.
inline constexpr std::size_t least_row = 1024;

/// What there is to know of candidates that are a row.
struct row_found {
    bool is_row = false;  ///< every candidate stands at the index of its id
    wide::row_maximum maximum{};
};

/// N candidates as three vectors: each field stands in every third lane, and no two candidates' values of it in the
/// same lane of different vectors (3 does not divide N). So a field is put together by blends, and then only out of
/// order. (g++ makes a gather of the plain loop, which takes five times as long.)
template <int N>
struct interleaved {
    using ints = int_lanes<N>;
    ints parts[3];

    static RIFFLE_INLINE interleaved load(const token_data* from) noexcept {
        interleaved r;
        for (int part = 0; part < 3; ++part)
            r.parts[part] = as_bits(lanes<N>::load(reinterpret_cast<const float*>(from) + part * N));
        return r;
    }
    RIFFLE_INLINE void store(token_data* to) const noexcept {
        for (int part = 0; part < 3; ++part)
            lanes<N>::from_bits(parts[part]).store(reinterpret_cast<float*>(to) + part * N);
    }
    /// The field (id, logit, p) of all, those of lane i from the part that has it there.
    template <int Field>
    RIFFLE_INLINE ints field() const noexcept {
        return blended<Field, 2>(blended<Field, 1>(parts[0], parts[1], lane_numbers()), parts[2], lane_numbers());
    }
    template <int Field>
    RIFFLE_INLINE void set_field(const ints& values) noexcept {
        parts[0] = blended<Field, 0>(parts[0], values, lane_numbers());
        parts[1] = blended<Field, 1>(parts[1], values, lane_numbers());
        parts[2] = blended<Field, 2>(parts[2], values, lane_numbers());
    }
    /// The ids that candidates 0 ... N - 1 would have there.
    static RIFFLE_INLINE ints expected_ids() noexcept {
        std::int32_t ids[N];
        for (int part = 0; part < 3; ++part)
            for (int lane = 0; lane < N; ++lane)
                if ((part * N + lane) % 3 == 0) ids[lane] = (part * N + lane) / 3;
        return loaded(ids);
    }
    /// The values of a field in the order of candidates, and back.
    template <int Field, int... I>
    static RIFFLE_INLINE ints in_order(const ints& values, std::integer_sequence<int, I...>) noexcept {
        return permuted<((3 * I + Field) % N)...>(values, values);
    }
    template <int Field, int... I>
    static RIFFLE_INLINE ints out_of_order(const ints& values, std::integer_sequence<int, I...>) noexcept {
        return permuted<place_of(Field, I)...>(values, values);
    }

private:
    using lane_numbers = std::make_integer_sequence<int, N>;

    /// `a` with the lanes of b in which that part has the field.
    template <int Field, int Part, int... I>
    static RIFFLE_INLINE ints blended(const ints& a, const ints& b, std::integer_sequence<int, I...>) noexcept {
        return permuted<(I + ((Part * N + I) % 3 == Field ? N : 0))...>(a, b);
    }
    static RIFFLE_INLINE ints loaded(const std::int32_t* from) noexcept {
        ints r;
        std::memcpy(&r.v, from, sizeof r.v);
        return r;
    }
    /// The candidate whose field stands in that lane.
    static constexpr int place_of(int field, int lane) noexcept {
        int candidate = 0;
        while ((3 * candidate + field) % N != lane) ++candidate;
        return candidate;
    }
    /// Lanes of a (numbers below N) and b.
    template <int... From>
    static RIFFLE_INLINE ints permuted(const ints& a, const ints& b) noexcept {
        ints r;
#if RIFFLE_VECTORS
        r.v = __builtin_shufflevector(a.v, b.v, From...);
#else
        int lane = 0;
        ((r.v[lane++] = From < N ? a.v[From % N] : b.v[From % N]), ...);
#endif
        return r;
    }
};

/// Copies the logits of c to `to`, padded to whole blocks with -inf, and takes the block maxima on the way. As in
/// max_pass, a sum beside them becomes NaN where a logit is: saw_nan is a suspicion.
struct copy_logits_pass {
    template <int N>
    static RIFFLE_INLINE row_found run(const candidates& c, float* const& to, float* const& peaks) noexcept {
        using V = lanes<N>;
        constexpr auto all = std::make_integer_sequence<int, N>();
        int_lanes<N> displaced(0), ids = interleaved<N>::expected_ids();
        V sums[2] = {V(0.0f), V(0.0f)};
        float greatest = illegal_logit;
        const std::size_t full = c.size / block_size;
        for (std::size_t b = 0; b < full; ++b) {
            V peak[2] = {V(illegal_logit), V(illegal_logit)};
            for (std::size_t i = b * block_size; i < (b + 1) * block_size; i += 2 * N)
                for (std::size_t half = 0; half < 2; ++half) {
                    const auto group = interleaved<N>::load(c.data + i + half * N);
                    const V logits = V::from_bits(interleaved<N>::template in_order<1>(group.template field<1>(), all));
                    logits.store(to + i + half * N);
                    displaced = displaced | (group.template field<0>() ^ ids);
                    ids = ids + int_lanes<N>(N);
                    peak[half] = greater_of(logits, peak[half]);  // a NaN is passed over
                    sums[half] = sums[half] + logits;
                }
            peaks[b] = reduce_max(greater_of(peak[0], peak[1]));
            if (peaks[b] > greatest) greatest = peaks[b];
        }
        row_found found;
        const V sum = sums[0] + sums[1];
        for (int i = 0; i < N; ++i) found.maximum.saw_nan |= sum[i] != sum[i];
        std::int32_t displaced_in_tail = 0;
        if (full * block_size < c.size) {
            float* const tail = to + full * block_size;
            float peak = illegal_logit;
            for (std::size_t i = 0; i < block_size; ++i) {
                const std::size_t id = full * block_size + i;
                tail[i] = id < c.size ? c.data[id].logit : illegal_logit;
                if (id >= c.size) continue;
                displaced_in_tail |= c.data[id].id ^ token_id(id);
                found.maximum.saw_nan |= tail[i] != tail[i];
                if (tail[i] > peak) peak = tail[i];
            }
            peaks[full] = peak;
            if (peak > greatest) greatest = peak;
        }
        found.is_row = !any(displaced) && displaced_in_tail == 0;
        found.maximum.logit = greatest;
        return found;
    }
};
/// `row` and `peaks` have room for all blocks. O(n).
inline row_found copy_logits(const candidates& c, float* row, float* peaks) noexcept {
    row_found found = wide::run<copy_logits_pass>(c, row, peaks);
    if (found.maximum.saw_nan)
        found.maximum.saw_nan = std::any_of(row, row + c.size, [](float logit) { return logit != logit; });
    return found;
}

/// What write_back writes.
struct written {
    bool p = false;
    float maximum = 0.0f;
    float scale = 0.0f;                ///< p of the likeliest
    float least_peak = illegal_logit;  ///< blocks whose maximum is below get a p of 0
};

/// Writes a row over its candidates: the logits, as they are or canonical, and p to seven digits.
template <bool Canonical>
struct write_back_pass {
    template <int N>
    static RIFFLE_INLINE void run(const row& r, const float* const& peaks, const written& what,
                                  token_data* const& to) noexcept {
        const std::size_t full = r.size() / block_size, rest = r.size() % block_size;
        for (std::size_t b = 0; b < full; ++b) write_block<N>(r.block(b), peaks[b], what, to + b * block_size);
        if (rest == 0) return;
        token_data last[block_size];
        std::memcpy(last, to + full * block_size, rest * sizeof(token_data));
        write_block<N>(r.block(full), peaks[full], what, last);
        std::memcpy(to + full * block_size, last, rest * sizeof(token_data));
    }

private:
    template <int N>
    static RIFFLE_INLINE void write_block(const float* from, float peak, const written& what, token_data* to) noexcept {
        using V = lanes<N>;
        const V maximum(what.maximum), scale(what.scale);
        const bool weighs = peak >= what.least_peak;
        for (std::size_t i = 0; i < block_size; i += N) {
            V logits = V::load(from + i);
            if constexpr (Canonical) logits = canonical(logits);
            auto group = interleaved<N>::load(to + i);
            put<1>(group, logits);
            if (what.p) put<2>(group, weighs ? weight(logits - maximum) * scale : V(0.0f));
            group.store(to + i);
        }
    }
    /// Products and sums may fuse: p has digits to spare.
    template <int N>
    static RIFFLE_INLINE lanes<N> weight(const lanes<N>& below) noexcept {
        return select(below > lanes<N>(-87.0f), lanes<N>(exp(lanes<N, true>(below.v)).v), lanes<N>(0.0f));
    }
    template <int Field, int N>
    static RIFFLE_INLINE void put(interleaved<N>& group, const lanes<N>& values) noexcept {
        constexpr auto all = std::make_integer_sequence<int, N>();
        group.template set_field<Field>(interleaved<N>::template out_of_order<Field>(as_bits(values), all));
    }
};
/// p over a mass of which the likeliest token has `share`; below 5e-7 it is written as 0.
inline written with_p(float maximum, double share) noexcept {
    return {true, maximum, float(share), maximum + float(std::log(5e-7 / share))};
}

/// Candidates that were found, in the place of all; what they had in p where `keeps_p`. There are not more of them.
inline void take_found(candidates found, bool keeps_p, candidates& c) noexcept {
    if (keeps_p)
        for (auto& token : found) token.p = c[std::size_t(token.id)].p;
    std::copy(found.begin(), found.end(), c.begin());
    c.size = found.size;
    c.sorted = found.sorted;
    if (found.selected >= 0) c.selected = found.selected;
}

}  // namespace riffle::llama::detail
