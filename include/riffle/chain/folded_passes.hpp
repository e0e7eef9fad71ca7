#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <riffle/chain/plan.hpp>
#include <riffle/chain/stage_functions.hpp>
#include <riffle/chain/stage_ops.hpp>
#include <riffle/core/policies.hpp>
#include <riffle/core/row.hpp>
#include <riffle/core/softmax_statistics.hpp>
#include <riffle/wide/fused_maps.hpp>
#include <riffle/wide/histogram.hpp>
#include <riffle/wide/mass.hpp>
#include <riffle/wide/moments.hpp>
#include <riffle/wide/nucleus.hpp>
#include <riffle/wide/pick.hpp>
#include <riffle/wide/preimage.hpp>
#include <riffle/wide/softmax.hpp>

namespace riffle::inline RIFFLE_ABI {

/// The passes that meet maps which are not written into the row: each as a function that has a list of maps folded in.
/// `maps` are the stages whose maps those are, and others between them. Null where no plan of the chain asks for it.
struct folded_passes {
    using maps = std::span<const stage_ref>;

    // On single logits: mapped, all of a list, and the least raw logit whose mapped value reaches a target, as that of
    // `known` does.
    float (*map)(maps, float logit) noexcept = nullptr;
    void (*map_tokens)(maps, std::span<token_data>) noexcept = nullptr;
    float (*preimage)(maps, float target, float known) noexcept = nullptr;

    /// The mass of the mapped row, and in `masses` that of each block. Raw logits under `cut` weigh nothing; `maximum`
    /// is the greatest mapped logit, here and below.
    std::uint64_t (*mass)(maps, const detail::row&, const float* block_maxima, float cut, float maximum,
                          std::uint64_t* masses) noexcept = nullptr;
    /// For a bridge that keeps a share of the mass; `masses` become those of the logits that reach the band.
    wide::split_mass (*split_mass)(maps, const detail::row&, const float* block_maxima, float cut,
                                   const wide::band& raw, float maximum, std::uint64_t* masses,
                                   wide::band_tokens&) noexcept = nullptr;
    void (*mass_by_bucket)(maps, const detail::row&, const float* block_maxima, float cut, float maximum,
                           const wide::buckets&, std::uint64_t* bins) noexcept = nullptr;
    /// Raw logits from `legal_cut` up are legal behind the maps.
    softmax_statistics (*find_softmax)(maps, const detail::row&, const float* block_maxima, float cut, float legal_cut,
                                       float maximum) noexcept = nullptr;
    moments (*find_moments)(maps, const detail::row&, const float* block_maxima, float maximum) noexcept = nullptr;
    /// Weights of `count` raw logits, 0 < count, a multiple of 4.
    void (*weigh_logits)(maps, const float* logits, std::size_t count, float maximum,
                         std::uint32_t* weights) noexcept = nullptr;
    token_id (*pick_by_noise)(maps, const detail::row&, const float* block_maxima, float maximum,
                              const draws&) noexcept = nullptr;
    /// For a selector with a distribution of its own: the mass of that, and weights of raw logits.
    wide::shaped_mass (*shaped_mass)(maps, const stage_ref& selector, const detail::row&, const float* block_maxima,
                                     const softmax_statistics&, std::uint64_t* masses) noexcept = nullptr;
    void (*weigh_shaped)(maps, const stage_ref& selector, const softmax_statistics&, const float* logits,
                         std::size_t count, float maximum, std::uint32_t* weights) noexcept = nullptr;
};

namespace detail {

/// The maps of stages of these types, of the many that stand in `among`.
template <class... Stages>
auto fused_maps_of(folded_passes::maps among) noexcept {
    if constexpr (sizeof...(Stages) == 0) {
        return fused_maps<>{};
    } else {
        const stage_ref* at = among.data();
        const auto next_map = [&]() noexcept {
            while (!at->ops->fact.maps) ++at;
            return (at++)->spec;
        };
        return fused_maps<Stages...>{*static_cast<const Stages*>(next_map())...};  // in braces, so from left to right
    }
}

/// The passes with the maps of these stages folded in. Keyed by that list alone, so that chains share them.
template <bool Fast, class... Stages>
struct passes_with {
    using maps = folded_passes::maps;

