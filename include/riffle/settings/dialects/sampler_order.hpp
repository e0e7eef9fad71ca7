#pragma once
// Samplers in an order, as other programs write it.

#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/core/text.hpp>
#include <riffle/settings/reader/option_name.hpp>
#include <riffle/settings/reader/options.hpp>
#include <riffle/settings/sampling_parameters.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// The sampler of a name in llama.cpp's, text-generation-webui's and SillyTavern's orders; none where it names no
/// other.
inline sampler_kind sampler_in_order(const text& name) noexcept {
    struct other {
        const char* name;
        sampler_kind kind;
    };
    // those that are no settings of riffle's
    constexpr other others[] = {
        {"repetition_penalty", sampler_kind::penalties},    {"presence_frequency_penalty", sampler_kind::penalties},
        {"dynamic_temperature", sampler_kind::temperature}, {"quadratic_sampling", sampler_kind::quadratic},
        {"top_nsigma", sampler_kind::top_n_sigma},
    };
    for (const other& each : others)
        if (same_word(name, each.name)) return each.kind;
    const option* const own = option_called(name);
    return own && own->names_sampler ? own->sampler : sampler_kind::none;
}

/// A part of a stage that has another name in the order, or what replaces the chain wherever it stands.
inline bool means_nothing_in_order(const text& name) noexcept {
    for (const char* known : {"presence_penalty", "frequency_penalty", "mirostat", "tfs_z"})
        if (same_word(name, known)) return true;
    return false;
}

/// Puts at the end what a number in KoboldCpp's sampler_order stands for. False where it is none of 0 to 6.
inline bool add_numbered(std::vector<sampler_kind>& order, std::int32_t number) {
    using enum sampler_kind;
    switch (number) {
    case 0: order.push_back(top_k); return true;
    case 1: order.push_back(top_a); return true;
    case 2: order.insert(order.end(), {top_p, min_p}); return true;
    case 3: order.push_back(tail_free); return true;
    case 4: order.push_back(typical); return true;
    case 5: order.insert(order.end(), {temperature, quadratic, top_n_sigma}); return true;
    case 6: order.push_back(penalties); return true;
    default: return false;
    }
}

inline bool is_in_order(const std::vector<sampler_kind>& order, sampler_kind kind) noexcept {
    for (const sampler_kind each : order)
        if (each == kind) return true;
    return false;
}

/// The first of that kind, if there is one.
inline void move_to_end(std::vector<sampler_kind>& order, sampler_kind kind) {
    for (std::size_t i = 0; i < order.size(); ++i)
        if (order[i] == kind) {
            order.erase(order.begin() + std::ptrdiff_t(i));
            order.push_back(kind);
            return;
        }
}

}  // namespace riffle::detail
