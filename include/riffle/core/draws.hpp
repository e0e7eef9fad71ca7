#pragma once
#include <cstdint>

#include <riffle/math/philox.hpp>

namespace riffle::inline RIFFLE_ABI {

/// Which generator a stage draws from: a number per kind of stage and its occurrence in the chain, never its index, so
/// that inserting a stage that does not draw changes no draw.
constexpr std::uint16_t stream_of(std::uint8_t kind, std::uint8_t occurrence) noexcept {
    return std::uint16_t(kind << 8 | occurrence);
}

namespace stream_kind {
inline constexpr std::uint8_t dist = 1, gumbel = 2, xtc = 3, mirostat = 4, mirostat_v2 = 5, adaptive_p = 6, skew = 7,
                              verification = 8, drafting = 9, user = 64;
}

/// Where in its stream of random numbers a chain stands. Together with a seed and a stream it names every draw.
struct draw_position {
    std::uint32_t position = 0;  ///< tokens accepted as generated
    std::uint32_t attempt = 0;   ///< raised by retry(), cleared by accept
    std::uint16_t sequence = 0;  ///< of fork(sequence)
};

/// The random numbers of one stage for one step. Asking again gives the same numbers: apply stays pure.
class draws {
public:
    constexpr draws(std::uint64_t seed, const draw_position& at, std::uint16_t stream) noexcept
        : seed_(seed), at_(at), stream_(stream) {}

    /// 64 random bits: draw `number` of this step.
    constexpr std::uint64_t bits(std::uint32_t number = 0) const noexcept {
        const auto words = philox(counter(number), seed_);
        return std::uint64_t{words[1]} << 32 | words[0];
    }
    /// The Philox counter of a draw number, or of a token id where noise is keyed by token.
    constexpr std::array<std::uint32_t, 4> counter(std::uint32_t number) const noexcept {
        return {number, at_.position, std::uint32_t{at_.sequence} << 16 | stream_, at_.attempt};
    }
    constexpr std::uint64_t seed() const noexcept { return seed_; }

private:
    std::uint64_t seed_;
    draw_position at_;
    std::uint16_t stream_;
};

}  // namespace riffle
