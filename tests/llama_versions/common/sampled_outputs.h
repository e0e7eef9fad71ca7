#pragma once
// Since January 2026 a context tells what samplers in its graph left of an output.

#include "batch.h"
#include "memory_since_2026.h"

inline llama_token llama_get_sampled_token_ith(llama_context* ctx, std::int32_t i) {
    return fake_is_output(i) ? ctx->sampled_token : -1;
}
inline float* llama_get_sampled_probs_ith(llama_context* ctx, std::int32_t i) {
    return fake_output(ctx->sampled_probs, i);
}
inline std::uint32_t llama_get_sampled_probs_count_ith(llama_context* ctx, std::int32_t i) {
    return fake_count(ctx->sampled_probs, i);
}
inline float* llama_get_sampled_logits_ith(llama_context* ctx, std::int32_t i) {
    return fake_output(ctx->sampled_logits, i);
}
inline std::uint32_t llama_get_sampled_logits_count_ith(llama_context* ctx, std::int32_t i) {
    return fake_count(ctx->sampled_logits, i);
}
/// Where none were left out it is the ids of all tokens, and their count is 0.
inline llama_token* llama_get_sampled_candidates_ith(llama_context* ctx, std::int32_t i) {
    return fake_output(ctx->sampled_candidates.empty() ? ctx->all_tokens : ctx->sampled_candidates, i);
}
inline std::uint32_t llama_get_sampled_candidates_count_ith(llama_context* ctx, std::int32_t i) {
    return fake_count(ctx->sampled_candidates, i);
}
