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
struct llama_sampler_i {
    const char* (*name)(const llama_sampler* smpl);
    void (*accept)(llama_sampler* smpl, llama_token token);
    void (*apply)(llama_sampler* smpl, llama_token_data_array* cur_p);
    void (*reset)(llama_sampler* smpl);
    llama_sampler* (*clone)(const llama_sampler* smpl);
    void (*free)(llama_sampler* smpl);
    bool (*backend_init)(llama_sampler* smpl, ggml_backend_buffer_type_t buft);
    void (*backend_accept)(llama_sampler* smpl, ggml_context* ctx, ggml_cgraph* gf, ggml_tensor* selected_token);
    void (*backend_apply)(llama_sampler* smpl, ggml_context* ctx, ggml_cgraph* gf, llama_sampler_data* data);
    void (*backend_set_input)(llama_sampler* smpl);
};
static_assert(sizeof(void*) != 8 || sizeof(llama_sampler_i) == 80);

struct llama_sampler {
    llama_sampler_i* iface;
    llama_sampler_context_t ctx;
};
inline llama_sampler* llama_sampler_init(llama_sampler_i* iface, llama_sampler_context_t ctx) {
    return new llama_sampler{iface, ctx};
}

#include "../common/attaching.h"

inline llama_sampler* llama_sampler_chain_get(llama_sampler* chain, std::int32_t i) {
    return i == -1 ? chain : fake_chain::of(chain).at(i);
}
inline bool llama_set_sampler(llama_context*, llama_seq_id, llama_sampler* smpl) {
    static ggml_backend_buffer_type buft;
    return fake_attach(smpl, [](llama_sampler* s) { return s->iface->backend_init(s, &buft); });
}
