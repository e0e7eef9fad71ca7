#pragma once
// Included after llama_sampler_i and llama_sampler: what was the same until January 2026.

#include <cstdint>

#include "samplers.h"

inline llama_sampler* llama_sampler_chain_get(const llama_sampler* chain, std::int32_t i) {
    return fake_chain::of(chain).at(i);
}
