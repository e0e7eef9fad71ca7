#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

#include <riffle/core/facts.hpp>
#include <riffle/core/softmax_statistics.hpp>
#include <riffle/gpu/spirv/division.hpp>
#include <riffle/gpu/spirv/values.hpp>

// What a device has to know of a stage: its facts, and its own arithmetic over the value type of a shader. A kernel
// knows stages by nothing else, so it never knows a sampler.

namespace riffle::inline RIFFLE_ABI::gpu {

using spirv::f32;
using spirv::i32;

/// A stage with more floats for parameters has no form on a device.
inline constexpr std::size_t most_parameters = 16;
/// The words that a selector by noise has for parameters: the counter but for its first word, and the seed.
inline constexpr std::uint8_t noise_parameters = 5;

/// What a cut may be computed from: measured of all tokens that are left, as the processor measures them
/// (wide/moments.hpp, core/softmax_statistics.hpp). What a stage's facts do not ask for is not measured, and 0.
struct row_measures {
    f32 maximum;    ///< the greatest logit, behind the maps ahead of the cut
    f32 deviation;  ///< standard deviation of the legal logits, where it asks for moments
    f32 log_mass;   ///< log Σ exp(logit - maximum), in nats, where it asks for softmax statistics
    f32 entropy;    ///< -Σ p log p, in nats, where softmax_parts has distances
};

/// What the device does for a stage, if anything.
enum class device_form : std::uint8_t {
    none,    ///< it has no form for it
    edit,    ///< changes the logits of a few ids
    mask,    ///< packed words
    map,     ///< elementwise
    adjust,  ///< elementwise once the softmax statistics are known
    remove,  ///< what reaches a cut, but the last in rank
    narrow,  ///< by rank, cut or mass
    select,  ///< chooses the token
};

/// A stage as a kernel sees it. Made by device_stage_of.
struct device_stage {
    const char* name = "";
    facts fact{};
    device_form form = device_form::none;
    /// How many floats of the row's request the functions below read.
    std::uint8_t parameters = 0;

