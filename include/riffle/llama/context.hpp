#pragma once
#include <cstddef>
#include <cstdint>
#include <llama.h>

#include <riffle/core/token.hpp>

// What an evaluated context has for one of its outputs, in any version of llama.h (see interface.hpp).

namespace riffle::inline RIFFLE_ABI::llama::detail {

/// The number of tokens of the model that a context runs.
template <class Context>
std::size_t vocabulary_size(const Context* evaluated) noexcept {
    const auto* const model = llama_get_model(evaluated);
    std::int32_t count = 0;
    if constexpr (requires { llama_vocab_n_tokens(llama_model_get_vocab(model)); })
        count = llama_vocab_n_tokens(llama_model_get_vocab(model));
    else count = llama_n_vocab(model);  // before January 2025
    return count > 0 ? std::size_t(count) : 0;
}

/// What the samplers of a context's graph left of an output, or its whole row.
struct output {
    token_id token = null_token;    ///< chosen there already
    const float* logits = nullptr;  ///< of all tokens, or of `ids`; nullptr = the context has nothing for that index
    const token_id* ids = nullptr;  ///< of the logits; nullptr = every token, in order
    const float* p = nullptr;       ///< beside the logits, where they were computed
    std::size_t size = 0;
};

/// As llama_sampler_sample reads it. The first call waits until the context is done.
template <class Context>
output output_of(Context* evaluated, std::int32_t index) noexcept {
    output found;
    if constexpr (requires { llama_get_sampled_token_ith(evaluated, index); }) {  // since January 2026
        found.token = llama_get_sampled_token_ith(evaluated, index);
        if (found.token >= 0) return found;
        found.logits = llama_get_sampled_logits_ith(evaluated, index);
        if (found.logits) {
            found.p = llama_get_sampled_probs_ith(evaluated, index);
            // Where the graph has left none out, the pointer is to all ids, and their count 0.
            if (llama_get_sampled_candidates_count_ith(evaluated, index) > 0)
                found.ids = llama_get_sampled_candidates_ith(evaluated, index);
            found.size = llama_get_sampled_logits_count_ith(evaluated, index);
            return found;
        }
    }
    found.logits = llama_get_logits_ith(evaluated, index);
    found.size = found.logits ? vocabulary_size(evaluated) : 0;
    return found;
}

}  // namespace riffle::llama::detail
