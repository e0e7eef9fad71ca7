#pragma once
// What a host would be stopped at that traps on invalid operations, or on divisions by zero: the flags of the processor
// tell. (Overflows are not looked for: a parameter of 1e38 may ask for one.)

#include <cfenv>

#include <riffle/math/config.hpp>

namespace riffle_tests {

/// The flags are afterwards what they were, for as long as it lives.
class flags_kept {
public:
    flags_kept() { std::fegetexceptflag(&before_, FE_ALL_EXCEPT); }
    flags_kept(const flags_kept&) = delete;
    flags_kept& operator=(const flags_kept&) = delete;
    ~flags_kept() { std::fesetexceptflag(&before_, FE_ALL_EXCEPT); }

private:
    std::fexcept_t before_;
};

/// What f raises first of all; "" where nothing would stop it. (Not inlined, so that nothing of f is computed outside.)
template <class F>
RIFFLE_NOINLINE const char* raised_by(F&& f) {
    std::feclearexcept(FE_ALL_EXCEPT);
    f();
#if defined(FE_INVALID)
    if (std::fetestexcept(FE_INVALID)) return "an invalid operation";
#endif
#if defined(FE_DIVBYZERO)
    if (std::fetestexcept(FE_DIVBYZERO)) return "a division by zero";
#endif
    return "";
}

}  // namespace riffle_tests
