#pragma once
#include <riffle/core/token.hpp>

namespace riffle::inline RIFFLE_ABI {

/// What the selector chose last, for stages that learn from it when it is accepted.
struct last_choice {
    token_id token = null_token;  ///< null_token: nothing was chosen since the last accept
    float p = 0.0f;               ///< what the selector left in the chosen candidate's p
};

}  // namespace riffle
