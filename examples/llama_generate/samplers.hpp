#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <riffle/json_schema.hpp>
#include <riffle/llama.hpp>

#include "model.hpp"
#include "options.hpp"

/// Whatever chooses the tokens.
struct token_source {
    std::function<void(const std::vector<llama_token>&)> prompt;
    std::function<llama_token(llama_context*)> sample;  ///< of the last output; null_token where there is none
    std::string problem;                                ///< why there is none; empty when there is
    std::shared_ptr<llama_sampler> owned;               ///< the sampler that is asked, where it is one
};

/// A riffle chain, as it is or as one llama_sampler, or llama.cpp's samplers, all from the same settings.
token_source source_of(const options& wanted, const loaded_model& from);
