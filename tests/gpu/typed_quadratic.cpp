#include "gpu/typed_chains.hpp"

namespace riffle_tests {

TEST_F(TypedChainsOnDevice, BehindAQuadratic) { expect_typed_chains_agree_behind<riffle::quadratic>(); }

}  // namespace riffle_tests
