#pragma once
#include <riffle/settings/dialects/dialect_key.hpp>

// Requests to OpenAI's chat completions and completions (openai-python: the types of their parameters), with the fields
// that vLLM adds (vllm/sampling_params.py) and in the order in which vLLM applies them (vllm/v1/sample/sampler.py):
// OpenAI has published none.

namespace riffle::inline RIFFLE_ABI::detail::openai {

using m = key_meaning;

RIFFLE_LOCAL inline constexpr dialect_key keys[] = {
    {{"temperature"}, m::value, "temp", "0 to 2, default 1; 0 takes the likeliest"},
    {{"top_p"}, m::value, "top_p", "default 1"},
    {{"frequency_penalty"}, m::value, "penalty_freq", "-2 to 2; of the answer alone: give the chain no prompt"},
    {{"presence_penalty"}, m::value, "penalty_present", "-2 to 2; of the answer alone"},
    {{"logit_bias"}, m::biases, nullptr, "an object of ids; -100 to 100"},
    {{"seed"}, m::seed, "seed", "-1 draws one"},
    {{"top_k"}, m::value, "top_k", "0 and -1 are off"},
    {{"min_p"}, m::value, "min_p", "0 is off"},
    {{"repetition_penalty"}, m::value, "penalty_repeat", "of prompt and answer, all of them; 1 is off"},
    {{"logprobs", "top_logprobs", "prompt_logprobs"},
     m::elsewhere,
     nullptr,
     "ask the chain for probabilities, by logprobs()",
     "false"},
    {{"min_tokens"}, m::elsewhere, nullptr, "push the stage min_tokens, which needs the ends", "0"},
    {{"allowed_token_ids"}, m::elsewhere, nullptr, "push the stage allowed_tokens", "[]"},
    {{"bad_words"}, m::elsewhere, nullptr, "push the stage banned_sequences, which needs a tokeniser", "[]"},
    {{"guided_json"}, m::schema, nullptr, "a JSON schema"},
    {{"guided_grammar"}, m::gbnf, nullptr, "GBNF; Lark is refused when the chain is built"},
    {{"response_format"}, m::format, nullptr, "{\"type\": \"json_object\"} or json_schema, with a schema"},
    {{"structured_outputs"}, m::structured, nullptr, "json, json_object or grammar"},
    {{"tools", "tool_choice"},
     m::elsewhere,
     nullptr,
     "a grammar of it keeps a chain to it: constrain",
     "{}"},
    {{"guided_regex", "guided_choice", "guided_decoding_backend", "guided_whitespace_pattern"},
     m::elsewhere,
     nullptr,
     "a grammar of it keeps a chain to it: constrain",
     ""},
    {{"use_beam_search"}, m::missing, nullptr, "a beam search is no chain of samplers", "false"},
    {{"length_penalty"}, m::missing, nullptr, "of a beam search; riffle's stage of that name is another thing", "1"},
    {{"early_stopping"}, m::missing, nullptr, "of a beam search", "false"},
    {{"logits_processors", "vllm_xargs"}, m::missing, nullptr, "code of others: a stage of your own does it", "{}"},
    {{"n", "best_of", "max_tokens", "max_completion_tokens", "stop"}, m::server},
    {{"model", "messages", "prompt", "suffix", "echo"}, m::server},
    {{"stream", "stream_options", "user", "store", "metadata"}, m::server},
    {{"service_tier", "reasoning_effort", "verbosity", "prediction", "modalities"}, m::server},
    {{"audio", "parallel_tool_calls", "web_search_options", "safety_identifier", "prompt_cache_key"}, m::server},
    {{"ignore_eos", "stop_token_ids", "include_stop_str_in_output", "skip_special_tokens",
      "spaces_between_special_tokens"},
     m::server,
     nullptr,
     "vLLM's ignore_eos bans nothing: the text goes on behind its end"},
    {{"detokenize", "truncate_prompt_tokens", "add_generation_prompt", "continue_final_message", "add_special_tokens"},
     m::server},
    {{"documents", "chat_template", "chat_template_kwargs", "priority", "request_id"}, m::server},
    {{"cache_salt", "kv_transfer_params", "return_token_ids", "thinking_token_budget", "repetition_detection"},
     m::server},
};

using enum sampler_kind;
RIFFLE_LOCAL inline constexpr sampler_kind order[] = {penalties, temperature, min_p, top_k, top_p};

inline sampling_parameters defaults() {
    sampling_parameters p = own_samplers_off();
    p.temp = 1.0f;
    p.top_k = 0;
    p.top_p = 1.0f;
    p.min_p = 0.0f;
    p.penalty_last_n = -1;
    return p;
}

RIFFLE_LOCAL inline constexpr dialect_table table{keys, order, true, defaults};

}  // namespace riffle::detail::openai
