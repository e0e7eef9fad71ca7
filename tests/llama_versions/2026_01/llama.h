#pragma once
// January to August 2026: samplers may run in the graph of a context.

#include "../common/sampled_outputs.h"
#include "../common/tokens_of_vocabulary.h"
#include "../ggml/since_2026.h"

struct llama_sampler_data {
    ggml_tensor* logits;
    ggml_tensor* probs;
    ggml_tensor* sampled;
    ggml_tensor* candidates;
};

#include "../common/ten_functions.h"
