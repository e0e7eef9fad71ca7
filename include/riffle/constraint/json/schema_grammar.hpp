#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <riffle/constraint/expressions.hpp>
#include <riffle/constraint/json/json_layout.hpp>
#include <riffle/constraint/json/json_schema_options.hpp>
#include <riffle/constraint/json/json_spelling.hpp>
#include <riffle/constraint/json/number_automaton.hpp>
#include <riffle/constraint/json/schema_boxes.hpp>
#include <riffle/constraint/list_numbers.hpp>
#include <riffle/constraint/regex/automaton_expression.hpp>
#include <riffle/constraint/regex/regex_expression.hpp>
#include <riffle/constraint/walks.hpp>
#include <riffle/core/text.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// Writes the rules of a grammar for the sets of values of a schema: a rule for each set that is met.
template <class Rules, class Reader>
class schema_grammar {
public:
    schema_grammar(Reader& reader, const json_schema_options& options)
        : options_(options), boxes_(reader), spelling_(rules_, options.escapes),
          layout_(rules_, options.whitespace, options.indent) {}

    /// False where there is a problem, which the reader has.
    bool write(schema_id root) {
        for (const auto& [id, reference] : reader().beside_references()) {
            std::uint8_t types = 0;
            if (!boxes_.find_types(boxes_.set_of({{id, false}}), types)) return false;
            if (types == 0) reader().keep_reference_alone(id, reference);
        }
        rules_.root = rule_of(boxes_.set_of({{root, false}}), 0);
        for (std::size_t i = 0; i < keys_.count(); ++i) {
            if (keys_.count() > options_.limits.rules)
                return reader().fail(0, "the schema has more sets of values than the limit allows rules");
            const std::uint32_t set = keys_[i][0], level = keys_[i][1];
            expression_id body;
            if (!write_set(set, level, body)) return false;
            rules_.rules[rule_numbers_[i]].body = body;
        }
        return true;
    }
    Rules& rules() noexcept { return rules_; }

private:
    using boxes = schema_boxes<Reader>;
    using value_id = typename boxes::value_id;
    using expressions = std::vector<expression_id>;

    Reader& reader() noexcept { return boxes_.reader(); }
    const Reader& reader() const noexcept { return boxes_.reader(); }
    const auto& document() const noexcept { return reader().document(); }
    /// Where one of a branch's schemas has one of some keywords; else the first schema.
    value_id place_of(const schema_branch& b, std::initializer_list<const char*> keywords) const {
        for (const char* const keyword : keywords)
            for (const schema_id id : b.whole) {
                const value_id found = document().find(reader().at(id).source, keyword);
                if (found != document().none) return found;
            }
        return b.whole.empty() ? value_id{0} : reader().at(b.whole[0]).source;
    }

    // ---- rules

    std::uint32_t rule_of(std::uint32_t set, std::uint32_t level) {
        if (options_.whitespace != json_whitespace::pretty) level = 0;
        level = (std::min)(level, std::uint32_t{json_layout<Rules>::most_indented} + 1);
        const std::uint32_t key = keys_.number_of({set, level});
        if (key == rule_numbers_.size()) {
            rule_numbers_.push_back(std::uint32_t(rules_.rules.size()));
            rules_.rules.push_back({name_of(set, key), Rules::no_expression, 0});
        }
        return rule_numbers_[key];
    }
    expression_id value(std::uint32_t set, std::uint32_t level) { return rules_.add_rule(rule_of(set, level)); }
    /// The last names of where a schema stands, and a number.
    std::string name_of(std::uint32_t set, std::uint32_t key) {
        if (key == 0) return "root";
        std::string name;
        const schema_terms terms = boxes_.terms_of(set);
        if (terms.empty()) name = "value";
        else {
            const std::string pointer = document().pointer(reader().at(terms[0].of).source);
            for (const char c : pointer.substr(pointer.rfind('/') == std::string::npos ? 0 : pointer.rfind('/') + 1)) {
                const bool is_of_name = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
                if (is_of_name && name.size() < 40) name += c;
            }
            if (name.empty()) name = "set";
        }
        return name + "-" + std::to_string(key);
    }

