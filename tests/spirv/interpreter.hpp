#pragma once
// A device that looks for what other devices may do otherwise: it runs a module's work group between barriers one
// invocation after the other, in either order, and reports whatever would depend on that order, or on anything else
// that SPIR-V and Vulkan leave open.

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace riffle_tests {

struct dispatch {
    std::span<const std::uint32_t> words;  ///< of the module
    std::uint32_t group_size = 64;
    std::span<const std::uint32_t> push_constants = {};
    std::array<std::span<std::uint32_t>, 4> buffers = {};  ///< by binding
    bool backwards = false;                                ///< the last invocation first
};
struct observation {
    /// Each of them once: races, barriers that not all come to, addresses out of bounds, values that were never written
    /// or that nothing says what they are, and where they decide something.
    std::vector<std::string> faults;
    std::uint64_t loop_turns = 0;  ///< of all loops together, of the invocation that took most
};
observation observe(const dispatch& what);

}  // namespace riffle_tests
