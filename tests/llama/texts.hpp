#pragma once
// The tokens of a text: on the rows of a plain context, and of a chain that is attached to its own.
#include <cstddef>
#include <cstdint>
#include <llama.h>
#include <vector>

#include "llama/contexts.hpp"

namespace riffle_tests::llama_backend {

inline constexpr int steps = 60;
inline constexpr std::uint32_t all = 4096;  // logits of a row

/// The tokens that a chain chooses on the rows of a context that knows nothing of it, `first` being the text so far.
template <class Chain>
std::vector<llama_token> plain(Chain chain, llama_token first) {
    const context_owner context = new_context();
    line text(context.get(), 0, first);
    std::vector<llama_token> tokens;
    for (int i = 0; i < steps; ++i) {
        text.step();
        const float* const row = llama_get_logits_ith(context.get(), text.index());
        tokens.push_back(chain.sample({row, std::size_t(random_model_size())}));
        if (tokens.back() < 0) break;
        text.go_on_with(tokens.back());
    }
    return tokens;
}
/// The tokens of llama_sampler_sample for a llama.cpp chain that is attached.
inline std::vector<llama_token> offloaded(llama_sampler* chain, llama_token first, int outputs = 1) {
    const context_owner context = new_context({{0, chain}}, 1, std::uint32_t(outputs));
    line text(context.get(), 0, first);
    std::vector<llama_token> tokens;
    for (int i = 0; i < steps; ++i) {
        text.step();
        tokens.push_back(llama_sampler_sample(chain, context.get(), text.index()));
        text.go_on_with(tokens.back());
    }
    return tokens;
}

}  // namespace riffle_tests::llama_backend