    bool write_set(std::uint32_t set, std::uint32_t level, expression_id& body) {
        expressions ways;
        std::vector<std::uint32_t> options;
        if (!boxes_.options_of(set, options)) return false;
        if (!options.empty()) {
            for (const std::uint32_t o : options) ways.push_back(value(o, level));
            body = layout_.one_of(ways);
            return true;
        }
        std::vector<schema_branch> branches;
        if (!boxes_.find_branches(set, branches)) return false;
        std::vector<value_id> constants;
        for (const schema_branch& b : branches) {
            if (boxes::has_constants(reader(), b)) {
                for (const value_id v : boxes_.constants_of(b, set))
                    if (branches.size() == 1 || std::find(constants.begin(), constants.end(), v) == constants.end())
                        constants.push_back(v);
            } else if (!write_branch(b, level, ways)) {
                return false;
            }
        }
        for (const value_id v : constants) ways.push_back(constant(v, level));
        body = layout_.one_of(ways);
        return true;
    }
    bool write_branch(const schema_branch& b, std::uint32_t level, expressions& ways) {
        if (b.problem && !reader().refuse(reader().at(b.problem_at).source, b.problem)) return false;
        if ((b.types & type_null) != 0 && !is_excluded(b, json_kind::null, "")) ways.push_back(layout_.literal("null"));
        for (const char* const name : {"true", "false"})
            if ((b.types & type_boolean) != 0 && !is_excluded(b, json_kind::boolean, name))
                ways.push_back(layout_.literal(name));
        if ((b.types & type_number) != 0 && !write_numbers(b, ways)) return false;
        if ((b.types & type_string) != 0 && !write_strings(b, ways)) return false;
        if ((b.types & (type_array | type_object)) != 0 && !has_no_excluded_structures(b)) return false;
        if ((b.types & type_array) != 0 && !write_arrays(b, level, ways)) return false;
        return (b.types & type_object) == 0 || write_objects(b, level, ways);
    }
    template <class Visit>
    void each_excluded(const schema_branch& b, Visit visit) {
        for (const broken_assertion& w : b.broken)
            if (w.what == broken_assertion::kind::constants)
                for (const value_id v : reader().at(w.of).constants) visit(v, w.of);
    }
    bool is_excluded(const schema_branch& b, json_kind kind, const text& name) {
        bool is = false;
        each_excluded(b, [&](value_id v, schema_id) {
            is |= document().is(v, kind) && (kind == json_kind::null || document().text_of(v) == name);
        });
        return is;
    }
    bool has_no_excluded_structures(const schema_branch& b) {
        value_id found = reader().document().none;
        each_excluded(b, [&](value_id v, schema_id) {
            const bool is_of_type = (document().is(v, json_kind::array) && (b.types & type_array) != 0) ||
                                    (document().is(v, json_kind::object) && (b.types & type_object) != 0);
            if (is_of_type) found = v;
        });
        return found == reader().document().none ||
               reader().refuse(found, "all arrays or objects but this one: that is not supported");
    }

    // ---- constants

    expression_id constant(value_id v, std::uint32_t level) {
        switch (document().kind(v)) {
        case json_kind::null: return layout_.literal("null");
        case json_kind::boolean: return layout_.literal(document().text_of(v));
        case json_kind::number: return layout_.literal(document().text_of(v));
        case json_kind::string: return string_constant(document().text_of(v));
        case json_kind::array: return list_constant(v, level, "[", "]");
        case json_kind::object: break;
        }
        return list_constant(v, level, "{", "}");
    }
    expression_id string_constant(const text& of) {
        if (options_.escapes == json_escapes::needed) return layout_.literal("\"" + spelling_.spelled(of) + "\"");
        expressions parts{layout_.literal("\"")};
        for (text left = of; !left.empty();) {
            const decoded_character c = decode_utf8(left);
            parts.push_back(spelling_(code_point_set({{c.value, c.value}})));
            left = left.part(c.length);
        }
        parts.push_back(layout_.literal("\""));
        return rules_.add_list(expression_kind::sequence, parts.data(), parts.size());
    }
    expression_id list_constant(value_id v, std::uint32_t level, const char* open, const char* close) {
        const std::size_t count = document().count(v);
        if (count == 0) return layout_.nothing(open, close);
        expressions parts{layout_.open(open, level + 1)};
        for (std::size_t i = 0; i < count; ++i) {
            if (i > 0) parts.push_back(layout_.comma(level + 1));
            if (document().is(v, json_kind::object))
                parts.push_back(layout_.joined({layout_.literal("\"" + spelling_.spelled(document().member_at(v, i).name) + "\""), layout_.colon()}));
            parts.push_back(layout_.joined({constant(document().item(v, i), level + 1), layout_.behind_value()}));
        }
        parts.push_back(layout_.close(close, level + 1));
        return rules_.add_list(expression_kind::sequence, parts.data(), parts.size());
    }

    // ---- numbers

