#pragma once

#include <riffle/speculative.hpp>

namespace riffle_tests {

/// Calls test(speculator) for each verifier of lines.
template <class Test>
void each_verifier(Test test) {
    using namespace riffle;
    test(speculator<match>{});
    test(speculator<rejection>{});
    test(speculator<block_verification>{});
    test(speculator<recursive_rejection>{});
    test(speculator<typical_acceptance>{});
}

}  // namespace riffle_tests
