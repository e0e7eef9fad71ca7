#pragma once
// Since January 2025 a llama_vocab answers about the tokens of a model; the names of before are deprecated.

#include "model.h"

inline const llama_vocab* llama_model_get_vocab(const llama_model* model) { return &model->vocab; }
inline std::int32_t llama_vocab_n_tokens(const llama_vocab* vocab) { return vocab->size(); }
inline bool llama_vocab_is_eog(const llama_vocab* vocab, llama_token token) { return (*vocab)[token].ends_generation; }
inline llama_token llama_vocab_eos(const llama_vocab* vocab) { return vocab->end_of_sequence; }
inline llama_token llama_vocab_eot(const llama_vocab* vocab) { return vocab->end_of_turn; }

[[deprecated]] inline std::int32_t llama_n_vocab(const llama_vocab* vocab) { return llama_vocab_n_tokens(vocab); }
[[deprecated]] inline bool llama_token_is_eog(const llama_vocab* vocab, llama_token token) {
    return llama_vocab_is_eog(vocab, token);
}
[[deprecated]] inline llama_token llama_token_eos(const llama_vocab* vocab) { return llama_vocab_eos(vocab); }
[[deprecated]] inline llama_token llama_token_eot(const llama_vocab* vocab) { return llama_vocab_eot(vocab); }

inline std::int32_t llama_tokenize(const llama_vocab* vocab, const char* text, std::int32_t text_len,
                                   llama_token* tokens, std::int32_t n_tokens_max, bool /*add_special*/,
                                   bool /*parse_special*/) {
    return vocab->tokenise(text, text_len, tokens, n_tokens_max);
}
inline std::int32_t llama_token_to_piece(const llama_vocab* vocab, llama_token token, char* buf, std::int32_t length,
                                         std::int32_t /*lstrip*/, bool special) {
    return vocab->write_piece(token, buf, length, special);
}
inline std::int32_t llama_detokenize(const llama_vocab* vocab, const llama_token* tokens, std::int32_t n_tokens,
                                     char* text, std::int32_t text_len_max, bool /*remove_special*/,
                                     bool unparse_special) {
    return vocab->detokenise(tokens, n_tokens, text, text_len_max, unparse_special);
}
