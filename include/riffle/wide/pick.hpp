#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include <riffle/core/draws.hpp>
#include <riffle/core/row.hpp>
#include <riffle/core/token.hpp>
#include <riffle/math/fixed_mass.hpp>
#include <riffle/wide/dispatch.hpp>
#include <riffle/wide/fused_maps.hpp>
#include <riffle/wide/mass.hpp>
#include <riffle/wide/max.hpp>
#include <riffle/wide/preimage.hpp>

namespace riffle::inline RIFFLE_ABI {

/// 1 - u, where u is uniform between 0 and 1, from the upper 31 of 32 random bits. Gumbel noise is made of this
/// complement: its greatest values come from the least complements, which floats tell apart best.
template <class V>
RIFFLE_INLINE constexpr V complement_of_uniform(const typename V::ints& bits) noexcept {
    return (V::from_int(shift_right_logical(bits, 1)) + V(0.5f)) * V(4.65661287e-10f);
}
/// Gumbel noise of 32 random bits: -log(-log(u)). At most 22.2.
template <class V>
RIFFLE_INLINE constexpr V gumbel_noise_of(const typename V::ints& bits) noexcept {
    return -log(minus_log_complement(lesser_of(complement_of_uniform<V>(bits), V(0.99999994f))));
}
/// The Gumbel noise of one token, whose bits are keyed by its id, so that it depends neither on the order of the
/// candidates nor on which others there are.
template <class V>
RIFFLE_INLINE V gumbel_noise(const decltype(as_bits(V()))& id, const std::array<std::uint32_t, 4>& counter,
                             std::uint64_t seed) noexcept {
    using Ints = decltype(as_bits(V()));
    const auto words = philox_rounds<Ints>(
        {id, Ints(std::int32_t(counter[1])), Ints(std::int32_t(counter[2])), Ints(std::int32_t(counter[3]))}, seed);
    return gumbel_noise_of<V>(words[0]);
}
inline constexpr float greatest_gumbel_noise = 22.25f;

namespace wide {

/// Weights of `count` logits of the mapped row, 0 < count, a multiple of 4; `maximum` is the greatest mapped logit.
template <class Maps>
struct weigh_logits_pass {
    template <int N>
    static RIFFLE_INLINE void run(const float* const& x, const std::size_t& count, const Maps& map, float maximum,
                                  std::uint32_t* const& weights) noexcept {
        using V = lanes<N>;
        const V top(map.top(maximum));
        for (std::size_t i = 0; i < count; i += N) {
            const auto w = fixed_mass(map.for_weights(V::load(x + i)) - top);
            std::memcpy(weights + i, &w.v, sizeof w.v);
        }
    }
};
template <class Maps>
void weigh_logits(const float* logits, std::size_t count, const Maps& map, float maximum,
                  std::uint32_t* weights) noexcept {
    run_baseline<weigh_logits_pass<Maps>>(logits, count, map, maximum, weights);
}

/// A token found in the row, with its weight.
struct picked {
    token_id id;
    std::uint32_t weight;
};

/// The block up to which the masses first exceed `target`, the last where they never do; those before it are taken off
/// the target.
inline std::size_t block_of(const std::uint64_t* masses, std::size_t blocks, std::uint64_t& target) noexcept {
    std::size_t b = 0;
    while (b + 1 < blocks && target >= masses[b]) target -= masses[b++];
    return b;
}

/// Inverse CDF over block masses: the first token, in ascending id, whose running mass exceeds `target`, which is below
/// the sum of the masses. weigh_block(b, weights) gives the weights of a block. Under numerics::fast block masses are
/// rounded sums: should the block run out first, its last token of positive weight is taken, and null_token where it
/// has none.
template <class WeighBlock>
picked pick_by_mass(std::size_t blocks, const std::uint64_t* masses, std::uint64_t target,
                    const WeighBlock& weigh_block) noexcept {
    const std::size_t b = block_of(masses, blocks, target);
    std::uint32_t weights[block_size];
    weigh_block(b, static_cast<std::uint32_t*>(weights));
    picked last{null_token, 0};
    for (std::size_t i = 0; i < block_size; ++i) {
        if (weights[i] == 0) continue;
        last = {token_id(b * block_size + i), weights[i]};
        if (target < weights[i]) break;
        target -= weights[i];
    }
    return last;
}

/// A distribution made of another: what the maps give, reshaped. In the form of fused maps, so that the passes of one
/// serve the other.
template <class Maps, class Shape>
class reshaped {
public:
    reshaped(const Maps& maps, const Shape& shape) noexcept : maps_(maps), shape_(shape) {}
    template <class V>
    RIFFLE_INLINE V operator()(const V& x) const noexcept {
        return shape_(maps_(canonical(x)));
    }
    template <class V>
    RIFFLE_INLINE V for_weights(const V& x) const noexcept {
        return (*this)(x);
    }
    float top(float maximum) const noexcept { return maximum; }
    float one(float x) const noexcept { return (*this)(lanes<1>(x))[0]; }

private:
    Maps maps_;
    Shape shape_;
};

/// The greatest mapped logit of a row whose map is not monotone.
template <class Maps>
struct mapped_max_pass {
    template <int N>
    static RIFFLE_INLINE float run(const detail::row& r, const Maps& map_by_reference) noexcept {
        using V = lanes<N>;
        const Maps map = map_by_reference;
        V greatest(illegal_logit);
        for (std::size_t b = 0; b < r.blocks(); ++b) {
            const float* x = r.block(b);
            for (std::size_t i = 0; i < block_size; i += N) greatest = greater_of(map(V::load(x + i)), greatest);
        }
        return reduce_max(greatest);
    }
};

/// The mass of a row, and the greatest mapped logit.
struct shaped_mass {
    std::uint64_t total;
    float maximum;
};
/// The mass of a reshaped distribution, and in `masses` that of each block.
template <class Maps, class Shape>
shaped_mass find_shaped_mass(const detail::row& r, const float* block_maxima, const reshaped<Maps, Shape>& map,
                             std::uint64_t* masses) noexcept {
    const float maximum = run<mapped_max_pass<reshaped<Maps, Shape>>>(r, map);
    return {find_mass<false>(r, block_maxima, std::numeric_limits<float>::lowest(), map, maximum, masses), maximum};
}

/// The noise of `count` tokens. Memory behind them is read and written up to a multiple of 16.
struct noise_of_tokens_pass {
    template <int N>
    static RIFFLE_INLINE void run(const token_id* const& ids, std::size_t count,
                                  const std::array<std::uint32_t, 4>& counter, std::uint64_t seed,
                                  float* const& noise) noexcept {
        for (std::size_t i = 0; i < count; i += N)
            gumbel_noise<lanes<N>>(int_lanes<N>::load(ids + i), counter, seed).store(noise + i);
    }
};

/// Gumbel-max over the mapped row: the greatest mapped logit + noise, the lowest id among equals.
template <class Maps>
struct noise_pass {
    template <int N>
    static RIFFLE_INLINE token_id run(const detail::row& r, const float* const& block_maxima, float cut,
                                      const Maps& map_by_reference, const std::array<std::uint32_t, 4>& counter,
                                      std::uint64_t seed) noexcept {
        using V = lanes<N>;
        using Ints = int_lanes<N>;
        const Maps map = map_by_reference;
        V best(illegal_logit);
        Ints best_id(-1);
        for (std::size_t b = 0; b < r.blocks(); ++b) {
            if (!(block_maxima[b] >= cut)) continue;
            const float* x = r.block(b);
            for (std::size_t i = 0; i < block_size; i += N) {
                const V raw = V::load(x + i);
                if (!(reduce_max(greater_of(raw, V(illegal_logit))) >= cut))
                    continue;  // a NaN must not hide its neighbours
                const Ints id = Ints(std::int32_t(b * block_size + i)) + Ints::iota();
                const V score = map(raw) + gumbel_noise<V>(id, counter, seed);
                const auto better = score > best;  // equal scores keep the earlier id of the lane
                best = blend(better, score, best);
                best_id = blend(better, id, best_id);
            }
        }
        float score = illegal_logit;
        token_id chosen = null_token;
        for (int i = 0; i < N; ++i)
            if (best_id[i] >= 0 && (chosen < 0 || best[i] > score || (best[i] == score && best_id[i] < chosen))) {
                score = best[i];
                chosen = best_id[i];
            }
        return chosen;
    }
};

/// `maximum` is the greatest raw logit, canonical. The token that has it has some noise too, and a token whose logit is
/// more than the greatest noise under their sum cannot win: most of a peaked row need no noise at all.
template <class Maps>
token_id pick_by_noise(const detail::row& r, const float* block_maxima, const Maps& map, float maximum,
                       const draws& noise) noexcept {
    constexpr float lowest = std::numeric_limits<float>::lowest();
    const auto top = first_at_least(r, block_maxima, raw_cut(maximum));
    const float mapped = map.one(maximum);
    const float of_top = gumbel_noise<lanes<1>>(int_lanes<1>(std::int32_t(top)), noise.counter(0), noise.seed())[0];
    const float score = (lanes<1>(mapped) + lanes<1>(of_top))[0];
    const float rounding = 1e-3f * (absolute(lanes<1>(score))[0] + 1.0f);
    const float beatable = std::clamp(score - greatest_gumbel_noise - rounding, lowest, mapped);
    // A map that is not monotone was written out before, so what is pending here is.
    const float cut = least_float(maximum, [&](float x) { return map.one(canonical(x)) >= beatable; });
    return run<noise_pass<Maps>>(r, block_maxima, cut, map, noise.counter(0), noise.seed());
}

}  // namespace wide
}  // namespace riffle
