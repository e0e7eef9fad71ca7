#include "chain/pairs.hpp"

namespace riffle_tests {

TEST(Pairs, TemperatureFirst) { expect_pairs_of_agree<riffle::temperature>(); }

}  // namespace riffle_tests
