#pragma once
#include <limits>

namespace riffle_tests {

inline constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

}  // namespace riffle_tests
