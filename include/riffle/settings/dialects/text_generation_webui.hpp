#pragma once
#include <riffle/settings/dialects/dialect_key.hpp>

// Presets of text-generation-webui (oobabooga: modules/presets.py, sampler_hijack.py, docs "Parameters Tab") and of
// SillyTavern (its textgen presets: public/scripts/textgen-settings.js), which spells some keys in another way.

namespace riffle::inline RIFFLE_ABI::detail::text_generation_webui {

using m = key_meaning;

RIFFLE_LOCAL inline constexpr dialect_key keys[] = {
    {{"temperature", "temp"}, m::value, "temp", "default 1; 0 takes the likeliest"},
    {{"dynamic_temperature", "dynatemp"}, m::dynamic_t, nullptr, "false by default: then the two ends mean nothing"},
    {{"dynatemp_low", "min_temp"}, m::lowest_t, nullptr, "of a temperature that follows the entropy"},
    {{"dynatemp_high", "max_temp"}, m::highest_t, nullptr, "of a temperature that follows the entropy"},
    {{"dynatemp_exponent"}, m::value, "dynatemp_exponent", "default 1"},
    {{"smoothing_factor"}, m::value, "quadratic", "0 is off"},
    {{"smoothing_curve"}, m::value, "smoothing_curve", "default 1"},
    {{"top_p"}, m::value, "top_p", "1 is off"},
    {{"min_p"}, m::value, "min_p", "0 is off"},
    {{"top_k"}, m::value, "top_k", "0 is off"},
    {{"typical_p", "typical"}, m::value, "typ_p", "1 is off"},
    {{"xtc_threshold"}, m::value, "xtc_threshold", "default 0.1"},
    {{"xtc_probability"}, m::value, "xtc_probability", "0 is off"},
    {{"epsilon_cutoff"}, m::ten_thousandths, "epsilon_cutoff", "in units of 1e-4: 3 is 0.0003; 0 is off"},
    {{"eta_cutoff"}, m::ten_thousandths, "eta_cutoff", "in units of 1e-4; 0 is off"},
    {{"tfs"}, m::value, "tail_free", "1 is off; there it keeps one token more (tail_free.centred)"},
    {{"top_a"}, m::value, "top_a", "0 is off"},
    {{"top_n_sigma", "nsigma"}, m::value, "top_n_sigma", "0 is off"},
    {{"adaptive_target"}, m::above_0, "adaptive_target", "0 and below are off"},
    {{"adaptive_decay"}, m::value, "adaptive_decay", "default 0.9"},
    {{"dry_multiplier"}, m::value, "dry_multiplier", "0 is off"},
    {{"dry_base"}, m::value, "dry_base", "default 1.75"},
    {{"dry_allowed_length"}, m::value, "dry_allowed_length", "default 2"},
    {{"dry_penalty_last_n"}, m::window, "dry_penalty_last_n", "0 is all; without it repetition_penalty_range holds"},
    {{"dry_sequence_breakers"}, m::breakers, nullptr, "a text that holds a JSON list, with its brackets or without"},
    {{"repetition_penalty", "rep_pen"}, m::value, "penalty_repeat", "1 is off"},
    {{"repetition_penalty_range", "rep_pen_range"}, m::window, "penalty_last_n", "default 1024; 0 is all"},
    {{"frequency_penalty", "freq_pen"}, m::value, "penalty_freq", "0 is off"},
    {{"presence_penalty", "presence_pen", "additive_repetition_penalty"}, m::value, "penalty_present", "0 is off"},
    {{"no_repeat_ngram_size"}, m::value, "no_repeat_ngram", "0 is off"},
    {{"mirostat_mode", "mirostat"}, m::value, "mirostat", "0, 1 or 2"},
    {{"mirostat_tau"}, m::value, "mirostat_tau", "default 5"},
    {{"mirostat_eta"}, m::value, "mirostat_eta", "default 0.1"},
    {{"do_sample"}, m::draws, nullptr, "true by default; false takes the likeliest, behind all others"},
    {{"temperature_last"}, m::last_t, nullptr, "temperature and smoothing come behind all others"},
    {{"sampler_priority"}, m::order, nullptr, "names, a line each, or a list; what is not named comes first"},
    {{"seed"}, m::seed, "seed", "below 0 draws one"},
    {{"min_keep"}, m::value, "min_keep", "tokens that each cut leaves"},
    {{"ban_eos_token", "ignore_eos_token", "ignore_eos"}, m::yes, "ignore_eos", "false by default"},
    {{"custom_token_bans"}, m::bans, nullptr, "ids with commas between them"},
    {{"grammar_string", "grammar"}, m::gbnf, nullptr, "GBNF"},
    {{"encoder_repetition_penalty", "encoder_rep_pen"},
     m::elsewhere,
     nullptr,
     "push the stage encoder_repetition, which needs the prompt's tokens",
     "1"},
    {{"skew"}, m::elsewhere, nullptr, "push the stage skew in place of dist", "0"},
    {{"min_length", "min_tokens"}, m::elsewhere, nullptr, "push the stage min_tokens, which needs the ends", "0"},
    {{"banned_tokens", "global_banned_tokens"}, m::elsewhere, nullptr, "push the stages logit_bias and phrase_ban", ""},
    {{"logit_bias"}, m::elsewhere, nullptr, "its texts need a tokeniser: push the stage logit_bias", "[]"},
    {{"json_schema"}, m::schema, nullptr, "a JSON schema", "{}"},
    {{"guidance_scale"}, m::elsewhere, nullptr, "classifier_free_guidance mixes the two rows ahead of the chain", "1"},
    {{"rep_pen_slope"}, m::missing, nullptr, "riffle penalises the whole window alike", "1"},
    {{"rep_pen_decay"}, m::missing, nullptr, "riffle's penalties end with their window", "0"},
    {{"penalty_alpha"}, m::missing, nullptr, "contrastive search needs the model's hidden states", "0"},
    {{"num_beams"}, m::missing, nullptr, "a beam search is no chain of samplers", "1"},
    {{"length_penalty"}, m::missing, nullptr, "of a beam search; riffle's stage of that name is another thing", "1"},
    {{"samplers", "sampler_order", "samplers_priorities"},
     m::server,
     nullptr,
     "SillyTavern's orders for other back ends"},
    {{"negative_prompt", "early_stopping", "rep_pen_size", "add_bos_token", "skip_special_tokens"}, m::server},
    {{"max_new_tokens", "genamt", "max_length", "max_tokens", "truncation_length"}, m::server},
    {{"auto_max_new_tokens", "max_tokens_second", "custom_stopping_strings", "stop", "stopping_strings"}, m::server},
    {{"prompt_lookup_num_tokens", "static_cache", "enable_thinking", "reasoning_effort", "streaming"}, m::server},
    {{"spaces_between_special_tokens", "include_reasoning", "speculative_ngram", "n", "prompt"}, m::server},
    {{"send_banned_tokens", "type", "legacy_api", "bypass_status_check", "name"}, m::server},
};

using enum sampler_kind;
RIFFLE_LOCAL inline constexpr sampler_kind order[] = {
    penalties,      dry,        top_n_sigma, temperature, quadratic, top_k, top_p,           typical,
    epsilon_cutoff, eta_cutoff, tail_free,   top_a,       min_p,     xtc,   no_repeat_ngram,
};

inline sampling_parameters defaults() {
    sampling_parameters p = own_samplers_off();
    p.temp = 1.0f;
    p.top_k = 0;
    p.top_p = 1.0f;
    p.min_p = 0.0f;
    p.penalty_last_n = 1024;
    p.dry_penalty_last_n = 0;  // that of the penalties, where nothing else is said
    return p;
}

RIFFLE_LOCAL inline constexpr dialect_table table{keys, order, false, defaults};

}  // namespace riffle::detail::text_generation_webui
