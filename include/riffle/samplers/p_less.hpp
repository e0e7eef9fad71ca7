#pragma once
#include <riffle/core/facts.hpp>
#include <riffle/core/softmax_statistics.hpp>

namespace riffle::inline RIFFLE_ABI {

/// Keeps tokens at least as likely as two draws are to agree: p >= Σ p². No parameter to tune. (p-less sampling, arXiv
/// 2509.23234.) With `normalised` (p-less-norm) the bound is (n Σ p² - 1) / (n - 1) for n legal tokens, which is lower
/// and 0 for equal ones.
///
/// Where all tokens are equally likely the bound is their probability; a slack of 2^-14 nats keeps all of them (the
/// author's llama.cpp patch subtracts 1e-5 for that). Always on.
///
/// Wide: max, softmax statistics, and one pass over the blocks that reach the cut. Narrow: O(candidates).
struct p_less {
    bool normalised = false;  ///< the lower bound of p-less-norm: (n Σ p² - 1) / (n - 1)

    static constexpr const char* name = "p_less";
    static constexpr facts fact{.keeps_sorted = true,
                                .narrows = narrowing::likelihood,
                                .softmax_parts = softmax_part::squares | softmax_part::support};

    bool narrows_now() const noexcept { return true; }
    std::size_t keeps_at_least() const noexcept { return 1; }
    float cut(const softmax_statistics& of_all) const noexcept {
        constexpr float slack = 0x1p-14f;
        if (!normalised) return of_all.logit_of(of_all.log_collision() - slack);
        if (of_all.legal < 2) return of_all.maximum;
        // (n Σ w² - (Σ w)²) / (Σ w)² / (n - 1), no product to be fused with the difference
        const double square = to_double(uint128::product(of_all.mass, of_all.mass));
        const double excess = to_double(of_all.squares * (of_all.legal * 256)) - square;
        const float bound = float(excess / square / double(of_all.legal - 1));
        if (!(bound > 1e-30f)) return -greatest_logit;
        return of_all.logit_of(log(lanes<1>(bound))[0] - slack);
    }
};

}  // namespace riffle
