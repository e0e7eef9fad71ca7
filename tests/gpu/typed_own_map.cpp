#include "gpu/typed_chains.hpp"

namespace riffle_tests {

TEST_F(TypedChainsOnDevice, BehindAUsersMap) { expect_typed_chains_agree_behind<slanted>(); }

}  // namespace riffle_tests
