#include "gpu/typed_chains.hpp"

namespace riffle_tests {

TEST_F(TypedChainsOnDevice, BehindASoftCap) { expect_typed_chains_agree_behind<riffle::soft_cap>(); }

}  // namespace riffle_tests
