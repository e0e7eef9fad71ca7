#pragma once
// Until January 2025 a llama_model answers about its tokens.

#include "model.h"

inline std::int32_t llama_n_vocab(const llama_model* model) { return model->vocab.size(); }
inline bool llama_token_is_eog(const llama_model* model, llama_token token) {
    return model->vocab[token].ends_generation;
}
inline llama_token llama_token_eos(const llama_model* model) { return model->vocab.end_of_sequence; }
inline llama_token llama_token_eot(const llama_model* model) { return model->vocab.end_of_turn; }

inline std::int32_t llama_tokenize(const llama_model* model, const char* text, std::int32_t text_len,
                                   llama_token* tokens, std::int32_t n_tokens_max, bool /*add_special*/,
                                   bool /*parse_special*/) {
    return model->vocab.tokenise(text, text_len, tokens, n_tokens_max);
}
inline std::int32_t llama_token_to_piece(const llama_model* model, llama_token token, char* buf, std::int32_t length,
                                         std::int32_t /*lstrip*/, bool special) {
    return model->vocab.write_piece(token, buf, length, special);
}
inline std::int32_t llama_detokenize(const llama_model* model, const llama_token* tokens, std::int32_t n_tokens,
                                     char* text, std::int32_t text_len_max, bool /*remove_special*/,
                                     bool unparse_special) {
    return model->vocab.detokenise(tokens, n_tokens, text, text_len_max, unparse_special);
}
