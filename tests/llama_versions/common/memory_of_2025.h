#pragma once
// From March 2025 on, until that August.

#include "batch.h"

inline bool llama_kv_self_seq_rm(llama_context* ctx, llama_seq_id seq_id, llama_pos p0, llama_pos p1) {
    return fake_remove(ctx, seq_id, p0, p1);
}
inline void llama_kv_self_seq_cp(llama_context* ctx, llama_seq_id from, llama_seq_id to, llama_pos p0, llama_pos p1) {
    fake_copy(ctx, from, to, p0, p1);
}
inline llama_pos llama_kv_self_seq_pos_max(llama_context* ctx, llama_seq_id seq_id) { return fake_last(ctx, seq_id); }
