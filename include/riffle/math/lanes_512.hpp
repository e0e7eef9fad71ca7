#pragma once
#include <cstdint>

#include <riffle/math/config.hpp>

// Comparison and selection of 512-bit lanes by the processor's instructions. What g++ makes of `a > b ? x : y` it
// settles before it knows the target of the function the lanes end up in, and without AVX-512 there g++ 15 and 16
// compute it lane by lane, ten times slower (g++ 12 to 14 recover, clang settles it late). As builtins, because the
// header that names the intrinsics would double what including riffle costs a compiler; in functions that carry the
// target, which a pass of that target inlines and any other code can call. `Lanes` are lanes<16> or int_lanes<16>.

namespace riffle::inline RIFFLE_ABI::detail {

enum class comparing { less, less_equal, greater, greater_equal, equal, not_equal };

/// A mask of all 16 lanes, as the builtins want it.
inline constexpr std::uint16_t every_lane = 0xffff;
#if defined(__clang__)
inline constexpr std::uint16_t every_lane_of_arithmetic = 0xffff;
#else  // g++ has a sign in the masks of instructions that do not compare
inline constexpr std::int16_t every_lane_of_arithmetic = -1;
#endif

#if RIFFLE_512_BY_BUILTINS

/// The operands that stand in the instructions vcmpps (ordered, but != holds for NaN) and vpcmpd. (Enumerators, since
/// without optimisation g++ 12 takes no variable for them.)
template <comparing How>
struct predicate {
    static constexpr int of_floats[] = {1, 2, 14, 13, 0, 4}, of_ints[] = {1, 2, 6, 5, 0, 4};
    enum : int { floats = of_floats[int(How)], ints = of_ints[int(How)] };
};
enum : int { current_rounding_512 = 4 };

template <class Lanes>
inline constexpr bool holds_floats = requires { typename Lanes::ints; };

/// A bit for every lane where the comparison holds.
template <comparing How, class Lanes>
RIFFLE_TARGET_AVX512 inline std::uint16_t compare_512(const Lanes& a, const Lanes& b) noexcept {
    if constexpr (holds_floats<Lanes>)
        return std::uint16_t(
            __builtin_ia32_cmpps512_mask(a.v, b.v, predicate<How>::floats, every_lane, current_rounding_512));
    else return std::uint16_t(__builtin_ia32_cmpd512_mask(a.v, b.v, predicate<How>::ints, every_lane));
}

/// x where the bit is set, y elsewhere.
template <class Lanes>
RIFFLE_TARGET_AVX512 inline Lanes blend_512(std::uint16_t mask, const Lanes& x, const Lanes& y) noexcept {
    Lanes r;
    if constexpr (holds_floats<Lanes>) r.v = __builtin_ia32_blendmps_512_mask(y.v, x.v, mask);
    else r.v = __builtin_ia32_blendmd_512_mask(y.v, x.v, mask);
    return r;
}

/// The greater and the lesser; b where either is NaN.
template <class Lanes>
RIFFLE_TARGET_AVX512 inline Lanes greater_512(const Lanes& a, const Lanes& b) noexcept {
    Lanes r;
    r.v = __builtin_ia32_maxps512_mask(a.v, b.v, a.v, every_lane_of_arithmetic, current_rounding_512);
    return r;
}
template <class Lanes>
RIFFLE_TARGET_AVX512 inline Lanes lesser_512(const Lanes& a, const Lanes& b) noexcept {
    Lanes r;
    r.v = __builtin_ia32_minps512_mask(a.v, b.v, a.v, every_lane_of_arithmetic, current_rounding_512);
    return r;
}

#endif

}  // namespace riffle::detail
