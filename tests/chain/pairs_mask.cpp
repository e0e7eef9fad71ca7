#include "chain/pairs.hpp"

namespace riffle_tests {

TEST(Pairs, MaskFirst) { expect_pairs_of_agree<riffle::mask>(); }

}  // namespace riffle_tests
