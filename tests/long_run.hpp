#pragma once

#include <cstddef>
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

namespace riffle_tests {

/// Whether this is `tests/run --long`: a test that samples its input in minutes may go through all of it in an hour.
/// Such a test says what it goes through: "2^32 floats". That becomes a line of tests/long-results.md.
inline bool long_run(const std::string& what) {
    if (std::getenv("RIFFLE_LONG") == nullptr) return false;
    testing::Test::RecordProperty("went_through", what);
    return true;
}

/// How many of something a test goes through: a number for every run, or that of the long one.
inline std::size_t how_many(std::size_t in_every_run, std::size_t at_length, const std::string& what) {
    return long_run(std::to_string(at_length) + " " + what) ? at_length : in_every_run;
}

}  // namespace riffle_tests
