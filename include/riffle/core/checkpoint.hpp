#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI {

/// Where a chain stood: what mark() gives and rollback() takes. A few words, which may be stored; valid for 128 more
/// tokens on the chain that made it, on copies of it, and on chains with the same stages that have accepted the tokens
/// before it.
struct checkpoint {
    /// Room for what stages keep from token to token, all of them together.
    static constexpr std::size_t stage_bytes = 64;

    std::uint64_t prefix_hash = 0;  ///< of the tokens accepted so far
    std::uint32_t layout = 0;       ///< hash of the stages' names, and of what they keep; 0 is that of no chain
    std::size_t tokens = 0;         ///< how many those are
    std::uint32_t position = 0;     ///< of the draws (draw_position)
    std::uint32_t attempt = 0;      ///< of the draws: how often retry() was called at this position
    std::array<std::byte, stage_bytes> stages{};  ///< what they keep
};

}  // namespace riffle
