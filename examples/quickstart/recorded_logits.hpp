#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace quickstart {

enum class logit_type { float32, float16 };

/// A file of logit rows: little-endian numbers, row after row, no header.
class recorded_logits {
public:
    /// Opens the file and checks its size against its shape; throws failure.
    /// Without a type, the size of the file tells it.
    recorded_logits(std::string path, std::size_t rows, std::size_t vocabulary, std::optional<logit_type> type);

    std::size_t rows() const noexcept { return rows_; }
    logit_type type() const noexcept { return type_; }

    /// The next row; throws failure where the file ends early.
    std::span<const float> next();

private:
    std::string path_;
    std::ifstream file_;
    std::size_t rows_;
    logit_type type_;
    std::vector<unsigned char> bytes_;
    std::vector<float> row_;
};

}  // namespace quickstart
