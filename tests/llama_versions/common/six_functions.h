#pragma once
// The table of a sampler's functions before January 2026.

#include "types.h"

struct llama_sampler_i {
    const char* (*name)(const llama_sampler* smpl);
    void (*accept)(llama_sampler* smpl, llama_token token);
    void (*apply)(llama_sampler* smpl, llama_token_data_array* cur_p);
    void (*reset)(llama_sampler* smpl);
    llama_sampler* (*clone)(const llama_sampler* smpl);
    void (*free)(llama_sampler* smpl);
};
static_assert(sizeof(void*) != 8 || sizeof(llama_sampler_i) == 48);
