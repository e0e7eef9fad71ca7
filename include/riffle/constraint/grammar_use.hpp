#pragma once
#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI {

/// When a grammar beside a chain is asked: see guided.
enum class grammar_use {
    first,       ///< all tokens are masked, then the chain chooses
    afterwards,  ///< the chain chooses; where the grammar refuses that token, all are masked and it chooses again
};

}  // namespace riffle
