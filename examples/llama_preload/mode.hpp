#pragma once

namespace preload {

/// What the environment variable RIFFLE_PRELOAD asks for.
enum class preload_mode {
    on,
    off,     ///< RIFFLE_PRELOAD=off, or another libllama than it was built for: as if this library were not there
    report,  ///< RIFFLE_PRELOAD=report: and a few lines on standard error at the end
};
preload_mode mode();

}  // namespace preload
