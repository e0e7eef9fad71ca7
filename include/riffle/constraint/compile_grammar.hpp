#pragma once
#include <cstdint>
#include <utility>

#include <riffle/constraint/automaton_builder.hpp>
#include <riffle/constraint/automaton_compiler.hpp>
#include <riffle/constraint/automaton_draft.hpp>
#include <riffle/constraint/byte_automaton.hpp>
#include <riffle/constraint/grammar.hpp>
#include <riffle/constraint/grammar_limits.hpp>
#include <riffle/constraint/parsed.hpp>
#include <riffle/constraint/shared_pointer.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// Rules as a grammar. A problem lies at the rule that has it: `offset` of it is set, its line and column are not.
/// `of_nothing`: what is said of a root that no text matches.
template <class Rules>
parsed<grammar> compile(Rules rules, const grammar_limits& limits,
                        const char* of_nothing = "this rule never comes to an end, so no text is legal") {
    parse_problem problem;
    shared_pointer<grammar_data> made(new grammar_data());
    automaton_builder<Rules> builder(rules, limits);
    if (!builder.build()) {
        problem.sentence = "the grammar is larger than the limit allows";
        return parsed<grammar>(std::move(problem));
    }
    automaton_compiler<automaton_draft> compiler(builder.draft());
    const auto outcome = compiler.compile(made->automaton);
    if (outcome == automaton_compiler<automaton_draft>::outcome::too_large) {
        problem.sentence = "what the grammar counts is larger than the limit allows";
        return parsed<grammar>(std::move(problem));
    }
    const auto at_rule = [&](std::uint32_t drafted) {
        const auto& rule = rules.rules[builder.draft().rules[drafted].named];
        problem.where = rule.name;
        problem.offset = rule.offset;
    };
    if (outcome == automaton_compiler<automaton_draft>::outcome::matches_nothing) {
        at_rule(byte_automaton::root);
        problem.sentence = of_nothing;
        return parsed<grammar>(std::move(problem));
    }
    if (outcome == automaton_compiler<automaton_draft>::outcome::left_recursion) {
        at_rule(compiler.left_recursive());
        problem.sentence =
            "left recursion: this rule begins with itself; write it with * or +, or with itself at the end";
        return parsed<grammar>(std::move(problem));
    }
    made->automaton.tokens = rules.tokens;
    made->rules = std::move(rules);
    made->limits = limits;
    return parsed<grammar>(grammar(shared_pointer<const grammar_data>(made.get())));
}

}  // namespace riffle::detail
