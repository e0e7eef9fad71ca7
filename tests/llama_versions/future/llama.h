#pragma once
// Invented: what a later version may add. New members come last, and a function may get one more parameter.

#include "../common/sampled_outputs.h"
#include "../common/suppressed_tokens.h"
#include "../ggml/since_2026.h"

struct llama_sampler_data {
    ggml_tensor* logits;
    ggml_tensor* probs;
    ggml_tensor* sampled;
    ggml_tensor* candidates;
    ggml_tensor* unknown;
};
struct llama_sampler_i {
#include "../common/first_six_functions.inc"
    bool (*backend_init)(llama_sampler* smpl, ggml_backend_buffer_type_t buft, std::uint32_t n_outputs_max_per_seq,
                         bool unknown);
    void (*backend_accept)(llama_sampler* smpl, ggml_context* ctx, ggml_cgraph* gf, ggml_tensor* selected_token);
    void (*backend_apply)(llama_sampler* smpl, ggml_context* ctx, ggml_cgraph* gf, llama_sampler_data* data);
    void (*backend_set_input)(llama_sampler* smpl);
    void (*backend_reset)(llama_sampler* smpl);
    void (*copy_state)(const llama_sampler* src, llama_sampler* dst);
    void (*unknown)(llama_sampler* smpl);
    bool (*also_unknown)(const llama_sampler* smpl, std::uint32_t how);
};
static_assert(sizeof(void*) != 8 || sizeof(llama_sampler_i) == 112);

#include "../common/chain_since_2026.h"
#include "../common/copying.h"

inline bool llama_set_sampler(llama_context*, llama_seq_id, llama_sampler* smpl) {
    static ggml_backend_buffer_type buft;
    return fake_attach(smpl, [](llama_sampler* s) { return s->iface->backend_init(s, &buft, 1, false); });
}
