#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <riffle/riffle.hpp>

#include "progress.hpp"

namespace quickstart {

/// A language model that looks two tokens back: the n-gram counts of a text, smoothed by interpolated Kneser-Ney with
/// one discount for each length (R. Kneser and H. Ney, "Improved backing-off for m-gram language modeling", ICASSP
/// 1995; interpolated as in S. F. Chen and J. Goodman, "An empirical study of smoothing techniques for language
/// modeling", Computer Speech & Language 13, 1999).
class ngram_model {
public:
    /// Tokens in the longest n-gram.
    static constexpr std::size_t order = 3;

    ngram_model(std::span<const riffle::token_id> text, std::size_t vocabulary, progress& shown);

    std::size_t vocabulary() const noexcept { return vocabulary_; }

    /// Different n-grams of the given length that the text holds.
    std::size_t size(std::size_t length) const noexcept { return levels_[length - 1].grams.size(); }

    /// Writes the logits of the token that follows `history`: the logarithms of its probabilities.
    void logits(std::span<const riffle::token_id> history, std::span<float> row) const;

private:
    /// The n-grams of one length, sorted. A gram is one number, 16 bits a token, oldest token highest, so that
    /// the grams with the same context lie side by side.
    struct level {
        std::vector<std::uint64_t> grams;
        std::vector<std::uint32_t> counts;
        double discount = 0.5;
    };

    static level count(std::vector<std::uint64_t> grams);

    std::size_t vocabulary_;
    std::array<level, order> levels_;
};

}  // namespace quickstart
