#pragma once
// February 2025 to January 2026: llama_sampler_init, and a table that is const.

#include "../common/context.h"
#include "../common/tokens_of_vocabulary.h"

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
    const llama_sampler_i* iface;
    llama_sampler_context_t ctx;
};
inline llama_sampler* llama_sampler_init(const llama_sampler_i* iface, llama_sampler_context_t ctx) {
    return new llama_sampler{iface, ctx};
}

#include "../common/samplers.h"

inline llama_sampler* llama_sampler_chain_get(const llama_sampler* chain, std::int32_t i) {
    return fake_chain::of(chain).at(i);
}
