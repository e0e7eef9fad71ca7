#pragma once
// September 2024 to January 2025: six members, and whoever has a sampler of their own makes the llama_sampler too.

#include "../common/batch.h"
#include "../common/memory_until_2025.h"
#include "../common/homemade_sampler.h"
#include "../common/tokens_of_model.h"
