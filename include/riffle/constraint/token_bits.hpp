#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include <riffle/core/token.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// A set of tokens that is being filled: words of a bit for each token, and how many bits are set.
struct token_bits {
    std::span<std::uint32_t> words;
    std::size_t count = 0;

    bool has(token_id id) const noexcept { return words[word_of(id)] & bit_of(id); }
    void add(token_id id) noexcept {
        std::uint32_t& there = words[word_of(id)];
        count += (there & bit_of(id)) == 0;
        there |= bit_of(id);
    }
    void add(std::span<const std::uint32_t> others) noexcept {
        for (std::size_t i = 0; i < others.size(); ++i) {
            count += std::size_t(std::popcount(others[i] & ~words[i]));
            words[i] |= others[i];
        }
    }
    void remove(token_id id) noexcept {
        if (!has(id)) return;
        words[word_of(id)] &= ~bit_of(id);
        --count;
    }

private:
    static std::size_t word_of(token_id id) noexcept { return std::size_t(id) / 32; }
    static std::uint32_t bit_of(token_id id) noexcept { return 1u << (std::uint32_t(id) % 32); }
};

}  // namespace riffle::detail
