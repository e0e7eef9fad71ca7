#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include <riffle/riffle.hpp>

#include "../quickstart/byte_pairs.hpp"
#include "../quickstart/ngram_model.hpp"
#include "../quickstart/progress.hpp"

namespace visualiser {

/// The quickstart's model: tokens learnt from a text, and what follows what in it.
class language_model {
public:
    language_model(std::string_view text, std::size_t tokens)
        : tokens_(text, tokens, quiet_), follows_(tokens_.encode(text, quiet_), tokens_.size(), quiet_) {}

    const quickstart::byte_pairs& tokens() const noexcept { return tokens_; }
    std::vector<riffle::token_id> encode(std::string_view text) { return tokens_.encode(text, quiet_); }
    void logits(std::span<const riffle::token_id> history, std::span<float> row) const {
        follows_.logits(history, row);
    }

private:
    quickstart::progress quiet_;
    quickstart::byte_pairs tokens_;
    quickstart::ngram_model follows_;
};

}  // namespace visualiser
