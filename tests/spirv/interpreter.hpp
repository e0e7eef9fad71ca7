#pragma once
// A device that looks for what other devices may do otherwise: it runs a module's work group between barriers one
// invocation after the other, in either order, and reports whatever would depend on that order, or on anything else
// that SPIR-V and Vulkan leave open. Instead, subgroups can run in lockstep: that of their invocations that are deepest
// in calls, and there least far in the program, run the next instruction together.
//
// Of several work groups each runs to its end, or to its next barrier, before another. A word of a buffer that one
// writes and another touches is a race, unless both are atomic, or the second has acquired what the first released: an
// atomic of the first at Device scope that releases gives away what its group did before its last barrier for buffers,
// and another's atomic on the same word, later and acquiring, lets its group rely on that from its own next barrier for
// buffers on. Only atomics on the word may come in between, and a store that does not release ends it. OpMemoryBarrier
// orders nothing here.

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "spirv/counting.hpp"

namespace riffle_tests {

/// Which work group runs first: the first, the last, or each in turn to its next barrier.
enum class group_order { ascending, descending, interleaved };

struct dispatch {
    std::span<const std::uint32_t> words;  ///< of the module
    std::uint32_t group_size = 64;         ///< the specialization constant 0; others have the module's values
    std::span<const std::uint32_t> push_constants = {};
    std::array<std::span<std::uint32_t>, 4> buffers = {};  ///< by binding
    bool backwards = false;                                ///< the last invocation first
    std::array<std::uint32_t, 2> groups = {1, 1};          ///< along x and y
    group_order order = group_order::ascending;
    std::uint32_t subgroup = 0;  ///< how many invocations run in lockstep; 0 for one after the other
};
struct observation {
    /// Each of them once: races, barriers that not all come to, addresses out of bounds, values that were never written
    /// or that nothing says what they are, and where they decide something.
    std::vector<std::string> faults;
    std::uint64_t loop_turns = 0;  ///< of all loops together, of the invocation that took most
    executed counts;
};
observation observe(const dispatch& what);

}  // namespace riffle_tests
