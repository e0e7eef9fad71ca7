#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "recorded_logits.hpp"

namespace quickstart {

/// What the command line asks for.
struct options {
    bool help = false;
    std::optional<std::string> text;  ///< file or folder to learn from
    std::optional<std::string> prompt;
    std::size_t tokens = 72;
    std::size_t step = 1;
    std::uint64_t seed = 42;
    bool watch = false;  ///< one step at a time, with keys
    std::string chain = "penalty_repeat=1.1;top_k=40;top_p=0.95;min_p=0.05;temp=0.8";  ///< that is watched

    std::optional<std::string> logits;  ///< file of recorded rows, instead of a text
    std::size_t rows = 0;
    std::optional<logit_type> type;

    std::size_t vocabulary = 0;  ///< 0: not given
    std::size_t width = 0;       ///< 0: as wide as the terminal
    bool color = true;
};

/// Reads the command line; throws usage_error.
options parse_options(int count, const char* const* arguments);

/// The page that --help prints.
std::string help_page();

}  // namespace quickstart
