#pragma once
#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <riffle/constraint/automaton_builder.hpp>
#include <riffle/constraint/automaton_compiler.hpp>
#include <riffle/constraint/brief_lock.hpp>
#include <riffle/constraint/byte_automaton.hpp>
#include <riffle/constraint/expressions.hpp>
#include <riffle/constraint/grammar_limits.hpp>
#include <riffle/constraint/parsed.hpp>
#include <riffle/constraint/shared_pointer.hpp>
#include <riffle/constraint/token_automaton.hpp>

namespace riffle::inline RIFFLE_ABI {
namespace detail {

/// What copies of a grammar share.
template <class Rules>
class basic_grammar_data : public shared_object {
public:
    Rules rules;
    byte_automaton automaton;
    grammar_limits limits;

    /// The automaton over the tokens of a vocabulary: one for all matchers of the pair. nullptr without memory.
    shared_pointer<token_automaton> over(const shared_pointer<const trie_data>& trie) const {
        const brief_hold hold(lock_);
        for (const auto& known : over_)
            if (known->trie() == trie) return known;
        std::erase_if(over_, [](const auto& a) { return a->has_one_owner(); });  // of vocabularies out of use
        shared_pointer<token_automaton> made(new (std::nothrow) token_automaton(automaton, limits, trie));
        if (made) over_.push_back(made);
        return made;
    }

private:
    mutable brief_lock lock_;
    mutable std::vector<shared_pointer<token_automaton>> over_;
};
using grammar_data = basic_grammar_data<grammar_rules>;

}  // namespace detail

/// A language: the texts that a model may write. Compiled from a notation (parse_gbnf); immutable, and copies share it,
/// also with the matchers that use it. A default one has no language: no text is legal.
///
/// The masks that matchers need are kept with it, those of each vocabulary, as long as it or one of the matchers is
/// there.
template <class Data>
class basic_grammar {
public:
    basic_grammar() noexcept = default;
    explicit operator bool() const noexcept { return bool(data_); }

    /// For riffle's own use.
    explicit basic_grammar(detail::shared_pointer<const Data> data) noexcept : data_(std::move(data)) {}
    const detail::shared_pointer<const Data>& data() const noexcept { return data_; }

private:
    detail::shared_pointer<const Data> data_;
};
using grammar = basic_grammar<detail::grammar_data>;

namespace detail {

/// Rules as a grammar. A problem lies at the rule that has it: `offset` of it is set, its line and column are not.
template <class Rules>
parsed<grammar> compile(Rules rules, const grammar_limits& limits) {
    parse_problem problem;
    shared_pointer<grammar_data> made(new grammar_data());
    automaton_builder<Rules> builder(rules, limits);
    if (!builder.build()) {
        problem.sentence = "the grammar is larger than the limit allows";
        return parsed<grammar>(std::move(problem));
    }
    automaton_compiler<automaton_draft> compiler(builder.draft());
    const auto outcome = compiler.compile(made->automaton);
    const auto at_rule = [&](std::uint32_t drafted) {
        const auto& rule = rules.rules[builder.draft().rules[drafted].named];
        problem.where = rule.name;
        problem.offset = rule.offset;
    };
    if (outcome == automaton_compiler<automaton_draft>::outcome::matches_nothing) {
        at_rule(0);
        problem.sentence = "this rule never comes to an end, so no text is legal";
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

}  // namespace detail
}  // namespace riffle
