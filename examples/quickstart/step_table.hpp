#pragma once

#include <span>
#include <string>
#include <vector>

#include <riffle/explain.hpp>
#include <riffle/riffle.hpp>

#include "byte_pairs.hpp"
#include "terminal.hpp"

namespace quickstart {

/// Prints what each stage of a chain did at one step: how many tokens it left and how much probability it took away;
/// then what became of the most probable tokens, and of the most probable one that each stage removed.
/// `before`: all tokens, as the model alone orders them.
void print_step(const terminal& screen, const byte_pairs& vocabulary, const std::vector<std::string>& stages,
                std::span<const riffle::token_logprob> before, const riffle::explanation& step);

}  // namespace quickstart
