#pragma once
// The types that every llama.h has had since September 2024.
//
// The folders beside this one each have a llama.h of one period, written from facts about it: the names, layouts and
// signatures that riffle's adapter uses, and no others. The functions have bodies, each does the least that it can, so
// that a test needs no libllama. What begins with fake_ is in no llama.h: a test looks at it or sets it.

#include <cstddef>
#include <cstdint>

#include "../ggml/ggml-backend.h"

struct llama_model;
struct llama_context;
struct llama_sampler;

typedef std::int32_t llama_token;
typedef std::int32_t llama_pos;
typedef std::int32_t llama_seq_id;
typedef void* llama_sampler_context_t;

struct llama_token_data {
    llama_token id;
    float logit;
    float p;
};
struct llama_token_data_array {
    llama_token_data* data;
    std::size_t size;
    std::int64_t selected;
    bool sorted;
};
struct llama_sampler_chain_params {
    bool no_perf;
};
inline llama_sampler_chain_params llama_sampler_chain_default_params() { return {true}; }
