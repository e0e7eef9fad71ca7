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
            fake_text& text = memory[std::size_t(batch.seq_id[i][j])];
            if (batch.token[i] < 0 || batch.pos[i] != llama_pos(text.size())) return -1;
            text.push_back(batch.token[i]);
        }
        const fake_text& first = memory[std::size_t(batch.seq_id[i][0])];
        rows.push_back(batch.logits[i] != 0 ? ctx->row_behind(first) : std::vector<float>());
    }
    ctx->memory = memory;
    ctx->rows = rows;
    return 0;
}

// What the functions of every period do, whatever they are called; -1 is the first position, or the last. Sequences
// that the context does not have are looked at by none.
inline bool fake_has(const llama_context* ctx, llama_seq_id seq_id) {
    return seq_id >= 0 && std::size_t(seq_id) < ctx->memory.size();
}
inline bool fake_remove(llama_context* ctx, llama_seq_id seq_id, llama_pos p0, llama_pos p1) {
    if (!fake_has(ctx, seq_id)) return false;
    fake_text& text = ctx->memory[std::size_t(seq_id)];
    if (p1 >= 0 && std::size_t(p1) < text.size()) return false;  // it would leave a hole
    if (std::size_t(p0 < 0 ? 0 : p0) < text.size()) text.resize(std::size_t(p0 < 0 ? 0 : p0));
    return true;
}
inline void fake_copy(llama_context* ctx, llama_seq_id from, llama_seq_id to, llama_pos p0, llama_pos p1) {
    if (!fake_has(ctx, from) || !fake_has(ctx, to)) return;
    const fake_text source = ctx->memory[std::size_t(from)];
    fake_text& text = ctx->memory[std::size_t(to)];
    const std::size_t first = p0 < 0 ? 0 : std::size_t(p0), end = p1 < 0 ? source.size() : std::size_t(p1);
    if (text.size() != first) return;
    for (std::size_t i = first; i < end && i < source.size(); ++i) text.push_back(source[i]);
}
inline llama_pos fake_last(llama_context* ctx, llama_seq_id seq_id) {
    return fake_has(ctx, seq_id) ? llama_pos(ctx->memory[std::size_t(seq_id)].size()) - 1 : -1;
}
