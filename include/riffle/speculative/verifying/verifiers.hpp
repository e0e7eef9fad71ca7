#pragma once
#include <cstdint>

#include <riffle/math/config.hpp>

// How drafts are verified: what a speculator is told. All but typical_acceptance leave the law of the text as it is
// without drafts, whatever stages the chain has.

namespace riffle::inline RIFFLE_ABI {

/// Samples as ever, and keeps on as long as what is sampled is what was drafted. The text is that of sampling without
/// drafts, token by token, with every selector and any draft: draws are keyed by seed and position. It needs no law of
/// the draft. A drafted token is accepted with the probability that the chain gives it, which is as good as can be for
/// one proposed for certain. The default.
struct match {};

/// Accepts a token x that was drawn from a law q with probability min(1, p(x) / q(x)), p being the law of the chain,
/// and draws from max(p - q, 0) where it does not: Σ min(p, q) of the tokens are accepted. (Leviathan et al., arXiv
/// 2211.17192; Chen et al., arXiv 2302.01318.) The text depends on the draft, its law does not. On a tree it is
/// recursive_rejection.
struct rejection {
    std::uint64_t seed = 0;  ///< of its random numbers, which are others than the selector's of the same seed
};

/// Decides about a draft as a whole, which accepts at least as many tokens as rejection does, on average. (Sun et al.,
/// arXiv 2403.10444.) For lines, not for trees.
struct block_verification {
    std::uint64_t seed = 0;  ///< of its random numbers
};

/// Rejection on trees: siblings are asked one after the other, each on what the ones before have left of the law.
/// (Miao et al., SpecInfer, arXiv 2305.09781; siblings drawn without replacement as in Sequoia, arXiv 2402.12374.)
struct recursive_rejection {
    std::uint64_t seed = 0;         ///< of its random numbers
    bool with_replacement = false;  ///< whether siblings were drawn independently of each other
};

/// Accepts a token x where p(x) > min(epsilon, delta · exp(-entropy of p)), whatever law it came from. (Cai et al.,
/// Medusa, arXiv 2401.10774.) Not exact: the text prefers what is drafted.
struct typical_acceptance {
    float epsilon = 0.09f;   ///< probability that is always enough; usual 0.09; NaN accepts nothing
    float delta = 0.3f;      ///< share of exp(-entropy) that is enough; usual 0.3; NaN accepts nothing
    std::uint64_t seed = 0;  ///< of the draws behind what was accepted
};

/// Whether a verifier leaves the law of the text as it is without drafts.
template <class Verifier>
inline constexpr bool is_exact = true;
template <>
inline constexpr bool is_exact<typical_acceptance> = false;

}  // namespace riffle
