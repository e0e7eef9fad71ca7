#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <riffle/constraint/code_points.hpp>
#include <riffle/constraint/compile_grammar.hpp>
#include <riffle/constraint/expressions.hpp>
#include <riffle/constraint/grammar.hpp>
#include <riffle/constraint/grammar_limits.hpp>
#include <riffle/constraint/parsed.hpp>
#include <riffle/constraint/parts/shared_expressions.hpp>
#include <riffle/constraint/rules_without_use.hpp>
#include <riffle/constraint/shared_pointer.hpp>
#include <riffle/core/text.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// Puts grammars together: their rules stand behind each other, and a rule of its own says what is made of them.
template <class Rules>
class grammar_assembly {
public:
    grammar_assembly() : shared_(rules_, "root") {}

    Rules& rules() noexcept { return rules_; }
    /// What stands for a grammar in this one. What is short stands for itself, so that the beginnings of alternatives
    /// can be seen.
    expression_id add(const grammar& part) {
        if (!part) {
            fail(part.problem());
            return rules_.add_literal({});
        }
        for (const known& k : known_)
            if (k.data == part.data()) return k.stands_for;
        const std::uint32_t root = shared_.add(part.data()->rules);
        const expression_id body = rules_.rules[root].body;
        const expression_kind kind = rules_.at(body).kind;
        const bool stands_for_itself = kind == expression_kind::literal || kind == expression_kind::characters ||
                                       kind == expression_kind::token || kind == expression_kind::sequence;
        known_.push_back({part.data(), stands_for_itself ? body : rules_.add_rule(root)});
        return known_.back().stands_for;
    }
    /// Of text in UTF-8.
    expression_id add_literal(const text& of) {
        for (std::size_t i = 0; i < of.size();) {
            const std::size_t length = decode_utf8(of.part(i, 4)).length;
            if (length == 0) {
                fail("this text is not UTF-8", i);
                return rules_.add_literal({});
            }
            i += length;
        }
        return rules_.add_literal(of);
    }
    /// What stands for a rule whose texts are remembered under a name.
    expression_id add_captured(const text& name, expression_id body) {
        const std::uint32_t made = shared_.new_rule("captured");
        rules_.rules[made].body = body;
        rules_.rules[made].capture.assign(name.data(), name.size());
        return rules_.add_rule(made);
    }
    /// All of a list of parts. Sequences in sequences, and alternatives in alternatives, become one list.
    expression_id add_list(expression_kind kind, const std::vector<expression_id>& of) {
        std::vector<expression_id> all;
        for (const expression_id id : of) {
            const expression& e = rules_.at(id);
            if (e.kind == kind)
                for (std::size_t i = 0; i < e.count; ++i) all.push_back(rules_.part(e, i));
            else all.push_back(id);
        }
        if (all.empty()) return rules_.add_literal({});
        return rules_.add_list(kind, all.data(), all.size());
    }
    /// The first problem counts.
    void fail(const char* sentence, std::size_t offset = 0) {
        parse_problem why;
        why.sentence = sentence;
        why.offset = offset;
        fail(std::move(why));
    }
    void fail(parse_problem why) {
        if (problem_.sentence.empty()) problem_ = std::move(why);
    }
    /// The grammar of which `root` says what is made.
    grammar finish(expression_id root, const grammar_limits& limits) {
        if (problem_.sentence.empty()) {
            rules_.rules[0].body = root;
            drop_rules_without_use();
            parsed<grammar> made = compile(std::move(rules_), limits);
            if (made) return *made;
            problem_ = made.problem();
        }
        shared_pointer<grammar_data> none(new grammar_data());
        none->has_language = false;
        none->problem = std::move(problem_);
        return grammar(shared_pointer<const grammar_data>(none.get()));
    }

private:
    struct known {
        shared_pointer<const grammar_data> data;
        expression_id stands_for;
    };

    /// The roots of parts that stand for themselves.
    void drop_rules_without_use() {
        std::vector<std::uint32_t> left_ahead(rules_.rules.size(), 0);
        for (const std::uint32_t unused : rules_without_use(rules_)) left_ahead[unused] = 1;
        std::size_t kept = 0;
        for (std::size_t i = 0; i < left_ahead.size(); ++i) {
            const bool is_used = left_ahead[i] == 0;
            left_ahead[i] = std::uint32_t(i - kept);
            if (is_used && kept != i) rules_.rules[kept] = std::move(rules_.rules[i]);
            kept += is_used;
        }
        rules_.rules.resize(kept);
        for (expression& e : rules_.expressions)  // one that nothing leads to stands for any
            if (e.kind == expression_kind::rule)
                e.first = (std::min)(e.first - left_ahead[e.first], std::uint32_t(kept - 1));
    }

    Rules rules_;
    shared_expressions<Rules> shared_;
    std::vector<known> known_;
    parse_problem problem_;
};

/// What make(assembly) makes of parts. `make` answers the expression of the whole.
template <class Grammar, class Make>
Grammar assembled(const grammar_limits& limits, Make make) noexcept {
    RIFFLE_TRY {
        grammar_assembly<grammar_rules> assembly;
        const expression_id root = make(assembly);
        return assembly.finish(root, limits);
    }
    RIFFLE_CATCH { return Grammar::out_of_memory(); }
}

}  // namespace riffle::detail
