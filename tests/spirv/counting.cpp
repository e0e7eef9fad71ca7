#include "spirv/counting.hpp"

#include <algorithm>

#include "spirv/interpreted_module.hpp"

namespace riffle_tests {
namespace interpreting {
namespace {

constexpr std::uint32_t logits = 0;  ///< their binding

/// How many instructions of a device it stands for.
std::uint64_t weight_of(const program& of, const instruction& i) {
    const storage_class where = of.variables[i.variable].where;
    const bool is_own = where == storage_class::Private || where == storage_class::Function;
    switch (i.code) {
    case code::Variable:
    case code::Phi:
    case code::Branch:
    case code::FunctionCall:
    case code::Return:
    case code::ReturnValue:
    case code::Kill:
    case code::Unreachable:
    case code::CopyObject: return 0;
    case code::AccessChain:
    case code::Load:
    case code::Store: return is_own ? 0 : 1;
    case code::IAddCarry:
    case code::ISubBorrow:
    case code::UMulExtended:
    case code::Any:
    case code::All: return of.operands_of(i)[0].words;
    case code::VectorInsertDynamic: return 1;
    default: return std::max(i.result.words, 1u);
    }
}

void add_memory(executed& all, const program& of, const instruction& i, std::uint64_t times) {
    const variable& touched = of.variables[i.variable];
    const bool is_shared = touched.where == storage_class::Workgroup;
    if (!is_shared && touched.where != storage_class::StorageBuffer) return;
    switch (i.code) {
    case code::AccessChain: break;
    case code::Load:
        if (is_shared) {
            all.shared_loads += times;
        } else if (touched.binding == logits) {
            all.logit_loads += times;
            all.logit_words += times * i.result.words;
        } else {
            all.buffer_loads += times;
        }
        break;
    case code::Store: (is_shared ? all.shared_stores : all.buffer_stores) += times; break;
    default: (is_shared ? all.shared_atomics : all.buffer_atomics) += times; break;
    }
}

}  // namespace
}  // namespace interpreting

executed count(const interpreting::program& program, std::span<const interpreting::runs_of> runs,
               std::uint64_t subgroup, std::uint64_t barriers) {
    executed total{.barriers = barriers};
    for (std::size_t n = 0; n < runs.size(); ++n) {
        const interpreting::instruction& i = program.instructions[n];
        const std::uint64_t weight = interpreting::weight_of(program, i);
        total.instructions += weight * runs[n].invocations;
        total.lockstep_instructions += weight * runs[n].subgroups * subgroup;
        interpreting::add_memory(total, program, i, runs[n].invocations);
    }
    return total;
}

}  // namespace riffle_tests
