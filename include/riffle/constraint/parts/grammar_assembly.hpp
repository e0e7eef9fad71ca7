#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <riffle/constraint/code_points.hpp>
#include <riffle/constraint/compile_grammar.hpp>
#include <riffle/constraint/expressions.hpp>
#include <riffle/constraint/grammar.hpp>
#include <riffle/constraint/grammar_limits.hpp>
#include <riffle/constraint/parsed.hpp>
#include <riffle/constraint/rule_names.hpp>
#include <riffle/constraint/rules_without_use.hpp>
#include <riffle/constraint/shared_pointer.hpp>
#include <riffle/core/text.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// Puts grammars together: their rules stand behind each other, and a rule of its own says what is made of them.
template <class Rules>
class grammar_assembly {
public:
    grammar_assembly() { names_.find_or_add(rules_, "root", 0); }

    Rules& rules() noexcept { return rules_; }
    /// What stands for a grammar in this one. What is short stands for itself, so that the beginnings of alternatives
    /// can be seen.
    expression_id add(const grammar& part) {
        ++parts_;
        if (!part) {
            fail(part.problem());
            return rules_.add_literal({});
        }
        for (const known& k : known_)
            if (k.data == part.data()) return k.stands_for;
        const Rules& of = part.data()->rules;
        const std::size_t expressions = append(of);
        const expression_id body = of.rules[of.root].body;
        const expression_kind kind = of.at(body).kind;
        const bool stands_for_itself = kind == expression_kind::literal || kind == expression_kind::characters ||
                                       kind == expression_kind::token || kind == expression_kind::sequence;
        const expression_id made =
            stands_for_itself ? expression_id(expressions + body) : rules_.add_rule(root_of_last_);
        known_.push_back({part.data(), made});
        return made;
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

    /// Its rules behind the others. Answers how many expressions lay ahead of its own.
    std::size_t append(const Rules& of) {
        const std::size_t expressions = rules_.expressions.size(), parts = rules_.parts.size();
        const std::size_t bytes = rules_.bytes.size(), sets = rules_.sets.size(), graphs = rules_.graphs.size();
        const std::size_t tokens = rules_.tokens.size(), rules = rules_.rules.size();
        for (expression e : of.expressions) {
            switch (e.kind) {
            case expression_kind::literal: e.first += std::uint32_t(bytes); break;
            case expression_kind::characters: e.first += std::uint32_t(sets); break;
            case expression_kind::rule: e.first += std::uint32_t(rules); break;
            case expression_kind::token: e.first += std::uint32_t(tokens); break;
            case expression_kind::graph: e.least += std::uint32_t(graphs); [[fallthrough]];
            case expression_kind::sequence:
            case expression_kind::alternatives:
            case expression_kind::repetition: e.first += std::uint32_t(parts); break;
            }
            rules_.expressions.push_back(e);
        }
        for (const expression_id id : of.parts) rules_.parts.push_back(id + expression_id(expressions));
        rules_.bytes += of.bytes;
        rules_.sets.insert(rules_.sets.end(), of.sets.begin(), of.sets.end());
        rules_.graphs.insert(rules_.graphs.end(), of.graphs.begin(), of.graphs.end());
        rules_.tokens.insert(rules_.tokens.end(), of.tokens.begin(), of.tokens.end());
        for (const auto& rule : of.rules) {
            names_.find_or_add(rules_, free_name(rule.name), 0);
            auto& added = rules_.rules.back();
            added.body = rule.body == Rules::no_expression ? rule.body : rule.body + expression_id(expressions);
        }
        root_of_last_ = std::uint32_t(rules) + of.root;
        return expressions;
    }
    /// The name, or where another part has it already, the name with a number.
    std::string free_name(const std::string& name) {
        std::string free = name;
        for (std::size_t n = parts_; names_.find(rules_, free) != rules_.rules.size(); ++n)
            append_number((free = name) += '-', n);
        return free;
    }

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
    rule_names<Rules> names_;
    std::vector<known> known_;
    std::size_t parts_ = 0;
    std::uint32_t root_of_last_ = 0;
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
