#pragma once
#include <cstddef>

#include <riffle/core/text.hpp>
#include <riffle/core/token.hpp>
#include <riffle/core/vocabulary.hpp>

namespace riffle::inline RIFFLE_ABI {

/// Which bytes of tokens belong to a text.
struct token_text_options {
    bool control_tokens = false;    ///< the names of control tokens, and of those that end generation, too
    bool drop_first_blank = false;  ///< not the blank that the text begins with (SentencePiece: drops_first_space)
};

namespace detail {

/// The bytes of tokens as a stream shows them.
class token_texts {
public:
    token_texts() noexcept = default;
    token_texts(const vocabulary* words, const token_text_options& options) noexcept
        : words_(words), options_(options), is_first_(options.drop_first_blank) {}

    /// None for a token that is not shown, and where there is no vocabulary.
    text of(token_id token) const noexcept {
        if (!words_) return {};
        const bool is_shown =
            options_.control_tokens || !words_->is(token, token_role::control | token_role::end_of_generation);
        return is_shown ? words_->piece(token) : text();
    }
    /// Without the blank that the whole begins with.
    text behind_blank(const text& bytes) const noexcept {
        return is_first_ && bytes.starts_with(text(" ", 1)) ? bytes.part(1) : bytes;
    }
    /// So many bytes have come.
    void note(std::size_t bytes) noexcept { is_first_ &= bytes == 0; }
    bool is_first() const noexcept { return is_first_; }
    void set_first(bool is_first) noexcept { is_first_ = is_first; }
    void reset() noexcept { is_first_ = options_.drop_first_blank; }

private:
    const vocabulary* words_ = nullptr;
    token_text_options options_;
    bool is_first_ = false;
};

}  // namespace detail
}  // namespace riffle
