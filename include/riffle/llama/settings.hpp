#pragma once
#include <cstddef>
#include <cstdint>
#include <llama.h>
#include <string>

#include <riffle/core/vocabulary.hpp>
#include <riffle/llama/vocabulary.hpp>
#include <riffle/settings/chain_settings.hpp>

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

/// The samplers of a `;`-separated list as a setting, but for those that nobody knows.
inline std::string known_samplers_of(const std::string& sequence) {
    std::string all = "samplers=";
    for (std::size_t first = 0; first < sequence.size();) {
        std::size_t end = sequence.find(';', first);
        if (end == std::string::npos) end = sequence.size();
        const std::string name = sequence.substr(first, end - first);
        if (chain_settings().read("samplers=" + name)) all += name + ",";
        first = end + 1;
    }
    return all;
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
/// A value that is no number is passed over, and the last of them stays in problem(); a sampler that nobody knows is
/// left out. (llama.cpp lets a model's sequence win over --sampler-seq, by mistake; here the caller wins always. Its
/// default seed is random, here it is 0.) `all`, vocabulary_of(model), is for dry's breakers. Allocates, and may throw
/// what std::string throws.
template <class Model>
chain_settings settings_of(const Model* model, const vocabulary* all = nullptr) {
    chain_settings s;
    s.read("samplers=default");
    std::string problem;
    const auto read = [&](const std::string& setting) {
        if (!s.read(setting)) problem = setting;
    };
    const std::string prefix = "general.sampling.";
    if (const std::string sequence = detail::metadata(model, (prefix + "sequence").c_str()); !sequence.empty())
        read(detail::known_samplers_of(sequence));
    for (const char* const name : {"top_k", "top_p", "min_p", "xtc_probability", "xtc_threshold", "temp",
                                   "penalty_last_n", "penalty_repeat", "mirostat", "mirostat_tau", "mirostat_eta"})
        if (const std::string value = detail::metadata(model, (prefix + name).c_str()); !value.empty())
            read(std::string(name) + "=" + value);
    const auto* const tokens = detail::source_of_tokens(model);
    s.n_vocab = detail::tokens_of(tokens).size();
    if constexpr (std::int32_t count = 0; requires { llama_vocab_get_suppress_tokens(tokens, &count); }) {
        std::int32_t suppressed = 0;
        const auto* const ids = llama_vocab_get_suppress_tokens(tokens, &suppressed);
        for (std::int32_t i = 0; ids && i < suppressed; ++i) s.suppressed.push_back(ids[i]);
    }
    if (all) s.first_space_is_dropped = drops_first_space(model, *all);
    if (!problem.empty()) s.read(problem);  // says once more what was wrong
    return s;
}

}  // namespace riffle::llama
