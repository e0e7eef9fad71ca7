#pragma once
#include <riffle/math/config.hpp>

// What other front doors have, declared so that a compiler that meets it without them names the one that is missing:
// clang shows the line that declares it, and g++ the namespace that it lies in.

namespace riffle::inline RIFFLE_ABI {

inline namespace in_riffle_settings_hpp {
class chain_settings;  // #include <riffle/settings.hpp>
class preset;          // #include <riffle/settings.hpp>
}  // namespace in_riffle_settings_hpp

inline namespace in_riffle_batch_hpp {
class batch;  // #include <riffle/batch.hpp>
}

namespace gpu::inline in_riffle_gpu_hpp {
class device;  // #include <riffle/gpu.hpp>
template <class Chain, class OnDevice>
class sampler;  // #include <riffle/gpu.hpp>
}  // namespace gpu::inline in_riffle_gpu_hpp

template <class Matcher>
struct constrain;  // #include <riffle/constraint.hpp>

namespace detail {
/// Made of anything, by a conversion: whatever else takes the arguments takes them better.
struct include_riffle_explain_hpp {
    template <class Chain>
    include_riffle_explain_hpp(const Chain&);
};
}  // namespace detail

void explain(detail::include_riffle_explain_hpp, ...) = delete;  // #include <riffle/explain.hpp>

}  // namespace riffle
