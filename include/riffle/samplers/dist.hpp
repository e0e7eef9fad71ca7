#pragma once
#include <cstdint>

#include <riffle/core/facts.hpp>

namespace riffle::inline RIFFLE_ABI {

/// Draws a token with probability proportional to exp(logit): inverse CDF in ascending id over integer masses, so the
/// token does not depend on the order of the candidates. Tokens more than 20.8 nats under the maximum are never drawn.
///
/// `seed`: any; the same seed, row and position give the same token. Default 0: nothing is random unasked
/// (random_seed()). numerics::llama takes its lower 32 bits, as llama.cpp does.
///
/// Wide: two reads of the row, max and mass. Narrow: O(candidates).
struct dist {
    std::uint64_t seed = 0;  ///< any; same seed, row and position give the same token

    static constexpr const char* name = "dist";
    static constexpr std::uint8_t kind = stream_kind::dist;
    static constexpr facts fact{.keeps_sorted = true, .draws = true, .selects = selecting::by_mass};

    void apply(candidates& c, const draws& random) const noexcept {
        c.selected = -1;
        const std::size_t best = c.greatest();
        if (best == c.size) return;
        const std::uint64_t total = c.weigh(c[best].logit);
        c.select_by_weight(multiply_high(random.bits(), total));
    }
};

}  // namespace riffle
