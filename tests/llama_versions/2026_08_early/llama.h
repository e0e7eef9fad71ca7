#pragma once
// A few days around 4 August 2026: the same, with one member more in llama_sampler_data.

#include "../common/sampled_outputs.h"
#include "../common/suppressed_tokens.h"
#include "../ggml/since_2026.h"

struct llama_sampler_data {
    ggml_tensor* logits;
    ggml_tensor* probs;
    ggml_tensor* sampled;
    ggml_tensor* candidates;
    std::int32_t n_vocab;
};

#include "../common/ten_functions.h"