    bool write_numbers(const schema_branch& b, expressions& ways) {
        number_set n = boxes_.numbers_of(b);
        const auto known = std::find_if(numbers_.begin(), numbers_.end(), [&](const auto& k) { return k.of == n; });
        if (known != numbers_.end()) {
            if (known->made != none) ways.push_back(known->made);
            return true;
        }
        character_automaton automaton;
        std::uint32_t most_characters = walk::unlimited;
        if (!number_automaton<number_set>(n, options_.most_digits).make(most_counting_states, automaton)) {
            most_characters = (std::max)(options_.most_digits, 1u);
            if (!number_automaton<number_set>(n, options_.most_digits, false).make(most_number_states, automaton))
                return reader().refuse(place_of(b, {"multipleOf", "minimum", "maximum"}), "the bounds and divisors of this number need more states than the limit allows");
        }
        expression_id made = none;
        plain_characters<Rules> plain(rules_);
        if (!automaton.empty()) {
            made = shared_rule(automaton_expression(rules_, automaton, plain, 0, most_characters), "number");
            ways.push_back(made);
        }
        numbers_.push_back({std::move(n), made});
        return true;
    }
    enum : std::size_t { most_counting_states = 1 << 12, most_number_states = 1 << 16, most_string_states = 1 << 14 };

    // ---- strings

    bool write_strings(const schema_branch& b, expressions& ways) {
        string_set s;
        if (!boxes_.find_strings(b, s)) return false;
        const auto known = std::find_if(strings_.begin(), strings_.end(), [&](const auto& k) { return k.of == s; });
        if (known != strings_.end()) {
            if (known->made != none) ways.push_back(known->made);
            return true;
        }
        expression_id made = none;
        bool has_any = true;
        if (!write_characters(s, place_of(b, {"pattern", "format", "type"}), made, has_any)) return false;
        if (has_any) {
            made = layout_.joined({layout_.literal("\""), made, layout_.literal("\"")});
            made = shared_rule(made, s.languages.empty() ? "string" : "pattern");
            ways.push_back(made);
        } else {
            made = none;
        }
        strings_.push_back({std::move(s), made});
        return true;
    }
    /// An expression that stands in many places, as a rule.
    expression_id shared_rule(expression_id of, const char* name) {
        const auto number = std::uint32_t(rules_.rules.size());
        rules_.rules.push_back({name + ("-" + std::to_string(number)), of, 0});
        return rules_.add_rule(number);
    }
    enum : expression_id { none = ~0u };
    /// What stands between the quotes.
    bool write_characters(const string_set& s, value_id at, expression_id& made, bool& has_any) {
        has_any = s.least <= s.most;
        if (!has_any) return true;
        if (s.languages.empty() && s.excluded.empty()) {
            made = rules_.add_repetition(spelling_.any(), s.least, s.most == ~0u ? std::uint32_t{expression::unlimited} : s.most);
            return true;
        }
        if (s.languages.size() == 1 && !s.languages[0].is_negated && s.excluded.empty() && s.least == 0 && s.most == ~0u) {
            const auto& l = boxes_.languages()[s.languages[0].language];
            if (l.has_expression() && regex_expression<Rules, regex, json_spelling<Rules>>(rules_, l.expression, spelling_).make(l.match, made))
                return true;
        }
        string_set counted = s;
        count_repeated_sets(counted);
        has_any = counted.least <= counted.most;
        character_automaton both;
        if (!has_any) return true;
        if (!combine_languages(counted, at, both)) return false;
        has_any = !both.empty();
        const std::uint32_t most = counted.most == ~0u ? std::uint32_t{walk::unlimited} : counted.most;
        if (has_any) made = automaton_expression(rules_, both, spelling_, counted.least, most);
        return true;
    }
    /// A pattern as ^[a-z]{1,5000}$ says of the length what needs no states.
    void count_repeated_sets(string_set& s) {
        for (auto& part : s.languages) {
            std::uint32_t least = 0, most = ~0u;
            const std::uint32_t any = boxes_.languages().of_any_length(part.language, least, most);
            if (part.is_negated || any == string_languages<>::none) continue;
            s.least = (std::max)(s.least, least);
            s.most = (std::min)(s.most, most);
            part.language = any;
        }
    }
    bool combine_languages(const string_set& s, value_id at, character_automaton& both) {
        std::vector<const character_automaton*> all;
        std::uint64_t required = 0;
        for (const auto& part : s.languages) {
            const character_automaton* const a = boxes_.languages().automaton(part.language);
            if (!a || all.size() == 63)
                return reader().refuse(at, "a pattern here cannot be combined with others, or with lengths: " + boxes_.languages()[part.language].problem);
            if (!part.is_negated) required |= std::uint64_t{1} << all.size();
            all.push_back(a);
        }
        const character_automaton everything = automaton_of_all(), words = automaton_of(s.excluded);
        if (required == 0) {
            required |= std::uint64_t{1} << all.size();
            all.push_back(&everything);
        }
        if (!s.excluded.empty()) all.push_back(&words);
        if (all.size() == 1) {
            both = *all[0];
            return true;
        }
        const auto label_of = [&](std::uint64_t bits) { return std::uint32_t(bits == required); };
        if (!combine(all, required, label_of, most_string_states, both))
            return reader().refuse(at, "the patterns of this string have more states in common than the limit allows");
        both = minimized(both);
        return true;
    }
    static character_automaton automaton_of(const std::vector<text>& words) {
        std::vector<std::pair<std::u32string, std::uint32_t>> all;
        for (const text& w : words) {
            all.emplace_back();
            decode_all(w, all.back().first);
            all.back().second = 1;
        }
        return automaton_of_words(all);
    }

