#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include <riffle/core/draws.hpp>
#include <riffle/gpu/host/device_stage.hpp>
#include <riffle/gpu/host/row_layout.hpp>
#include <riffle/math/ordered.hpp>

namespace riffle::inline RIFFLE_ABI::gpu {

namespace detail {

constexpr std::uint32_t saturated(std::size_t value) noexcept {
    return value < 0xffffffffu ? std::uint32_t(value) : 0xffffffffu;
}
template <std::size_t N>
void write_floats(const std::array<float, N>& values, std::uint32_t* words) noexcept {
    for (std::size_t i = 0; i < N; ++i) words[i] = std::bit_cast<std::uint32_t>(values[i]);
}
inline void write_pair(std::uint64_t value, std::uint32_t* words) noexcept {
    words[0] = std::uint32_t(value);
    words[1] = std::uint32_t(value >> 32);
}

}  // namespace detail

/// A stage's words of a request (stage_word), from its present parameters and its random numbers of this step; not
/// those of a mask, which depend on where its words lie.
template <class S>
void write_stage_request(const S& stage, const draws& random, std::uint32_t* words) noexcept {
    constexpr device_stage d = device_stage_of<S>;
    std::uint32_t* const parameters = words + stage_word::parameters;
    words[stage_word::active] = 1;
    words[stage_word::least] = words[stage_word::low] = words[stage_word::high] = 0;
    if constexpr (d.form == device_form::map) {
        if constexpr (d.fact.narrows != narrowing::no)
            if (stage.narrows_now()) words[stage_word::active] = 2;
        if constexpr (d.parameters > 0) {
            auto values = stage.parameters();
            for (float& value : values) value = flushed(value);
            detail::write_floats(values, parameters);
        }
    } else if constexpr (d.form == device_form::adjust) {
        words[stage_word::active] = stage.adjusts_now();
        detail::write_floats(stage.softmax_parameters(), parameters);
    } else if constexpr (d.form == device_form::remove) {
        words[stage_word::active] = stage.adjusts_now(random);
        words[stage_word::least] = detail::saturated(stage.min_keep);
        detail::write_floats(stage.cut_parameters(), parameters);
    } else if constexpr (d.form == device_form::narrow) {
        words[stage_word::active] = stage.narrows_now();
        if constexpr (d.fact.narrows == narrowing::rank) {
            words[stage_word::least] = detail::saturated(stage.rank());
        } else {
            words[stage_word::least] = 1;
            if constexpr (requires { stage.keeps_at_least(); })
                words[stage_word::least] = detail::saturated(stage.keeps_at_least());
            if constexpr (requires { stage.share(); }) detail::write_pair(stage.share(), words + stage_word::low);
            else detail::write_floats(stage.cut_parameters(), parameters);
        }
    } else if constexpr (d.fact.selects == selecting::by_mass) {
        detail::write_pair(random.bits(), words + stage_word::low);
    } else if constexpr (d.fact.selects == selecting::by_noise) {
        const auto counter = random.counter(0);
        std::copy(counter.begin() + 1, counter.end(), parameters);
        detail::write_pair(random.seed(), parameters + 3);
    }
}

}  // namespace riffle::gpu
