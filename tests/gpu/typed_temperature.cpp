#include "gpu/typed_chains.hpp"

namespace riffle_tests {

TEST_F(TypedChainsOnDevice, BehindATemperature) { expect_typed_chains_agree_behind<riffle::temperature>(); }

}  // namespace riffle_tests