    // ---- arrays

    bool write_arrays(const schema_branch& b, std::uint32_t level, expressions& ways) {
        array_set a = boxes_.arrays_of(b);
        for (const auto& c : a.contains) a.least = (std::max)(a.least, (std::min)(c.least, 1u));
        if (a.least > a.most) return true;
        if (boxes_.breaks_later_items(b))
            return reader().refuse(place_of(b, {"items"}), "the opposite of items behind prefixItems is not supported");
        if (a.most == 0) return ways.push_back(layout_.nothing("[", "]")), true;
        ++level;
        const expression_id open = layout_.open("[", level), close = layout_.close("]", level);
        if (a.least == 0) ways.push_back(layout_.nothing("[", "]"));
        expression_id items;
        if (a.are_different && a.most > 1) {
            if (!write_different_items(a, b, level, items)) return false;
        } else if (!a.contains.empty()) {
            if (!write_containing_items(a, b, level, items)) return false;
        } else {
            items = a.first.empty() ? repeated_items(item(a.rest, level), a, level) : items_by_place(a, level);
        }
        ways.push_back(layout_.joined({open, items, close}));
        return true;
    }
    expression_id item(std::uint32_t set, std::uint32_t level) {
        return layout_.joined({value(set, level), layout_.behind_value()});
    }
    static std::uint32_t less(std::uint32_t from, std::uint32_t n) noexcept {
        return from == ~0u ? from : from > n ? from - n : 0;
    }
    expression_id repeated_items(expression_id one, const array_set& a, std::uint32_t level) {
        if (a.most == 1) return one;
        const expression_id more = layout_.joined({layout_.comma(level), one});
        return layout_.joined({one, rules_.add_repetition(more, less(a.least, 1), less(a.most, 1))});
    }
    /// At least one item.
    expression_id items_by_place(const array_set& a, std::uint32_t level) {
        expression_graph graph;
        expressions parts;
        const auto arc = [&](std::uint32_t from, std::uint32_t to, expression_id part) {
            graph.arcs.push_back({from, to});
            parts.push_back(part);
        };
        std::uint32_t at = graph.add_node();
        const std::uint32_t places = std::uint32_t((std::min<std::size_t>)(a.first.size(), a.most));
        for (std::uint32_t i = 0; i < places; ++i) {
            const std::uint32_t next = graph.add_node(i + 1 >= a.least);
            const expression_id one = item(a.first[i], level);
            arc(at, next, i == 0 ? one : layout_.joined({layout_.comma(level), one}));
            at = next;
        }
        if (a.most > places) {
            const std::uint32_t end = graph.add_node(true);
            const expression_id more = layout_.joined({layout_.comma(level), item(a.rest, level)});
            arc(at, end, rules_.add_repetition(more, less(a.least, places), less(a.most, places)));
            graph.may_end[at] = 0;  // so it may by no repetition
        }
        return rules_.add_graph(std::move(graph), parts.data());
    }
    /// Each of a few constants once at most.
    bool write_different_items(const array_set& a, const schema_branch& b, std::uint32_t level, expression_id& made) {
        expressions all;
        if (!a.first.empty() || !a.contains.empty() || !find_constants(a.rest, level, all) || all.size() > walk::no_bit)
            return refuse_different_items(a, b, level, made);
        expression_graph graph;
        expressions parts;
        const std::uint32_t first = graph.add_node(), behind = graph.add_node(true);
        for (std::uint32_t i = 0; i < all.size(); ++i) {
            const expression_id one = layout_.joined({all[i], layout_.behind_value()});
            graph.arcs.push_back({first, behind, i});
            parts.push_back(one);
            graph.arcs.push_back({behind, behind, i});
            parts.push_back(layout_.joined({layout_.comma(level), one}));
        }
        graph.bounds = {.memory = walk_memory::set, .least = (std::max)(a.least, 1u), .most = a.most};
        made = rules_.add_graph(std::move(graph), parts.data());
        return true;
    }
    bool refuse_different_items(const array_set& a, const schema_branch& b, std::uint32_t level, expression_id& made) {
        array_set any = a;
        any.are_different = false;
        made = any.first.empty() ? repeated_items(item(any.rest, level), any, level) : items_by_place(any, level);
        return reader().refuse(place_of(b, {"uniqueItems"}),
                               "uniqueItems is supported where the items are of enum, const, boolean or null, up to 64 of "
                               "them in all");
    }
    /// The values of a set that has few.
    bool find_constants(std::uint32_t set, std::uint32_t level, expressions& all) {
        std::vector<schema_branch> branches;
        if (!boxes_.find_branches(set, branches)) return false;
        std::vector<value_id> constants;
        bool has[3] = {};
        for (const schema_branch& b : branches) {
            if (!boxes::has_constants(reader(), b)) {
                if ((b.types & ~(type_null | type_boolean)) != 0) return false;
                has[0] |= (b.types & type_null) != 0 && !is_excluded(b, json_kind::null, "");
                has[1] |= (b.types & type_boolean) != 0 && !is_excluded(b, json_kind::boolean, "true");
                has[2] |= (b.types & type_boolean) != 0 && !is_excluded(b, json_kind::boolean, "false");
                continue;
            }
            for (const value_id v : boxes_.constants_of(b, set))
                if (!boxes_.constants().is_one_of(constants, v)) constants.push_back(v);
        }
        const char* const names[] = {"null", "true", "false"};
        for (const value_id v : constants) {
            const json_kind k = document().kind(v);
            if (k == json_kind::null || k == json_kind::boolean)
                has[k == json_kind::null ? 0 : document().is_true(v) ? 1 : 2] = true;
            else all.push_back(constant(v, level));
        }
        for (std::size_t i = 0; i < 3; ++i)
            if (has[i]) all.push_back(layout_.literal(names[i]));
        return true;
    }
    /// Some of the items are in another set, too.
    bool write_containing_items(const array_set& a, const schema_branch& b, std::uint32_t level, expression_id& made) {
        if (a.contains.size() > 1 || !a.first.empty() || a.contains[0].least > most_contained ||
            (a.contains[0].most != ~0u && a.contains[0].most > most_contained)) {
            made = repeated_items(item(a.rest, level), a, level);
            return reader().refuse(place_of(b, {"contains"}),
                                   "contains is supported once, without prefixItems, and up to 1,000 items that it counts");
        }
        const auto& c = a.contains[0];
        schema_terms with = boxes_.terms_of(a.rest), without = with;
        const schema_terms more = boxes_.terms_of(c.set);
        with.insert(with.end(), more.begin(), more.end());
        if (more.size() == 1) without.push_back({more[0].of, !more[0].is_negated});
        const bool is_bounded = c.most != ~0u;
        if (is_bounded && more.size() != 1) return reader().refuse(place_of(b, {"maxContains"}), "maxContains is not supported here");
        const expression_id counted = item(boxes_.set_of(with), level);
        const expression_id other = item(boxes_.set_of(is_bounded ? without : boxes_.terms_of(a.rest)), level);
        const std::uint32_t steps = is_bounded ? c.most : c.least;
        expression_graph graph;
        expressions parts;
        const auto arc = [&](std::uint32_t from, std::uint32_t to, expression_id part) {
            graph.arcs.push_back({from, to});
            parts.push_back(part);
        };
        const std::uint32_t first = graph.add_node();
        for (std::uint32_t k = 0; k <= steps; ++k) graph.add_node(k >= c.least);
        const expression_id more_counted = layout_.joined({layout_.comma(level), counted});
        const expression_id more_other = layout_.joined({layout_.comma(level), other});
        arc(first, 1, other);
        if (steps > 0) arc(first, 2, counted);
        for (std::uint32_t k = 0; k <= steps; ++k) {
            arc(1 + k, 1 + k, more_other);
            if (k < steps) arc(1 + k, 2 + k, more_counted);
        }
        graph.bounds = {.memory = walk_memory::count, .least = (std::max)(a.least, 1u), .most = a.most};
        made = rules_.add_graph(std::move(graph), parts.data());
        return true;
    }
    enum : std::uint32_t { most_contained = 1000 };

