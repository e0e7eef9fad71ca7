#pragma once
// January to February 2025: the tokens are those of a llama_vocab.

#include "../common/context.h"
#include "../common/homemade_sampler.h"
#include "../common/tokens_of_vocabulary.h"
