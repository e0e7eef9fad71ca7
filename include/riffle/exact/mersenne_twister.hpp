#pragma once
#include <cstddef>
#include <cstdint>

#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI::exact {

/// The generator of llama.cpp's samplers: MT19937 (M. Matsumoto, T. Nishimura, "Mersenne Twister", ACM TOMACS 8, 1998;
/// seeded as in their mt19937ar of 2002), the same words as std::mt19937. Every number drawn from it is computed here,
/// so that it does not depend on the host's standard library.
class mersenne_twister {
public:
    /// The low 32 bits of the seed: llama.cpp's seeds have no more. 0xFFFFFFFF is a seed like any other.
    explicit mersenne_twister(std::uint64_t seed = 5489) noexcept : seed_(std::uint32_t(seed)) { restart(); }

    /// The next random word.
    std::uint32_t operator()() noexcept {
        if (next_ == length) next_block();
        std::uint32_t number = state_[next_++];
        number ^= number >> 11;
        number ^= number << 7 & 0x9D2C5680u;
        number ^= number << 15 & 0xEFC60000u;
        return number ^ number >> 18;
    }
    /// How many words were drawn so far: the position, modulo 2^32.
    std::uint32_t words() const noexcept { return std::uint32_t(position()); }
    /// Back or forward to the nearest position where words() was or will be `count`. O(1) within the present 624 words;
    /// else back O(position), ahead O(distance).
    void seek(std::uint32_t count) noexcept {
        const std::uint64_t from = position();
        const std::uint32_t ahead = count - std::uint32_t(from), back = 0u - ahead;
        const std::uint64_t target = back < ahead && back <= from ? from - back : from + ahead;
        const std::uint64_t block = target / length + (target % length != 0);  // 0 = none was needed yet
        const std::uint64_t present_end = blocks_ * length;
        if (target > present_end || target + length < present_end || blocks_ == 0) {
            if (block < blocks_) restart();
            while (blocks_ < block) next_block();
        }
        next_ = std::uint32_t(target - (blocks_ - 1) * length);
    }
    /// As behind the construction. O(1).
    void restart() noexcept {
        state_[0] = seed_;
        for (std::uint32_t i = 1; i < length; ++i) state_[i] = 1812433253u * (state_[i - 1] ^ state_[i - 1] >> 30) + i;
        blocks_ = 0;
        next_ = length;
    }

    /// A double in [0, 1) from two words, the first of which is the lower: their 64 bits, rounded to nearest, times
    /// 2^-64. What rounds to 1 is drawn again, as in libstdc++ 16 (P0952R2, what Debian's libllama 0.7.0 is compiled
    /// with); libstdc++ up to 15 answers 1 - 2^-53 there. That is one draw in 2^54.
    double canonical_double() noexcept {
        for (;;) {
            const std::uint64_t low = (*this)();
            const double drawn = double(std::uint64_t{(*this)()} << 32 | low) * 0x1p-64;
            if (drawn < 1.0) return drawn;
        }
    }
    /// A float in [0, 1) from one word, rounded to nearest, times 2^-32. What rounds to 1 is drawn again, as above;
    /// libstdc++ up to 15 answers 1 - 2^-24 there. That is one draw in 2^25.
    float canonical_float() noexcept {
        for (;;) {
            const float drawn = float((*this)()) * 0x1p-32f;
            if (drawn < 1.0f) return drawn;
        }
    }

private:
    static constexpr std::uint32_t length = 624, shift = 397;

    /// Without a block the one before the first is used up, so this is 0 then too.
    std::uint64_t position() const noexcept { return (blocks_ - 1) * length + next_; }
    static constexpr std::uint32_t twisted(std::uint32_t upper, std::uint32_t lower) noexcept {
        const std::uint32_t joined = (upper & 0x80000000u) | (lower & 0x7FFFFFFFu);
        return joined >> 1 ^ (lower & 1 ? 0x9908B0DFu : 0);
    }
    void next_block() noexcept {
        for (std::uint32_t i = 0; i < length; ++i) {
            const std::uint32_t from = i < length - shift ? i + shift : i + shift - length;
            const std::uint32_t following = i + 1 < length ? i + 1 : 0;
            state_[i] = state_[from] ^ twisted(state_[i], state_[following]);
        }
        ++blocks_;
        next_ = 0;
    }

    std::uint32_t state_[length];
    std::uint32_t seed_;
    std::uint32_t next_ = length;
    std::uint64_t blocks_ = 0;  ///< how many times 624 words were made
};

}  // namespace riffle::exact
