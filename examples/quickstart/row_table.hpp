#pragma once

#include <cstdint>

#include "recorded_logits.hpp"
#include "terminal.hpp"

namespace quickstart {

/// Prints the tokens that three chains choose for each recorded row.
void print_rows(const terminal& screen, recorded_logits& file, std::uint64_t seed);

}  // namespace quickstart
