#pragma once
#include <algorithm>
#include <cstdint>

#include <riffle/gpu/spirv/assembler.hpp>
#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI::gpu {

RIFFLE_LOCAL inline constexpr std::uint32_t most_tokens_at_once = 8;
/// What is made of kernel_options::tokens_at_once.
constexpr std::uint32_t possible_tokens_at_once(std::uint32_t wanted) noexcept {
    return std::clamp(wanted, 1u, most_tokens_at_once);
}

/// How a module is made.
struct kernel_options {
    spirv::module_options module{};
    /// So many tokens an invocation looks at in one turn of a loop, 1 to 8 (others are taken as the nearest): more of
    /// them wait for memory together, and the driver takes longer to compile.
    std::uint32_t tokens_at_once = 4;
    friend constexpr bool operator==(const kernel_options&, const kernel_options&) = default;
};

}  // namespace riffle::gpu
