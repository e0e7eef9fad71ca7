#include "chain/pairs.hpp"

namespace riffle_tests {

TEST(Pairs, TopPFirst) { expect_pairs_of_agree<riffle::top_p>(); }

}  // namespace riffle_tests
