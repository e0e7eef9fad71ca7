#pragma once
#include <riffle/constraint/grammar.hpp>
#include <riffle/constraint/grammar_limits.hpp>
#include <riffle/constraint/parts/grammar_assembly.hpp>
#include <riffle/core/text.hpp>

namespace riffle::inline RIFFLE_ABI {

/// The texts of a grammar, remembered under a name: grammar_matcher::captures() has them while the text is written, and
/// afterwards.
///
///     grammar action = sequence({literal("{\"action\": \""), captured("action", choice({"REPLY", "STOP"})),
///     literal("\"}")});
///
/// Captures may lie within captures, and come as often as their part does. A name must have a character; several parts
/// may have one name. Nothing throws; a part without a language makes a whole without one.
template <class Grammar = grammar>
Grammar captured(const text& name, const Grammar& part, const grammar_limits& limits = {}) noexcept {
    return detail::assembled<Grammar>(limits, [&](auto& assembly) {
        if (name.empty()) assembly.fail("a capture has no name");
        return assembly.add_captured(name, assembly.add(part));
    });
}

}  // namespace riffle
