#pragma once

#include <string>
#include <string_view>

namespace quickstart {

/// Folds every run of blanks: into a line feed where it holds an empty line, else into a space. Texts are wrapped to
/// some width or other, and a model of few tokens should not have to learn which.
std::string fold_blanks(std::string_view text);

}  // namespace quickstart
