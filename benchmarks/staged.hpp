#pragma once
#include <cstddef>
#include <vector>

#include <riffle/riffle.hpp>

/// The token of the stages one after the other, which a fused sample must equal.
template <class Chain>
riffle::token_id staged(Chain& chain, const std::vector<float>& row) {
    std::vector<riffle::token_data> tokens(row.size());
    for (std::size_t i = 0; i < row.size(); ++i) tokens[i] = {riffle::token_id(i), row[i], 0.0f};
    riffle::candidates c{tokens.data(), tokens.size(), -1, false};
    chain.apply(c);
    return c.selected < 0 ? riffle::null_token : c[std::size_t(c.selected)].id;
}
