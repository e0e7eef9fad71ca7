#pragma once
// Included after llama_sampler_i: what is the same since January 2026.

#include <cstdint>

#include "types.h"

struct llama_sampler {
    llama_sampler_i* iface;
    llama_sampler_context_t ctx;
};
inline llama_sampler* llama_sampler_init(llama_sampler_i* iface, llama_sampler_context_t ctx) {
    return new llama_sampler{iface, ctx};
}

#include "attaching.h"

inline llama_sampler* llama_sampler_chain_get(llama_sampler* chain, std::int32_t i) {
    return i == -1 ? chain : fake_chain::of(chain).at(i);
}
