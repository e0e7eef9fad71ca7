#pragma once
#include <riffle/constraint/constrain.hpp>

namespace riffle::inline RIFFLE_ABI::stages {

using riffle::constrain;

}  // namespace riffle::stages
