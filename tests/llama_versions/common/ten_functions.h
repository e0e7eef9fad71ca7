#pragma once
// The table of a sampler's functions from January to August 2026; included after llama_sampler_data.

#include "../ggml/since_2026.h"
#include "types.h"

struct llama_sampler_i {
#include "first_six_functions.inc"
    bool (*backend_init)(llama_sampler* smpl, ggml_backend_buffer_type_t buft);
    void (*backend_accept)(llama_sampler* smpl, ggml_context* ctx, ggml_cgraph* gf, ggml_tensor* selected_token);
    void (*backend_apply)(llama_sampler* smpl, ggml_context* ctx, ggml_cgraph* gf, llama_sampler_data* data);
    void (*backend_set_input)(llama_sampler* smpl);
};
static_assert(sizeof(void*) != 8 || sizeof(llama_sampler_i) == 80);

#include "chain_since_2026.h"

inline bool llama_set_sampler(llama_context*, llama_seq_id, llama_sampler* smpl) {
    static ggml_backend_buffer_type buft;
    return fake_attach(smpl, [](llama_sampler* s) { return s->iface->backend_init(s, &buft); });
}
