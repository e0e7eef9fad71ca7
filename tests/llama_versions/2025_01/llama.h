#pragma once
// January to February 2025: the tokens are those of a llama_vocab.

#include "../common/batch.h"
#include "../common/memory_until_2025.h"
#include "../common/homemade_sampler.h"
#include "../common/tokens_of_vocabulary.h"
