#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/constraint/expressions.hpp>
#include <riffle/constraint/regex/regex_automaton.hpp>
#include <riffle/constraint/regex/regex_syntax.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// A regular expression as an expression of a grammar, piece by piece: nothing is copied, and repetitions of any size
/// are counted. Possible where nothing has to be intersected: no look-ahead, no \b, ^ and $ only at the two ends.
template <class Rules, class Regex, class Spell>
class regex_expression {
public:
    /// `spell(set)`: one character of a set as an expression.
    regex_expression(Rules& rules, const Regex& of, Spell& spell) : rules_(rules), regex_(of), spell_(spell) {}

    /// False where it is not possible.
    bool make(regex_match match, expression_id& made) {
        const auto& root = regex_.at(regex_.root);
        if (root.kind != regex_kind::alternatives) return make_of(regex_.root, match, made);
        std::vector<expression_id> all(root.count);
        for (std::size_t i = 0; i < root.count; ++i)
            if (!make_of(regex_.part(root, i), match, all[i])) return false;
        made = rules_.add_list(expression_kind::alternatives, all.data(), all.size());
        return true;
    }

private:
    using node_id = typename Regex::node_id;

    /// One of the alternatives of all: of its parts, ^ may come first and $ last.
    bool make_of(node_id id, regex_match match, expression_id& made) {
        const auto& n = regex_.at(id);
        std::vector<node_id> items;
        if (n.kind != regex_kind::sequence) items.push_back(id);
        for (std::size_t i = 0; n.kind == regex_kind::sequence && i < n.count; ++i) items.push_back(regex_.part(n, i));
        std::size_t first = 0, last = items.size();
        while (first < last && regex_.at(items[first]).kind == regex_kind::text_begin) ++first;
        while (last > first && regex_.at(items[last - 1]).kind == regex_kind::text_end) --last;

        std::vector<expression_id> parts;
        if (match == regex_match::search && first == 0) parts.push_back(any());
        for (std::size_t i = first; i < last; ++i) {
            parts.push_back(0);
            if (!add(items[i], parts.back())) return false;
        }
        if (match != regex_match::whole && last == items.size()) parts.push_back(any());
        made = parts.empty() ? rules_.add_literal({})
                             : rules_.add_list(expression_kind::sequence, parts.data(), parts.size());
        return true;
    }
    expression_id any() { return rules_.add_repetition(spell_(code_point_set().inverted()), 0, expression::unlimited); }

    bool add(node_id id, expression_id& made) {
        const auto& n = regex_.at(id);
        switch (n.kind) {
        case regex_kind::characters: made = spell_(regex_.sets[n.first]); return !regex_.sets[n.first].empty();
        case regex_kind::sequence:
        case regex_kind::alternatives: {
            std::vector<expression_id> parts(n.count);
            for (std::size_t i = 0; i < n.count; ++i)
                if (!add(regex_.part(n, i), parts[i])) return false;
            const bool is_sequence = n.kind == regex_kind::sequence;
            made = parts.empty()
                       ? rules_.add_literal({})
                       : rules_.add_list(is_sequence ? expression_kind::sequence : expression_kind::alternatives,
                                         parts.data(), parts.size());
            return true;
        }
        case regex_kind::repetition: {
            expression_id part;
            if (!add(regex_.part(n, 0), part)) return false;
            made = rules_.add_repetition(part, n.least, n.most);
            return true;
        }
        default: return false;
        }
    }

    Rules& rules_;
    const Regex& regex_;
    Spell& spell_;
};

}  // namespace riffle::detail
