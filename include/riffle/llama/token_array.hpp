#pragma once
#include <cstddef>
#include <cstring>
#include <llama.h>

#include <riffle/core/candidates.hpp>
#include <riffle/core/row.hpp>
#include <riffle/exact/dist_row.hpp>
#include <riffle/math/elementwise.hpp>
#include <riffle/math/fixed_mass.hpp>
#include <riffle/wide/dispatch.hpp>
#include <riffle/wide/fold.hpp>
#include <riffle/wide/mass.hpp>
#include <riffle/wide/preimage.hpp>

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

/// Copies the logits of c into `row`; false where some candidate does not stand at the index of its id. O(n).
struct copy_logits_pass {
    template <int N>
    static RIFFLE_INLINE bool run(const candidates& c, float* const& to) noexcept {
        const token_data* const from = c.data;
        std::uint32_t displaced = 0;
        for (std::size_t i = 0; i < c.size; ++i) {
            to[i] = from[i].logit;
            displaced |= std::uint32_t(from[i].id) ^ std::uint32_t(i);
        }
        return displaced == 0;
    }
};
inline bool copy_logits(const candidates& c, float* row) noexcept { return wide::run<copy_logits_pass>(c, row); }

/// Writes the logits of a row over those of its candidates, as they are.
struct write_logits_pass {
    template <int N>
    static RIFFLE_INLINE void run(const row& r, token_data* const& to) noexcept {
        for (std::size_t b = 0; b < r.blocks(); ++b) {
            const float* const from = r.block(b);
            token_data* const block = to + b * block_size;
            const std::size_t count = r.size() - b * block_size < block_size ? r.size() - b * block_size : block_size;
            for (std::size_t i = 0; i < count; ++i) block[i].logit = from[i];
        }
    }
};
inline void write_logits(const row& r, token_data* to) noexcept { wide::run<write_logits_pass>(r, to); }

/// What a token weighs, by its distance below the maximum: in floats, as llama.cpp, or in riffle's integers.
struct weight_in_floats {
    template <class V>
    static RIFFLE_INLINE V of(const V& below) noexcept {
        return select(below > V(-87.0f), exp(below), V(0.0f));
    }
};
struct weight_in_integers {
    template <class V>
    static RIFFLE_INLINE V of(const V& below) noexcept {
        return V::from_int(fixed_mass(below));
    }
};

/// Writes p = weight * scale beside every logit of a row, to seven digits.
template <class Weight>
struct write_p_pass {
    template <int N>
    static RIFFLE_INLINE void run(const row& r, float maximum, float scale, token_data* const& to) noexcept {
        using V = lanes<N>;
        for (std::size_t b = 0; b < r.blocks(); ++b) {
            const float* const from = r.block(b);
            token_data* const block = to + b * block_size;
            float p[block_size];
            for (std::size_t i = 0; i < block_size; i += N)
                (Weight::of(V::load(from + i) - V(maximum)) * V(scale)).store(p + i);
            const std::size_t count = r.size() - b * block_size < block_size ? r.size() - b * block_size : block_size;
            for (std::size_t i = 0; i < count; ++i) block[i].p = p[i];
        }
    }
};
/// p of every candidate of a row, over all of them, as llama.cpp's dist has it. `peaks` are its block maxima, the
/// greatest of which is `maximum`, and `sums` has room for a number a block.
inline void write_p(const row& r, const float* peaks, float maximum, double* sums, token_data* to) noexcept {
    wide::run<exact::quick_mass_pass>(r, peaks, maximum, sums);
    double whole = 0.0;
    for (std::size_t b = 0; b < r.blocks(); ++b) whole += sums[b];
    wide::run<write_p_pass<weight_in_floats>>(r, maximum, float(1.0 / whole), to);
}
/// The same as candidates::normalise has it.
inline void write_p(const row& r, const float* peaks, float maximum, std::uint64_t* masses, token_data* to) noexcept {
    const float cut = wide::raw_cut((std::max)(maximum - mass_range, std::numeric_limits<float>::lowest()));
    const std::uint64_t whole = wide::find_mass<false>(r, peaks, cut, fold<>{}, maximum, masses);
    wide::run<write_p_pass<weight_in_integers>>(r, maximum, float(1.0 / double(whole)), to);
}

}  // namespace riffle::llama::detail
