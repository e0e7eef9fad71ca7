#pragma once
#include <initializer_list>
#include <vector>

#include <riffle/constraint/expressions.hpp>
#include <riffle/constraint/grammar.hpp>
#include <riffle/constraint/grammar_limits.hpp>
#include <riffle/constraint/parts/grammar_assembly.hpp>
#include <riffle/core/text.hpp>

namespace riffle::inline RIFFLE_ABI {
namespace detail {

template <class Texts>
grammar choice_of(const Texts& texts, const grammar_limits& limits) noexcept {
    return assembled<grammar>(limits, [&](auto& assembly) {
        std::vector<expression_id> literals;
        for (const auto& one : texts) literals.push_back(assembly.add_literal(text(one)));
        if (literals.empty()) assembly.fail("a choice has nothing to choose from");
        return assembly.add_list(expression_kind::alternatives, literals);
    });
}

}  // namespace detail

/// The grammar of one text, in UTF-8; it may be empty.
///
///     grammar g = sequence({literal("{\"action\": \""), choice({"REPLY", "STOP"}), literal("\"}")});
///
/// A text that is not UTF-8 makes a grammar without a language; problem() says where. Nothing throws. O(bytes).
template <class Grammar = grammar>
Grammar literal(const text& of, const grammar_limits& limits = {}) noexcept {
    return detail::assembled<Grammar>(limits, [&](auto& assembly) { return assembly.add_literal(of); });
}

/// The grammar of some texts, in UTF-8, of which a model writes one, whatever tokens it spells it in. One may be the
/// beginning of another, and one may be empty.
///
/// Without texts, or with one that is not UTF-8, it has no language; problem() says so. Nothing throws. A thousand
/// texts cost what one costs in each step: their beginnings are shared. O(bytes).
template <class Grammar = grammar>
Grammar choice(std::initializer_list<text> texts, const grammar_limits& limits = {}) noexcept {
    return detail::choice_of(texts, limits);
}
/// Of a std::vector<std::string>, or whatever else holds texts.
template <class Texts>
grammar choice(const Texts& texts, const grammar_limits& limits = {}) noexcept {
    return detail::choice_of(texts, limits);
}

}  // namespace riffle
