#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <riffle/constraint/expressions.hpp>
#include <riffle/constraint/numbering.hpp>
#include <riffle/constraint/parsed.hpp>
#include <riffle/constraint/rule_names.hpp>
#include <riffle/constraint/walks.hpp>
#include <riffle/core/text.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// Puts the rules of grammars behind each other, where equal ones become one: of five hundred tools each has a rule for
/// strings. Expressions are told apart by what they are made of; rules by their bodies, in which they may call
/// themselves. (Rules that call each other in a ring stay as they are.)
template <class Rules>
class shared_expressions {
public:
    /// `root`: the rule that comes first, and is made elsewhere.
    shared_expressions(Rules& into, const char* root) : into_(into) { names_.find_or_add(into_, text(root), 0); }

    /// Puts the rules of a grammar in; answers its root.
    std::uint32_t add(const Rules& of) {
        ++parts_;
        of_ = &of;
        expression_.assign(of.expressions.size(), none);
        rule_.assign(of.rules.size(), none);
        // Rules whose own calls are known come first, then those that call them.
        bool has_found = true;
        for (int round = 0; has_found && round < most_rounds; ++round) {
            has_found = false;
            for (std::uint32_t r = 0; r < of.rules.size(); ++r)
                if (rule_[r] == none && of.rules[r].body != Rules::no_expression) has_found |= find(r);
        }
        for (std::uint32_t r = 0; r < of.rules.size(); ++r)
            if (rule_[r] == none) rule_[r] = new_rule(of.rules[r]);
        for (std::uint32_t r = 0; r < of.rules.size(); ++r)
            if (into_.rules[rule_[r]].body == Rules::no_expression && of.rules[r].body != Rules::no_expression)
                into_.rules[rule_[r]].body = add_tree(of.rules[r].body);
        return rule_[of.root];
    }

    /// A rule without a body. Its name has a number where another rule has it already.
    std::uint32_t new_rule(const std::string& name) {
        std::string free = name;
        for (std::size_t n = parts_; names_.find(into_, free) != into_.rules.size(); ++n)
            append_number((free = name) += '-', n);
        return names_.find_or_add(into_, text(free), 0);
    }

private:
    enum : std::uint32_t { none = ~0u, itself = ~0u - 1 };
    enum : int { most_rounds = 16 };

