#pragma once
#include <riffle/math/config.hpp>

#if RIFFLE_X86
namespace riffle::inline RIFFLE_ABI::wide {

/// Whether the processor turns 16-bit floats into floats by an instruction.
inline bool has_f16c() noexcept {
#if defined(__clang__)  // version 14 of which knows no question for it
    unsigned eax = 1, ebx = 0, ecx = 0, edx = 0;
    __asm__("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx));
    return (ecx >> 29 & 1) != 0;
#else
    return __builtin_cpu_supports("f16c");
#endif
}

/// The widest lanes whose instructions this processor has: all that RIFFLE_TARGET_AVX2 and RIFFLE_TARGET_AVX512 name,
/// as a hypervisor may hide any of it. (Of lzcnt clang 14 knows no question; it came with bmi2.)
inline int widest_of_processor() noexcept {
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !__builtin_cpu_supports("bmi") ||
        !__builtin_cpu_supports("bmi2") || !__builtin_cpu_supports("popcnt") || !has_f16c())
        return 4;
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                   __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")
               ? 16
               : 8;
}

}  // namespace riffle::wide
#endif
