#pragma once
// An evaluated context with one output, at the indices 0 and -1, or those of the batch that was decoded last.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model.h"

/// The tokens of a sequence, from position 0 on.
using fake_text = std::vector<llama_token>;

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

    /// What batches are decoded into, by sequence, and the row that the model gives behind a text.
    std::vector<fake_text> memory = std::vector<fake_text>(4);
    std::vector<float> (*row_behind)(const fake_text&) = nullptr;
    std::vector<std::vector<float>> rows;
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
inline float* llama_get_logits_ith(llama_context* ctx, std::int32_t i) {
    if (i >= 0 && std::size_t(i) < ctx->rows.size()) return ctx->rows[std::size_t(i)].data();
    return fake_output(ctx->logits, i);
}
inline std::uint32_t llama_n_batch(const llama_context*) { return 16; }
