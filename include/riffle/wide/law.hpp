#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <riffle/core/law.hpp>
#include <riffle/core/row.hpp>
#include <riffle/wide/dispatch.hpp>

namespace riffle::wide {

/// Σ w, Σ w·d and Σ w² of the mapped row, its legal logits and the least of them. Raw logits from `legal_cut` up are
/// legal behind the maps; blocks whose peak lies under `cut` weigh nothing.
template <class Fold>
struct law_pass {
    template <int N>
    static RIFFLE_INLINE law run(const row& r, const float* const& peaks, float cut, float legal_cut,
                                 const Fold& map_by_reference, float maximum) noexcept {
        using V = lanes<N>;
        const Fold map = map_by_reference;
        const V top(maximum);
        law all;
        all.maximum = maximum;
        V least(greatest_logit);
        int_lanes<N> legal(0);
        for (std::size_t b = 0; b < r.blocks(); ++b) {
            const float* x = r.block(b);
            if (!(peaks[b] >= legal_cut)) continue;
            for (std::size_t i = 0; i < block_size; i += N) {
                const V raw = V::load(x + i);
                least = lesser_of(select(raw >= V(legal_cut), raw, V(greatest_logit)), least);
                legal = select(raw >= V(legal_cut), legal + 1, legal);
            }
            if (!(peaks[b] >= cut)) continue;
            std::uint32_t weight[block_size];
            std::uint32_t distance[block_size];
            for (std::size_t i = 0; i < block_size; i += N) {
                const V l = map(V::load(x + i));
                const auto w = fixed_mass(l - top);
                const auto d =
                    fixed_distance(greater_of(l, V(-greatest_logit)), top);  // an illegal token weighs nothing
                std::memcpy(weight + i, &w.v, sizeof w.v);
                std::memcpy(distance + i, &d.v, sizeof d.v);
            }
            std::uint64_t mass = 0, distances = 0, squares = 0;  // w·d < 2^46 and w² >> 8 <= 2^52: no overflow
            for (std::size_t i = 0; i < block_size; ++i) {
                const std::uint64_t w = weight[i];
                mass += w;
                distances += w * distance[i];
                squares += w * w >> 8;
            }
            all.add(mass, distances, squares);
        }
        float raw_minimum = greatest_logit;
        for (int i = 0; i < N; ++i) {
            all.legal += std::uint32_t(legal[i]);
            if (least[i] < raw_minimum) raw_minimum = least[i];
        }
        all.minimum = map.one(canonical(raw_minimum));
        return all;
    }
};

/// The law of the mapped row; `maximum` is the greatest mapped logit.
template <class Fold>
law find_law(const row& r, const float* peaks, float cut, float legal_cut, const Fold& map, float maximum) noexcept {
    return run<law_pass<Fold>>(r, peaks, cut, legal_cut, map, maximum);
}

}  // namespace riffle::wide
