#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <riffle/core/growing_array.hpp>
#include <riffle/core/token.hpp>
#include <riffle/speculative/drafters/hashed_numbers.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// One to four tokens in the order of the text; null_token behind the last. The lesser of two is the one whose first
/// different token is less, or that ends there.
using ngram = std::array<token_id, 4>;

inline std::size_t size_of(const ngram& of) noexcept {
    std::size_t size = 0;
    while (size < of.size() && of[size] != null_token) ++size;
    return size;
}

/// How often each token followed each n-gram. Two arrays, each with a hash table: of n-grams, and of their followers.
/// The most frequent follower is noted as they are counted, so nothing is searched for.
class ngram_counts {
public:
    struct follower {
        std::uint32_t behind;  ///< the number of the n-gram
        token_id token;
        std::uint32_t count;
    };
    enum class outcome : std::uint8_t { added, was_there, is_full, no_memory };
    static constexpr std::uint32_t most_count = 0x7FFFFFFF;  ///< a count of so many stays; llama.cpp's is an int32_t

    void clear() noexcept {
        ngrams_.clear();
        followers_.clear();
        ngram_numbers_.clear();
        follower_numbers_.clear();
        tokens_ = 0;
    }
    /// Pairs of an n-gram and a follower.
    std::size_t size() const noexcept { return followers_.size(); }
    /// Different n-grams, each of which has a follower; and their tokens in all.
    std::size_t ngrams() const noexcept { return ngrams_.size(); }
    std::size_t tokens() const noexcept { return tokens_; }
    std::size_t bytes() const noexcept {
        return ngrams_.bytes() + followers_.bytes() + ngram_numbers_.bytes() + follower_numbers_.bytes();
    }
    /// In the order in which they came.
    std::span<const follower> followers() const noexcept { return followers_.part(0, followers_.size()); }
    const ngram& ngram_of(const follower& f) const noexcept { return ngrams_[f.behind].tokens; }

    bool has(const ngram& before) noexcept { return number_of(before) != hashed_numbers::none; }
    /// Counts a token behind an n-gram once more. A pair that is new is left out where there are `most` already, and
    /// without memory.
    void count(const ngram& before, token_id token, std::size_t most) noexcept {
        const std::uint32_t n = number_of(before);
        const std::uint32_t f = follower_of(n, token);
        if (f == hashed_numbers::none) {
            static_cast<void>(add_pair(n, before, token, 1, most));
        } else if (followers_[f].count < most_count) {
            ++followers_[f].count;
            note(f, 1);
        }
    }
    /// A pair with its count, which is not 0. Nothing changes where the outcome is not `added`.
    outcome add(const ngram& before, token_id token, std::uint32_t count, std::size_t most) noexcept {
        const std::uint32_t n = number_of(before);
        if (follower_of(n, token) != hashed_numbers::none) return outcome::was_there;
        return add_pair(n, before, token, count, most);
    }
    /// The most frequent follower, of equally frequent ones that of the least id. null_token where it came less than
    /// `least_count` times, or in less than `least_share` of all cases.
    token_id likely_behind(const ngram& before, std::uint32_t least_count, float least_share) noexcept {
        const std::uint32_t n = number_of(before);
        if (n == hashed_numbers::none) return null_token;
        const follower& best = followers_[ngrams_[n].best];
        if (best.count < least_count || double(best.count) < double(least_share) * double(ngrams_[n].total))
            return null_token;
        return best.token;
    }

private:
    struct counted_ngram {
        ngram tokens;
        std::uint64_t total;  ///< of all followers
        std::uint32_t best;   ///< the number of the most frequent one
    };

    std::uint32_t number_of(const ngram& tokens) noexcept {
        return number_at(ngram_numbers_.find(hash(tokens, ngram_numbers_.function()),
                                             [&](std::uint32_t n) { return ngrams_[n].tokens == tokens; }));
    }
    std::uint32_t follower_of(std::uint32_t n, token_id token) noexcept {
        if (n == hashed_numbers::none) return n;
        return number_at(follower_numbers_.find(hash(n, token, follower_numbers_.function()), [&](std::uint32_t f) {
            return followers_[f].behind == n && followers_[f].token == token;
        }));
    }
    static std::uint32_t number_at(const std::uint32_t* found) noexcept {
        return found ? *found : hashed_numbers::none;
    }
    static std::uint64_t hash(const ngram& tokens, std::uint32_t function) noexcept {
        sequence_hash made(function);
        for (const token_id token : tokens) made.add(std::uint32_t(token));
        return made.value();
    }
    static std::uint64_t hash(std::uint32_t n, token_id token, std::uint32_t function) noexcept {
        sequence_hash made(function);
        made.add(n);
        made.add(std::uint32_t(token));
        return made.value();
    }
    /// Of an n-gram that is there, or of a new one where n is none. Makes all room first, so that nothing is undone.
    outcome add_pair(std::uint32_t n, const ngram& before, token_id token, std::uint32_t count,
                     std::size_t most) noexcept {
        if (followers_.size() >= (std::min<std::size_t>)(most, hashed_numbers::none)) return outcome::is_full;
        const bool is_new = n == hashed_numbers::none;
        const auto hash_of_ngram = [&](std::uint32_t i, std::uint32_t function) {
            return hash(ngrams_[i].tokens, function);
        };
        const auto hash_of_follower = [&](std::uint32_t i, std::uint32_t function) {
            return hash(followers_[i].behind, followers_[i].token, function);
        };
        if (is_new && !ngram_numbers_.make_room(hash_of_ngram)) return outcome::no_memory;
        if (!follower_numbers_.make_room(hash_of_follower)) return outcome::no_memory;
        const auto f = std::uint32_t(followers_.size());
        if (is_new) n = std::uint32_t(ngrams_.size());
        if (!followers_.push({n, token, count})) return outcome::no_memory;
        if (is_new) {
            if (!ngrams_.push({before, 0, f})) {
                followers_.pop();
                return outcome::no_memory;
            }
            ngram_numbers_.add(hash(before, ngram_numbers_.function()), n);
            tokens_ += size_of(before);
        }
        follower_numbers_.add(hash(n, token, follower_numbers_.function()), f);
        note(f, count);
        return outcome::added;
    }
    /// A follower came so many times more, which its own count says already.
    void note(std::uint32_t f, std::uint32_t times) noexcept {
        const follower& grown = followers_[f];
        counted_ngram& before = ngrams_[grown.behind];
        before.total += times;
        const follower& best = followers_[before.best];
        if (grown.count > best.count || (grown.count == best.count && grown.token < best.token)) before.best = f;
    }

    growing_array<counted_ngram> ngrams_;
    growing_array<follower> followers_;
    hashed_numbers ngram_numbers_, follower_numbers_;
    std::size_t tokens_ = 0;
};

}  // namespace riffle::detail
