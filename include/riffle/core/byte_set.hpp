#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>

#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI {

/// A set of bytes.
class byte_set {
public:
    /// One byte; one that is there stays.
    constexpr void add(std::uint8_t byte) noexcept { bits_[byte / 64] |= std::uint64_t{1} << (byte % 64); }
    /// All from first to last, both included.
    constexpr void add(std::uint8_t first, std::uint8_t last) noexcept {
        for (std::size_t b = first; b <= last; ++b) add(std::uint8_t(b));
    }
    /// Whether a byte is in it.
    constexpr bool contains(std::uint8_t byte) const noexcept { return bits_[byte / 64] >> (byte % 64) & 1; }
    /// 0 to 256.
    constexpr std::size_t size() const noexcept {
        std::size_t all = 0;
        for (const std::uint64_t b : bits_) all += std::size_t(std::popcount(b));
        return all;
    }
    /// Whether no byte is in it.
    constexpr bool empty() const noexcept { return size() == 0; }
    /// The least byte; of a set that has one.
    constexpr std::uint8_t first() const noexcept {
        std::size_t place = 0;
        while (place < 3 && bits_[place] == 0) ++place;
        return std::uint8_t(place * 64 + std::size_t(std::countr_zero(bits_[place])));
    }
    /// Whether both have the same bytes.
    friend constexpr bool operator==(const byte_set&, const byte_set&) = default;

private:
    std::uint64_t bits_[4] = {};
};

}  // namespace riffle
