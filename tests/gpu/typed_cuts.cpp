#include "gpu/typed_chains.hpp"

namespace riffle_tests {

TEST_F(TypedChainsOnDevice, BehindNothing) { expect_typed_chains_agree_behind<>(); }

}  // namespace riffle_tests
