#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <riffle/riffle.hpp>

/// Whatever gives logits.
class language_model {
public:
    virtual ~language_model() = default;

    virtual const riffle::vocabulary& words() const = 0;
    virtual std::vector<riffle::token_id> tokens_of(const std::string& text) const = 0;
    /// A new text, which begins with these tokens.
    virtual void begin(std::span<const riffle::token_id> prompt) = 0;
    /// Reads on: so many tokens at once, in one evaluation.
    virtual void read(std::span<const riffle::token_id> tokens) = 0;
    /// For the token behind what was read.
    virtual std::span<const float> logits() const = 0;
};

/// The quickstart's model, learnt from a text.
std::unique_ptr<language_model> learn_small_model(std::string_view text);
/// A model in a GGUF file; nullptr, and a sentence on standard error, where there is none to be had.
std::unique_ptr<language_model> load_gguf(const std::string& path);
