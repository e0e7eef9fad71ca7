#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace quickstart {

/// A text to learn from, every run of blanks folded: into a line feed where it holds an empty line, else into a
/// space. Texts are wrapped to some width or other, and a model of few tokens should not have to learn which.
struct training_text {
    std::string text;
    std::string origin;  ///< the file or folder it comes from
    std::size_t files = 0;
    bool cut = false;  ///< there was more than the reader takes
};

/// Bytes read at most; more would fill memory without making the model visibly better.
inline constexpr std::size_t text_limit = std::size_t{64} << 20;

/// Reads the file or the folder, or without a path the quickstart's own text (sample_text.hpp); throws failure.
training_text read_training_text(const std::optional<std::string>& path);

}  // namespace quickstart
