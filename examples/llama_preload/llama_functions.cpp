// llama.cpp's functions that this library calls itself. It is linked with no libllama, and a process that loads it may
// have none, or one that it alone looks functions up in: so each is found when it is called.

#include <cstdint>
#include <llama.h>

#include "llama_library.hpp"

#define RIFFLE_FORWARDED(result, name, parameters, arguments) \
    result name parameters { return RIFFLE_THEIRS(name) arguments; }

extern "C" {

RIFFLE_FORWARDED(llama_sampler*, llama_sampler_init, (llama_sampler_i * functions, llama_sampler_context_t state),
                 (functions, state))
RIFFLE_FORWARDED(const char*, llama_sampler_name, (const llama_sampler* s), (s))
RIFFLE_FORWARDED(void, llama_sampler_accept, (llama_sampler * s, llama_token token), (s, token))
RIFFLE_FORWARDED(void, llama_sampler_apply, (llama_sampler * s, llama_token_data_array* array), (s, array))
RIFFLE_FORWARDED(void, llama_sampler_reset, (llama_sampler * s), (s))
RIFFLE_FORWARDED(llama_sampler*, llama_sampler_clone, (const llama_sampler* s), (s))
RIFFLE_FORWARDED(void, llama_sampler_free, (llama_sampler * s), (s))

RIFFLE_FORWARDED(const llama_model*, llama_get_model, (const llama_context* context), (context))
RIFFLE_FORWARDED(const llama_vocab*, llama_model_get_vocab, (const llama_model* model), (model))
RIFFLE_FORWARDED(std::int32_t, llama_vocab_n_tokens, (const llama_vocab* vocab), (vocab))
RIFFLE_FORWARDED(float*, llama_get_logits_ith, (llama_context * context, std::int32_t i), (context, i))
RIFFLE_FORWARDED(llama_token, llama_get_sampled_token_ith, (llama_context * context, std::int32_t i), (context, i))
RIFFLE_FORWARDED(float*, llama_get_sampled_probs_ith, (llama_context * context, std::int32_t i), (context, i))
RIFFLE_FORWARDED(float*, llama_get_sampled_logits_ith, (llama_context * context, std::int32_t i), (context, i))
RIFFLE_FORWARDED(std::uint32_t, llama_get_sampled_logits_count_ith, (llama_context * context, std::int32_t i),
                 (context, i))
RIFFLE_FORWARDED(llama_token*, llama_get_sampled_candidates_ith, (llama_context * context, std::int32_t i),
                 (context, i))
RIFFLE_FORWARDED(std::uint32_t, llama_get_sampled_candidates_count_ith, (llama_context * context, std::int32_t i),
                 (context, i))

}  // extern "C"
