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
    friend constexpr bool operator==(const module_options&, const module_options&) = default;
};

}  // namespace riffle::gpu::spirv
