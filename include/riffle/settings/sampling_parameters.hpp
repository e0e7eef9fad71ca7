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
    std::uint64_t seed = 0;                ///< of all random numbers; 0 is a seed like any other
    std::int32_t min_keep = 0;             ///< tokens left at least by cuts that have a min_keep; below 0 is 0
    std::int32_t top_k = 40;               ///< logits kept, the greatest; 0 or below is off
    float top_p = 0.95f;                   ///< mass kept of the likeliest tokens; 1 or more is off
    float min_p = 0.05f;                   ///< least probability kept, as a share of the greatest; 0 or below is off
    float typ_p = 1.0f;                    ///< mass kept, nearest in surprise to the entropy; 1 or more is off
    float top_n_sigma = -1.0f;             ///< deviations under the greatest logit that are kept; 0 or below is off
    float xtc_probability = 0.0f;          ///< of leaving out top choices in a step; 0 or below is off
    float xtc_threshold = 0.1f;            ///< probability from which a token is a top choice; above 0.5 is off
    float temp = 0.8f;                     ///< divides logits; 1 is off, 0 or below keeps the greatest one
    float dynatemp_range = 0.0f;           ///< how far temp goes up and down with the entropy; 0 or below is off
    float dynatemp_exponent = 1.0f;        ///< of the entropy's share of the greatest there can be; usual 1
    std::int32_t penalty_last_n = 64;      ///< tokens that penalties look back at; 0 is off, -1 is all
    float penalty_repeat = 1.0f;           ///< divides positive logits of those tokens, multiplies others; 1 is off
    float penalty_freq = 0.0f;             ///< subtracted once for each time a token was there; 0 is off
    float penalty_present = 0.0f;          ///< subtracted if a token was there; 0 is off
    float dry_multiplier = 0.0f;           ///< of dry's penalty; 0 turns dry off
    float dry_base = 1.75f;                ///< growth of that penalty with each token repeated; below 1 turns dry off
    std::int32_t dry_allowed_length = 2;   ///< repetitions below this length cost nothing
    std::int32_t dry_penalty_last_n = 64;  ///< tokens that dry looks back at; 0 turns it off, -1 is all
    float adaptive_target = -1.0f;         ///< probability adaptive_p aims at, 0 to 1; below 0 it draws as dist does
    float adaptive_decay = 0.9f;           ///< what its average keeps of earlier tokens with each new one; 0 to 0.99
    std::int32_t mirostat = 0;             ///< 1 or 2: temperature and that version, and no other sampler; 0 is off
    float mirostat_tau = 5.0f;             ///< surprise that mirostat aims at, in bits
    float mirostat_eta = 0.1f;             ///< how fast mirostat follows
    std::int32_t n_vocab = 0;              ///< tokens of the vocabulary; for mirostat 1, where build is given none
    std::int32_t ignore_eos = 0;           ///< 1 bans the tokens that end generation; build needs a vocabulary then
    // riffle's own
    float top_a = 0.2f;                ///< least probability kept: this times the greatest squared; 0 or below is off
    float tail_free = 0.95f;           ///< share of the bends ahead of the cut; 1 or more is off
    float epsilon_cutoff = 3e-4f;      ///< least probability kept; 0 or below is off
    float eta_cutoff = 3e-4f;          ///< least probability kept, lower where the entropy is high; 0 or below is off
    float top_h = 0.4f;                ///< share of the entropy that is kept; above 1 is off
    float min_k = 3.0f;                ///< in logits: min_k / range tokens stay at least; 0 is no minimum
    float quadratic = 0.3f;            ///< bends logits by their squared distance from the greatest; 0 or below is off
    float smoothing_curve = 1.0f;      ///< of quadratic: above 1 steeper far from the greatest; 1 is the square alone
    float soft_cap = 30.0f;            ///< no logit gets further from 0; 0 or below is off
    std::int32_t no_repeat_ngram = 3;  ///< tokens of a sequence that may not come twice; 0 or below is off

    std::vector<logit_bias_entry> biases;  ///< in the order in which they were read
    std::vector<token_id> suppressed;      ///< banned, as a model's suppress_tokens
    /// Build needs a vocabulary for them where dry is on.
    std::vector<std::string> dry_breakers{"\n", ":", "\"", "*"};
    token_sequences dry_breaker_tokens;   ///< in place of the strings; no text sets them
    std::string grammar;                  ///< that the text keeps to (GBNF); empty: it may be anything
    std::string json_schema;              ///< of the document that the text is; empty: it may be anything
    bool first_space_is_dropped = false;  ///< of a piece, when strings are looked for: see dry_breakers
    /// In order, a selector wherever it stands; none = the selector alone. A list set by hand gives way to the first
    /// sampler that a text mentions.
    std::vector<sampler_kind> samplers{std::begin(default_samplers), std::end(default_samplers)};
};

}  // namespace riffle
