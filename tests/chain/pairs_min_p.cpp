#include "chain/pairs.hpp"

namespace riffle_tests {

TEST(Pairs, MinPFirst) { expect_pairs_of_agree<riffle::min_p>(); }

}  // namespace riffle_tests
