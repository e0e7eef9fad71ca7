#pragma once
#include <cstddef>
#include <cstdint>
#include <llama.h>
#include <string>

#include <riffle/core/vocabulary.hpp>
#include <riffle/llama/vocabulary.hpp>
#include <riffle/settings/chain_settings.hpp>
#include <riffle/settings/reader/options.hpp>

namespace riffle::inline RIFFLE_ABI::llama {
namespace detail {

/// A value of a model's metadata as llama.cpp writes it; empty where there is none.
template <class Model>
std::string metadata(const Model* model, const char* key) {
    const std::int32_t length = llama_model_meta_val_str(model, key, nullptr, 0);
    if (length <= 0) return {};
    std::string value(std::size_t(length) + 1, '\0');  // llama.cpp ends it with a zero
    llama_model_meta_val_str(model, key, value.data(), value.size());
    value.resize(std::size_t(length));
    return value;
}

}  // namespace detail

/// The settings that llama.cpp's own tools begin with for a model: its default samplers in their order, then what the
/// model's file says in general.sampling.* (sequence, top_k, top_p, min_p, xtc_probability, xtc_threshold, temp,
/// penalty_last_n, penalty_repeat, mirostat, mirostat_tau, mirostat_eta) and the tokens that it wants suppressed. What
/// the caller sets afterwards wins, by read() or by hand, and leaves the order of samplers as it is unless it names
/// them:
///
///     chain_settings s = riffle::llama::settings_of(model);
///     s.read("temp=0.6;seed=42");
///     basic_dynamic_chain<llama_exact> chain;
///     s.build(chain);
///
/// A value that is no number is passed over, a sampler that nobody knows is left out, and problem() names all of them.
/// Numbers are read under whatever locale llama.cpp has written them. (llama.cpp lets a model's sequence win over
/// --sampler-seq, by mistake; here the caller wins always. Its default seed is random, here it is 0.) `all`,
/// vocabulary_of(model), is for dry's breakers. Allocates, and may throw what std::string throws.
template <class Model>
chain_settings settings_of(const Model* model, const vocabulary* all = nullptr) {
    chain_settings s;
    s.read("samplers=default");
    for (const option& known : known_options) {
        if (!known.model_key) continue;
        const std::string key = std::string("general.sampling.") + known.model_key;
        if (const std::string value = detail::metadata(model, key.c_str()); !value.empty()) s.read_metadata(key, value);
    }
    const auto* const tokens = detail::source_of_tokens(model);
    s.n_vocab = detail::tokens_of(tokens).size();
    if constexpr (std::int32_t count = 0; requires { llama_vocab_get_suppress_tokens(tokens, &count); }) {
        std::int32_t suppressed = 0;
        const auto* const ids = llama_vocab_get_suppress_tokens(tokens, &suppressed);
        for (std::int32_t i = 0; ids && i < suppressed; ++i) s.suppressed.push_back(ids[i]);
    }
    if (all) s.first_space_is_dropped = drops_first_space(model, *all);
    return s;
}

}  // namespace riffle::llama
