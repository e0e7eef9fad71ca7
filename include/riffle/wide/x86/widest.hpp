#pragma once
#include <riffle/math/config.hpp>

#if RIFFLE_X86
namespace riffle::inline RIFFLE_ABI::wide {

/// The widest lanes whose instructions this processor has: all that RIFFLE_TARGET_AVX2 and RIFFLE_TARGET_AVX512 name,
/// as a hypervisor may hide any of it. (Of lzcnt clang 14 knows no question; it came with bmi2.)
inline int widest_of_processor() noexcept {
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !__builtin_cpu_supports("bmi") ||
        !__builtin_cpu_supports("bmi2") || !__builtin_cpu_supports("popcnt"))
        return 4;
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                   __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")
               ? 16
               : 8;
}

}  // namespace riffle::wide
#endif
