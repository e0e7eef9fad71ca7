/* riffle for C programs that use llama.cpp: beside riffle/riffle.h. The functions are in riffle/llama_c_api.hpp, which
 * one C++ file of the program includes in place of riffle/c_api.hpp. */
#pragma once
#include <llama.h>
#include <stddef.h>
#include <stdint.h>

#include <riffle/riffle.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The tokens of a model, with its tokeniser. The model must outlive what is made with it. */
RIFFLE_API riffle_vocabulary* riffle_vocabulary_new_llama(const struct llama_vocab* vocab, riffle_problem* problem);

/* The payload of a token trie as a llama_sampler, for the front of a chain of llama.cpp's (riffle::llama::
 * token_trie_sampler): mode 0 selects the greatest of the legal tokens, 1 leaves that to the chain. NULL where the
 * payload cannot be read or has no leaves: see riffle_llama_last_problem. llama_sampler_free frees it. */
RIFFLE_API struct llama_sampler* riffle_llama_token_trie_sampler(const struct llama_vocab* vocab,
                                                                 const char* payload_json, int32_t mode);
/* Why the last one of this thread is NULL; empty where it is not. Valid until this thread makes another one. */
RIFFLE_API const char* riffle_llama_last_problem(void);
/* The next value is one of that descriptor's. riffle_invalid_parameter where the payload has no such path,
 * riffle_bad_argument for another sampler. */
RIFFLE_API int32_t riffle_llama_token_trie_select(struct llama_sampler* sampler, const char* path);
/* The tokens that must follow, at most `capacity`; `count`: how many. Evaluate them in one batch, and accept them. */
RIFFLE_API int32_t riffle_llama_token_trie_forced_run(const struct llama_sampler* sampler, riffle_token* tokens,
                                                      size_t capacity, size_t* count);
/* Accepts them (llama_sampler_accept takes them for a prompt's, or for the token that was just sampled). Why one is
 * refused: it and those behind it are not accepted. */
RIFFLE_API int32_t riffle_llama_token_trie_accept_forced(struct llama_sampler* sampler, const riffle_token* tokens,
                                                         size_t count);
/* The name of the value that was written; empty where there is none. Valid until the sampler's next call. */
RIFFLE_API const char* riffle_llama_token_trie_leaf(const struct llama_sampler* sampler);

#ifdef __cplusplus
}
#endif
