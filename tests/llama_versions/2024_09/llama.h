#pragma once
// September 2024 to January 2025: six members, and whoever has a sampler of their own makes the llama_sampler too.

#include "../common/context.h"
#include "../common/tokens_of_model.h"

struct llama_sampler_i {
    const char* (*name)(const llama_sampler* smpl);
    void (*accept)(llama_sampler* smpl, llama_token token);
    void (*apply)(llama_sampler* smpl, llama_token_data_array* cur_p);
    void (*reset)(llama_sampler* smpl);
    llama_sampler* (*clone)(const llama_sampler* smpl);
    void (*free)(llama_sampler* smpl);
};
static_assert(sizeof(void*) != 8 || sizeof(llama_sampler_i) == 48);

struct llama_sampler {
    llama_sampler_i* iface;
    llama_sampler_context_t ctx;
};

#include "../common/samplers.h"

inline llama_sampler* llama_sampler_chain_get(const llama_sampler* chain, std::int32_t i) {
    return fake_chain::of(chain).at(i);
}
