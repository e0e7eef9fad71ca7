#pragma once
#include <cstddef>
#include <cstdint>

#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI::gpu::spirv {

/// The types that a value may have. One integer type serves both signs: an instruction says how it reads its operands,
/// and in C++ i32 and u32 are two types.
enum class scalar : std::uint8_t { boolean, integer, real };
inline constexpr std::size_t scalars = 3;

/// What a shader does with a storage buffer.
enum class buffer_use : std::uint8_t {
    read,
    write,     ///< an invocation reads back no words but its own
    exchange,  ///< what one writes others of the work group read, with a buffer_barrier in between
};

/// The invocations of a work group of portable modules.
inline constexpr std::uint32_t portable_group_size = 256;

/// What a module may ask of a device beyond Vulkan 1.1.
struct module_options {
    /// Arithmetic that compilers may not contract. Off, exp and log are the device's own as well.
    bool precise = true;
    /// Demands rounding to nearest even, which Vulkan leaves open (shaderRoundingModeRTEFloat32).
    bool round_to_nearest = false;
    /// Demands that infinities and NaN are kept (shaderSignedZeroInfNanPreserveFloat32).
    bool keep_infinities = false;
    /// Allows arithmetic over the invocations of a subgroup (VkPhysicalDeviceSubgroupProperties).
    bool subgroups = false;
    /// Only what other shading languages have, too (GLSL, HLSL, Metal, WGSL), for translators such as spirv-cross and
    /// naga: no carries and no wide products in one instruction, a work group of portable_group_size invocations and no
    /// specialization constant, each buffer seen in one way (so what lies in that of logits ends at a multiple of 16
    /// bytes), and barriers only where all invocations come by what one of them has said.
    bool portable = false;
    friend constexpr bool operator==(const module_options&, const module_options&) = default;
};

}  // namespace riffle::gpu::spirv
