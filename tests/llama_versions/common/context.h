#pragma once
// An evaluated context with one output, at the indices 0 and -1.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model.h"

struct llama_context {
    explicit llama_context(const llama_model& of) : model(&of), all_tokens(std::size_t(of.vocab.size())) {
        for (std::size_t i = 0; i < all_tokens.size(); ++i) all_tokens[i] = llama_token(i);
    }

    const llama_model* model;
    std::vector<llama_token> all_tokens;
    std::vector<float> logits;

    /// What the samplers of the graph left, for sampled_outputs.h; an empty vector is nullptr there.
    llama_token sampled_token = -1;
    std::vector<float> sampled_logits, sampled_probs;
    std::vector<llama_token> sampled_candidates;
};

inline bool fake_is_output(std::int32_t i) { return i == 0 || i == -1; }
template <class T>
T* fake_output(std::vector<T>& of_context, std::int32_t i) {
    return fake_is_output(i) && !of_context.empty() ? of_context.data() : nullptr;
}
template <class T>
std::uint32_t fake_count(const std::vector<T>& of_context, std::int32_t i) {
    return fake_is_output(i) ? std::uint32_t(of_context.size()) : 0;
}

inline const llama_model* llama_get_model(const llama_context* ctx) { return ctx->model; }
inline float* llama_get_logits_ith(llama_context* ctx, std::int32_t i) { return fake_output(ctx->logits, i); }
