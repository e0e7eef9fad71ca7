#pragma once
// Since August 2026 the state of a sampler can be copied into another one. Included after llama_sampler_i and
// llama_sampler.

#include <cstdlib>

inline llama_sampler* llama_sampler_clone(const llama_sampler* smpl);

inline void llama_sampler_copy(const llama_sampler* src, llama_sampler* dst) {
    if (!src || !dst || src == dst) return;
    if (src->iface != dst->iface) std::abort();
    if (src->iface->copy_state) {
        src->iface->copy_state(src, dst);
        return;
    }
    llama_sampler* const copy = llama_sampler_clone(src);
    if (dst->iface->free) dst->iface->free(dst);
    dst->ctx = copy->ctx;
    delete copy;
}
