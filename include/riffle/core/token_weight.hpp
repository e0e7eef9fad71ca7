#pragma once
#include <cstdint>

#include <riffle/core/token.hpp>

namespace riffle::inline RIFFLE_ABI {

/// A token and its share of a law, as an integer: its probability is weight / the total of that law.
struct token_weight {
    token_id token;        ///< the index of its logit in a row
    std::uint64_t weight;  ///< 0 = it cannot come
};

}  // namespace riffle
