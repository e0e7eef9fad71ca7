#include "gpu/typed_chains.hpp"

namespace riffle_tests {

TEST_F(TypedChainsOnDevice, BehindPenaltiesAndDry) {
    expect_typed_chains_agree_behind<riffle::penalties, riffle::dry>();
}

}  // namespace riffle_tests