    static float map(maps m, float logit) noexcept { return fused_maps_of<Stages...>(m).one(logit); }
    static void map_tokens(maps m, std::span<token_data> tokens) noexcept {
        candidates c{tokens.data(), tokens.size(), -1, false};
        c.map_logits(fused_maps_of<Stages...>(m));
    }
    static float preimage(maps m, float target, float known) noexcept {
        const auto all = fused_maps_of<Stages...>(m);
        return wide::preimage([&](float logit) { return all.one(logit); }, target, known);
    }
    static std::uint64_t mass(maps m, const detail::row& r, const float* block_maxima, float cut, float maximum,
                              std::uint64_t* masses) noexcept {
        return wide::find_mass<Fast>(r, block_maxima, cut, fused_maps_of<Stages...>(m), maximum, masses);
    }
    static wide::split_mass split_mass(maps m, const detail::row& r, const float* block_maxima, float cut,
                                       const wide::band& raw, float maximum, std::uint64_t* masses,
                                       wide::band_tokens& tokens) noexcept {
        return wide::find_split_mass(r, block_maxima, cut, raw, fused_maps_of<Stages...>(m), maximum, masses, tokens);
    }
    static void mass_by_bucket(maps m, const detail::row& r, const float* block_maxima, float cut, float maximum,
                               const wide::buckets& by, std::uint64_t* bins) noexcept {
        wide::mass_by_bucket(r, block_maxima, cut, fused_maps_of<Stages...>(m), by, maximum, bins);
    }
    template <std::uint8_t Parts>
    static softmax_statistics find_softmax(maps m, const detail::row& r, const float* block_maxima, float cut,
                                           float legal_cut, float maximum) noexcept {
        return wide::find_softmax<Parts>(r, block_maxima, cut, legal_cut, fused_maps_of<Stages...>(m), maximum);
    }
    static moments find_moments(maps m, const detail::row& r, const float* block_maxima, float maximum) noexcept {
        return wide::find_moments(r, block_maxima, fused_maps_of<Stages...>(m), maximum);
    }
    static void weigh_logits(maps m, const float* logits, std::size_t count, float maximum,
                             std::uint32_t* weights) noexcept {
        wide::weigh_logits(logits, count, fused_maps_of<Stages...>(m), maximum, weights);
    }
    static token_id pick_by_noise(maps m, const detail::row& r, const float* block_maxima, float maximum,
                                  const draws& noise) noexcept {
        return wide::pick_by_noise(r, block_maxima, fused_maps_of<Stages...>(m), maximum, noise);
    }
    template <class Policies, class Selector>
    static wide::shaped_mass shaped_mass(maps m, const stage_ref& selector, const detail::row& r,
                                         const float* block_maxima, const softmax_statistics& of_row,
                                         std::uint64_t* masses) noexcept {
        using functions = stage_functions<Policies, Selector>;
        const auto map = functions::reshaped_behind(selector, fused_maps_of<Stages...>(m), of_row);
        return wide::find_shaped_mass(r, block_maxima, map, masses);
    }
    template <class Policies, class Selector>
    static void weigh_shaped(maps m, const stage_ref& selector, const softmax_statistics& of_row, const float* logits,
                             std::size_t count, float maximum, std::uint32_t* weights) noexcept {
        using functions = stage_functions<Policies, Selector>;
        const auto map = functions::reshaped_behind(selector, fused_maps_of<Stages...>(m), of_row);
        wide::weigh_logits(logits, count, map, maximum, weights);
    }
};

inline wide::shaped_mass own_shaped_mass(folded_passes::maps, const stage_ref& selector, const detail::row& r,
                                         const float* block_maxima, const softmax_statistics& of_row,
                                         std::uint64_t* masses) noexcept {
    return selector.ops->shaped_mass(selector, r, block_maxima, of_row, masses);
}
inline void weigh_by_own_shape(folded_passes::maps, const stage_ref& selector, const softmax_statistics& of_row,
                               const float* logits, std::size_t count, float maximum,
                               std::uint32_t* weights) noexcept {
    selector.ops->weigh_shaped(selector, of_row, logits, count, maximum, weights);
}

/// The passes that a plan has for its bridge, of type `Bridge`, with the maps of `Stages` pending there.
template <class Policies, class Bridge, std::uint64_t Passes, class... Stages>
constexpr folded_passes make_folded_passes() {
    using with = passes_with<Policies::arithmetic == numerics::fast, Stages...>;
    constexpr facts bridge = facts_of<Bridge>();
    const auto has = [](pass op) { return (Passes >> unsigned(op) & 1) != 0; };
    folded_passes p;
    if constexpr (sizeof...(Stages) > 0)
        p.map = with::map, p.map_tokens = with::map_tokens, p.preimage = with::preimage;
    if constexpr (has(pass::mass) || has(pass::draw)) p.mass = with::mass;
    if constexpr (has(pass::nucleus_end)) p.split_mass = with::split_mass, p.mass_by_bucket = with::mass_by_bucket;
    if constexpr (has(pass::softmax)) p.find_softmax = with::template find_softmax<bridge.softmax_parts>;
    if constexpr (has(pass::moments)) p.find_moments = with::find_moments;
    if constexpr (has(pass::pick) || has(pass::draw)) {
        if constexpr (bridge.selects == selecting::by_mass) p.weigh_logits = with::weigh_logits;
        if constexpr (bridge.selects == selecting::by_noise) {
            p.pick_by_noise = with::pick_by_noise;
            p.mass = with::mass;  // this and the next for its law
            p.weigh_logits = with::weigh_logits;
        }
        if constexpr (bridge.selects == selecting::by_own_distribution && sizeof...(Stages) == 0) {
            p.shaped_mass = own_shaped_mass;
            p.weigh_shaped = weigh_by_own_shape;
        } else if constexpr (bridge.selects == selecting::by_own_distribution) {
            p.shaped_mass = with::template shaped_mass<Policies, Bridge>;
            p.weigh_shaped = with::template weigh_shaped<Policies, Bridge>;
        }
    }
    return p;
}

template <class Policies, class Bridge, std::uint64_t Passes, class... Stages>
RIFFLE_LOCAL inline constexpr folded_passes folded_passes_of =
    make_folded_passes<Policies, Bridge, Passes, Stages...>();
/// For a plan without such passes.
RIFFLE_LOCAL inline constexpr folded_passes no_passes{};

/// All passes over a row into which every map has been written, or which has none: what a chain put together at run
/// time asks for. Single logits, which a cut is looked for on, are mapped stage by stage.
template <class Policies>
struct passes_without_maps {
    using maps = folded_passes::maps;
    using with = passes_with<Policies::arithmetic == numerics::fast>;

