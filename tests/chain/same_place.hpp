#pragma once

#include <riffle/core/checkpoint.hpp>

namespace riffle_tests {

/// Whether two marks are of one place: text, draws, and what stages keep.
inline bool same_place(const riffle::checkpoint& a, const riffle::checkpoint& b) {
    return a.prefix_hash == b.prefix_hash && a.layout == b.layout && a.tokens == b.tokens && a.position == b.position &&
           a.attempt == b.attempt && a.stages == b.stages;
}

}  // namespace riffle_tests
