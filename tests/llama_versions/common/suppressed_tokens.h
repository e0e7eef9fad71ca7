#pragma once
// Since the end of July 2026 a vocabulary tells which tokens are never to be chosen.

#include "tokens_of_vocabulary.h"

inline const llama_token* llama_vocab_get_suppress_tokens(const llama_vocab* vocab, std::int32_t* n_suppress_tokens) {
    *n_suppress_tokens = std::int32_t(vocab->suppressed.size());
    return vocab->suppressed.data();
}
