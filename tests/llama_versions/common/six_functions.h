#pragma once
// The table of a sampler's functions before January 2026.

#include "types.h"

struct llama_sampler_i {
#include "first_six_functions.inc"
};
static_assert(sizeof(void*) != 8 || sizeof(llama_sampler_i) == 48);