    /// Whether a rule calls none but itself and those that are known; then it is known, too.
    bool find(std::uint32_t rule) {
        const expression_id body = of_->rules[rule].body;
        if (!calls_known_rules(body, rule)) return false;
        bool calls_itself = false;
        key_of_rule_.assign(1, number_of_tree(body, rule, calls_itself));
        key_of_rule_.push_back(calls_itself);
        add_bytes(text(of_->rules[rule].capture), key_of_rule_);
        const std::uint32_t number = rule_numbers_.number_of(key_of_rule_);
        if (number == made_rules_.size()) {
            made_rules_.push_back(new_rule(of_->rules[rule]));
            rule_[rule] = made_rules_[number];
            into_.rules[rule_[rule]].body = add_tree(body);
        }
        rule_[rule] = made_rules_[number];
        return true;
    }
    bool calls_known_rules(expression_id id, std::uint32_t rule) const {
        std::vector<expression_id> left{id};
        while (!left.empty()) {
            const expression& e = of_->at(left.back());
            left.pop_back();
            if (e.kind == expression_kind::rule && e.first != rule && rule_[e.first] == none) return false;
            for (std::size_t i = 0; e.has_parts() && i < e.count; ++i) left.push_back(of_->part(e, i));
        }
        return true;
    }
    /// A number that only trees which are alike have.
    std::uint32_t number_of_tree(expression_id id, std::uint32_t rule, bool& calls_itself) {
        const expression& e = of_->at(id);
        std::vector<std::uint32_t> key{std::uint32_t(e.kind) | std::uint32_t(e.negated) << 8};
        add_content(e, rule, calls_itself, key);
        for (std::size_t i = 0; e.has_parts() && i < e.count; ++i)
            key.push_back(number_of_tree(of_->part(e, i), rule, calls_itself));
        return tree_numbers_.number_of(key);
    }
    void add_content(const expression& e, std::uint32_t rule, bool& calls_itself,
                     std::vector<std::uint32_t>& key) const {
        switch (e.kind) {
        case expression_kind::literal: return add_bytes(of_->literal(e), key);
        case expression_kind::characters:
            for (const auto& range : of_->sets[e.first].ranges()) key.insert(key.end(), {range.first, range.last});
            return;
        case expression_kind::token:
            key.push_back(of_->tokens[e.first].id);
            return add_bytes(text(of_->tokens[e.first].name), key);
        case expression_kind::rule:
            calls_itself |= e.first == rule;
            key.push_back(e.first == rule ? std::uint32_t{itself} : rule_[e.first]);
            return;
        case expression_kind::repetition: key.insert(key.end(), {e.least, e.most}); return;
        case expression_kind::graph: return add_graph(of_->graphs[e.least], key);
        case expression_kind::sequence:
        case expression_kind::alternatives: return;
        }
    }
    static void add_bytes(const text& bytes, std::vector<std::uint32_t>& key) {
        key.push_back(std::uint32_t(bytes.size()));
        for (const char byte : bytes) key.push_back(std::uint8_t(byte));
    }
    static void add_graph(const expression_graph& graph, std::vector<std::uint32_t>& key) {
        const walk& b = graph.bounds;
        key.insert(key.end(), {std::uint32_t(graph.may_end.size()), std::uint32_t(b.memory), b.least, b.most,
                               std::uint32_t(b.required), std::uint32_t(b.required >> 32), b.longest_told_apart});
        for (const std::uint8_t may_end : graph.may_end) key.push_back(may_end);
        for (const auto& arc : graph.arcs) key.insert(key.end(), {arc.from, arc.to, arc.bit});
    }

    // ---- copies

    /// Like another one, but without a body, and with a name that is free.
    std::uint32_t new_rule(const typename Rules::rule& like) {
        const std::uint32_t made = new_rule(like.name);
        into_.rules[made].capture = like.capture;
        return made;
    }
    /// A copy of a tree; what is a copy already stays one.
    expression_id add_tree(expression_id id) {
        if (expression_[id] != none) return expression_[id];
        const expression& e = of_->at(id);
        std::vector<expression_id> parts;
        for (std::size_t i = 0; e.has_parts() && i < e.count; ++i) parts.push_back(add_tree(of_->part(e, i)));
        return expression_[id] = add_expression(e, parts);
    }
    expression_id add_expression(const expression& e, const std::vector<expression_id>& parts) {
        switch (e.kind) {
        case expression_kind::literal: return into_.add_literal(of_->literal(e));
        case expression_kind::characters: return into_.add_characters(of_->sets[e.first]);
        case expression_kind::token: return into_.add_token(of_->tokens[e.first], e.negated);
        case expression_kind::rule: return into_.add_rule(rule_[e.first]);
        case expression_kind::repetition: return into_.add_repetition(parts[0], e.least, e.most);
        case expression_kind::graph: return into_.add_graph(of_->graphs[e.least], parts.data());
        case expression_kind::sequence:
        case expression_kind::alternatives: break;
        }
        return into_.add_list(e.kind, parts.data(), parts.size());
    }

    Rules& into_;
    rule_names<Rules> names_;
    list_numbers tree_numbers_, rule_numbers_;
    std::vector<std::uint32_t> made_rules_;  ///< by their numbers
    std::size_t parts_ = 0;

    const Rules* of_ = nullptr;              ///< that is being added, and of it:
    std::vector<expression_id> expression_;  ///< the copy of each expression
    std::vector<std::uint32_t> rule_;        ///< the rule that each is
    std::vector<std::uint32_t> key_of_rule_;
};

}  // namespace riffle::detail
