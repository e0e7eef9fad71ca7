#pragma once
#include <cstdint>

#include <riffle/core/float16.hpp>
#include <riffle/gpu/spirv/assembler.hpp>
#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI::gpu {

RIFFLE_LOCAL inline constexpr std::uint32_t most_groups_a_row = 64;

/// So many fill a large device.
inline constexpr std::uint32_t enough_groups = 256;

/// How many work groups suit each of these rows: so many that each has 4,096 logits to read or more, and that all
/// together are no more than enough_groups.
constexpr std::uint32_t groups_for(std::uint64_t rows, std::uint64_t vocabulary) noexcept {
    constexpr std::uint64_t least_logits = 4096;
    std::uint64_t groups = vocabulary / least_logits;
    if (rows != 0 && groups > enough_groups / rows) groups = enough_groups / rows;
    if (groups > most_groups_a_row) return most_groups_a_row;
    return groups ? std::uint32_t(groups) : 1;
}

/// How a module is made.
struct kernel_options {
    spirv::module_options module{};
    /// Work groups that share a row: from 1 to most_groups_a_row, or 0 for as many as suit the rows of a dispatch
    /// (groups_for). A module for 1 is smaller, needs no scratch, and takes one dispatch; every other module does for
    /// any number. The token does not depend on it.
    std::uint32_t groups_a_row = 1;
    /// What the logits of rows are. The token is that of the row made floats, bit for bit. Logits of 16 bits are read
    /// as 32-bit words, two in one, the first in the lower half: a device needs no 16-bit types for them.
    logit_format logits = logit_format::float32;
    constexpr bool has_several_groups() const noexcept { return groups_a_row != 1; }
    friend constexpr bool operator==(const kernel_options&, const kernel_options&) = default;
};

}  // namespace riffle::gpu
