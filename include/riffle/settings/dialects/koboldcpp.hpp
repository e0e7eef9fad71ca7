#pragma once
#include <riffle/settings/dialects/dialect_key.hpp>

// KoboldCpp's /api/v1/generate (LostRuins/koboldcpp: koboldcpp.py, gpttype_adapter.cpp, its API documentation).

namespace riffle::inline RIFFLE_ABI::detail::koboldcpp {

using m = key_meaning;

RIFFLE_LOCAL inline constexpr dialect_key keys[] = {
    {{"rep_pen", "repeat_penalty", "repetition_penalty"}, m::value, "penalty_repeat", "1 and more; 1 is off"},
    {{"rep_pen_range"}, m::window_of_one, "penalty_last_n", "default 320; below 1 it is the last token alone"},
    {{"presence_penalty"}, m::value, "penalty_present", "in the window of rep_pen"},
    {{"temperature", "temp"}, m::value, "temp", "default 0.7; 0 or below takes the likeliest"},
    {{"dynatemp_range"}, m::value, "dynatemp_range", "both ways; 0 is off"},
    {{"dynatemp_exponent"}, m::value, "dynatemp_exponent", "default 1"},
    {{"smoothing_factor"}, m::value, "quadratic", "right behind the temperature; 0 is off"},
    {{"smoothing_curve"}, m::value, "smoothing_curve", "default 1"},
    {{"nsigma", "top_n_sigma"}, m::value, "top_n_sigma", "behind temperature and smoothing; 0 or below is off"},
    {{"top_k"}, m::value, "top_k", "default 100; below 1 is off"},
    {{"top_p"}, m::value, "top_p", "default 0.9; 1 is off"},
    {{"min_p"}, m::value, "min_p", "right behind top_p; 0 is off"},
    {{"top_a"}, m::value, "top_a", "0 is off"},
    {{"typical", "typical_p"}, m::value, "typ_p", "1 is off"},
    {{"tfs"}, m::value, "tail_free", "1 is off"},
    {{"sampler_order"},
     m::numbered_order,
     nullptr,
     "0 top_k, 1 top_a, 2 top_p, 3 tfs, 4 typical, 5 temperature, 6 rep_pen"},
    {{"sampler_seed", "seed"}, m::seed_above_0, "seed", "0 and below draw one"},
    {{"mirostat", "mirostat_mode"}, m::value, "mirostat", "0, 1 or 2"},
    {{"mirostat_tau"}, m::value, "mirostat_tau", "default 5"},
    {{"mirostat_eta"}, m::value, "mirostat_eta", "default 0.1"},
    {{"dry_multiplier"}, m::value, "dry_multiplier", "0 is off; ahead of all others"},
    {{"dry_base"}, m::value, "dry_base", "default 1.75"},
    {{"dry_allowed_length"}, m::value, "dry_allowed_length", "default 2"},
    {{"dry_penalty_last_n"}, m::window, "dry_penalty_last_n", "default 320; 0 and below are all of the text"},
    {{"dry_sequence_breakers"}, m::breakers, nullptr, "none by default"},
    {{"xtc_threshold"}, m::value, "xtc_threshold", "default 0.2"},
    {{"xtc_probability"}, m::value, "xtc_probability", "behind all others; 0 is off"},
    {{"adaptive_target"}, m::above_0, "adaptive_target", "0 and below are off"},
    {{"adaptive_decay"}, m::value, "adaptive_decay", "default 0.9"},
    {{"logit_bias"}, m::biases, nullptr, "an object of ids; -100 to 100"},
    {{"custom_token_bans"}, m::bans, nullptr, "ids with commas between them; there a bias of -100"},
    {{"ban_eos_token", "use_default_badwordsids"}, m::yes, "ignore_eos", "false by default"},
    {{"grammar"}, m::gbnf, nullptr, "GBNF"},
    {{"banned_tokens", "banned_strings"},
     m::elsewhere,
     nullptr,
     "push the stage phrase_ban, which needs the vocabulary",
     "[]"},
    {{"logprobs"}, m::elsewhere, nullptr, "ask the chain for probabilities, by logprobs()", "false"},
    {{"rep_pen_slope"}, m::missing, nullptr, "riffle penalises the whole window alike", "1"},
    {{"frequency_penalty"}, m::missing, nullptr, "KoboldCpp does not look at it either", "0"},
    {{"guidance_scale"}, m::elsewhere, nullptr, "classifier_free_guidance mixes the two rows ahead of the chain", "1"},
    {{"negative_prompt"}, m::server, nullptr, "of guidance_scale"},
    {{"prompt", "memory", "images", "audio", "genkey"}, m::server},
    {{"max_length", "max_tokens", "max_completion_tokens", "n_predict", "max_context_length"}, m::server},
    {{"stop_sequence", "stop", "trim_stop", "render_special", "bypass_eos"}, m::server},
    {{"stream", "quiet", "n", "grammar_retain_state", "reasoning_effort"}, m::server},
    {{"thinking_budget_tokens", "replace_instruct_placeholders", "singleline"}, m::server},
    {{"frmttriminc", "frmtrmblln", "frmtrmspch", "frmtadsnsp"}, m::server},
};

using enum sampler_kind;
/// DRY ahead of sampler_order, XTC behind it.
RIFFLE_LOCAL inline constexpr sampler_kind order[] = {
    dry, penalties, top_k, top_a, tail_free, typical, top_p, min_p, temperature, quadratic, top_n_sigma, xtc,
};

inline sampling_parameters defaults() {
    sampling_parameters p = own_samplers_off();
    p.temp = 0.7f;
    p.top_k = 100;
    p.top_p = 0.9f;
    p.min_p = 0.0f;
    p.penalty_last_n = 320;
    p.dry_penalty_last_n = 320;
    p.dry_breakers.clear();
    p.xtc_threshold = 0.2f;
    return p;
}

RIFFLE_LOCAL inline constexpr dialect_table table{keys, order, true, defaults};

}  // namespace riffle::detail::koboldcpp
