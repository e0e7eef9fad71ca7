#pragma once
// Stages with random parameters. (What knows all stages is compiled once, in random_stages.cpp.)

#include "chain/run_time.hpp"

namespace riffle_tests {

/// With parameters from the lists of variants, or such that no list has.
reference::any_spec random_stage(random_integers& random);
reference::any_spec random_selector(random_integers& random);

}  // namespace riffle_tests
