#pragma once
#include <riffle/settings/dialects/dialect_key.hpp>

// Ollama's PARAMETER lines of a Modelfile, and the `options` of its requests (ollama/ollama: docs/modelfile.mdx,
// api/types.go, llm/llama_server.go).

namespace riffle::inline RIFFLE_ABI::detail::ollama {

using m = key_meaning;

RIFFLE_LOCAL inline constexpr dialect_key keys[] = {
    {{"temperature"}, m::value, "temp", "default 0.8; 0 takes the likeliest"},
    {{"top_k"}, m::value, "top_k", "default 40; 0 is off"},
    {{"top_p"}, m::value, "top_p", "default 0.9"},
    {{"min_p"}, m::value, "min_p", "0 is off"},
    {{"typical_p"}, m::value, "typ_p", "1 is off"},
    {{"repeat_last_n"}, m::value, "penalty_last_n", "default 64; 0 is off, -1 all of the context"},
    {{"repeat_penalty"}, m::value, "penalty_repeat", "default 1, and 1.1 before August 2026"},
    {{"presence_penalty"}, m::value, "penalty_present", "0 is off"},
    {{"frequency_penalty"}, m::value, "penalty_freq", "0 is off"},
    {{"mirostat"}, m::value, "mirostat", "0, 1 or 2"},
    {{"mirostat_tau"}, m::value, "mirostat_tau", "default 5"},
    {{"mirostat_eta"}, m::value, "mirostat_eta", "default 0.1"},
    {{"seed"}, m::seed, "seed", "-1 draws one"},
    {{"tfs_z"}, m::missing, nullptr, "Ollama does not look at it any more; riffle's setting is tail_free", "1"},
    {{"penalize_newline"}, m::elsewhere, nullptr, "name the newline in penalties.exempt", "true"},
    {{"format"}, m::schema, nullptr, "json, or a JSON schema"},
    {{"logprobs", "top_logprobs"}, m::elsewhere, nullptr, "ask the chain for probabilities, by logprobs()", "false"},
    {{"stop", "num_predict", "num_keep", "num_ctx", "num_batch"}, m::server},
    {{"num_gpu", "main_gpu", "num_thread", "low_vram", "f16_kv"}, m::server},
    {{"vocab_only", "use_mmap", "use_mlock", "numa", "logits_all"}, m::server},
    {{"embedding_only", "num_gqa", "rope_frequency_base", "rope_frequency_scale", "draft_num_predict"}, m::server},
};

using enum sampler_kind;
RIFFLE_LOCAL inline constexpr sampler_kind order[] = {penalties, top_k, typical, top_p, min_p, temperature};

inline sampling_parameters defaults() {
    sampling_parameters p = own_samplers_off();
    p.top_p = 0.9f;
    p.min_p = 0.0f;
    return p;
}

RIFFLE_LOCAL inline constexpr dialect_table table{keys, order, true, defaults};

}  // namespace riffle::detail::ollama
