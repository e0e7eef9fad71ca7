#pragma once
#include <cstddef>
#include <cstdint>

#include <riffle/core/growing_array.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// A hash of numbers in their order, by one of many functions. Equal numbers do not cancel each other, and every bit of
/// the result depends on all of them.
class sequence_hash {
public:
    explicit sequence_hash(std::uint32_t function) noexcept : hash_((function + std::uint64_t{1}) * factor) {}
    void add(std::uint32_t number) noexcept {
        hash_ = (hash_ ^ number) * factor;
        hash_ ^= hash_ >> 32;
    }
    std::uint64_t value() const noexcept {
        const std::uint64_t mixed = (hash_ ^ (hash_ >> 29)) * 0xBF58476D1CE4E5B9u;  // of splitmix64
        return mixed ^ (mixed >> 32);
    }

private:
    static constexpr std::uint64_t factor = 0x9E3779B97F4A7C15u;  ///< 2^64 by the golden ratio
    std::uint64_t hash_;
};

/// Finds numbers by the hash of what they stand for, which lies elsewhere: open addressing, half full at most. Whoever
/// writes a text or a file may choose things that share their places under one hash function. So the places passed over
/// are counted, and where they are more than there are slots, all is placed anew by the next function, as token_counts
/// does it. Few things share their places under several.
class hashed_numbers {
public:
    static constexpr std::uint32_t none = 0xFFFFFFFFu;

    /// Which hash function counts.
    std::uint32_t function() const noexcept { return function_; }
    std::size_t bytes() const noexcept { return slots_.bytes(); }
    /// O(slots), which stay.
    void clear() noexcept {
        for (slot& s : slots_) s.number = none;
        size_ = passed_ = 0;
    }
    /// Room for one more, or false without memory. Calls hash_of(number, function) for those that have to move. What
    /// was hashed earlier may be out of date then.
    template <class HashOf>
    [[nodiscard]] bool make_room(HashOf hash_of) noexcept {
        if (2 * (size_ + 1) > slots_.size())
            return place_anew(slots_.empty() ? 64 : 2 * slots_.size(), function_, hash_of);
        if (passed_ > slots_.size() && function_ < last_function)
            static_cast<void>(place_anew(slots_.size(), function_ + 1, hash_of));  // without memory it stays as it is
        return true;
    }
    /// The number of that hash for which is_it(number), which may be changed into that of an equal thing. Null where
    /// there is none. Valid until one is added.
    template <class IsIt>
    std::uint32_t* find(std::uint64_t hash, IsIt is_it) noexcept {
        if (slots_.empty()) return nullptr;
        for (std::size_t i = place_of(hash); slots_[i].number != none; i = place_of(i + 1))
            if (slots_[i].tag == tag_of(hash) && is_it(slots_[i].number)) return &slots_[i].number;
        return nullptr;
    }
    /// A number below none whose thing is not there yet. There must be room.
    void add(std::uint64_t hash, std::uint32_t number) noexcept {
        std::size_t i = place_of(hash);
        for (; slots_[i].number != none; i = place_of(i + 1)) ++passed_;
        slots_[i] = {tag_of(hash), number};
        ++size_;
    }

private:
    static constexpr std::uint32_t last_function = 16;
    struct slot {
        std::uint32_t tag;  ///< the bits of the hash that the place does not show: most others are told apart by them
        std::uint32_t number;
    };

    std::size_t place_of(std::uint64_t hash) const noexcept { return std::uint32_t(hash) & (slots_.size() - 1); }
    static std::uint32_t tag_of(std::uint64_t hash) noexcept { return std::uint32_t(hash >> 32); }
    template <class HashOf>
    bool place_anew(std::size_t places, std::uint32_t function, HashOf hash_of) noexcept {
        growing_array<slot> earlier;
        earlier.swap(slots_);
        if (!slots_.resize(places, {0, none})) {
            earlier.swap(slots_);
            return false;
        }
        function_ = function;
        size_ = passed_ = 0;
        for (const slot& s : earlier)
            if (s.number != none) add(hash_of(s.number, function_), s.number);
        return true;
    }

    growing_array<slot> slots_;  ///< as many as a power of two
    std::size_t size_ = 0;
    std::size_t passed_ = 0;  ///< slots passed over in adding, under this function and in so many slots
    std::uint32_t function_ = 0;
};

}  // namespace riffle::detail
