#pragma once
#include <cstddef>
#include <cstdint>
#include <llama.h>
#include <span>
#include <vector>

#include <riffle/llama_speculative.hpp>

#include "../llama_generate/model.hpp"

/// A model that evaluates drafts behind a text.
class live_engine {
public:
    explicit live_engine(const loaded_model& model) : model_(model) {}

    /// Evaluates the prompt but for its last token, which the first batch begins with.
    bool begin(std::span<const riffle::token_id> prompt) {
        llama_memory_clear(llama_get_memory(model_.context()), true);
        const auto ahead = prompt.first(prompt.size() - 1);
        return ahead.empty() || model_.decode({ahead.begin(), ahead.end()});
    }
    template <class Draft>
    bool evaluate(riffle::token_id last, std::size_t position, const Draft& proposed) {
        const bool is_done = batch_.fill(last, std::int32_t(position), proposed) &&
                             riffle::llama::decode(model_.context(), batch_) == 0;
        llama_synchronize(model_.context());  // or who asks for rows first would wait
        return is_done;
    }
    template <class Chain, class Draft, class Verifier>
    const riffle::verified& verify(Chain& chain, const Draft& proposed, riffle::speculator<Verifier>& by,
                                   std::span<const riffle::token_id> ends) {
        return riffle::llama::sample_and_accept_n(chain, model_.context(), batch_.indices(), proposed, by, ends);
    }
    std::span<const float> row(std::size_t i) const {
        const float* const logits = llama_get_logits_ith(model_.context(), std::int32_t(i));
        return {logits, logits ? std::size_t(llama_vocab_n_tokens(model_.vocab())) : 0};
    }
    bool trim(const riffle::verified& round) { return riffle::llama::trim(model_.context(), batch_, round); }
    /// Where the drafted tokens were evaluated one by one.
    bool trim_drafted(const riffle::verified& round) { return riffle::llama::trim(model_.context(), 0, round); }

private:
    const loaded_model& model_;
    riffle::llama::draft_batch batch_;
};
