#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "byte_pairs.hpp"
#include "chains.hpp"
#include "ngram_model.hpp"
#include "terminal.hpp"

namespace quickstart {

/// What one chain wrote.
struct written {
    std::vector<riffle::token_id> tokens;
    std::vector<bool> first_choice;         ///< for each token: no other was more probable to the model
    std::vector<std::size_t> choices_left;  ///< for each token: how many had a chance after the chain
};

/// Generates `count` tokens: the loop that every program around riffle has. Throws failure when no token is legal.
written generate(const ngram_model& model, riffle::any_pipeline chain, std::span<const riffle::token_id> prompt,
                 std::size_t count);

/// Prints what the chains wrote as columns, each under its name, its seed and its stages.
void print_side_by_side(const terminal& screen, const byte_pairs& vocabulary, const std::string& prompt,
                        std::span<const shown_chain> chains, std::span<const written> texts);

}  // namespace quickstart
