#pragma once
// What instructions compute that touch neither memory nor the way through the program: components of vectors one by
// one, for every lane of a subgroup that runs them.

#include <cstdint>
#include <span>
#include <vector>

#include "spirv/interpreted_memory.hpp"
#include "spirv/interpreted_module.hpp"

namespace riffle_tests::interpreting {

/// The values of a subgroup's lanes, and which of them run.
struct lane_values {
    std::vector<value> all;  ///< the lanes of a value stand together
    word width = 1;
    std::vector<word> running;

    value* of(word at) { return &all[std::size_t{at} * width]; }
};

/// False where the instruction is none of these.
bool compute(const program& in, const instruction& i, lane_values& values, fault_list& faults);

}  // namespace riffle_tests::interpreting