    // ---- objects

    /// Members that are not listed: a key behind its first quote, and its value.
    struct others {
        bool are_there = false;
        expression_id member = 0;
    };

    bool write_objects(const schema_branch& b, std::uint32_t level, expressions& ways) {
        object_set o;
        if (!boxes_.find_objects(b, o)) return false;
        if (o.least > o.most || o.least == ~0u) return true;
        ++level;
        others rest;
        if (!write_others(o, b, level, rest)) return false;
        const auto required = std::uint32_t(std::count_if(o.members.begin(), o.members.end(), [](const auto& m) { return m.is_required; }));
        const bool may_be_empty = required == 0 && o.least == 0;
        if (may_be_empty) ways.push_back(layout_.nothing("{", "}"));
        if (o.most == 0 || (o.members.empty() && !rest.are_there)) return true;
        if (rest.are_there && o.least > required + 1 &&
            !reader().refuse(place_of(b, {"minProperties"}), "minProperties: names that are not listed might come twice, and be counted twice; "
                                           "require more of the listed ones"))
            return false;
        if (!has_few_in_a_row(o))
            return reader().fail(place_of(b, {"properties"}), "an object may list so many optional properties in a row as "
                                               "grammar_limits::configurations has room for: any of them may come next");
        expression_id members;
        const bool counts = o.least > (std::max)(required, 1u) || o.most < (rest.are_there ? ~0u : std::uint32_t(o.members.size()));
        if (options_.any_order) {
            if (!write_in_any_order(o, b, rest, level, members)) return false;
        } else if (!counts) {
            members = in_order(o, rest, level);
        } else if (!write_counted(o, b, rest, required, level, members)) {
            return false;
        }
        ways.push_back(layout_.joined({layout_.open("{", level), members, layout_.close("}", level)}));
        return true;
    }
    bool has_few_in_a_row(const object_set& o) const noexcept {
        std::size_t row = 0, longest = 0;
        for (const auto& m : o.members) longest = (std::max)(longest, row = m.is_required ? 0 : row + 1);
        return longest + 96 <= options_.limits.configurations;
    }
    /// A member behind the first quote of its name.
    expression_id member(const object_set::member& m, std::uint32_t level) {
        return layout_.joined({layout_.literal(spelling_.spelled(m.name) + "\""), layout_.colon(), value(m.set, level), layout_.behind_value()});
    }
    expression_id quote() { return layout_.literal("\""); }