    static float map(maps m, float logit) noexcept {
        for (const stage_ref& s : m)
            if (s.ops->fact.maps) logit = s.ops->map(s, logit);
        return logit;
    }
    static void map_tokens(maps m, std::span<token_data> tokens) noexcept {
        const history nothing;
        const context x(nothing, {}, nullptr, nullptr);  // a map looks at nothing but its logit
        candidates c{tokens.data(), tokens.size(), -1, false};
        for (const stage_ref& s : m)
            if (s.ops->fact.maps) s.ops->narrow(s, c, x);
    }
    static float preimage(maps m, float target, float known) noexcept {
        return wide::preimage([&](float logit) { return map(m, logit); }, target, known);
    }
    static constexpr folded_passes make() {
        folded_passes p;
        p.map = map;
        p.map_tokens = map_tokens;
        p.preimage = preimage;
        p.mass = with::mass;
        p.split_mass = with::split_mass;
        p.mass_by_bucket = with::mass_by_bucket;
        p.find_softmax = with::template find_softmax<softmax_part::all>;
        p.find_moments = with::find_moments;
        p.weigh_logits = with::weigh_logits;
        p.pick_by_noise = with::pick_by_noise;
        p.shaped_mass = own_shaped_mass;
        p.weigh_shaped = weigh_by_own_shape;
        return p;
    }
    RIFFLE_LOCAL static constexpr folded_passes all = make();
};

}  // namespace detail
}  // namespace riffle
