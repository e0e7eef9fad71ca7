#pragma once
#include <cstdint>
#include <string>
#include <utility>

#include <riffle/constraint/compile_grammar.hpp>
#include <riffle/constraint/expressions.hpp>
#include <riffle/constraint/grammar.hpp>
#include <riffle/constraint/grammar_limits.hpp>
#include <riffle/constraint/parsed.hpp>
#include <riffle/constraint/regex/automaton_expression.hpp>
#include <riffle/constraint/regex/regex_automaton.hpp>
#include <riffle/constraint/regex/regex_expression.hpp>
#include <riffle/constraint/regex/regex_reader.hpp>
#include <riffle/core/text.hpp>

namespace riffle::inline RIFFLE_ABI {
namespace detail {

template <class Rules>
parsed<grammar> read_regex(const text& pattern, const grammar_limits& limits) {
    parse_problem problem;
    const auto refuse = [&](std::size_t offset, const char* sentence) {
        set_place(problem, pattern, offset);
        problem.sentence = sentence;
        return parsed<grammar>(std::move(problem));
    };
    if (pattern.size() > limits.text_bytes) return refuse(0, "the pattern is longer than the limit allows");
    regex_reader<regex> reader(pattern,
                               {.depth = limits.depth, .repetitions = limits.repetitions, .nodes = limits.nodes});
    if (!reader.read()) return refuse(reader.problem_offset(), reader.problem());
    Rules rules;
    plain_characters<Rules> spell(rules);
    expression_id body = 0;
    if (!regex_expression<Rules, regex, plain_characters<Rules>>(rules, reader.made(), spell)
             .make(regex_match::whole, body)) {
        regex_automaton<regex> of(reader.made());
        character_automaton language;
        if (!of.make(regex_match::whole, language)) return refuse(0, of.problem());
        if (language.empty()) return refuse(0, "no text matches the pattern");
        body = automaton_expression(rules, language, spell);
    }
    rules.rules.push_back({"root", body, 0});
    return compile(std::move(rules), limits);
}

}  // namespace detail

/// Reads a regular expression and compiles the language of the texts that it matches as a whole (`^` and `$` may stand
/// around it, and change nothing).
///
///     parsed<grammar> time = parse_regex("([01]\\d|2[0-3]):[0-5]\\d");
///
/// It is ECMA-262's notation, over characters and not their UTF-16, with its annex B (`{` that begins no number stands
/// for itself) but without modes: classes, `\d`, `\w` and `\b` over ASCII, `\s` over Unicode, quantifiers (lazy ones
/// alike: the language is the same), groups, `\x`, `\u` and `\u{...}`, look-ahead outside of groups. Refused with a
/// place and a sentence: back references, look-behind, `\p{...}`, look-ahead inside of groups that are repeated or have
/// alternatives, `{,n}`.
///
/// Nothing throws; out of memory is a problem without a place. Time and memory grow with the pattern up to the limits;
/// with look-ahead, `\b`, or `^` and `$` inside it becomes an automaton of at most 4,096 states.
template <class Grammar = grammar>
parsed<Grammar> parse_regex(const text& pattern, const grammar_limits& limits = {}) noexcept {
    return detail::read_in_memory<Grammar>([&] { return detail::read_regex<detail::grammar_rules>(pattern, limits); });
}

}  // namespace riffle
