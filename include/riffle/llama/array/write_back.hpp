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
#include <riffle/wide/interleaved.hpp>

// Candidates that are a row (wide/candidate_row.hpp): their logits are copied out, the passes read those, and what
// changed is written back.

namespace riffle::inline RIFFLE_ABI::llama::detail {

/// What write_back writes.
struct written {
    bool p = false;
    float maximum = 0.0f;
    float scale = 0.0f;                   ///< p of the likeliest
    float least_maximum = illegal_logit;  ///< blocks whose maximum is below get a p of 0
};

/// Writes a row over its candidates: the logits, as they are or canonical, and p to seven digits.
template <bool Canonical>
struct write_back_pass {
    template <int N>
    static RIFFLE_INLINE void run(const riffle::detail::row& r, const float* const& block_maxima, const written& what,
                                  token_data* const& to) noexcept {
        const std::size_t full = r.size() / block_size, rest = r.size() % block_size;
        for (std::size_t b = 0; b < full; ++b) write_block<N>(r.block(b), block_maxima[b], what, to + b * block_size);
        if (rest == 0) return;
        token_data last[block_size];
        std::memcpy(last, to + full * block_size, rest * sizeof(token_data));
        write_block<N>(r.block(full), block_maxima[full], what, last);
        std::memcpy(to + full * block_size, last, rest * sizeof(token_data));
    }

private:
    template <int N>
    static RIFFLE_INLINE void write_block(const float* from, float block_maximum, const written& what,
                                          token_data* to) noexcept {
        using V = lanes<N>;
        const V maximum(what.maximum), scale(what.scale);
        const bool weighs = block_maximum >= what.least_maximum;
        for (std::size_t i = 0; i < block_size; i += N) {
            V logits = V::load(from + i);
            if constexpr (Canonical) logits = canonical(logits);
            auto group = wide::interleaved<N>::load(to + i);
            put<1>(group, logits);
            if (what.p) put<2>(group, weighs ? weight(logits - maximum) * scale : V(0.0f));
            group.store(to + i);
        }
    }
    /// Products and sums may fuse: p has digits to spare.
    template <int N>
    static RIFFLE_INLINE lanes<N> weight(const lanes<N>& below) noexcept {
        return blend(below > lanes<N>(-87.0f), lanes<N>(exp(lanes<N, true>(below.v)).v), lanes<N>(0.0f));
    }
    template <int Field, int N>
    static RIFFLE_INLINE void put(wide::interleaved<N>& group, const lanes<N>& values) noexcept {
        constexpr auto all = std::make_integer_sequence<int, N>();
        group.template set_field<Field>(wide::interleaved<N>::template out_of_order<Field>(as_bits(values), all));
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