    /// Nodes of the graph: in front of each member, behind its quote, and behind it, where a comma may follow.
    expression_id in_order(const object_set& o, const others& rest, std::uint32_t level) {
        expression_graph graph;
        expressions parts;
        const auto count = std::uint32_t(o.members.size());
        const auto arc = [&](std::uint32_t from, std::uint32_t to, expression_id part) {
            graph.arcs.push_back({from, to});
            parts.push_back(part);
        };
        const std::uint32_t first = graph.add_node();
        const auto ahead = [&](std::uint32_t i) { return 1 + 2 * i; };
        const auto behind = [&](std::uint32_t i) { return 2 + 2 * i; };  // the members before i
        for (std::uint32_t i = 0; i <= count; ++i) {
            graph.add_node();
            graph.add_node();
        }
        const expression_id comma = layout_.joined({layout_.comma(level), quote()}), nothing = layout_.literal({});
        arc(first, ahead(0), quote());
        bool may_end = true;
        for (std::uint32_t i = count + 1; i-- > 0;) {
            if (i < count) {
                arc(ahead(i), behind(i + 1), member(o.members[i], level));
                if (!o.members[i].is_required) arc(ahead(i), ahead(i + 1), nothing);
                may_end = may_end && !o.members[i].is_required;
            } else if (rest.are_there) {
                arc(ahead(i), behind(i), rest.member);
            }
            graph.may_end[behind(i)] = may_end;
            if (i < count || rest.are_there) arc(behind(i), ahead(i), comma);
        }
        return rules_.add_graph(std::move(graph), parts.data());
    }
    bool write_counted(const object_set& o, const schema_branch& b, const others& rest, std::uint32_t required,
                       std::uint32_t level, expression_id& made) {
        const auto count = std::uint32_t(o.members.size());
        const bool needs_more = o.least > (std::max)(required, 1u), is_bounded = o.most < (rest.are_there ? ~0u : count);
        if (rest.are_there && needs_more && is_bounded &&
            !reader().refuse(place_of(b, {"minProperties"}), "minProperties and maxProperties together are supported where all names are listed"))
            return false;
        expression_graph graph;
        expressions parts;
        const std::uint32_t first = graph.add_node();
        for (std::uint32_t i = 0; i <= count; ++i) graph.add_node();  // behind the members before i
        const expression_id comma = layout_.joined({layout_.comma(level), quote()});
        // Names that are not listed count as one where there must be enough of them, since they might come twice.
        const expression_id more = layout_.joined({comma, rest.member});
        expressions all, all_more;
        for (const auto& m : o.members) {
            const expression_id one = member(m, level);
            all.push_back(layout_.joined({quote(), one}));
            all_more.push_back(layout_.joined({comma, one}));
        }
        for (std::uint32_t from = 0; from < count + 2; ++from) {
            const bool is_first = from == 0;
            bool may_end = true;
            std::uint32_t i = is_first ? 0 : from - 1;
            for (; i < count && may_end; ++i) {
                graph.arcs.push_back({from, i + 2});
                parts.push_back(is_first ? all[i] : all_more[i]);
                may_end = !o.members[i].is_required;
            }
            if (may_end && rest.are_there) {
                expression_id one = is_first ? layout_.joined({quote(), rest.member}) : more;
                if (needs_more) one = layout_.joined({one, rules_.add_repetition(more, 0, expression::unlimited)});
                graph.arcs.push_back({from, count + 1});
                parts.push_back(one);
            }
            graph.may_end[from] = !is_first && may_end;
            if (parts.size() > most_arcs)
                return reader().fail(place_of(b, {"minProperties", "maxProperties"}), "minProperties and maxProperties of so many optional properties are not supported");
        }
        (void)first;
        graph.bounds = {.memory = walk_memory::count, .least = (std::max)(o.least, 1u), .most = o.most};
        made = rules_.add_graph(std::move(graph), parts.data());
        return true;
    }
    enum : std::size_t { most_arcs = 1 << 14 };

