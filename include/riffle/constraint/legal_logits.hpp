#pragma once
#include <algorithm>
#include <cstddef>
#include <span>

#include <riffle/core/candidates.hpp>
#include <riffle/core/legal_tokens.hpp>
#include <riffle/core/token.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// Calls take(id) for every legal token of a row of that size, ascending.
template <class Take>
void for_each_legal(const legal_tokens& legal, std::size_t row_size, Take take) noexcept {
    if (legal.are_all) {
        for (std::size_t id = 0; id < row_size; ++id) take(id);
    } else if (!legal.ids.empty()) {
        for (const token_id id : legal.ids)
            if (id >= 0 && std::size_t(id) < row_size) take(std::size_t(id));
    } else {
        for (std::size_t id = 0; id < row_size && id / 32 < legal.words.size(); ++id)
            if ((legal.words[id / 32] >> (id % 32) & 1) != 0) take(id);
    }
}
/// The row, with -inf where a token is not legal.
inline void write_legal(std::span<const float> row, const legal_tokens& legal, float* to) noexcept {
    std::fill_n(to, row.size(), illegal_logit);
    for_each_legal(legal, row.size(), [&](std::size_t id) { to[id] = row[id]; });
}

}  // namespace riffle::detail
