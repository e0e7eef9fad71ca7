#pragma once
#include <cstddef>
#include <span>

#include <riffle/core/growing_array.hpp>
#include <riffle/core/token.hpp>
#include <riffle/speculative/drafts/draft.hpp>
#include <riffle/speculative/drafters/kept_text.hpp>

namespace riffle::inline RIFFLE_ABI {
namespace detail {

/// A text without an index, searched from its end on for what it ends with. This is Knuth, Morris and Pratt's search,
/// of both read backwards, so that it is linear however often the text repeats itself.
class searched_text {
public:
    void accept(std::span<const token_id> tokens) noexcept { static_cast<void>(text_.accept(tokens)); }
    void reset() noexcept { text_.clear(); }
    std::size_t bytes() const noexcept { return text_.bytes() + end_.bytes(); }

    /// What follows the latest occurrence of the last n tokens that something follows. Empty where there is none.
    std::span<const token_id> what_followed(const draft& d, std::size_t n) noexcept {
        if (n >= text_.size() || !read_end(d, n)) return {};
        std::size_t same = 0;
        for (std::size_t i = text_.size() - 1; i-- > 0;) {
            same = same_behind(same, text_[i]);
            if (same == n) return text_.from(i + n);
        }
        return {};
    }

private:
    /// One of the last tokens, from the very last on.
    struct end_token {
        token_id token;
        std::size_t border;  ///< so many of the tokens up to here are also the first of all, and not all of them
    };

    [[nodiscard]] bool read_end(const draft& d, std::size_t n) noexcept {
        end_.clear();
        for (std::size_t i = 0; i < n; ++i) {
            const token_id token = text_.from_end(d, i);
            if (!end_.push({token, i > 0 ? same_behind(end_[i - 1].border, token) : 0})) return false;
        }
        return true;
    }
    /// How many tokens of the end agree where `same` did and one more is read.
    std::size_t same_behind(std::size_t same, token_id token) const noexcept {
        while (same > 0 && end_[same].token != token) same = end_[same - 1].border;
        return end_[same].token == token ? same + 1 : 0;
    }

    kept_text text_;
    growing_array<end_token> end_;
};

}  // namespace detail

/// Drafts what followed the latest earlier occurrence of the last n tokens (prompt lookup decoding, Saxena 2023;
/// llama.cpp's `ngram-simple`). It has no index, so a token costs nothing and a draft a search: O(text), whatever n is.
/// Best for short texts, and where texts change often. An occurrence at the very beginning counts, and one that fewer
/// than `length` tokens follow (llama.cpp overlooks both). It keeps 4 to 8 bytes a token; where there is no memory for
/// a longer text, the text begins anew.
///
///     prompt_lookup drafter{.n = 3};
///     drafter.accept(prompt);
///     drafter.propose(d, 8);
struct prompt_lookup {
    std::size_t n = 3;       ///< tokens that must have occurred before; 0 counts as 1
    std::size_t length = 8;  ///< tokens that a call proposes at most; 0: none

    /// What the text got, from the prompt or generated. Ids below 0 are ignored. O(tokens).
    void accept(std::span<const token_id> tokens) noexcept { kept.accept(tokens); }
    /// Adds tokens to a draft, behind those it has, until it has `most`. Those it has count as the end of the text, but
    /// only what was accepted is searched. Answers how many were added: none where nothing is found, or without memory.
    std::size_t propose(draft& d, std::size_t most) noexcept {
        if (length == 0 || d.size() >= most) return 0;
        return detail::propose_copy(kept.what_followed(d, n > 0 ? n : 1), d, length, most);
    }
    /// For another text. The memory stays.
    void reset() noexcept { kept.reset(); }
    /// The memory it holds.
    std::size_t bytes() const noexcept { return kept.bytes(); }

    detail::searched_text kept{};  ///< what it has read; not to be set
};

}  // namespace riffle
