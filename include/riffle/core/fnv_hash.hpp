#pragma once
#include <cstdint>

#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

// FNV-1a in 32 bits, a number at a time instead of a byte (Fowler, Noll and Vo; draft-eastlake-fnv).

/// The hash of nothing.
enum : std::uint32_t { empty_hash = 2166136261u };
/// The hash of what `hash` is of, and a number behind it.
constexpr std::uint32_t hash_with(std::uint32_t hash, std::uint32_t number) noexcept {
    return (hash ^ number) * 16777619u;
}

}  // namespace riffle::detail
