#include "gpu/typed_chains.hpp"

namespace riffle_tests {

TEST_F(TypedChainsOnDevice, BehindALogitBias) { expect_typed_chains_agree_behind<riffle::logit_bias>(); }

}  // namespace riffle_tests
