#include "gpu/typed_chains.hpp"

namespace riffle_tests {

TEST_F(TypedChainsOnDevice, BehindTheUsualCuts) {
    expect_typed_chains_agree_behind<riffle::penalties, riffle::top_k, riffle::top_p, riffle::temperature>();
}

}  // namespace riffle_tests
