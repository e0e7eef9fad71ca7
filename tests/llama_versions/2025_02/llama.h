#pragma once
// February 2025 to January 2026: llama_sampler_init, and a table that is const.

#include "../common/batch.h"
#include "../common/memory_of_2025.h"
#include "../common/six_functions.h"
#include "../common/tokens_of_vocabulary.h"

struct llama_sampler {
    const llama_sampler_i* iface;
    llama_sampler_context_t ctx;
};
inline llama_sampler* llama_sampler_init(const llama_sampler_i* iface, llama_sampler_context_t ctx) {
    return new llama_sampler{iface, ctx};
}

#include "../common/chain_before_2026.h"
