#pragma once
#include <utility>

#include <riffle/constraint/compile_grammar.hpp>
#include <riffle/constraint/gbnf_reader.hpp>
#include <riffle/constraint/grammar.hpp>
#include <riffle/constraint/grammar_limits.hpp>
#include <riffle/constraint/parsed.hpp>
#include <riffle/core/text.hpp>

namespace riffle::inline RIFFLE_ABI {
namespace detail {

template <class Rules>
parsed<grammar> read_gbnf(const text& source, const text& root, const grammar_limits& limits) {
    gbnf_reader<Rules> reader(source, limits);
    if (!reader.read(root)) return parsed<grammar>(reader.problem());
    parsed<grammar> made = compile(std::move(reader.rules()), limits);
    if (made) return parsed<grammar>(*made, std::move(reader.warnings()));
    parse_problem problem = made.problem();
    set_place(problem, source, problem.offset);
    return parsed<grammar>(std::move(problem), std::move(reader.warnings()));
}

}  // namespace detail

/// Reads a grammar in GBNF, the notation of llama.cpp's grammars (grammars/README.md there), and compiles it.
///
///     parsed<grammar> g = parse_gbnf(R"(root ::= "yes" | "no" | [0-9]+)");
///
/// A rule is `name ::= alternatives`, on one line unless a line ends in `|` or a group is open; `#` begins a comment.
/// Alternatives are sequences of literals ("..."), classes ([a-z], [^"\\]), `.` for any character, rules, groups and
/// tokens (<[12]> by id, <text> by text; !<...>: any other), each with `*`, `+`, `?`, {m}, {m,} or {m,n} behind it.
/// Names have letters, digits, `-` and, as in XGrammar, `_`. Escapes are \xHH, \uHHHH, \UHHHHHHHH, \t, \r, \n, \\, \",
/// \[, \] and \-; all of them, and what classes hold, are characters, not bytes.
///
/// Refused here with line and column, though llama.cpp accepts it: a rule that is defined twice, a class without
/// characters, text that is not UTF-8, left recursion, a range that ends before it begins ([z-a]). Numbers in braces
/// are exact ({0,10000}; llama.cpp takes more than 2,000 for no limit at all).
///
/// Nothing throws; out of memory is a problem without a place. Time and memory grow with the size of the text, and of
/// how deeply it is nested, up to the limits. (A template, so that including riffle does not compile it.)
template <class Grammar = grammar>
parsed<Grammar> parse_gbnf(const text& source, const text& root = "root", const grammar_limits& limits = {}) noexcept {
    return detail::read_in_memory<Grammar>(
        [&] { return detail::read_gbnf<detail::grammar_rules>(source, root, limits); });
}

}  // namespace riffle
