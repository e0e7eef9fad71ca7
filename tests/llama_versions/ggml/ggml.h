#pragma once
// What riffle's adapter uses of ggml.h, as it has been since September 2024. Nothing is computed: an operation answers
// a tensor of its type and shape.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

enum ggml_type { GGML_TYPE_F32 = 0, GGML_TYPE_I32 = 26 };
enum ggml_sort_order { GGML_SORT_ORDER_ASC, GGML_SORT_ORDER_DESC };

struct ggml_backend_buffer;
struct ggml_tensor {
    ggml_type type = GGML_TYPE_F32;
    ggml_backend_buffer* buffer = nullptr;
    std::int64_t ne[4] = {1, 1, 1, 1};
    ggml_tensor* src[10] = {};
    ggml_tensor* view_src = nullptr;
    void* data = nullptr;
    int fake_writes = 0;
};
struct ggml_context {
    std::deque<ggml_tensor> fake_tensors;
};
struct ggml_cgraph {
    std::vector<ggml_tensor*> fake_nodes;
};
struct ggml_init_params {
    std::size_t mem_size;
    void* mem_buffer;
    bool no_alloc;
};

/// What a scheduler does before a graph runs: from now on its tensors can be written.
inline void fake_allocate(ggml_context* ctx) {
    static char buffer;
    for (ggml_tensor& t : ctx->fake_tensors) t.buffer = reinterpret_cast<ggml_backend_buffer*>(&buffer);
}
inline int fake_writes(const ggml_context* ctx) {
    int writes = 0;
    for (const ggml_tensor& t : ctx->fake_tensors) writes += t.fake_writes;
    return writes;
}

inline ggml_tensor* fake_tensor(ggml_context* ctx, ggml_type type, std::int64_t ne0, std::int64_t ne1 = 1) {
    return &ctx->fake_tensors.emplace_back(ggml_tensor{type, nullptr, {ne0, ne1, 1, 1}, {}, nullptr, nullptr, 0});
}
inline ggml_tensor* fake_tensor_like(ggml_context* ctx, const ggml_tensor* a) {
    return fake_tensor(ctx, a->type, a->ne[0], a->ne[1]);
}

inline std::size_t ggml_tensor_overhead() { return sizeof(ggml_tensor); }
inline std::size_t ggml_graph_overhead() { return sizeof(ggml_cgraph); }
inline ggml_context* ggml_init(ggml_init_params) { return new ggml_context; }
inline ggml_cgraph* ggml_new_graph(ggml_context*) {
    static ggml_cgraph only;  // of which one is made at a time
    only.fake_nodes.clear();
    return &only;
}
inline void ggml_build_forward_expand(ggml_cgraph* cgraph, ggml_tensor* tensor) {
    cgraph->fake_nodes.push_back(tensor);
}
inline int ggml_graph_n_nodes(ggml_cgraph* cgraph) { return int(cgraph->fake_nodes.size()); }
inline ggml_tensor* ggml_graph_node(ggml_cgraph* cgraph, int i) { return cgraph->fake_nodes[std::size_t(i)]; }
inline void ggml_free(ggml_context* ctx) { delete ctx; }

inline std::int64_t ggml_nelements(const ggml_tensor* tensor) { return tensor->ne[0] * tensor->ne[1]; }
inline void ggml_set_input(ggml_tensor*) {}
inline void ggml_set_output(ggml_tensor*) {}

inline ggml_tensor* ggml_new_tensor_1d(ggml_context* ctx, ggml_type type, std::int64_t ne0) {
    return fake_tensor(ctx, type, ne0);
}
inline ggml_tensor* ggml_reshape_1d(ggml_context* ctx, ggml_tensor* a, std::int64_t ne0) {
    return fake_tensor(ctx, a->type, ne0);
}
inline ggml_tensor* ggml_reshape_2d(ggml_context* ctx, ggml_tensor* a, std::int64_t ne0, std::int64_t ne1) {
    return fake_tensor(ctx, a->type, ne0, ne1);
}
inline ggml_tensor* ggml_view_1d(ggml_context* ctx, ggml_tensor* a, std::int64_t ne0, std::size_t /*offset*/) {
    return fake_tensor(ctx, a->type, ne0);
}
inline ggml_tensor* ggml_cast(ggml_context* ctx, ggml_tensor* a, ggml_type type) {
    return fake_tensor(ctx, type, a->ne[0], a->ne[1]);
}
inline ggml_tensor* ggml_cont(ggml_context* ctx, ggml_tensor* a) { return fake_tensor_like(ctx, a); }
inline ggml_tensor* ggml_add(ggml_context* ctx, ggml_tensor* a, ggml_tensor*) { return fake_tensor_like(ctx, a); }
inline ggml_tensor* ggml_sub(ggml_context* ctx, ggml_tensor* a, ggml_tensor*) { return fake_tensor_like(ctx, a); }
inline ggml_tensor* ggml_mul(ggml_context* ctx, ggml_tensor* a, ggml_tensor*) { return fake_tensor_like(ctx, a); }
inline ggml_tensor* ggml_scale(ggml_context* ctx, ggml_tensor* a, float) { return fake_tensor_like(ctx, a); }
inline ggml_tensor* ggml_log(ggml_context* ctx, ggml_tensor* a) { return fake_tensor_like(ctx, a); }
inline ggml_tensor* ggml_step(ggml_context* ctx, ggml_tensor* a) { return fake_tensor_like(ctx, a); }
inline ggml_tensor* ggml_soft_max(ggml_context* ctx, ggml_tensor* a) { return fake_tensor_like(ctx, a); }
inline ggml_tensor* ggml_sum(ggml_context* ctx, ggml_tensor* a) { return fake_tensor(ctx, a->type, 1); }
inline ggml_tensor* ggml_argmax(ggml_context* ctx, ggml_tensor* a) { return fake_tensor(ctx, GGML_TYPE_I32, a->ne[1]); }
inline ggml_tensor* ggml_argsort(ggml_context* ctx, ggml_tensor* a, ggml_sort_order) {
    return fake_tensor(ctx, GGML_TYPE_I32, a->ne[0], a->ne[1]);
}
inline ggml_tensor* ggml_top_k(ggml_context* ctx, ggml_tensor* a, int k) {
    return fake_tensor(ctx, GGML_TYPE_I32, k, a->ne[1]);
}
inline ggml_tensor* ggml_get_rows(ggml_context* ctx, ggml_tensor* a, ggml_tensor* b) {
    return fake_tensor(ctx, a->type, a->ne[0], b->ne[0]);
}
