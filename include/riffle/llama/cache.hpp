#pragma once
#include <llama.h>

#include <riffle/math/config.hpp>

// What a context keeps of the tokens that it has evaluated, by the functions of any version of llama.h: they were
// called llama_kv_cache_..., since March 2025 llama_kv_self_..., since June 2025 llama_memory_...

namespace riffle::inline RIFFLE_ABI::llama::detail {

/// Takes the positions from `first` to the end, or up to `end` where that is not below 0, out of a sequence. False
/// where the memory cannot: that of a recurrent model cannot go back.
template <class Context, class Sequence, class Position>
bool remove_positions(Context* of, Sequence sequence, Position first, Position end) noexcept {
    if constexpr (requires { llama_memory_seq_rm(llama_get_memory(of), sequence, first, end); })
        return llama_memory_seq_rm(llama_get_memory(of), sequence, first, end);
    else if constexpr (requires { llama_kv_self_seq_rm(of, sequence, first, end); })
        return llama_kv_self_seq_rm(of, sequence, first, end);
    else return llama_kv_cache_seq_rm(of, sequence, first, end);
}

/// Lets another sequence share the positions from `first` to the one before `end`.
template <class Context, class Sequence, class Position>
void share_positions(Context* of, Sequence from, Sequence to, Position first, Position end) noexcept {
    if constexpr (requires { llama_memory_seq_cp(llama_get_memory(of), from, to, first, end); })
        llama_memory_seq_cp(llama_get_memory(of), from, to, first, end);
    else if constexpr (requires { llama_kv_self_seq_cp(of, from, to, first, end); })
        llama_kv_self_seq_cp(of, from, to, first, end);
    else llama_kv_cache_seq_cp(of, from, to, first, end);
}

/// The last position of a sequence; below 0 where it has none.
template <class Context, class Sequence>
auto last_position(const Context* of, Sequence sequence) noexcept {
    if constexpr (requires { llama_memory_seq_pos_max(llama_get_memory(of), sequence); })
        return llama_memory_seq_pos_max(llama_get_memory(of), sequence);
    else if constexpr (requires { llama_kv_self_seq_pos_max(const_cast<Context*>(of), sequence); })
        return llama_kv_self_seq_pos_max(const_cast<Context*>(of), sequence);
    else return llama_kv_cache_seq_pos_max(const_cast<Context*>(of), sequence);
}

}  // namespace riffle::llama::detail
