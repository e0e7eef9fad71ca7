#include "chain/pairs.hpp"

namespace riffle_tests {

TEST(Pairs, TopNSigmaFirst) { expect_pairs_of_agree<riffle::top_n_sigma>(); }

}  // namespace riffle_tests
