#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include <riffle/core/token.hpp>
#include <riffle/speculative/drafts/draft.hpp>
#include <riffle/speculative/drafters/hashed_numbers.hpp>
#include <riffle/speculative/drafters/kept_text.hpp>

namespace riffle::inline RIFFLE_ABI {
namespace detail {

/// A text, and for each n-gram of one length the place behind its latest occurrence that something follows.
class indexed_text {
public:
    void accept(std::span<const token_id> tokens, std::size_t key) noexcept {
        if (!text_.accept(tokens)) begin_index(key);
        index_up_to_end(key);
    }
    void reset() noexcept {
        text_.clear();
        begin_index(key_);
    }
    std::size_t bytes() const noexcept { return text_.bytes() + latest_.bytes(); }

    /// What follows the latest occurrence of the last `key` tokens that something follows. Empty where there is none.
    std::span<const token_id> what_followed(const draft& d, std::size_t key) noexcept {
        index_up_to_end(key);
        if (key >= text_.size()) return {};
        const std::uint32_t* const found = find([&](std::size_t i) { return text_.from_end(d, key - 1 - i); });
        return found ? text_.from(*found) : std::span<const token_id>();
    }

private:
    void begin_index(std::size_t key) noexcept {
        latest_.clear();
        key_ = next_ = key;
    }
    /// An n-gram is known from when a token follows it: so that which the text ends with is not its own occurrence.
    void index_up_to_end(std::size_t key) noexcept {
        if (key != key_) begin_index(key);
        for (; next_ < text_.size() && next_ < hashed_numbers::none; ++next_) note(std::uint32_t(next_));
    }
    /// The n-gram before a place occurred there. Without memory it stays unknown.
    void note(std::uint32_t place) noexcept {
        if (std::uint32_t* const known = find([&](std::size_t i) { return text_[place - key_ + i]; })) {
            *known = place;
            return;
        }
        const auto hash_of = [&](std::uint32_t p, std::uint32_t function) {
            return hash([&](std::size_t i) { return text_[p - key_ + i]; }, function);
        };
        if (latest_.make_room(hash_of)) latest_.add(hash_of(place, latest_.function()), place);
    }
    /// By the tokens themselves, since others may have the same hash. token_at(i) tells them.
    template <class TokenAt>
    std::uint32_t* find(TokenAt token_at) noexcept {
        return latest_.find(hash(token_at, latest_.function()), [&](std::uint32_t place) {
            std::size_t i = 0;
            while (i < key_ && text_[place - key_ + i] == token_at(i)) ++i;
            return i == key_;
        });
    }
    template <class TokenAt>
    std::uint64_t hash(TokenAt token_at, std::uint32_t function) const noexcept {
        sequence_hash made(function);
        for (std::size_t i = 0; i < key_; ++i) made.add(std::uint32_t(token_at(i)));
        return made.value();
    }

    kept_text text_;
    hashed_numbers latest_;
    std::size_t key_ = 0, next_ = 0;  ///< tokens of an n-gram; the first place that is not indexed
};

}  // namespace detail

/// Drafts what followed the latest earlier occurrence of the last `key` tokens, which a hash table knows: O(key) a
/// token and a draft, however long the text is. What llama.cpp calls `ngram-map-k` and `ngram-mod`; but a key always
/// leads to its latest occurrence and is never given up (the first keeps the first one, and disables a key that failed
/// once), and its tokens are compared, so nothing is copied from where only a hash agrees (as the second does).
///
/// It keeps 4 to 8 bytes a token, and 16 to 32 for each different key. Without memory it learns no new keys; where
/// there is none for a longer text, the text begins anew. It knows the first 2^32 - 2 places of a text.
struct ngram_map {
    std::size_t key = 4;     ///< tokens that must have occurred before; 0 counts as 1. A change costs O(text) once
    std::size_t length = 8;  ///< tokens that a call proposes at most; 0: none

    /// What the text got, from the prompt or generated. Ids below 0 are ignored.
    void accept(std::span<const token_id> tokens) noexcept { kept.accept(tokens, key_in_use()); }
    /// Adds tokens to a draft, behind those it has, until it has `most`. Those it has count as the end of the text, but
    /// only what was accepted is known. Answers how many were added: none where the key is not known.
    std::size_t propose(draft& d, std::size_t most) noexcept {
        if (length == 0 || d.size() >= most) return 0;
        return detail::propose_copy(kept.what_followed(d, key_in_use()), d, length, most);
    }
    /// For another text. The memory stays.
    void reset() noexcept { kept.reset(); }
    /// The memory it holds.
    std::size_t bytes() const noexcept { return kept.bytes(); }

    detail::indexed_text kept{};  ///< what it has read; not to be set

private:
    std::size_t key_in_use() const noexcept { return key > 0 ? key : 1; }
};

}  // namespace riffle
