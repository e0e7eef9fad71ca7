#pragma once
#include <riffle/settings/dialects/dialect_key.hpp>

// Bodies of requests to llama-server, and what is on llama.cpp's command lines and in its preset files, key by key
// (ggml-org/llama.cpp: tools/server/README.md, server-schema.cpp, common/arg.cpp). Keys that are not here are those of
// settings/reader/options.hpp: riffle's settings have llama.cpp's names.

namespace riffle::inline RIFFLE_ABI::detail::llama_server {

using m = key_meaning;

RIFFLE_LOCAL inline constexpr dialect_key keys[] = {
    {{"samplers"}, m::order, nullptr, "a list of names, or a text of letters; what is not named is left out"},
    {{"dry_sequence_breaker", "dry_sequence_breakers"}, m::breakers, nullptr, "a list of texts"},
    {{"logit_bias"}, m::biases, nullptr, "[[id, bias], ...] or {\"id\": bias}; false bans; texts need a tokeniser"},
    {{"seed", "s"}, m::seed, "seed", "-1 draws one"},
    {{"ignore_eos"}, m::yes, "ignore_eos", "false by default"},
    {{"grammar"}, m::gbnf, nullptr, "GBNF"},
    {{"json_schema"}, m::schema, nullptr, "a JSON schema"},
    {{"response_format"}, m::format, nullptr, "{\"type\": \"json_object\"} or json_schema, with a schema"},
    {{"penalize_nl"}, m::elsewhere, nullptr, "name the newline in penalties.exempt", "true"},
    {{"n_probs", "post_sampling_probs", "logprobs", "top_logprobs"},
     m::elsewhere,
     nullptr,
     "ask the chain for probabilities, by logprobs()",
     "0"},
    {{"grammar_file", "json_schema_file"},
     m::elsewhere,
     nullptr,
     "a grammar of it keeps a chain to it: constrain",
     "false"},
    {{"grammar_lazy", "grammar_triggers"},
     m::elsewhere,
     nullptr,
     "triggered(matcher, triggers) is a constraint that waits for them",
     "false"},
    {{"reasoning_budget_tokens"},
     m::elsewhere,
     nullptr,
     "budgeted(tags, matcher) keeps thoughts within it",
     "-1"},
    {{"backend_sampling"}, m::elsewhere, nullptr, "attach what llama::make_chain makes to the context", "false"},
    {{"preserved_tokens", "prompt", "messages", "model", "stream"}, m::server},
    {{"n_predict", "max_tokens", "max_completion_tokens", "n_keep", "n_discard"}, m::server},
    {{"n_indent", "n_cmpl", "n", "n_cache_reuse", "t_max_predict_ms"}, m::server},
    {{"stop", "cache_prompt", "id_slot", "return_tokens", "return_progress"}, m::server},
    {{"timings_per_token", "response_fields", "lora", "chat_template_kwargs", "parse_tool_calls"}, m::server},
    {{"tools", "tool_choice", "stream_options", "reasoning_format"}, m::server},
};

inline sampling_parameters defaults() { return own_samplers_off(); }

RIFFLE_LOCAL inline constexpr dialect_table table{keys, default_samplers, true, defaults};

}  // namespace riffle::detail::llama_server
