#pragma once

#include <cstddef>
#include <utility>

#include <riffle/explain.hpp>
#include <riffle/riffle.hpp>

namespace quickstart {

/// The chain, with the coins of xtc as they fell in a step: what it leaves out there it leaves out in every draw, and
/// else nothing. So many draws of one row follow the distribution that the step shows.
inline riffle::dynamic_chain with_held_coins(riffle::dynamic_chain chain, const riffle::explanation& step) {
    for (std::size_t i = 0; i < step.stages.size(); ++i)
        if (riffle::xtc* const of = chain.get_if<riffle::xtc>(i))
            of->probability = step.stages[i].after < step.stages[i].before ? 1.0f : 0.0f;
    return chain;
}

}  // namespace quickstart
