#pragma once
#include <riffle/math/config.hpp>
#if RIFFLE_X86
#include <riffle/wide/x86/widest.hpp>
#endif

// Which lane width a pass runs at is chosen here, once a call, from what the processor has. A pass is a struct with
// `template <int N> static auto run(...)`, inlined with all that it calls into one of the entries below, whose
// attributes then govern its code: this is how a binary built without -march runs a user's map on AVX-512.

namespace riffle::inline RIFFLE_ABI::wide {

template <int N>
struct entry;

#if RIFFLE_X86
template <>
struct entry<16> {
    template <class Pass, class... Arguments>
    RIFFLE_TARGET_AVX512 RIFFLE_PASS static auto run(const Arguments&... arguments) noexcept {
        return Pass::template run<16>(arguments...);
    }
};
template <>
struct entry<8> {
    template <class Pass, class... Arguments>
    RIFFLE_TARGET_AVX2 RIFFLE_PASS static auto run(const Arguments&... arguments) noexcept {
        return Pass::template run<8>(arguments...);
    }
};
#endif
template <>
struct entry<4> {
    template <class Pass, class... Arguments>
    RIFFLE_PASS static auto run(const Arguments&... arguments) noexcept {
        return Pass::template run<4>(arguments...);
    }
};

/// The widest lanes this processor runs: 16 (AVX-512), 8 (AVX2) or 4.
RIFFLE_LOCAL inline int widest() noexcept {
#if RIFFLE_X86
    static const int widest = widest_of_processor();
    return widest;
#else
    return 4;
#endif
}

/// What force_width asked for; 0 = nothing.
RIFFLE_LOCAL inline int forced_width = 0;

/// For tests: run every pass at this width (4, 8 or 16; 0 = as without this call). A width the processor lacks is
/// ignored, and the answer is then false. Not to be called while another thread samples.
inline bool force_width(int width) noexcept {
    if (width != 0 && width != 4 && width != 8 && width != 16) return false;
    if (width > widest()) return false;
    forced_width = width;
    return true;
}

/// The width passes run at now.
inline int width() noexcept { return forced_width ? forced_width : widest(); }

/// Runs a pass at the present width.
template <class Pass, class... Arguments>
auto run(const Arguments&... arguments) noexcept {
#if RIFFLE_X86
    switch (width()) {
    case 16: return entry<16>::template run<Pass>(arguments...);
    case 8: return entry<8>::template run<Pass>(arguments...);
    default: break;
    }
#endif
    return entry<4>::template run<Pass>(arguments...);
}

/// Runs a pass at the baseline width whatever the processor has: for passes that are rare, short or bound by scattered
/// stores, where two more copies of the code would cost compile time and bytes and win nothing.
template <class Pass, class... Arguments>
auto run_baseline(const Arguments&... arguments) noexcept {
    return entry<4>::template run<Pass>(arguments...);
}

}  // namespace riffle::wide
