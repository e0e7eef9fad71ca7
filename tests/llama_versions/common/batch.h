#pragma once
// Batches of tokens in several sequences.

#include <cstddef>
#include <cstdint>

#include "context.h"

struct llama_batch {
    std::int32_t n_tokens;
    llama_token* token;
    float* embd;
    llama_pos* pos;
    std::int32_t* n_seq_id;
    llama_seq_id** seq_id;
    std::int8_t* logits;
};

/// Every token goes on with each of its sequences, or nothing is done.
inline std::int32_t llama_decode(llama_context* ctx, llama_batch batch) {
    auto memory = ctx->memory;
    std::vector<std::vector<float>> rows;
    for (std::int32_t i = 0; i < batch.n_tokens; ++i) {
        for (std::int32_t j = 0; j < batch.n_seq_id[i]; ++j) {
            fake_text& text = memory[batch.seq_id[i][j]];
            const llama_pos next = text.empty() ? 0 : text.rbegin()->first + 1;
            if (batch.token[i] < 0 || batch.pos[i] != next) return -1;
            text[next] = batch.token[i];
        }
        const bool is_output = batch.logits[i] != 0;
        rows.push_back(is_output ? ctx->row_behind(memory[batch.seq_id[i][0]]) : std::vector<float>());
    }
    ctx->memory = memory;
    ctx->rows = rows;
    return 0;
}

// What the functions of every period do, whatever they are called: -1 is the first position, or the last.
inline bool fake_remove(llama_context* ctx, llama_seq_id seq_id, llama_pos p0, llama_pos p1) {
    fake_text& text = ctx->memory[seq_id];
    text.erase(text.lower_bound(p0), p1 < 0 ? text.end() : text.lower_bound(p1));
    return true;
}
inline void fake_copy(llama_context* ctx, llama_seq_id from, llama_seq_id to, llama_pos p0, llama_pos p1) {
    const fake_text source = ctx->memory[from];
    ctx->memory[to].insert(source.lower_bound(p0), p1 < 0 ? source.end() : source.lower_bound(p1));
}
inline llama_pos fake_last(llama_context* ctx, llama_seq_id seq_id) {
    const fake_text& text = ctx->memory[seq_id];
    return text.empty() ? -1 : text.rbegin()->first;
}
