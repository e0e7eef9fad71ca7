#pragma once
#include <cstddef>
#include <cstdint>

#include <riffle/core/row.hpp>
#include <riffle/core/softmax_statistics.hpp>
#include <riffle/wide/dispatch.hpp>
#include <riffle/wide/mass.hpp>
#include <riffle/wide/wide_sum.hpp>

namespace riffle::inline RIFFLE_ABI::wide {

/// The softmax statistics of the mapped row, of which only the asked `Parts` (softmax_part) are taken beside the mass.
/// Raw logits from `legal_cut` up are legal behind the maps; those under `cut` weigh nothing.
template <std::uint8_t Parts, class Maps>
struct softmax_pass {
    template <int N>
    static RIFFLE_INLINE softmax_statistics run(const detail::row& r, const float* const& block_maxima, float cut,
                                                float legal_cut, const Maps& map_by_reference, float maximum) noexcept {
        using V = lanes<N>;
        const Maps map = map_by_reference;
        const V top(maximum);
        softmax_statistics all;
        all.maximum = maximum;
        blocks_to_weigh<N> of(r, block_maxima, cut);
        while (of.next()) {
            wide_sum<N> masses, distances, squares;  // of 256 w < 2^30, w·d < 2^51 and w² >> 8 < 2^52: no overflow
            for (std::size_t i = 0; i < of.size; i += N) {
                const V l = map(V::load(of.logits + i));
                const auto w = fixed_mass(l - top);
                masses.add(w);
                if constexpr ((Parts & softmax_part::distances) != 0) distances.add_products(w, fixed_distance(l, top));
                if constexpr ((Parts & softmax_part::squares) != 0) squares.template add_products<8>(w, w);
            }
            all.add(masses.total(), distances.total(), squares.total());
        }
        if constexpr ((Parts & softmax_part::support) != 0) {
            V least(greatest_logit);
            int_lanes<N> legal(0);
            for (std::size_t b = 0; b < r.blocks(); ++b) {
                if (!(block_maxima[b] >= legal_cut)) continue;
                const float* x = r.block(b);
                RIFFLE_UNROLL(4)
                for (std::size_t i = 0; i < block_size; i += N) {
                    const V raw = V::load_once(x + i);
                    least = lesser_of(blend(raw >= V(legal_cut), raw, V(greatest_logit)), least);
                    legal = blend(raw >= V(legal_cut), legal + 1, legal);
                }
            }
            float raw_minimum = greatest_logit;
            for (int i = 0; i < N; ++i) {
                all.legal += std::uint32_t(legal[i]);
                if (least[i] < raw_minimum) raw_minimum = least[i];
            }
            all.minimum = map.one(canonical(raw_minimum));
        }
        return all;
    }
};

/// The softmax statistics of the mapped row; `maximum` is the greatest mapped logit.
template <std::uint8_t Parts = softmax_part::all, class Maps>
softmax_statistics find_softmax(const detail::row& r, const float* block_maxima, float cut, float legal_cut,
                                const Maps& map, float maximum) noexcept {
    return run<softmax_pass<Parts, Maps>>(r, block_maxima, cut, legal_cut, map, maximum);
}

}  // namespace riffle::wide
