#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <riffle/speculative.hpp>

#include "proposals.hpp"

/// A text and the row ahead of each of its tokens, as the model gave them one by one. Played back, it gives just those
/// rows: so that what a draft changes is the draft's doing, and not that of a model whose batches round otherwise.
class recorded_engine {
public:
    void record(std::span<const float> row, riffle::token_id chosen) {
        rows_.emplace_back(row.begin(), row.end());
        text_.push_back(chosen);
    }
    std::span<const float> row_ahead_of(std::size_t i) const { return rows_[i]; }
    std::span<const riffle::token_id> text() const { return text_; }

    bool begin(std::span<const riffle::token_id> prompt) {
        first_ = prompt.size() - 1;
        return true;
    }
    /// Notes which rows of the draft lie on the text; the others were never recorded, and are empty.
    template <class Draft>
    bool evaluate(riffle::token_id, std::size_t position, const Draft& proposed) {
        at_.assign(1, std::int32_t(position - first_));
        for (std::int32_t n = 0; n < std::int32_t(proposed.size()); ++n) {
            const std::int32_t behind = at_[std::size_t(parent_of(proposed, n) + 1)];
            const bool is_on_text = behind >= 0 && std::size_t(behind) < text_.size() &&
                                    text_[std::size_t(behind)] == token_at(proposed, n);
            at_.push_back(is_on_text ? behind + 1 : -1);
        }
        return true;
    }
    template <class Chain, class Draft, class Verifier>
    const riffle::verified& verify(Chain& chain, const Draft& proposed, riffle::speculator<Verifier>& by,
                                   std::span<const riffle::token_id> ends) {
        return by.verify(chain, proposed, [this](std::size_t i) { return row(i); }, ends);
    }
    std::span<const float> row(std::size_t i) const {
        const std::int32_t place = at_[i];
        return place >= 0 && std::size_t(place) < rows_.size() ? std::span<const float>(rows_[std::size_t(place)])
                                                               : std::span<const float>();
    }
    bool trim(const riffle::verified&) { return true; }

private:
    std::vector<std::vector<float>> rows_;
    std::vector<riffle::token_id> text_;
    std::size_t first_ = 0;
    std::vector<std::int32_t> at_;  ///< of each row of the draft: how many tokens of the text lie ahead; -1: it strays
};
