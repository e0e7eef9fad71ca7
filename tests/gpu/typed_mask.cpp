#include "gpu/typed_chains.hpp"

namespace riffle_tests {

TEST_F(TypedChainsOnDevice, BehindAMask) { expect_typed_chains_agree_behind<riffle::mask>(); }

}  // namespace riffle_tests
