#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/constraint/code_points.hpp>
#include <riffle/constraint/expressions.hpp>
#include <riffle/constraint/json/schema_boxes.hpp>
#include <riffle/constraint/json/schema_branch.hpp>
#include <riffle/constraint/json/schema_writing.hpp>
#include <riffle/constraint/json/string_writer.hpp>
#include <riffle/constraint/regex/automaton_expression.hpp>
#include <riffle/constraint/regex/automaton_operations.hpp>
#include <riffle/constraint/regex/character_automaton.hpp>
#include <riffle/core/text.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// Writes the members of an object that are not listed: additionalProperties, patternProperties, propertyNames.
template <class Rules, class Reader>
class other_members {
public:
    using writing = schema_writing<Rules, Reader>;
    using value_id = typename writing::value_id;
    using expressions = typename writing::expressions;
    /// Members that are not listed: a key behind its first quote, and its value.
    struct others {
        bool are_there = false;
        expression_id member = 0;
    };

    other_members(writing& w, string_writer<Rules, Reader>& strings) : w_(w), strings_(strings) {}

    /// Names that are not listed, by the patterns that they match: each such class has its own values.
    bool write(const object_set& o, const schema_branch& b, std::uint32_t level, others& into) {
        std::vector<std::uint32_t> languages;  // of patternProperties
        for (const schema_id id : o.of_others)
            for (const auto& p : w_.reader().at(id).pattern_properties) {
                const std::uint32_t l = w_.boxes.languages().of_pattern(p.names.source);
                if (!w_.boxes.can_be_used(l, p.names.at)) return false;
                if (w_.boxes.languages().automaton(l) &&
                    std::find(languages.begin(), languages.end(), l) == languages.end())
                    languages.push_back(l);
            }
        if (languages.size() > most_patterns || o.of_names.size() > most_patterns)
            return w_.reader().fail(w_.place_of(b, {"patternProperties", "propertyNames"}),
                                    "more than 20 patterns of names in one object are not supported");
        const auto terms_of = [&](std::uint64_t bits) {
            return w_.boxes.terms_of_others(o, [&](const auto& names) {
                const std::uint32_t l = w_.boxes.languages().of_pattern(names.source);
                const auto place = std::find(languages.begin(), languages.end(), l);
                return place != languages.end() && (bits >> (place - languages.begin()) & 1) != 0;
            });
        };
        if (languages.empty() && is_never(w_.boxes.set_of(terms_of(0)))) return true;  // nothing but the listed ones
        bool has_any = true;
        std::vector<character_automaton> own;
        if (!find_names(o, b, own, has_any)) return false;
        if (!has_any) return true;

        std::vector<const character_automaton*> all;
        for (const std::uint32_t l : languages) all.push_back(w_.boxes.languages().automaton(l));
        const std::uint64_t of_patterns = (std::uint64_t{1} << all.size()) - 1;
        std::uint64_t required = 0;
        for (const character_automaton& a : own) {
            required |= std::uint64_t{1} << all.size();
            all.push_back(&a);
        }
        std::vector<text> listed = o.absent;
        for (const auto& m : o.members) listed.push_back(m.name);
        const character_automaton words = strings_.automaton_of(listed), everything = automaton_of_all();
        const std::uint64_t is_listed = listed.empty() ? 0 : std::uint64_t{1} << all.size();
        if (!listed.empty()) all.push_back(&words);
        if (required == 0) {
            required = std::uint64_t{1} << all.size();
            all.push_back(&everything);
        }
        std::vector<std::uint32_t> sets;  // of values, by label less 1
        const auto label_of = [&](std::uint64_t bits) -> std::uint32_t {
            if ((bits & is_listed) != 0 || (bits & required) != required) return 0;
            const std::uint32_t set = w_.boxes.set_of(terms_of(bits & of_patterns));
            if (is_never(set)) return 0;
            const auto known = std::find(sets.begin(), sets.end(), set);
            if (known != sets.end()) return std::uint32_t(known - sets.begin()) + 1;
            sets.push_back(set);
            return std::uint32_t(sets.size());
        };
        character_automaton names;
        if (!combine(all, required, label_of, strings_.most_states, names)) return refuse_names(b);
        if (!languages.empty() || !own.empty()) names = minimized(names);
        if (names.empty()) return true;
        into.are_there = true;
        into.member = member_of_class(names, sets, level);
        return true;
    }

private:
    expression_id member_of_class(const character_automaton& names, const std::vector<std::uint32_t>& sets,
                                  std::uint32_t level) {
        expression_graph graph;
        expressions parts;
        for (std::uint32_t s = 0; s < names.size(); ++s) graph.add_node();
        add_arcs(graph, parts, names, w_.spelling, 0);
        const std::uint32_t end = graph.add_node(true);
        for (std::uint32_t i = 0; i < sets.size(); ++i) {
            const std::uint32_t quoted = graph.add_node();
            for (std::uint32_t s = 0; s < names.size(); ++s) {
                if (names.label(s) != i + 1) continue;
                graph.arcs.push_back({s, quoted});
                parts.push_back(w_.layout.literal("\""));
            }
            graph.arcs.push_back({quoted, end});
            parts.push_back(w_.layout.joined({w_.layout.colon(), w_.value(sets[i], level), w_.layout.behind_value()}));
        }
        return w_.rules.add_graph(std::move(graph), parts.data());
    }
    bool is_never(std::uint32_t set) {
        for (const schema_term& t : w_.boxes.terms_of(set))
            if (!t.is_negated && w_.reader().at(t.of).is_never) return true;
        return false;
    }
    /// The languages that propertyNames leaves for names that are not listed. `has_any`: whether it leaves any.
    bool find_names(const object_set& o, const schema_branch& b, std::vector<character_automaton>& into,
                    bool& has_any) {
        for (const schema_id id : o.of_names) {
            std::vector<schema_branch> branches;
            if (!w_.boxes.find_branches(w_.boxes.set_of({{id, false}}), branches)) return false;
            std::erase_if(branches, [&](const schema_branch& n) {
                return (n.types & type_string) == 0 || writing::boxes_type::has_constants(w_.reader(), n);
            });
            if (branches.empty()) {  // those that it lists are listed already
                has_any = false;
                return true;
            }
            into.emplace_back();
            if (!find_names(b, branches, into.back())) return false;
        }
        return true;
    }
    /// What the strings of several branches have between them.
    bool find_names(const schema_branch& b, const std::vector<schema_branch>& branches, character_automaton& names) {
        std::vector<character_automaton> ways(branches.size());
        std::vector<const character_automaton*> all;
        for (std::size_t i = 0; i < branches.size(); ++i) {
            if (!find_names(b, branches[i], ways[i])) return false;
            all.push_back(&ways[i]);
        }
        if (all.size() == 1) {
            names = std::move(ways[0]);
            return true;
        }
        const auto is_any = [](std::uint64_t bits) { return std::uint32_t(bits != 0); };
        return (all.size() < most_patterns && combine(all, 0, is_any, strings_.most_states, names)) || refuse_names(b);
    }
    bool find_names(const schema_branch& b, const schema_branch& of, character_automaton& names) {
        string_set s;
        if (!w_.boxes.find_strings(of, s)) return false;
        if (!strings_.combine_languages(s, w_.place_of(b, {"propertyNames"}), names)) return false;
        if (s.least == 0 && s.most == ~0u) return true;
        if (s.least > most_name || (s.most != ~0u && s.most > most_name))
            return w_.reader().refuse(w_.place_of(b, {"propertyNames"}),
                                      "lengths of names are supported up to 1,000 characters");
        const character_automaton lengths = automaton_of_lengths(s.least, s.most), plain = names;
        const auto are_both = [](std::uint64_t bits) { return std::uint32_t(bits == 3); };
        return combine({&plain, &lengths}, 3, are_both, strings_.most_states, names) || refuse_names(b);
    }
    bool refuse_names(const schema_branch& b) {
        return w_.reader().fail(w_.place_of(b, {"patternProperties", "propertyNames"}),
                                "the patterns of names have more states in common than the limit allows");
    }
    enum : std::size_t { most_patterns = 20 };
    enum : std::uint32_t { most_name = 1000 };
    static character_automaton automaton_of_lengths(std::uint32_t least, std::uint32_t most) {
        character_automaton made;
        const std::uint32_t last = most == ~0u ? least : most;
        for (std::uint32_t i = 0; i <= last; ++i) {
            made.add_state(i >= least);
            if (i == last && most != ~0u) break;
            const std::uint32_t to = (std::min)(i + 1, last);
            made.add_arc(0, first_surrogate - 1, to);
            made.add_arc(last_surrogate + 1, greatest_code_point, to);
        }
        return made;
    }

    writing& w_;
    string_writer<Rules, Reader>& strings_;
};

}  // namespace riffle::detail
