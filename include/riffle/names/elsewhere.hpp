#pragma once
#include <riffle/math/config.hpp>

// What other front doors have, declared so that a compiler that meets it without them shows the line that is missing.

namespace riffle::inline RIFFLE_ABI {

class chain_settings;  // #include <riffle/settings.hpp>
class batch;           // #include <riffle/batch.hpp>

namespace gpu {
class device;  // #include <riffle/gpu.hpp>
}

namespace detail {
/// Made of anything, by a conversion: whatever else takes the arguments takes them better.
struct include_riffle_explain_hpp {
    template <class Chain>
    include_riffle_explain_hpp(const Chain&);
};
}  // namespace detail

void explain(detail::include_riffle_explain_hpp, ...) = delete;  // #include <riffle/explain.hpp>

}  // namespace riffle
