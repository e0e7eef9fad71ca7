#pragma once
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include <riffle/core/token.hpp>
#include <riffle/core/token_sequences.hpp>
#include <riffle/samplers/logit_bias.hpp>

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

/// The sampling parameters of llama.cpp with its names and defaults, and the chief ones of those samplers of riffle's
/// that are made of numbers alone. What each of them means, and its other names, are in settings/reader/options.hpp.
struct sampling_parameters {
    // llama.cpp's common parameters
    std::uint64_t seed = 0;
    std::int32_t min_keep = 0;
    std::int32_t top_k = 40;
    float top_p = 0.95f;
    float min_p = 0.05f;
    float typ_p = 1.0f;
    float top_n_sigma = -1.0f;
    float xtc_probability = 0.0f;
    float xtc_threshold = 0.1f;
    float temp = 0.8f;
    float dynatemp_range = 0.0f;
    float dynatemp_exponent = 1.0f;
    std::int32_t penalty_last_n = 64;
    float penalty_repeat = 1.0f;
    float penalty_freq = 0.0f;
    float penalty_present = 0.0f;
    float dry_multiplier = 0.0f;
    float dry_base = 1.75f;
    std::int32_t dry_allowed_length = 2;
    std::int32_t dry_penalty_last_n = 64;
    float adaptive_target = -1.0f;
    float adaptive_decay = 0.9f;
    std::int32_t mirostat = 0;
    float mirostat_tau = 5.0f;
    float mirostat_eta = 0.1f;
    std::int32_t n_vocab = 0;
    std::int32_t ignore_eos = 0;
    // riffle's own
    float top_a = 0.2f;
    float tail_free = 0.95f;
    float epsilon_cutoff = 3e-4f;
    float eta_cutoff = 3e-4f;
    float top_h = 0.4f;
    float min_k = 3.0f;
    float quadratic = 0.3f;
    float smoothing_curve = 1.0f;
    float soft_cap = 30.0f;
    std::int32_t no_repeat_ngram = 3;

    std::vector<logit_bias_entry> biases;  ///< in the order in which they were read
    std::vector<token_id> suppressed;      ///< banned, as a model's suppress_tokens
    /// Build needs a vocabulary for them where dry is on.
    std::vector<std::string> dry_breakers{"\n", ":", "\"", "*"};
    token_sequences dry_breaker_tokens;   ///< in place of the strings; no text sets them
    std::string grammar;                  ///< that the text keeps to (GBNF); empty: it may be anything
    bool first_space_is_dropped = false;  ///< of a piece, when strings are looked for: see dry_breakers
    /// In order, a selector wherever it stands; none = the selector alone. A list set by hand gives way to the first
    /// sampler that a text mentions.
    std::vector<sampler_kind> samplers{std::begin(default_samplers), std::end(default_samplers)};
};

}  // namespace riffle
