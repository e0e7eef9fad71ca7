#pragma once

#include <span>

#include <riffle/riffle.hpp>

#include "adjustable_chain.hpp"
#include "byte_pairs.hpp"
#include "ngram_model.hpp"
#include "terminal.hpp"

namespace quickstart {

/// One step after the other, with keys: what each stage of a chain does with the next token, while its parameters
/// change. Ends with the key q, or where the input ends.
void watch(const terminal& screen, const byte_pairs& vocabulary, const ngram_model& model,
           std::span<const riffle::token_id> prompt, adjustable_chain chain);

}  // namespace quickstart
