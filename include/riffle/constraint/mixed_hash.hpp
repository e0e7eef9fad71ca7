#pragma once
#include <cstdint>

#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// Mixes a number into a hash: multiplied by 2^64 / the golden ratio (Knuth, TAOCP 6.4), then by an odd constant
/// between two shifts, as finalisers of hashes do (MurmurHash3).
constexpr std::uint64_t mixed(std::uint64_t hash, std::uint64_t number) noexcept {
    hash ^= number * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 32;
    hash *= 0xD6E8FEB86659FD93u;
    return hash ^ hash >> 29;
}

}  // namespace riffle::detail
