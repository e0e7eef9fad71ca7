#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>

#include <riffle/core/token.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// Which tokens of a vocabulary are legal in a state: their number, and their ids where they are few, else words of a
/// bit each. One piece of memory, which does not change.
class token_mask {
public:
    /// So many tokens are few: a row's logits are gathered by their ids.
    static std::size_t few_of(std::size_t vocabulary) noexcept { return vocabulary / 64 > 64 ? vocabulary / 64 : 64; }

    /// Of words in which `count` bits are set. nullptr without memory.
    static token_mask* make(std::span<const std::uint32_t> words, std::size_t count, bool are_few) noexcept {
        static_assert(sizeof(token_id) == sizeof(std::uint32_t));
        const std::size_t size = are_few ? count : words.size();
        void* const memory = ::operator new(sizeof(token_mask) + size * sizeof(token_id), std::nothrow);
        if (!memory) return nullptr;
        auto* const made = ::new (memory) token_mask(count, size, are_few);
        if (are_few) made->take_ids(words);
        else if (size > 0) std::memcpy(static_cast<void*>(made + 1), words.data(), size * sizeof(std::uint32_t));
        return made;
    }
    static void discard(token_mask* mask) noexcept {
        mask->~token_mask();
        ::operator delete(static_cast<void*>(mask));
    }

    std::size_t count() const noexcept { return count_; }
    bool are_few() const noexcept { return are_few_; }
    /// Ascending; none where they are not few.
    std::span<const token_id> ids() const noexcept {
        return {reinterpret_cast<const token_id*>(this + 1), are_few_ ? size_ : 0};
    }
    /// None where tokens are few.
    std::span<const std::uint32_t> words() const noexcept {
        return {reinterpret_cast<const std::uint32_t*>(this + 1), are_few_ ? 0 : size_};
    }
    std::size_t bytes() const noexcept { return sizeof(token_mask) + size_ * sizeof(token_id); }

    token_mask* next = nullptr;  ///< of those that an automaton keeps

private:
    token_mask(std::size_t count, std::size_t size, bool are_few) noexcept
        : count_(count), size_(size), are_few_(are_few) {}

    void take_ids(std::span<const std::uint32_t> words) noexcept {
        auto* to = reinterpret_cast<token_id*>(this + 1);
        for (std::size_t w = 0; w < words.size(); ++w)
            for (std::uint32_t bits = words[w]; bits != 0; bits &= bits - 1)
                *to++ = token_id(w * 32 + std::size_t(std::countr_zero(bits)));
    }

    std::size_t count_, size_;
    bool are_few_;
};

}  // namespace riffle::detail
