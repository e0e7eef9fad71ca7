#pragma once
#include <cstddef>

#include <riffle/core/row.hpp>
#include <riffle/wide/dispatch.hpp>
#include <riffle/wide/fused_maps.hpp>

namespace riffle::inline RIFFLE_ABI::wide {

/// Replaces every logit by map(canonical(logit)), in the row's private copy.
template <class Maps>
struct rewrite_pass {
    template <int N>
    static RIFFLE_INLINE void run(detail::row* const& r, const Maps& map_by_reference) noexcept {
        using V = lanes<N>;
        const Maps map = map_by_reference;
        for (std::size_t b = 0; b < r->blocks(); ++b) {
            const float* from = r->block(b);
            float* to = r->own_unfilled(b);
            for (std::size_t i = 0; i < block_size; i += N) map(canonical(V::load(from + i))).store(to + i);
        }
    }
};

/// Maps the row for good.
template <class Maps>
void rewrite(detail::row& r, const Maps& map) noexcept {
    run<rewrite_pass<Maps>>(&r, map);
}

/// Makes the blocks canonical that hold a +inf, as their maxima show.
struct finite_pass {
    template <int N>
    static RIFFLE_INLINE void run(detail::row* const& r, const float* const& block_maxima) noexcept {
        using V = lanes<N>;
        for (std::size_t b = 0; b < r->blocks(); ++b) {
            if (!(block_maxima[b] > greatest_logit)) continue;
            const float* from = r->block(b);
            float* to = r->own_unfilled(b);
            for (std::size_t i = 0; i < block_size; i += N) canonical(V::load(from + i)).store(to + i);
        }
    }
};
template <class Row>
void make_infinities_finite(Row& r, const float* block_maxima) noexcept {
    run_baseline<finite_pass>(&r, block_maxima);
}

}  // namespace riffle::wide
