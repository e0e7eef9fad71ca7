#pragma once
#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <vector>

#include <riffle/core/token.hpp>

namespace riffle::inline RIFFLE_ABI {

/// A set of token sequences, found by their first token: {{13}, {198, 25}}. Empty ones and duplicates are left out.
/// Making and copying them allocates and may throw what std::vector throws; where assigning them does, nothing has
/// changed. (A template, so that including riffle does not compile it.)
template <class Id>
class basic_token_sequences {
public:
    using sequence = std::vector<Id>;  ///< tokens in the order of the text

    basic_token_sequences() noexcept = default;
    /// Of sequences in braces, in any order.
    basic_token_sequences(std::initializer_list<sequence> sequences)
        : basic_token_sequences(std::vector<sequence>(sequences)) {}
    /// Of sequences in any order, which it sorts: O(size log size).
    explicit basic_token_sequences(std::vector<sequence> sequences) : sequences_(std::move(sequences)) {
        std::sort(sequences_.data(), sequences_.data() + sequences_.size(), is_ahead);
        sequences_.erase(std::unique(sequences_.begin(), sequences_.end()), sequences_.end());
        if (!sequences_.empty() && sequences_[0].empty()) sequences_.erase(sequences_.begin());
    }
    /// Copies every sequence.
    basic_token_sequences(const basic_token_sequences&) = default;
    /// Leaves the other one empty.
    basic_token_sequences(basic_token_sequences&&) noexcept = default;
    /// All or nothing, where memory runs out.
    basic_token_sequences& operator=(const basic_token_sequences& other) {
        return *this = basic_token_sequences(other);
    }
    /// Takes the sequences of the other one.
    basic_token_sequences& operator=(basic_token_sequences&&) noexcept = default;
    ~basic_token_sequences() = default;

    /// Whether there is no sequence.
    bool empty() const noexcept { return sequences_.empty(); }
    /// How many sequences there are, each counted once.
    std::size_t size() const noexcept { return sequences_.size(); }
    /// The first sequence; they ascend, token by token.
    const sequence* begin() const noexcept { return sequences_.data(); }
    /// Behind the last sequence.
    const sequence* end() const noexcept { return sequences_.data() + sequences_.size(); }

    /// Those that begin with a token, shorter ones ahead of longer ones that they begin. O(log size).
    std::span<const sequence> beginning_with(Id head) const noexcept {
        const auto [first, last] = continued_by({begin(), end()}, 0, head);
        return {first, last};
    }
    /// How long the longest of them is that token_at(0), token_at(1), ... begin with, of which `available` may be asked
    /// for; 0 = none is. O(log size) a token that is asked for, as many as some sequence begins with, and one.
    template <class TokenAt>
    std::size_t longest_beginning(TokenAt token_at, std::size_t available) const noexcept {
        std::size_t longest = 0;
        range left{begin(), end()};  // those that begin with `length` of the tokens, and are longer
        for (std::size_t length = 0; length < available && left.first != left.last; ++length) {
            left = continued_by(left, length, token_at(length));
            if (left.first != left.last && left.first->size() == length + 1) {
                longest = length + 1;
                ++left.first;
            }
        }
        return longest;
    }
    /// Whether the sequence of this one token is among them. O(log size).
    bool contains_alone(Id token) const noexcept {
        const auto found = beginning_with(token);
        return !found.empty() && found[0].size() == 1;
    }

private:
    // (As vectors and their iterators have it; but their <=> is data of which a process has one, without optimisation.)
    static bool is_ahead(const sequence& a, const sequence& b) noexcept {
        return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
    }
    struct range {
        const sequence *first, *last;
    };
    /// Of sequences that are alike in their first `length` tokens, and longer: those that go on with `next`. (All of
    /// them do where they have a head in common, and no search is needed.)
    static range continued_by(range of, std::size_t length, Id next) noexcept {
        if (of.first != of.last && (*of.first)[length] != next)
            of.first = std::lower_bound(of.first, of.last, next,
                                        [length](const sequence& s, Id id) { return s[length] < id; });
        if (of.first != of.last && of.last[-1][length] != next)
            of.last = std::upper_bound(of.first, of.last, next,
                                       [length](Id id, const sequence& s) { return id < s[length]; });
        return of;
    }

    std::vector<sequence> sequences_;
};
using token_sequences = basic_token_sequences<token_id>;

}  // namespace riffle
