#pragma once
// Since June 2025 what a context has evaluated is in its memory, and it says how many sequences it takes.

#include "batch.h"

typedef llama_context* llama_memory_t;

inline llama_memory_t llama_get_memory(const llama_context* ctx) { return const_cast<llama_context*>(ctx); }
inline bool llama_memory_seq_rm(llama_memory_t mem, llama_seq_id seq_id, llama_pos p0, llama_pos p1) {
    return fake_remove(mem, seq_id, p0, p1);
}
inline void llama_memory_seq_cp(llama_memory_t mem, llama_seq_id from, llama_seq_id to, llama_pos p0, llama_pos p1) {
    fake_copy(mem, from, to, p0, p1);
}
inline llama_pos llama_memory_seq_pos_max(llama_memory_t mem, llama_seq_id seq_id) { return fake_last(mem, seq_id); }
inline std::uint32_t llama_n_seq_max(const llama_context*) { return 4; }
