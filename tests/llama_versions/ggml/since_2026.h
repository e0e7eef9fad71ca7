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
inline bool ggml_backend_dev_supports_op(ggml_backend_dev_t device, const ggml_tensor*) {
    return device->fake_has_all_operations;
}

inline ggml_tensor* ggml_cumsum(ggml_context* ctx, ggml_tensor* a) { return fake_tensor_like(ctx, a); }
inline ggml_tensor* ggml_scale_bias(ggml_context* ctx, ggml_tensor* a, float, float) {
    return fake_tensor_like(ctx, a);
}
inline ggml_tensor* ggml_set_rows(ggml_context* ctx, ggml_tensor* a, ggml_tensor*, ggml_tensor*) {
    return fake_tensor_like(ctx, a);
}
