#pragma once
// What a run of the interpreter executed. The figures are sums over all invocations of all work groups.

#include <cstdint>
#include <span>

namespace riffle_tests {

namespace interpreting {
class program;
/// How often an instruction ran: once for each invocation, and once for each subgroup that issued it.
struct runs_of {
    std::uint64_t invocations = 0, subgroups = 0;
};
}  // namespace interpreting

/// Instructions are counted once a component. Not counted is what a compiler for a device makes no instruction of, or
/// need not: labels, merges, phi, unconditional branches, calls and returns (so that a module and its inlined form
/// compare), what takes vectors and structures apart or constructs them, copies, bitcasts, and Private and Function
/// variables with the chains that lead to them. A load of a vector is one load, of so many words.
struct executed {
    std::uint64_t instructions = 0;
    std::uint64_t logit_loads = 0, logit_words = 0;  ///< from binding 0
    std::uint64_t buffer_loads = 0;                  ///< from other bindings
    std::uint64_t buffer_stores = 0;                 ///< to any
    std::uint64_t buffer_atomics = 0;
    std::uint64_t shared_loads = 0, shared_stores = 0, shared_atomics = 0;
    std::uint64_t barriers = 0;  ///< a work group each
    /// The instructions of subgroups in lockstep: all of a subgroup's invocations wait where one of them runs.
    std::uint64_t lockstep_instructions = 0;
};

/// `runs` has an element for each instruction of the program; subgroups have so many invocations.
executed count(const interpreting::program& program, std::span<const interpreting::runs_of> runs,
               std::uint64_t subgroup, std::uint64_t barriers);

}  // namespace riffle_tests
