#pragma once

#include <stdexcept>

namespace quickstart {

/// Something outside the program is not as it should be: the message names it and says what was expected.
struct failure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The command line does not make sense.
struct usage_error : failure {
    using failure::failure;
};

}  // namespace quickstart