    bool write_in_any_order(const object_set& o, const schema_branch& b, const others& rest, std::uint32_t level,
                            expression_id& made) {
        if (o.members.size() > walk::no_bit)
            return reader().fail(place_of(b, {"properties"}), "any_order is supported for objects of up to 64 listed properties");
        expression_graph graph;
        expressions parts;
        const std::uint32_t first = graph.add_node(), behind = graph.add_node(true);
        const expression_id comma = layout_.joined({layout_.comma(level), quote()});
        graph.bounds = {.memory = walk_memory::set, .least = (std::max)(o.least, rest.are_there ? 0u : 1u), .most = o.most};
        const auto add = [&](expression_id one, std::uint32_t bit) {
            graph.arcs.push_back({first, behind, bit});
            parts.push_back(layout_.joined({quote(), one}));
            graph.arcs.push_back({behind, behind, bit});
            parts.push_back(layout_.joined({comma, one}));
        };
        for (std::uint32_t i = 0; i < o.members.size(); ++i) {
            if (o.members[i].is_required) graph.bounds.required |= std::uint64_t{1} << i;
            add(member(o.members[i], level), i);
        }
        if (rest.are_there) {
            add(rest.member, walk::no_bit);
            const bool counts = o.least > 1 || o.most != ~0u;
            if (counts && !reader().refuse(place_of(b, {"minProperties", "maxProperties"}), "any_order with minProperties or maxProperties is supported where all names are listed"))
                return false;
            graph.bounds.least = 0;
        }
        made = rules_.add_graph(std::move(graph), parts.data());
        return true;
    }

