#pragma once
#include <cstdint>
#include <initializer_list>
#include <vector>

#include <riffle/constraint/expressions.hpp>
#include <riffle/constraint/grammar.hpp>
#include <riffle/constraint/grammar_limits.hpp>
#include <riffle/constraint/parts/grammar_assembly.hpp>

namespace riffle::inline RIFFLE_ABI {

/// For `most` of repeat: as often as the model likes.
inline constexpr std::uint32_t unlimited = ~0u;

namespace detail {

template <class Grammars>
grammar list_of(expression_kind kind, const Grammars& parts, const grammar_limits& limits) noexcept {
    return assembled<grammar>(limits, [&](auto& assembly) {
        std::vector<expression_id> all;
        for (const grammar& part : parts) all.push_back(assembly.add(part));
        if (all.empty() && kind == expression_kind::alternatives) assembly.fail("there are no alternatives");
        return assembly.add_list(kind, all);
    });
}

}  // namespace detail

/// A text of each part, one behind the other; of no parts: the empty text. Parts are grammars of any origin:
/// parse_gbnf, compile_json_schema, literal, choice, and what these functions make.
///
/// A part without a language makes a whole without one; problem() is the part's. Nothing throws. Compiles the parts
/// anew: O(what they hold).
template <class Grammar = grammar>
Grammar sequence(std::initializer_list<Grammar> parts, const grammar_limits& limits = {}) noexcept {
    return detail::list_of(detail::expression_kind::sequence, parts, limits);
}
/// Of a std::vector<grammar>, or whatever else holds grammars.
template <class Grammars>
grammar sequence(const Grammars& parts, const grammar_limits& limits = {}) noexcept {
    return detail::list_of(detail::expression_kind::sequence, parts, limits);
}

/// A text of one of the parts. Without parts it has no language, and problem() says so; else as sequence.
template <class Grammar = grammar>
Grammar any_of(std::initializer_list<Grammar> parts, const grammar_limits& limits = {}) noexcept {
    return detail::list_of(detail::expression_kind::alternatives, parts, limits);
}
/// Of a std::vector<grammar>, or whatever else holds grammars.
template <class Grammars>
grammar any_of(const Grammars& parts, const grammar_limits& limits = {}) noexcept {
    return detail::list_of(detail::expression_kind::alternatives, parts, limits);
}

/// Texts of a grammar one behind the other, at least and at most so many: `repeat(g, 0, 1)` may be left out,
/// `repeat(g, 1)` comes once or more.
///
/// `most` below `least`, or a number above limits.repetitions, makes a grammar without a language; problem() says so.
/// Nothing throws. A great number costs a counter, not copies.
template <class Grammar = grammar>
Grammar repeat(const Grammar& part, std::uint32_t least, std::uint32_t most = unlimited,
               const grammar_limits& limits = {}) noexcept {
    return detail::assembled<Grammar>(limits, [&](auto& assembly) {
        if (most < least) assembly.fail("a repetition has a maximum below its minimum");
        if (least > limits.repetitions || (most > limits.repetitions && most != unlimited))
            assembly.fail("a repetition has a number that is larger than the limit allows");
        return assembly.rules().add_repetition(assembly.add(part), least, most);
    });
}

}  // namespace riffle
