#pragma once
#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

#include <riffle/gpu/spirv/opcodes.hpp>
#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI::gpu::spirv {

/// Words that grow, while the compiler runs as well as in a program. Where the heap gives nothing, words are dropped
/// and complete() says so. (std::vector would do, but for its allocation, which throws or ends the program.)
class word_stream {
    // Ahead of those who call it: clang would write a template that comes behind them at the end of the file only,
    // which is too late where a module is a constant.
    template <std::size_t... Word>
    static constexpr void copy_some(const std::uint32_t* from, std::uint32_t* to,
                                    std::index_sequence<Word...>) noexcept {
        ((to[Word] = from[Word]), ...);
    }

public:
    constexpr word_stream() = default;
    constexpr word_stream(word_stream&& other) noexcept { swap(other); }
    constexpr word_stream& operator=(word_stream&& other) noexcept {
        swap(other);
        return *this;
    }
    constexpr ~word_stream() { release(words_); }

    // One expression for all words of an instruction: compilers limit how many statements they run.
    template <class... Words>
    constexpr void push(Words... words) noexcept {
        if (has_room_for(sizeof...(Words))) ((words_[size_++] = std::uint32_t(words)), ...);
    }
    /// One instruction: the first word holds its length.
    template <class... Words>
    constexpr void push(op code, Words... operands) noexcept {
        (size_ + sizeof...(Words) < capacity_ || grow(size_ + sizeof...(Words) + 1)) &&
            ((words_[size_++] = length_of<sizeof...(Words)> | std::uint32_t(code)),
             ((words_[size_++] = std::uint32_t(operands)), ...), true);
    }
    constexpr void push(const word_stream& other) noexcept {
        complete_ &= other.complete_;
        if (!has_room_for(other.size_)) return;
        copy(other.words_, other.size_, words_ + size_);
        size_ += other.size_;
    }

    /// The words from there on, which are no longer here.
    constexpr word_stream cut_off(std::size_t from) noexcept {
        word_stream rest;
        if (size_ < from || !rest.has_room_for(size_ - from)) {  // words were dropped, or are now
            rest.complete_ = false;
            return rest;
        }
        copy(words_ + from, size_ - from, rest.words_);
        rest.size_ = size_ - from;
        rest.complete_ = complete_;
        size_ = from;
        return rest;
    }
    /// Nothing where words were dropped.
    constexpr void set(std::size_t i, std::uint32_t value) noexcept {
        if (i < size_) words_[i] = value;
    }

    constexpr std::size_t size() const noexcept { return size_; }
    /// Into memory that holds size() of them.
    constexpr void write(std::uint32_t* words) const noexcept { copy(words_, size_, words); }
    constexpr std::uint32_t operator[](std::size_t i) const noexcept { return words_[i]; }
    constexpr bool complete() const noexcept { return complete_; }

private:
    template <std::size_t Operands>
    static constexpr std::uint32_t length_of = std::uint32_t(Operands + 1) << 16;
    constexpr bool has_room_for(std::size_t count) noexcept {
        return size_ + count <= capacity_ || grow(size_ + count);
    }
    constexpr bool grow(std::size_t needed) noexcept {
        std::size_t more = capacity_ ? 4 * capacity_ : 256;
        while (more < needed) more *= 4;
        auto* words = allocate(more);
        if (!words) return complete_ = false;
        copy(words_, size_, words);
        release(words_);
        words_ = words;
        capacity_ = more;
        return true;
    }
    /// Eight words a statement, for the number of those.
    static constexpr void copy(const std::uint32_t* from, std::size_t count, std::uint32_t* to) noexcept {
        std::size_t i = 0;
        for (; i + 8 <= count; i += 8) copy_some(from + i, to + i, std::make_index_sequence<8>());
        for (; i < count; ++i) to[i] = from[i];
    }
    static constexpr std::uint32_t* allocate(std::size_t size) noexcept {
        if (std::is_constant_evaluated()) return new std::uint32_t[size];
        return allocate_or_null(size);
    }
    static std::uint32_t* allocate_or_null(std::size_t size) noexcept { return new (std::nothrow) std::uint32_t[size]; }
    static constexpr void release(const std::uint32_t* words) noexcept { delete[] words; }
    constexpr void swap(word_stream& other) noexcept {
        std::swap(words_, other.words_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
        std::swap(complete_, other.complete_);
    }

    std::uint32_t* words_ = nullptr;
    std::size_t size_ = 0, capacity_ = 0;
    bool complete_ = true;
};

}  // namespace riffle::gpu::spirv
