#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include <riffle/constraint/code_points.hpp>
#include <riffle/constraint/expressions.hpp>
#include <riffle/constraint/json/json_layout.hpp>
#include <riffle/constraint/json/json_schema_options.hpp>
#include <riffle/constraint/json/json_spelling.hpp>
#include <riffle/constraint/json/schema_types.hpp>
#include <riffle/constraint/numbering.hpp>
#include <riffle/constraint/parsed.hpp>
#include <riffle/core/text.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// What all share that write a schema's grammar: its rules, one for each set of values that is met, and how values of
/// the document are written.
template <class Rules, class Reader>
struct schema_writing {
    using boxes_type = schema_types<Reader>;
    using value_id = typename boxes_type::value_id;
    using expressions = std::vector<expression_id>;

    schema_writing(Reader& from, const json_schema_options& how)
        : options(how), boxes(from), spelling(rules, how.escapes), layout(rules, how.whitespace, how.indent) {}

    json_schema_options options;
    Rules rules;
    boxes_type boxes;
    json_spelling<Rules> spelling;
    json_layout<Rules> layout;
    list_numbers keys;                        ///< of rules: a set, and how deep it stands
    std::vector<std::uint32_t> rule_numbers;  ///< of each key

    Reader& reader() noexcept { return boxes.reader(); }
    const Reader& reader() const noexcept { return boxes.reader(); }
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
        if (options.whitespace != json_whitespace::pretty) level = 0;
        level = (std::min)(level, std::uint32_t{json_layout<Rules>::most_indented} + 1);
        const std::uint32_t key = keys.number_of({set, level});
        if (key == rule_numbers.size()) {
            rule_numbers.push_back(std::uint32_t(rules.rules.size()));
            rules.rules.push_back({name_of(set, key), Rules::no_expression, 0});
        }
        return rule_numbers[key];
    }
    expression_id value(std::uint32_t set, std::uint32_t level) { return rules.add_rule(rule_of(set, level)); }
    /// The last names of where a schema stands, and a number.
    std::string name_of(std::uint32_t set, std::uint32_t key) {
        if (key == 0) return "root";
        std::string name;
        const schema_terms terms = boxes.terms_of(set);
        if (terms.empty()) name = "value";
        else {
            const std::string pointer = document().pointer(reader().at(terms[0].of).source);
            for (const char c : pointer.substr(pointer.rfind('/') == std::string::npos ? 0 : pointer.rfind('/') + 1)) {
                const bool is_of_name =
                    (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
                if (is_of_name && name.size() < 40) name += c;
            }
            if (name.empty()) name = "set";
        }
        return name + "-" + in_digits(key);
    }
    /// An expression that stands in many places, as a rule.
    expression_id shared_rule(expression_id of, const char* name) {
        const auto number = std::uint32_t(rules.rules.size());
        rules.rules.push_back({name + ("-" + in_digits(number)), of, 0});
        return rules.add_rule(number);
    }

    // ---- constants that a branch excludes

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
        case json_kind::null: return layout.literal("null");
        case json_kind::boolean: return layout.literal(document().text_of(v));
        case json_kind::number: return layout.literal(document().text_of(v));
        case json_kind::string: return string_constant(document().text_of(v));
        case json_kind::array: return list_constant(v, level, "[", "]");
        case json_kind::object: break;
        }
        return list_constant(v, level, "{", "}");
    }
    expression_id string_constant(const text& of) {
        if (options.escapes == json_escapes::needed) return layout.literal("\"" + spelling.spelled(of) + "\"");
        expressions parts{layout.literal("\"")};
        for (text left = of; !left.empty();) {
            const decoded_character c = decode_utf8(left);
            parts.push_back(spelling(code_point_set({{c.value, c.value}})));
            left = left.part(c.length);
        }
        parts.push_back(layout.literal("\""));
        return rules.add_list(expression_kind::sequence, parts.data(), parts.size());
    }
    expression_id list_constant(value_id v, std::uint32_t level, const char* open, const char* close) {
        const std::size_t count = document().count(v);
        if (count == 0) return layout.nothing(open, close);
        expressions parts{layout.open(open, level + 1)};
        for (std::size_t i = 0; i < count; ++i) {
            if (i > 0) parts.push_back(layout.comma(level + 1));
            if (document().is(v, json_kind::object))
                parts.push_back(layout.joined(
                    {layout.literal("\"" + spelling.spelled(document().member_at(v, i).name) + "\""), layout.colon()}));
            parts.push_back(layout.joined({constant(document().item(v, i), level + 1), layout.behind_value()}));
        }
        parts.push_back(layout.close(close, level + 1));
        return rules.add_list(expression_kind::sequence, parts.data(), parts.size());
    }
};

}  // namespace riffle::detail
