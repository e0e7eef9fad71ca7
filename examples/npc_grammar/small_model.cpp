// The quickstart's n-gram model over its byte pairs.
#include <algorithm>
#include <string_view>

#include "../quickstart/byte_pairs.hpp"
#include "../quickstart/ngram_model.hpp"
#include "../quickstart/progress.hpp"
#include "language_model.hpp"

namespace {

class small_model : public language_model {
public:
    explicit small_model(std::string_view text)
        : pairs_(text, 700, silent_), model_(pairs_.encode(text, silent_), pairs_.size(), silent_) {
        for (std::size_t id = 0; id < pairs_.size(); ++id) words_.add(pairs_[riffle::token_id(id)]);
        words_.add("<end>", riffle::token_role::end_of_generation | riffle::token_role::control);
        row_.resize(words_.size());
    }
    const riffle::vocabulary& words() const override { return words_; }
    std::vector<riffle::token_id> tokens_of(const std::string& text) const override {
        return pairs_.encode(text, silent_);
    }
    void begin(std::span<const riffle::token_id> prompt) override {
        text_.clear();
        read(prompt);
    }
    void read(std::span<const riffle::token_id> tokens) override {
        text_.insert(text_.end(), tokens.begin(), tokens.end());
        model_.logits(text_, std::span(row_).first(pairs_.size()));
        row_.back() = *std::max_element(row_.begin(), row_.end() - 1) - 3.0f;  // it has never seen an end
    }
    std::span<const float> logits() const override { return row_; }

private:
    mutable quickstart::progress silent_;
    quickstart::byte_pairs pairs_;
    quickstart::ngram_model model_;
    riffle::vocabulary words_;
    std::vector<riffle::token_id> text_;
    std::vector<float> row_;
};

}  // namespace

std::unique_ptr<language_model> learn_small_model(std::string_view text) {
    return std::make_unique<small_model>(text);
}
