#pragma once
// Before February 2025 there was no llama_sampler_init: whoever had a sampler of their own made this too.

#include "six_functions.h"

struct llama_sampler {
    llama_sampler_i* iface;
    llama_sampler_context_t ctx;
};

#include "chain_before_2026.h"
