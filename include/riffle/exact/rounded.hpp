#pragma once
#include <cstdint>
#include <limits>

#include <riffle/math/config.hpp>

// Arithmetic as a build of llama.cpp for plain x86-64 does it: every product is rounded before it is added to anything,
// and exp, log, pow and sqrt are the C library's own. The flags of the including unit must not show: -march=native
// gives g++ (-ffp-contract=fast by default) and clang (=on) fused multiply-adds.

namespace riffle::inline RIFFLE_ABI::exact {

/// A value as it is rounded, never part of a fused multiply-add.
template <class Real>
RIFFLE_INLINE Real rounded(Real value) noexcept {
    RIFFLE_KEEP_ROUNDED(value)
    return value;
}

/// a * b, rounded once, whatever is done with it.
template <class Real>
RIFFLE_INLINE Real times(Real a, Real b) noexcept {
    RIFFLE_NO_CONTRACTION
    return rounded(a * b);
}

/// A float turned into an int as x86 does it: towards zero, and INT32_MIN for NaN and for what does not fit, where C++
/// leaves the result open. (What is converted is chosen, and hidden, so that no compiler converts what does not fit: a
/// host may trap there.)
inline std::int32_t to_int(float value) noexcept {
    return std::int32_t(rounded(value >= -0x1p31f && value < 0x1p31f ? value : -0x1p31f));
}

/// A value as a checkpoint keeps it. Which sign a NaN has is the processor's and the compiler's affair, and means
/// nothing; states that are the same shall be saved as the same bytes.
template <class Real>
constexpr Real without_sign_of_nan(Real value) noexcept {
    return value == value ? value : std::numeric_limits<Real>::quiet_NaN();
}

/// The C library's functions, called when the program runs: compilers evaluate them for constants with an arithmetic of
/// their own, which rounds some results differently.
namespace libm {

namespace detail {
template <class Real>
RIFFLE_INLINE Real hidden(Real value) noexcept {
    volatile Real unknown = value;
    return unknown;
}
}  // namespace detail

inline float exp(float x) noexcept { return RIFFLE_C_MATH(expf)(detail::hidden(x)); }
inline double exp(double x) noexcept { return RIFFLE_C_MATH(exp)(detail::hidden(x)); }
inline float log(float x) noexcept { return RIFFLE_C_MATH(logf)(detail::hidden(x)); }
inline float (log2)(float x) noexcept { return RIFFLE_C_MATH(log2f)(detail::hidden(x)); }
inline float pow(float x, float y) noexcept { return RIFFLE_C_MATH(powf)(detail::hidden(x), detail::hidden(y)); }
inline double pow(double x, double y) noexcept { return RIFFLE_C_MATH(pow)(detail::hidden(x), detail::hidden(y)); }
inline float sqrt(float x) noexcept { return RIFFLE_C_MATH(sqrtf)(detail::hidden(x)); }

}  // namespace libm

inline float absolute(float x) noexcept { return RIFFLE_C_MATH(fabsf)(x); }

}  // namespace riffle::exact
