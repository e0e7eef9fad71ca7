#include "chain/pairs.hpp"

namespace riffle_tests {

TEST(Pairs, TopKFirst) { expect_pairs_of_agree<riffle::top_k>(); }

}  // namespace riffle_tests