    f32 (*map)(const f32& logit, const f32* parameters) noexcept = nullptr;
    /// A map that waits for the softmax statistics of all tokens.
    f32 (*adjust)(const f32& logit, const row_measures& of_all, const f32* parameters) noexcept = nullptr;
    f32 (*cut)(const row_measures& of_all, const f32* parameters) noexcept = nullptr;
    /// Of those that keep the least scores first: of a token's distance under the maximum and the mean of all
    /// distances.
    i32 (*score)(const i32& distance, const i32& mean) noexcept = nullptr;
};

namespace detail {

template <std::size_t N>
constexpr std::array<f32, N> parameters_in(const f32* parameters) noexcept {
    std::array<f32, N> p;
    for (std::size_t i = 0; i < N; ++i) p[i] = parameters[i];
    return p;
}

template <class S>
inline constexpr std::size_t map_parameters = riffle::detail::parameter_count<S>;
template <class S>
    requires riffle::detail::maps_plainly<S, f32>
inline constexpr std::size_t map_parameters<S> = 0;
template <class S>
inline constexpr std::size_t cut_parameters = 0;
template <class S>
    requires requires(const S& s) { s.cut_parameters(); }
inline constexpr std::size_t cut_parameters<S> = std::tuple_size_v<decltype(std::declval<const S&>().cut_parameters())>;
template <class S>
inline constexpr std::size_t softmax_parameters = 0;
template <class S>
    requires requires(const S& s) { s.softmax_parameters(); }
inline constexpr std::size_t softmax_parameters<S> =
    std::tuple_size_v<decltype(std::declval<const S&>().softmax_parameters())>;

/// The shapes a cut may have: of the maximum alone, with the deviation, of the softmax statistics.
template <class S>
concept cuts_by_maximum = requires(const f32& v, const std::array<f32, cut_parameters<S>>& p) { S::cut(v, p); };
template <class S>
concept cuts_by_deviation = requires(const f32& v, const std::array<f32, cut_parameters<S>>& p) { S::cut(v, v, p); };
template <class S>
concept cuts_by_softmax =
    requires(const softmax_values<f32>& l, const std::array<f32, cut_parameters<S>>& p) { S::cut(l, p); };
template <class S>
concept adjusts_by_softmax = requires(const S& s, const softmax_values<f32>& l,
                                      const std::array<f32, softmax_parameters<S>>& p) { S::parameters(l, p); };

constexpr softmax_values<f32> softmax_in(const row_measures& m) noexcept { return {m.maximum, m.log_mass, m.entropy}; }

template <class S>
constexpr f32 map_on_device(const f32& logit, [[maybe_unused]] const f32* parameters) noexcept {
    if constexpr (riffle::detail::maps_plainly<S, f32>) return S::map(logit);
    else return S::map(logit, parameters_in<riffle::detail::parameter_count<S>>(parameters));
}
template <class S>
constexpr f32 adjust_on_device(const f32& logit, const row_measures& of_all, const f32* parameters) noexcept {
    return S::map(logit, S::parameters(softmax_in(of_all), parameters_in<softmax_parameters<S>>(parameters)));
}
template <class S>
constexpr f32 cut_on_device(const row_measures& of_all, const f32* parameters) noexcept {
    const auto p = parameters_in<cut_parameters<S>>(parameters);
    if constexpr (cuts_by_softmax<S>) return S::cut(softmax_in(of_all), p);
    else if constexpr (cuts_by_deviation<S>) return S::cut(of_all.maximum, of_all.deviation, p);
    else return S::cut(of_all.maximum, p);
}

}  // namespace detail

/// What a device does for stages of this type.
template <class S>
constexpr device_stage make_device_stage() noexcept {
    device_stage d;
    d.fact = facts_of<S>();
    if constexpr (requires { S::name; }) d.name = S::name;
    else d.name = "stage";
    constexpr facts f = facts_of<S>();
    constexpr bool cuts = detail::cuts_by_maximum<S> || detail::cuts_by_deviation<S> || detail::cuts_by_softmax<S>;
    if constexpr (f.edits) {
        d.form = device_form::edit;
    } else if constexpr (f.adjusts && detail::adjusts_by_softmax<S>) {
        d.form = device_form::adjust;
        d.parameters = detail::softmax_parameters<S>;
        d.adjust = detail::adjust_on_device<S>;
    } else if constexpr (f.adjusts && detail::cuts_by_softmax<S>) {
        d.form = device_form::remove;
        d.parameters = detail::cut_parameters<S>;
        d.cut = detail::cut_on_device<S>;
    } else if constexpr (f.adjusts) {  // in a way that only the processor knows
    } else if constexpr (f.maps) {
        if constexpr (detail::map_parameters<S> <= most_parameters) {
            d.form = device_form::map;
            d.parameters = detail::map_parameters<S>;
            d.map = detail::map_on_device<S>;
        }
    } else if constexpr (f.narrows == narrowing::legal) {
        d.form = device_form::mask;
    } else if constexpr (f.narrows == narrowing::rank ||
                         (f.narrows == narrowing::mass && requires(const S& s) { s.share(); })) {
        d.form = device_form::narrow;
    } else if constexpr (f.narrows == narrowing::searched && requires(const i32& i) { S::score(i, i); }) {
        d.form = device_form::narrow;
        d.score = S::score;
    } else if constexpr (f.narrows != narrowing::no && f.selects == selecting::no && cuts) {
        d.form = device_form::narrow;
        d.parameters = detail::cut_parameters<S>;
        d.cut = detail::cut_on_device<S>;
    } else if constexpr (f.narrows == narrowing::no &&
                         (f.selects == selecting::greatest || f.selects == selecting::by_mass ||
                          f.selects == selecting::by_noise)) {
        d.form = device_form::select;
        if constexpr (f.selects == selecting::by_noise) d.parameters = noise_parameters;
    }
    return d;
}
template <class S>
RIFFLE_LOCAL inline constexpr device_stage device_stage_of = make_device_stage<S>();

}  // namespace riffle::gpu
