#pragma once

#include <cstdlib>

namespace riffle_tests {

/// Whether this is `tests/run --long`: a test that samples its input in minutes may go through all of it in hours.
inline bool long_run() { return std::getenv("RIFFLE_LONG") != nullptr; }

}  // namespace riffle_tests
