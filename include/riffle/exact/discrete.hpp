#pragma once
#include <cstddef>
#include <cstdint>

#include <riffle/core/candidates.hpp>
#include <riffle/exact/mersenne_twister.hpp>

namespace riffle::inline RIFFLE_ABI::exact {

/// Index of a candidate drawn by p, as libstdc++'s std::discrete_distribution<int> draws it: shares of a double sum,
/// their running sum, and the first that is not below the number drawn; the last counts as 1. Nothing is drawn for
/// fewer than two candidates. Among NaN the first is chosen. Where `taken` is one of the tokens, that is what was drawn
/// (context::taken); the random numbers are used up all the same.
RIFFLE_NOINLINE inline std::int64_t drawn_by_p(const candidates& c, mersenne_twister& random,
                                                token_id taken = null_token) noexcept {
    if (c.size < 2) return 0;
    double sum = 0.0;
    for (const auto& token : c) sum += double(token.p);
    const double drawn = random.canonical_double();
    for (std::size_t i = 0; taken >= 0 && i < c.size; ++i)
        if (c[i].id == taken) return std::int64_t(i);
    double running = 0.0;
    for (std::size_t i = 0; i + 1 < c.size; ++i) {
        running += double(c[i].p) / sum;
        if (!(running < drawn)) return std::int64_t(i);
    }
    return std::int64_t(c.size) - 1;
}

}  // namespace riffle::exact
