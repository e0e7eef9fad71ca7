#pragma once
#include <cstddef>

#include <riffle/core/row.hpp>
#include <riffle/math/lanes.hpp>
#include <riffle/wide/dispatch.hpp>

namespace riffle::inline RIFFLE_ABI::exact {

/// Every logit divided by t: one rounding each, as llama.cpp's loop over candidates.
struct divide_pass {
    template <int N>
    static RIFFLE_INLINE void run(detail::row* const& r, float t) noexcept {
        const lanes<N> divisor(t);
        for (std::size_t b = 0; b < r->blocks(); ++b) {
            const float* from = r->block(b);
            float* to = r->own_unfilled(b);
            for (std::size_t i = 0; i < block_size; i += N) (lanes<N>::load(from + i) / divisor).store(to + i);
        }
    }
};

}  // namespace riffle::exact
