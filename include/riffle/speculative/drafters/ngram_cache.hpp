#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <riffle/core/status.hpp>
#include <riffle/core/token.hpp>
#include <riffle/speculative/drafts/draft.hpp>
#include <riffle/speculative/drafters/ngram_cache_file.hpp>
#include <riffle/speculative/drafters/ngram_counts.hpp>

namespace riffle::inline RIFFLE_ABI {
namespace detail {

/// The last tokens of a text, as many as the longest n-gram has.
class last_tokens {
public:
    void push(token_id token) noexcept {
        std::rotate(tokens_.begin(), tokens_.begin() + 1, tokens_.end());
        tokens_.back() = token;
        if (size_ < tokens_.size()) ++size_;
    }
    void clear() noexcept { size_ = 0; }
    std::size_t size() const noexcept { return size_; }
    /// The last `size` of them.
    ngram last(std::size_t size) const noexcept {
        ngram made = {null_token, null_token, null_token, null_token};
        std::copy(tokens_.end() - std::ptrdiff_t(size), tokens_.end(), made.begin());
        return made;
    }

private:
    ngram tokens_{};
    std::size_t size_ = 0;
};

/// What was counted, and where the text stands.
struct counted_text {
    ngram_counts counts;
    last_tokens end;
};

}  // namespace detail

/// Drafts the most frequent follower of the last 1 to 4 tokens, then that of the last ones with it, and so on. The
/// longest n-gram counts whose most frequent follower came often enough; where none did, the draft ends. It learns from
/// texts, and from files: a cache of the last session, or one that llama.cpp made of a corpus.
///
///     ngram_cache drafter;
///     if (!drafter.load(bytes_of_a_file)) ...     // what was counted earlier
///     drafter.accept(prompt);
///     drafter.propose(d, 8);
///
/// An entry is an n-gram with one of its followers, of at most 150 bytes; 4 of them a token at most. O(1) a token,
/// learnt or drafted. Without memory it learns nothing new, as behind `most_entries`, but counts what it knows. Two
/// n-grams are the same where their tokens are, in order. (llama.cpp's hash of them knows no order, and equal tokens
/// cancel in it.)
struct ngram_cache {
    std::size_t shortest = 1;       ///< tokens of the shortest n-grams that are learnt and asked: 1 to 4, or clamped
    std::size_t longest = 4;        ///< of the longest: from shortest to 4, or clamped
    std::size_t length = 8;         ///< tokens that a call proposes at most, which may go in circles; 0: none
    std::uint32_t least_count = 1;  ///< how often a follower must have come to be drafted; 0 counts as 1
    float least_share = 0.5f;  ///< and in which part of all cases: 0 (any) to 1 (no other ever came); clamped, NaN is 0
    std::size_t most_entries = std::size_t{1} << 20;  ///< there it learns nothing new; 2^32 - 1 at most. 0: none

    /// What the text got, from the prompt or generated: each token is counted behind the n-grams before it. Ids below 0
    /// are ignored. Nothing is ever counted of a draft.
    void accept(std::span<const token_id> tokens) noexcept {
        for (const token_id token : tokens) {
            if (token < 0) continue;
            for (std::size_t size = shortest_in_use(); size <= longest_at(kept.end); ++size)
                kept.counts.count(kept.end.last(size), token, most_entries);
            kept.end.push(token);
        }
    }
    /// Adds tokens to a draft, behind those it has, until it has `most`. Those it has count as the end of the text, but
    /// are not learnt. Answers how many were added.
    std::size_t propose(draft& d, std::size_t most) noexcept {
        detail::last_tokens end = kept.end;
        for (const token_id token : d.tokens()) end.push(token);
        std::size_t added = 0;
        while (added < length && d.size() < most) {
            const token_id next = likely_behind(end);
            if (next == null_token || !d.push(next)) break;
            end.push(next);
            ++added;
        }
        return added;
    }
    /// For another text, by what is known: the next token follows nothing. Counts stay.
    void next_text() noexcept { kept.end.clear(); }
    /// As new: what it learnt is forgotten, and what was loaded too. The memory stays.
    void reset() noexcept {
        kept.counts.clear();
        kept.end.clear();
    }
    /// The memory it holds.
    std::size_t bytes() const noexcept { return kept.counts.bytes(); }
    /// How many entries it holds: n-grams with one of their followers each.
    std::size_t entries() const noexcept { return kept.counts.size(); }

    /// How many bytes save writes.
    std::size_t saved_bytes() const noexcept { return detail::ngram_cache_file::bytes(kept.counts); }
    /// Writes what was counted into the first saved_bytes() bytes: the same bytes for the same counts, in whatever
    /// order they came, on every machine. The text and the options are not among them. storage_too_small where `to` has
    /// less; out_of_memory where there are not 4 bytes an entry to sort them. O(n log n) of the entries.
    status save(std::span<std::byte> to) const noexcept {
        if (to.size() < saved_bytes())
            return status::invalid("ngram_cache", "bytes", double(to.size()), "are less than saved_bytes()",
                                   status_code::storage_too_small);
        return detail::ngram_cache_file::write(kept.counts, to.data());
    }
    /// Takes what save wrote, all of it, in the place of what was counted; the text goes on. Bytes that are no such
    /// file are refused and change nothing: out_of_memory, or invalid_parameter and why, for another magic number, a
    /// newer version, bytes that were changed, cut off or added (the checksum finds accidents, not forgers), a token
    /// below 0, a count of 0 or above 2^31 - 1, an n-gram or a follower of it that comes twice, and more than
    /// `most_entries`. Whatever the bytes say, memory is only taken for what they hold.
    status load(std::span<const std::byte> from) noexcept {
        detail::ngram_counts made;
        return replace(detail::ngram_cache_file::read(from, most_entries, made), made);
    }
    /// load of a file that llama.cpp wrote on a little-endian machine: what its --lookup-cache-static (-lcs) and
    /// --lookup-cache-dynamic take, and `llama-lookup-create` makes. Static ones hold n-grams of 2 tokens alone. The
    /// format has no checksum, so one that was cut behind an n-gram is taken for a whole one; an empty one is whole.
    status load_llama(std::span<const std::byte> from) noexcept {
        detail::ngram_counts made;
        return replace(detail::ngram_cache_file::read_llama(from, most_entries, made), made);
    }

    detail::counted_text kept{};  ///< what it has read; not to be set

private:
    std::size_t shortest_in_use() const noexcept {
        return (std::clamp)(shortest, std::size_t{1}, std::size_t{detail::ngram().size()});
    }
    /// As far as there are tokens.
    std::size_t longest_at(const detail::last_tokens& end) const noexcept {
        return (std::min)((std::clamp)(longest, shortest_in_use(), std::size_t{detail::ngram().size()}), end.size());
    }
    token_id likely_behind(const detail::last_tokens& end) noexcept {
        const float share = (std::min)(least_share, 1.0f);
        for (std::size_t size = longest_at(end); size >= shortest_in_use(); --size) {
            const token_id next = kept.counts.likely_behind(end.last(size), least_count, share);
            if (next != null_token) return next;
        }
        return null_token;
    }
    status replace(const status& read, detail::ngram_counts& made) noexcept {
        if (read.ok()) kept.counts = std::move(made);
        return read;
    }
};

}  // namespace riffle
