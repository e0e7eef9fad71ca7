#pragma once
#include <algorithm>
#include <cstddef>
#include <span>

#include <riffle/core/candidates.hpp>
#include <riffle/core/legal_tokens.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// The row, with -inf where a token is not legal.
inline void write_legal(std::span<const float> row, const legal_tokens& legal, float* to) noexcept {
    std::fill_n(to, row.size(), illegal_logit);
    legal.each(row.size(), [&](std::size_t id) { to[id] = row[id]; });
}

}  // namespace riffle::detail
