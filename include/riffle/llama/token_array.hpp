#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <llama.h>
#include <utility>

#include <riffle/core/candidates.hpp>
#include <riffle/core/row.hpp>
#include <riffle/math/elementwise.hpp>
#include <riffle/math/fixed_mass.hpp>
#include <riffle/wide/dispatch.hpp>
#include <riffle/wide/max.hpp>

// llama.cpp's array of candidates, which mostly is a row: a candidate for every token, in the order of ids. Its logits
// are copied out, the passes read those, and what changed is written back.

namespace riffle::llama::detail {

/// The same memory, as riffle's candidates.
inline candidates view(const llama_token_data_array& array) noexcept {
    static_assert(sizeof(llama_token_data) == sizeof(token_data));
    return {reinterpret_cast<token_data*>(array.data), array.size, array.selected, array.sorted};
}
inline void write(const candidates& c, llama_token_data_array& array) noexcept {
    array.data = reinterpret_cast<llama_token_data*>(c.data);
    array.size = c.size;
    array.selected = c.selected;
    array.sorted = c.sorted;
}

/// Fewer candidates than this are worked on as they are.
inline constexpr std::size_t least_row = 1024;

/// What there is to know of candidates that are a row.
struct row_found {
    bool is_row = false;  ///< every candidate stands at the index of its id
    wide::row_maximum maximum{};
};

/// N candidates as three vectors: each field stands in every third lane, and no two candidates' logits in the same lane
/// of different vectors (3 does not divide N). So a field is put together by masks, and then only out of order. (g++
/// makes a gather of the plain loop, which takes three times as long.)
template <int N>
struct interleaved {
    using ints = int_lanes<N>;
    ints parts[3];

    RIFFLE_INLINE explicit interleaved(const token_data* from) noexcept {
        for (int part = 0; part < 3; ++part)
            parts[part] = as_bits(lanes<N>::load(reinterpret_cast<const float*>(from) + part * N));
    }
    /// The field (id, logit, p) of all, those of lane i from the part that has it there.
    template <int Field>
    RIFFLE_INLINE ints field() const noexcept {
        return (parts[0] & mask(Field, 0)) | (parts[1] & mask(Field, 1)) | (parts[2] & mask(Field, 2));
    }
    /// The ids that candidates 0 ... N - 1 would have there.
    static RIFFLE_INLINE ints expected_ids() noexcept {
        std::int32_t ids[N];
        for (int part = 0; part < 3; ++part)
            for (int lane = 0; lane < N; ++lane)
                if ((part * N + lane) % 3 == 0) ids[lane] = (part * N + lane) / 3;
        return loaded(ids);
    }

private:
    static RIFFLE_INLINE ints mask(int field, int part) noexcept {
        std::int32_t set[N];
        for (int lane = 0; lane < N; ++lane) set[lane] = (part * N + lane) % 3 == field ? -1 : 0;
        return loaded(set);
    }
    static RIFFLE_INLINE ints loaded(const std::int32_t* from) noexcept {
        ints r;
        std::memcpy(&r.v, from, sizeof r.v);
        return r;
    }
};
/// Logits in order, of interleaved::field<1>.
template <int N, int... I>
RIFFLE_INLINE lanes<N> in_order(const int_lanes<N>& logits, std::integer_sequence<int, I...>) noexcept {
    int_lanes<N> r;
#if RIFFLE_VECTORS
    r.v = __builtin_shufflevector(logits.v, logits.v, ((3 * I + 1) % N)...);
#else
    ((r.v[I] = logits.v[(3 * I + 1) % N]), ...);
#endif
    return lanes<N>::from_bits(r);
}

/// Copies the logits of c to `to`, padded to whole blocks with -inf, and takes the block maxima on the way.
struct copy_logits_pass {
    template <int N>
    static RIFFLE_INLINE row_found run(const candidates& c, float* const& to, float* const& peaks) noexcept {
        using V = lanes<N>;
        int_lanes<N> displaced(0), ids = interleaved<N>::expected_ids();
        int_lanes<N> nan(0);
        float greatest = illegal_logit;
        const std::size_t full = c.size / block_size;
        for (std::size_t b = 0; b < full; ++b) {
            V peak(illegal_logit);
            for (std::size_t i = b * block_size; i < (b + 1) * block_size; i += N) {
                const interleaved<N> group(c.data + i);
                const V logits = in_order<N>(group.template field<1>(), std::make_integer_sequence<int, N>());
                logits.store(to + i);
                displaced = displaced | (group.template field<0>() ^ ids);
                ids = ids + int_lanes<N>(N);
                peak = greater_of(logits, peak);  // a NaN is passed over
                nan =
                    nan | ((as_bits(logits) & 0x7fffffff) + int_lanes<N>(0x007fffff));  // the sign of it is NaN's alone
            }
            peaks[b] = reduce_max(peak);
            if (peaks[b] > greatest) greatest = peaks[b];
        }
        row_found found;
        for (int i = 0; i < N; ++i) found.maximum.saw_nan |= nan[i] < 0;
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
    return wide::run<copy_logits_pass>(c, row, peaks);
}

/// What a token weighs, by its distance below the maximum: in floats, as llama.cpp, or in riffle's integers.
struct weight_in_floats {
    /// llama.cpp's logits are written as they are.
    template <class V>
    static RIFFLE_INLINE V logit(const V& as_it_is) noexcept {
        return as_it_is;
    }
    template <class V>
    static RIFFLE_INLINE V of(const V& below) noexcept {
        return select(below > V(-87.0f), exp(below), V(0.0f));
    }
};
struct weight_in_integers {
    template <class V>
    static RIFFLE_INLINE V logit(const V& as_it_is) noexcept {
        return canonical(as_it_is);
    }
    template <class V>
    static RIFFLE_INLINE V of(const V& below) noexcept {
        return V::from_int(fixed_mass(below));
    }
};

/// What write_back writes.
struct written {
    bool p = false;
    float maximum = 0.0f;
    float scale = 0.0f;                ///< p = weight * scale
    float least_peak = illegal_logit;  ///< blocks whose maximum is below get a p of 0
};

/// Writes a row over its candidates: the logits, and p to seven digits.
template <class Weight>
struct write_back_pass {
    template <int N>
    static RIFFLE_INLINE void run(const row& r, const float* const& peaks, const written& what,
                                  token_data* const& to) noexcept {
        using V = lanes<N>;
        const V maximum(what.maximum), scale(what.scale);
        for (std::size_t b = 0; b < r.blocks(); ++b) {
            const float* const from = r.block(b);
            float logits[block_size], p[block_size];
            for (std::size_t i = 0; i < block_size; i += N) Weight::logit(V::load(from + i)).store(logits + i);
            const bool weighs = what.p && peaks[b] >= what.least_peak;
            for (std::size_t i = 0; i < block_size; i += N)
                (weighs ? Weight::of(V::load(logits + i) - maximum) * scale : V(0.0f)).store(p + i);
            token_data* const block = to + b * block_size;
            const std::size_t count = r.size() - b * block_size < block_size ? r.size() - b * block_size : block_size;
            if (what.p)
                for (std::size_t i = 0; i < count; ++i) block[i].logit = logits[i], block[i].p = p[i];
            else
                for (std::size_t i = 0; i < count; ++i) block[i].logit = logits[i];
        }
    }
};
/// p over `whole`, in units of which the likeliest token weighs `unit`; below 5e-7 it is written as 0.
inline written with_p(float maximum, double whole, double unit) noexcept {
    return {true, maximum, float(1.0 / whole), maximum + float(std::log(5e-7 * whole / unit))};
}

}  // namespace riffle::llama::detail
