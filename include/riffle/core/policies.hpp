#pragma once
#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI {

/// What a chain promises about its arithmetic.
enum class numerics {
    reproducible,  ///< the same token for the same seed and row on every compiler and instruction set
    fast,          ///< the same distribution; any order of summation, any exp, fused multiply-add allowed
    llama,         ///< the same token as llama.cpp 0.7.0 for the same seed
};

/// The policies of a chain: `chain<policies<numerics::fast>>(...)`, or one of the bundles below.
template <numerics Numerics>
struct policies {
    static constexpr numerics arithmetic = Numerics;  ///< what chains of these policies promise
};

using reproducible = policies<numerics::reproducible>;  ///< the default
using fast = policies<numerics::fast>;                  ///< quickest
using llama_exact = policies<numerics::llama>;          ///< llama.cpp's tokens; needs riffle/llama_exact.hpp

}  // namespace riffle
