#pragma once
#include <riffle/core/facts.hpp>
#include <riffle/core/law.hpp>

namespace riffle {

/// Keeps tokens of probability at least eta = min(epsilon, sqrt(epsilon) · exp(-entropy)): the flatter the law, the
/// lower the cut; at least min_keep and at least one. (Hewitt, Manning, Liang 2022, arXiv 2210.15191, eta sampling.)
///
/// `epsilon` in (0, 1), usual 3e-4 to 4e-3; <= 0 = off; >= 1 keeps max(1, min_keep) where the entropy is 0 and may keep
/// more where it is not; NaN is an error.
///
/// Wide: max, law, and one pass over the blocks that reach the cut. Narrow: O(candidates).
struct eta_cutoff {
    float epsilon = 3e-4f;
    std::size_t min_keep = 0;

    static constexpr const char* name = "eta_cutoff";
    static constexpr facts fact{
        .keeps_sorted = true, .narrows = narrowing::likelihood, .law_parts = law_part::distances};

    bool narrows_now() const noexcept { return flushed(epsilon) > 0.0f; }
    std::size_t keeps_at_least() const noexcept { return min_keep > 1 ? min_keep : 1; }
    float cut(const law& of_all) const noexcept {
        const lanes<1> log_epsilon = log(lanes<1>(epsilon));
        const lanes<1> by_entropy = log_epsilon * lanes<1>(0.5f) - lanes<1>(of_all.entropy());
        return of_all.logit_of(lesser_of(log_epsilon, by_entropy)[0]);
    }

    status check() const noexcept {
        return epsilon == epsilon ? status() : status::invalid(name, "epsilon", double(epsilon), "is not a number");
    }
};

}  // namespace riffle
