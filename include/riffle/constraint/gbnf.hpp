#pragma once
#include <string>
#include <utility>
#include <vector>

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
/// What llama.cpp takes and cannot mean is a problem here, with its line and column: a rule that is defined twice,
/// a class without characters, text that is no UTF-8, left recursion; a range from more to less. Numbers in braces hold
/// to the end (there, more than 2,000 is no limit at all). Nothing throws. The time is that of the text's length.
template <class Grammar = grammar>
parsed<Grammar> parse_gbnf(const text& source, const text& root = "root", const grammar_limits& limits = {}) noexcept {
    RIFFLE_TRY { return detail::read_gbnf<detail::grammar_rules>(source, root, limits); }
    RIFFLE_CATCH {
        parse_problem problem;
        problem.sentence = "out of memory";
        return parsed<Grammar>(std::move(problem));
    }
}

}  // namespace riffle
