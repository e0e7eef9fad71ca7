#pragma once
#include <cstdint>

#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI {

/// The samplers that settings can name.
enum class sampler_kind : std::uint8_t {
    none,  ///< no sampler: nothing is built for it
    dry,
    top_k,
    typical,
    top_p,
    min_p,
    temperature,
    xtc,
    infill,
    penalties,
    top_n_sigma,
    adaptive_p,
    // riffle's own from here on
    top_a,
    tail_free,
    epsilon_cutoff,
    eta_cutoff,
    p_less,
    top_h,
    min_k,
    quadratic,
    soft_cap,
    no_repeat_ngram,
    greedy,
    dist,
    gumbel,
};

/// llama.cpp's default sequence (0.7.0, common/common.h).
RIFFLE_LOCAL inline constexpr sampler_kind default_samplers[] = {
    sampler_kind::penalties, sampler_kind::dry,     sampler_kind::top_n_sigma,
    sampler_kind::top_k,     sampler_kind::typical, sampler_kind::top_p,
    sampler_kind::min_p,     sampler_kind::xtc,     sampler_kind::temperature,
};

}  // namespace riffle
