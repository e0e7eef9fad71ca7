#pragma once
#include <array>
#include <cstdint>
#include <type_traits>

#include <riffle/math/lanes.hpp>

namespace riffle::inline RIFFLE_ABI {

/// The 64 bits of an unsigned product of two words: its low word and its high one.
template <class Word>
struct halves_of_product {
    Word low, high;
};
/// a * factor in each lane, as unsigned integers.
template <class Word>
RIFFLE_INLINE constexpr halves_of_product<Word> multiply_wide(const Word& a, std::uint32_t factor) noexcept {
    return {multiply_low(a, factor), multiply_high(a, factor)};
}

/// Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel Random Numbers: As Easy as 1, 2, 3; SC 2011): four random words
/// as a pure function of a counter and a key, so that any draw can be made anywhere, in any order, without a state.
/// `Word` is int_lanes<N>, N counters at once, or a shader's integer; `Key` is the same, or 32 bits for all lanes.
template <class Word, class Key>
RIFFLE_INLINE constexpr std::array<Word, 4> philox_rounds(const std::array<Word, 4>& counter,
                                                          const std::array<Key, 2>& key) noexcept {
    const auto in_lanes = [](const Key& k) {
        if constexpr (std::is_same_v<Key, std::uint32_t>) return Word(std::int32_t(k));
        else return Word(k);
    };
    Word c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    Key k0 = key[0], k1 = key[1];
    for (int round = 0; round < 10; ++round) {
        const auto product0 = multiply_wide(c0, 0xD2511F53u);
        const auto product1 = multiply_wide(c2, 0xCD9E8D57u);
        const Word mixed1 = product1.high ^ c1;
        c0 = mixed1 ^ in_lanes(k0);
        c1 = product1.low;
        const Word mixed0 = product0.high ^ c3;
        c2 = mixed0 ^ in_lanes(k1);
        c3 = product0.low;
        k0 = k0 + Key(std::int32_t(0x9E3779B9u));
        k1 = k1 + Key(std::int32_t(0xBB67AE85u));
    }
    return {c0, c1, c2, c3};
}
template <class Word>
RIFFLE_INLINE std::array<Word, 4> philox_rounds(const std::array<Word, 4>& counter, std::uint64_t key) noexcept {
    return philox_rounds(counter, std::array<std::uint32_t, 2>{std::uint32_t(key), std::uint32_t(key >> 32)});
}

/// Philox of one counter.
constexpr std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> c, std::uint64_t key) noexcept {
    auto k0 = std::uint32_t(key), k1 = std::uint32_t(key >> 32);
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t a = std::uint64_t{0xD2511F53u} * c[0], b = std::uint64_t{0xCD9E8D57u} * c[2];
        c = {std::uint32_t(b >> 32) ^ c[1] ^ k0, std::uint32_t(b), std::uint32_t(a >> 32) ^ c[3] ^ k1,
             std::uint32_t(a)};
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    return c;
}

}  // namespace riffle
