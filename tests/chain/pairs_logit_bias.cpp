#include "chain/pairs.hpp"

namespace riffle_tests {

TEST(Pairs, LogitBiasFirst) { expect_pairs_of_agree<riffle::logit_bias>(); }

}  // namespace riffle_tests
