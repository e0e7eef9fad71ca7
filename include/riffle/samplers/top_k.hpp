#pragma once
#include <cstdint>

#include <riffle/core/facts.hpp>

namespace riffle::inline RIFFLE_ABI {

/// Keeps the k greatest logits, ties by lowest id. (Fan, Lewis, Dauphin 2018, arXiv 1805.04833.)
///
/// `k` <= 0 = off; k above the number of legal tokens keeps all of them.
///
/// Wide: one max, then only the blocks that can hold one of the k. Narrow: O(candidates).
struct top_k {
    std::int32_t k = 40;  ///< logits kept, the greatest; 0 or below is off

    static constexpr const char* name = "top_k";
    static constexpr facts fact{.keeps_sorted = true, .narrows = narrowing::rank};

    bool narrows_now() const noexcept { return k > 0; }
    std::size_t rank() const noexcept { return std::size_t(k); }
    /// See chain/superset_facts.hpp.
    std::size_t superset() const noexcept { return k > 0 ? std::size_t(k) + 8 : 0; }

    void apply(candidates& c) const noexcept {
        if (k > 0) c.keep_greatest(rank());
    }
};

}  // namespace riffle
