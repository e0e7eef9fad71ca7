#pragma once
#include <riffle/gpu/spirv/assembler.hpp>
#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI::gpu {

/// How a module is made.
struct kernel_options {
    spirv::module_options module{};
    friend constexpr bool operator==(const kernel_options&, const kernel_options&) = default;
};

}  // namespace riffle::gpu