    /// Names that are not listed, by the patterns that they match: each such class has its own values.
    bool write_others(const object_set& o, const schema_branch& b, std::uint32_t level, others& into) {
        std::vector<std::uint32_t> languages;  // of patternProperties, then of what all names must be
        for (const schema_id id : o.of_others)
            for (const auto& p : reader().at(id).pattern_properties) {
                const std::uint32_t l = boxes_.languages().of_pattern(p.names.source);
                if (!boxes_.can_be_used(l, p.names.at)) return false;
                if (boxes_.languages().automaton(l) && std::find(languages.begin(), languages.end(), l) == languages.end())
                    languages.push_back(l);
            }
        if (languages.size() > 20) return reader().fail(place_of(b, {"patternProperties"}), "more than 20 patterns of names in one object are not supported");
        const auto terms_of = [&](std::uint64_t bits) {
            return boxes_.terms_of_others(o, [&](const auto& names) {
                const std::uint32_t l = boxes_.languages().of_pattern(names.source);
                const auto place = std::find(languages.begin(), languages.end(), l);
                return place != languages.end() && (bits >> (place - languages.begin()) & 1) != 0;
            });
        };
        if (languages.empty() && is_never(boxes_.set_of(terms_of(0)))) return true;  // nothing but the listed ones
        bool has_any = true;
        std::vector<character_automaton> own;
        if (!find_names(o, b, own, has_any)) return false;
        if (!has_any) return true;

        std::vector<const character_automaton*> all;
        for (const std::uint32_t l : languages) all.push_back(boxes_.languages().automaton(l));
        const std::uint64_t of_patterns = (std::uint64_t{1} << all.size()) - 1;
        std::uint64_t required = 0;
        for (const character_automaton& a : own) {
            required |= std::uint64_t{1} << all.size();
            all.push_back(&a);
        }
        std::vector<text> listed = o.absent;
        for (const auto& m : o.members) listed.push_back(m.name);
        const character_automaton words = automaton_of(listed), everything = automaton_of_all();
        const std::uint64_t is_listed = listed.empty() ? 0 : std::uint64_t{1} << all.size();
        if (!listed.empty()) all.push_back(&words);
        if (required == 0) {
            required = std::uint64_t{1} << all.size();
            all.push_back(&everything);
        }
        std::vector<std::uint32_t> sets;  // of values, by label less 1
        const auto label_of = [&](std::uint64_t bits) -> std::uint32_t {
            if ((bits & is_listed) != 0 || (bits & required) != required) return 0;
            const std::uint32_t set = boxes_.set_of(terms_of(bits & of_patterns));
            if (is_never(set)) return 0;
            const auto known = std::find(sets.begin(), sets.end(), set);
            if (known != sets.end()) return std::uint32_t(known - sets.begin()) + 1;
            sets.push_back(set);
            return std::uint32_t(sets.size());
        };
        character_automaton names;
        if (!combine(all, required, label_of, most_string_states, names))
            return reader().refuse(place_of(b, {"patternProperties", "propertyNames"}), "the patterns of names have more states in common than the limit allows");
        if (!languages.empty() || !own.empty()) names = minimized(names);
        if (names.empty()) return true;
        into.are_there = true;
        into.member = member_of_class(names, sets, level);
        return true;
    }
    expression_id member_of_class(const character_automaton& names, const std::vector<std::uint32_t>& sets, std::uint32_t level) {
        expression_graph graph;
        expressions parts;
        for (std::uint32_t s = 0; s < names.size(); ++s) graph.add_node();
        add_arcs(graph, parts, names, spelling_, 0);
        const std::uint32_t end = graph.add_node(true);
        for (std::uint32_t i = 0; i < sets.size(); ++i) {
            const std::uint32_t quoted = graph.add_node();
            for (std::uint32_t s = 0; s < names.size(); ++s) {
                if (names.label(s) != i + 1) continue;
                graph.arcs.push_back({s, quoted});
                parts.push_back(quote());
            }
            graph.arcs.push_back({quoted, end});
            parts.push_back(layout_.joined({layout_.colon(), value(sets[i], level), layout_.behind_value()}));
        }
        return rules_.add_graph(std::move(graph), parts.data());
    }
    bool is_never(std::uint32_t set) {
        for (const schema_term& t : boxes_.terms_of(set))
            if (!t.is_negated && reader().at(t.of).is_never) return true;
        return false;
    }
    /// The languages that propertyNames leaves for names that are not listed. `has_any`: whether it leaves any.
    bool find_names(const object_set& o, const schema_branch& b, std::vector<character_automaton>& into, bool& has_any) {
        for (const schema_id id : o.of_names) {
            std::vector<schema_branch> branches;
            if (!boxes_.find_branches(boxes_.set_of({{id, false}}), branches)) return false;
            std::erase_if(branches, [&](const schema_branch& n) { return (n.types & type_string) == 0 || boxes::has_constants(reader(), n); });
            if (branches.empty()) {  // those that it lists are listed already
                has_any = false;
                return true;
            }
            string_set s;
            if (branches.size() > 1)
                return reader().refuse(place_of(b, {"propertyNames"}), "propertyNames is supported with one pattern, format or list, not with a choice of them");
            if (!boxes_.find_strings(branches[0], s)) return false;
            character_automaton names;
            if (!combine_languages(s, place_of(b, {"propertyNames"}), names)) return false;
            if (s.least > 0 || s.most != ~0u) {
                const std::uint32_t least = s.least, most = s.most;
                if (least > most_name || (most != ~0u && most > most_name))
                    return reader().refuse(place_of(b, {"propertyNames"}), "lengths of names are supported up to 1,000 characters");
                const character_automaton lengths = automaton_of_lengths(least, most), plain = names;
                if (!combine({&plain, &lengths}, 3, [](std::uint64_t bits) { return std::uint32_t(bits == 3); }, most_string_states, names))
                    return reader().refuse(place_of(b, {"patternProperties", "propertyNames"}), "the patterns of names have more states in common than the limit allows");
            }
            into.push_back(std::move(names));
        }
        return true;
    }
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

    json_schema_options options_;
    Rules rules_;
    boxes boxes_;
    json_spelling<Rules> spelling_;
    json_layout<Rules> layout_;
    /// What was written before.
    template <class Set>
    struct written {
        Set of;
        expression_id made;
    };
    std::vector<written<string_set>> strings_;
    std::vector<written<number_set>> numbers_;
    list_numbers keys_;  ///< of rules: a set, and how deep it stands
    std::vector<std::uint32_t> rule_numbers_;
};

}  // namespace riffle::detail
