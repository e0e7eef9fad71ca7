#pragma once
// What riffle's adapter uses of ggml-backend.h, as it has been since September 2024.

#include "ggml.h"

typedef struct ggml_backend_buffer_type* ggml_backend_buffer_type_t;

inline void ggml_backend_tensor_set(ggml_tensor* tensor, const void*, std::size_t /*offset*/, std::size_t /*size*/) {
    ++tensor->fake_writes;
}
inline void ggml_backend_tensor_get(const ggml_tensor*, void*, std::size_t /*offset*/, std::size_t /*size*/) {}
