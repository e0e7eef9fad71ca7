#pragma once
#include <riffle/core/facts.hpp>

namespace riffle::inline RIFFLE_ABI {

/// Chooses the greatest logit, the lowest id among equals. Draws nothing.
///
/// Wide: one max over the row.
struct greedy {
    static constexpr const char* name = "greedy";
    static constexpr facts fact{.keeps_sorted = true, .selects = selecting::greatest};

    void apply(candidates& c) const noexcept {
        const std::size_t best = c.greatest();
        c.selected = best < c.size ? std::int64_t(best) : -1;
    }
};

}  // namespace riffle
