#include "chain/pairs.hpp"

namespace riffle_tests {

TEST(Pairs, SoftCapFirst) { expect_pairs_of_agree<riffle::soft_cap>(); }

}  // namespace riffle_tests
