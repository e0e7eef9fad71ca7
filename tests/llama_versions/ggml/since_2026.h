#pragma once
// What the ggml of January 2026 has besides.

#include "ggml-backend.h"

struct ggml_backend_device {
    bool fake_has_all_operations = true;
};
struct ggml_backend_buffer_type {
    ggml_backend_device fake_device;
};
typedef ggml_backend_device* ggml_backend_dev_t;

inline ggml_backend_dev_t ggml_backend_buft_get_device(ggml_backend_buffer_type_t buft) { return &buft->fake_device; }
inline bool ggml_backend_buft_is_host(ggml_backend_buffer_type_t) { return true; }
inline bool ggml_backend_dev_supports_op(ggml_backend_dev_t device, const ggml_tensor*) {
    return device->fake_has_all_operations;
}

typedef void (*ggml_custom_op_t)(ggml_tensor* dst, int ith, int nth, void* userdata);
inline ggml_tensor* ggml_custom_4d(ggml_context* ctx, ggml_type type, std::int64_t ne0, std::int64_t ne1, std::int64_t,
                                   std::int64_t, ggml_tensor**, int /*n_args*/, ggml_custom_op_t, int /*n_tasks*/,
                                   void* /*userdata*/) {
    return fake_tensor(ctx, type, ne0, ne1);
}
inline ggml_tensor* ggml_cumsum(ggml_context* ctx, ggml_tensor* a) { return fake_tensor_like(ctx, a); }
inline ggml_tensor* ggml_scale_bias(ggml_context* ctx, ggml_tensor* a, float, float) {
    return fake_tensor_like(ctx, a);
}
inline ggml_tensor* ggml_set_rows(ggml_context* ctx, ggml_tensor* a, ggml_tensor*, ggml_tensor*) {
    return fake_tensor_like(ctx, a);
}
