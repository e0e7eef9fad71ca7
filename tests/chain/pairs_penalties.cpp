#include "chain/pairs.hpp"

namespace riffle_tests {

TEST(Pairs, PenaltiesFirst) { expect_pairs_of_agree<riffle::penalties>(); }

}  // namespace riffle_tests
