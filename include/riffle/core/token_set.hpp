#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include <riffle/core/token.hpp>

namespace riffle::inline RIFFLE_ABI {

/// A set of token ids, a bit each: {1, 5, 7}. Ids below 0, and from `bound` on, are left out, and id_check complains of
/// them. Making and changing one allocates, 2 MiB at most, and may throw what std::vector throws. (A template, so that
/// including riffle does not compile it.)
template <class Id>
class basic_token_set {
public:
    /// No vocabulary has so many tokens. Without a bound, one id that somebody else chose would cost 256 MiB.
    static constexpr Id bound = Id{1} << 24;
    /// So many ids are listed: reading a list of more would save nothing.
    static constexpr std::size_t most_listed = 256;

    basic_token_set() noexcept = default;
    /// Of ids in braces, in any order.
    basic_token_set(std::initializer_list<Id> ids) : basic_token_set(std::span<const Id>(ids.begin(), ids.size())) {}
    /// Of ids in any order; duplicates are one.
    explicit basic_token_set(std::span<const Id> ids) {
        for (const Id id : ids) add(id);
    }
    /// Copies the ids, and which was left out.
    basic_token_set(const basic_token_set&) = default;
    /// Leaves the other one empty.
    basic_token_set(basic_token_set&& other) noexcept { swap(other); }
    /// All or nothing, where memory runs out.
    basic_token_set& operator=(const basic_token_set& other) { return *this = basic_token_set(other); }
    /// Leaves the other one empty.
    basic_token_set& operator=(basic_token_set&& other) noexcept {
        basic_token_set from(std::move(other));
        swap(from);
        return *this;
    }
    ~basic_token_set() = default;

    /// O(1), or O(listed ids).
    void add(Id id) {
        if (id < 0 || id >= bound) {
            left_out_ = id;
            return;
        }
        const std::size_t place = std::size_t(id) / 32;
        if (place >= words_.size()) words_.resize(place + 1);
        if (contains(id)) return;
        if (are_listed()) list(id);
        words_[place] |= 1u << (std::uint32_t(id) % 32);
        ++size_;
    }
    /// Keeps its memory. O(1), or O(listed ids).
    void remove(Id id) noexcept {
        if (!contains(id)) return;
        if (are_listed()) take_from_list(id);
        words_[std::size_t(id) / 32] &= ~(1u << (std::uint32_t(id) % 32));
        --size_;
    }
    /// Whether an id is in it; false for those outside the range of ids. O(1).
    bool contains(Id id) const noexcept {
        const std::size_t place = std::size_t(std::uint32_t(id)) / 32;
        return id >= 0 && place < words_.size() && (words_[place] >> (std::uint32_t(id) % 32) & 1);
    }
    /// How many ids are in it.
    std::size_t size() const noexcept { return size_; }
    /// Whether no id is in it.
    bool empty() const noexcept { return size_ == 0; }
    /// The last id that was to be added and is not in the range of ids; 0 when none was.
    Id left_out() const noexcept { return left_out_; }
    /// Packed, lowest bit first, as a mask has them.
    std::span<const std::uint32_t> words() const noexcept { return {words_.data(), words_.size()}; }

    /// Ascending, where they are at most 256; else empty, and words() has them. Saves whoever wants a few of a large
    /// vocabulary from looking at all its words. A set that once had more is listed again after it was empty.
    std::span<const Id> ids() const noexcept { return {listed_.data(), listed_.size()}; }

    /// Calls visit(id) in ascending order. O(greatest id / 32 + size).
    template <class Visit>
    void each(Visit visit) const noexcept {
        each_below(std::size_t(bound), visit);
    }
    /// As each, for ids below `end`; up to 32 ids from `end` on may be visited too. O(end / 32 + visited).
    template <class Visit>
    void each_below(std::size_t end, Visit visit) const noexcept {
        const std::size_t words = (std::min)(words_.size(), end / 32 + 1);
        for (std::size_t w = 0; w < words; ++w)
            for (std::uint32_t bits = words_[w]; bits; bits &= bits - 1)
                visit(Id(w * 32 + std::size_t(std::countr_zero(bits))));
    }

private:
    void swap(basic_token_set& other) noexcept {
        words_.swap(other.words_);
        listed_.swap(other.listed_);
        std::swap(size_, other.size_);
        std::swap(left_out_, other.left_out_);
    }
    bool are_listed() const noexcept { return listed_.size() == size_; }
    void list(Id id) {
        if (size_ == most_listed) return listed_.clear();
        listed_.push_back(id);
        for (std::size_t i = size_; i > 0 && listed_[i - 1] > id; --i) std::swap(listed_[i - 1], listed_[i]);
    }
    void take_from_list(Id id) noexcept {
        std::size_t i = 0;
        while (listed_[i] != id) ++i;
        for (; i + 1 < size_; ++i) listed_[i] = listed_[i + 1];
        listed_.pop_back();
    }

    std::vector<std::uint32_t> words_;
    std::vector<Id> listed_;  ///< all of them, or none
    std::size_t size_ = 0;
    Id left_out_ = 0;
};
using token_set = basic_token_set<token_id>;

}  // namespace riffle
