#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <riffle/constraint/json/decimal.hpp>
#include <riffle/constraint/json/json_document.hpp>
#include <riffle/constraint/json/schema.hpp>
#include <riffle/constraint/json/schema_cycles.hpp>
#include <riffle/constraint/json/schema_resources.hpp>
#include <riffle/constraint/json/string_formats.hpp>
#include <riffle/constraint/parsed.hpp>
#include <riffle/core/text.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// Reads a document as a schema, and all schemas that it comes to refer to. Knows the drafts 4 to 2020-12.
///
/// A keyword of a draft that is not supported is a problem, or with `lenient` a warning; a keyword of none is an
/// annotation, as JSON Schema's core specification says (2020-12, section 6.5), and a warning. (The file is long because
/// there are sixty keywords; each has a few lines, by the type of value that it is about.)
template <class Document, class Schema = schema>
class schema_reader {
public:
    using value_id = typename Document::value_id;

    schema_reader(const Document& of, bool lenient)
        : of_(of), draft_(draft_of(of)), resources_(of, draft_), lenient_(lenient), known_(of.size(), no_schema) {}

    /// False where there is a problem.
    bool read() {
        root_ = id_of(Document::root);
        for (std::size_t i = 0; i < sources_.size(); ++i) {
            schemas_.emplace_back();
            if (!read(sources_[i], schemas_[i])) return false;
        }
        const schema_id cycle = find_cycle(schemas_);
        return cycle == no_schema ||
               fail(schemas_[cycle].source, "this schema refers to itself for one and the same value, without end");
    }
    schema_id root() const noexcept { return root_; }
    const Schema& at(schema_id id) const noexcept { return schemas_[id]; }
    Schema& at(schema_id id) noexcept { return schemas_[id]; }
    std::size_t size() const noexcept { return schemas_.size(); }
    const Document& document() const noexcept { return of_; }
    /// A problem at a value, or with `lenient` a warning and true.
    bool refuse(value_id at, std::string sentence) {
        if (lenient_) return warn(at, std::move(sentence));
        return fail(at, std::move(sentence));
    }
    bool fail(value_id at, std::string sentence) {
        problem_.where = of_.pointer(at);
        problem_.sentence = std::move(sentence);
        return false;
    }
    bool warn(value_id at, std::string sentence) {
        if (warnings_.size() < most_warnings) {
            warnings_.emplace_back();
            warnings_.back().where = of_.pointer(at);
            warnings_.back().sentence = std::move(sentence);
        }
        return true;
    }
    void keep_reference_alone(schema_id id, schema_id reference) {
        Schema alone;
        alone.source = schemas_[id].source;
        alone.all_of.push_back(reference);
        schemas_[id] = std::move(alone);
    }
    const parse_problem& problem() const noexcept { return problem_; }
    std::vector<parse_problem>& warnings() noexcept { return warnings_; }
    /// Schemas of which the draft ignores what stands beside `$ref`: the schema, and what it refers to.
    const std::vector<std::pair<schema_id, schema_id>>& beside_references() const noexcept {
        return beside_references_;
    }

private:
    enum : std::size_t { most_warnings = 64 };

    static schema_draft draft_of(const Document& of) {
        const value_id v = of.find(Document::root, "$schema");
        if (v == Document::none || !of.is(v, json_kind::string)) return schema_draft::any;
        const text uri = of.text_of(v);
        if (uri.contains("draft-04")) return schema_draft::draft_4;
        if (uri.contains("draft-06")) return schema_draft::draft_6;
        if (uri.contains("draft-07")) return schema_draft::draft_7;
        if (uri.contains("2019-09")) return schema_draft::draft_2019_09;
        return uri.contains("2020-12") ? schema_draft::draft_2020_12 : schema_draft::any;
    }
    bool is_up_to_draft_7() const noexcept { return draft_ != schema_draft::any && draft_ <= schema_draft::draft_7; }

    schema_id id_of(value_id v) {
        if (known_[v] == no_schema) {
            known_[v] = schema_id(sources_.size());
            sources_.push_back(v);
        }
        return known_[v];
    }

    bool read(value_id v, Schema& s) {
        s.source = v;
        if (of_.is(v, json_kind::boolean)) {
            s.is_never = of_.is_false(v);
            return true;
        }
        if (!of_.is(v, json_kind::object)) return fail(v, "a schema is an object, true or false");
        for (std::size_t i = 0; i < of_.count(v); ++i) {
            const auto m = of_.member_at(v, i);
            if (!read_keyword(v, m.name, m.value, s)) return false;
        }
        return settle(v, s);
    }
    /// What depends on several keywords.
    bool settle(value_id v, Schema& s) {
        if (s.condition == no_schema) s.consequence = s.alternative = no_schema;
        const value_id reference = of_.find(v, "$ref");
        if (reference == Document::none || !is_up_to_draft_7()) return true;
        const bool has_more = s.has_own_assertions || s.all_of.size() > 1 || !s.any_of.empty() || !s.one_of.empty() ||
                              !s.none_of.empty() || s.condition != no_schema;
        if (!has_more) return true;
        beside_references_.push_back({known_[v], s.all_of.front()});
        return warn(reference,
                    "in this draft what stands beside $ref is ignored; here it is applied, unless nothing would "
                    "be left");
    }

    bool read_keyword(value_id v, const text& name, value_id value, Schema& s) {
        if (name == "type") return read_type(value, s);
        if (name == "properties") return read_properties(value, s);
        if (name == "required") return read_required(value, s);
        if (name == "additionalProperties") return read_one(value, s, s.other_properties);
        if (name == "$ref") return read_reference(v, value, s);
        if (name == "items") return read_items(value, s);
        if (name == "enum") return read_enum(value, s);
        if (name == "const") return read_const(value, s);
        if (name == "format") return read_format(value, s);
        if (name == "pattern") return read_pattern(value, s);
        if (name == "minLength") return read_count(value, s, s.least_length);
        if (name == "maxLength") return read_count(value, s, s.most_length);
        if (name == "minimum" || name == "maximum" || name == "exclusiveMinimum" || name == "exclusiveMaximum")
            return read_bound(v, name, value, s);
        if (name == "multipleOf") return read_divisor(value, s);
        if (name == "anyOf") return read_groups(value, s.any_of);
        if (name == "oneOf") return read_groups(value, s.one_of);
        if (name == "allOf") return read_list(value, s.all_of);
        if (name == "not") return read_list_of_one(value, s.none_of);
        if (name == "if") return read_schema(value, s.condition);
        if (name == "then") return read_schema(value, s.consequence);
        if (name == "else") return read_schema(value, s.alternative);
        if (name == "minItems") return read_count(value, s, s.least_items);
        if (name == "maxItems") return read_count(value, s, s.most_items);
        if (name == "prefixItems") return owns(s) && read_list(value, s.first_items);
        if (name == "additionalItems") return read_additional_items(v, value, s);
        if (name == "uniqueItems") return read_unique(value, s);
        if (name == "contains") return read_one(value, s, s.contains);
        if (name == "minContains") return read_count(value, s, s.least_contained);
        if (name == "maxContains") return read_count(value, s, s.most_contained);
        if (name == "patternProperties") return read_pattern_properties(value, s);
        if (name == "propertyNames") return read_one(value, s, s.names);
        if (name == "minProperties") return read_count(value, s, s.least_properties);
        if (name == "maxProperties") return read_count(value, s, s.most_properties);
        if (name == "dependencies" || name == "dependentRequired" || name == "dependentSchemas")
            return read_dependencies(name, value, s);
        if (name == "unevaluatedProperties" || name == "unevaluatedItems") return read_unevaluated(name, value);
        if (name == "$dynamicRef" || name == "$recursiveRef")
            return refuse(value, string_of(name) + " is not supported; write $ref");
        if (is_annotation(name)) return true;
        return warn(value, "no draft knows the keyword " + string_of(name) + ", which is ignored");
    }
    static bool is_annotation(const text& name) noexcept {
        return name == "title" || name == "description" || name == "default" || name == "examples" ||
               name == "$schema" || name == "$id" || name == "id" || name == "$defs" || name == "definitions" ||
               name == "$comment" || name == "$anchor" || name == "$dynamicAnchor" || name == "$recursiveAnchor" ||
               name == "$vocabulary" || name == "readOnly" || name == "writeOnly" || name == "deprecated" ||
               name == "contentEncoding" || name == "contentMediaType" || name == "contentSchema";
    }
    static std::string string_of(const text& t) { return {t.data(), t.size()}; }
    static bool owns(Schema& s) noexcept { return s.has_own_assertions = true; }

    // ---- values of any type

    bool read_type(value_id value, Schema& s) {
        owns(s);
        std::uint8_t types = 0;
        if (of_.is(value, json_kind::array)) {
            for (std::size_t i = 0; i < of_.count(value); ++i)
                if (!add_type(of_.item(value, i), types)) return false;
        } else if (!add_type(value, types)) {
            return false;
        }
        s.types = types;
        return true;
    }
    bool add_type(value_id value, std::uint8_t& types) {
        const text name = of_.is(value, json_kind::string) ? of_.text_of(value) : text();
        if (name == "string") types |= type_string;
        else if (name == "object") types |= type_object;
        else if (name == "array") types |= type_array;
        else if (name == "integer") types |= type_integer;
        else if (name == "number") types |= type_number;
        else if (name == "boolean") types |= type_boolean;
        else if (name == "null") types |= type_null;
        else return fail(value, "a type is one of null, boolean, integer, number, string, array and object");
        return true;
    }
    bool read_enum(value_id value, Schema& s) {
        if (!of_.is(value, json_kind::array)) return fail(value, "enum is a list of values");
        std::vector<value_id> values;
        for (std::size_t i = 0; i < of_.count(value); ++i) values.push_back(of_.item(value, i));
        return add_constants(values, s);
    }
    bool read_const(value_id value, Schema& s) { return add_constants({value}, s); }
    bool add_constants(std::vector<value_id> values, Schema& s) {
        owns(s);
        if (s.has_constants) {  // enum and const: what both have
            const auto same_number = [](const text& a, const text& b) { return decimal(a) == decimal(b); };
            std::vector<value_id> both;
            for (const value_id a : values)
                for (const value_id b : s.constants)
                    if (of_.are_equal(a, b, same_number)) {
                        both.push_back(a);
                        break;
                    }
            values = std::move(both);
        }
        s.has_constants = true;
        s.constants = std::move(values);
        return true;
    }

    // ---- schemas

    bool read_schema(value_id value, schema_id& into) {
        into = id_of(value);
        return true;
    }
    bool read_one(value_id value, Schema& s, schema_id& into) { return owns(s) && read_schema(value, into); }
    bool read_list(value_id value, std::vector<schema_id>& into) {
        if (!of_.is(value, json_kind::array) || of_.count(value) == 0) return fail(value, "this is a list of schemas");
        for (std::size_t i = 0; i < of_.count(value); ++i) into.push_back(id_of(of_.item(value, i)));
        return true;
    }
    bool read_list_of_one(value_id value, std::vector<schema_id>& into) {
        into.push_back(id_of(value));
        return true;
    }
    bool read_groups(value_id value, std::vector<std::vector<schema_id>>& into) {
        into.emplace_back();
        return read_list(value, into.back());
    }
    bool read_reference(value_id from, value_id value, Schema& s) {
        if (!of_.is(value, json_kind::string)) return fail(value, "$ref is a string");
        const value_id to = resources_.find(from, of_.text_of(value));
        if (to != Document::none) {
            s.all_of.insert(s.all_of.begin(), id_of(to));
            return true;
        }
        const text reference = of_.text_of(value);
        if (reference.starts_with("#")) return fail(value, "there is no " + string_of(reference) + " in this schema");
        return fail(value,
                    string_of(reference) + " is not in this schema, and nothing is fetched: copy it under $defs");
    }
    bool read_unevaluated(const text& name, value_id value) {
        if (of_.is_true(value)) return true;
        return refuse(value, string_of(name) +
                                 " is not supported; list what is allowed, and set additionalProperties or items");
    }

    // ---- numbers

    bool read_count(value_id value, Schema& s, std::uint32_t& into) {
        owns(s);
        const decimal number = of_.is(value, json_kind::number) ? decimal(of_.text_of(value)) : decimal("-1");
        if (number.is_negative || !number.is_integer()) return fail(value, "this is a whole number, 0 or more");
        if (number.digits_ahead() > 9) into = Schema::unlimited - 1;
        else {
            into = 0;
            for (std::int64_t place = number.digits_ahead(); place-- > 0;)
                into = into * 10 + std::uint32_t(number.digit(place));
        }
        return true;
    }
    bool read_bound(value_id v, const text& name, value_id value, Schema& s) {
        owns(s);
        const bool is_least = name == "minimum" || name == "exclusiveMinimum";
        const bool is_exclusive = name.starts_with("exclusive");
        auto& bound = is_least ? s.least_number : s.most_number;
        if (is_exclusive && of_.is(value, json_kind::boolean)) {  // draft 4: beside minimum or maximum
            const value_id number = of_.find(v, is_least ? "minimum" : "maximum");
            if (of_.is_true(value) && number != Document::none && of_.is(number, json_kind::number))
                set_bound(bound, decimal(of_.text_of(number)), true, is_least);
            return true;
        }
        if (!of_.is(value, json_kind::number)) return fail(value, string_of(name) + " is a number");
        const decimal at(of_.text_of(value));
        if (at.exponent > 400 || at.exponent < -400 || at.digits.size() > 1000)
            return refuse(value, "a bound of more than 1,000 digits, or beyond 1e400, is not supported");
        set_bound(bound, at, is_exclusive, is_least);
        return true;
    }
    /// The narrower of two bounds.
    static void set_bound(typename Schema::bound& bound, const decimal& at, bool is_exclusive, bool is_least) {
        const int order = bound.is_set ? compare(at, bound.at) : is_least ? 1 : -1;
        if (order == 0) bound.is_exclusive |= is_exclusive;
        else if ((order > 0) == is_least) bound = {true, is_exclusive, at};
    }
    bool read_divisor(value_id value, Schema& s) {
        owns(s);
        const decimal divisor(of_.is(value, json_kind::number) ? of_.text_of(value) : text());
        if (divisor.is_zero() || divisor.is_negative) return fail(value, "multipleOf is a number above 0");
        if (divisor.digits.size() > 4)
            return refuse(
                value, "multipleOf is supported up to four digits beside zeros; give the numbers by enum, or bounds");
        s.has_divisor = true;
        s.divisor = divisor;
        return true;
    }

    // ---- strings

    bool read_pattern(value_id value, Schema& s) {
        owns(s);
        if (!of_.is(value, json_kind::string)) return fail(value, "pattern is a string");
        s.patterns.push_back({value, of_.text_of(value)});
        return true;
    }
    bool read_format(value_id value, Schema& s) {
        if (!of_.is(value, json_kind::string)) return fail(value, "format is a string");
        const text name = of_.text_of(value);
        switch (support_of_format(name, draft_)) {
        case format_support::supported: s.formats.push_back(name); return owns(s);
        case format_support::not_supported:
            return refuse(value, "the format " + string_of(name) + " is not supported; write a pattern");
        case format_support::unknown: break;
        }
        return warn(value, "the format " + string_of(name) + " is none of this draft, and is ignored");
    }

    // ---- arrays

    bool read_items(value_id value, Schema& s) {
        owns(s);
        if (of_.is(value, json_kind::array)) return of_.count(value) == 0 || read_list(value, s.first_items);
        return read_schema(value, s.items);
    }
    bool read_additional_items(value_id v, value_id value, Schema& s) {
        const value_id items = of_.find(v, "items");
        if (items == Document::none || !of_.is(items, json_kind::array)) return true;
        return read_one(value, s, s.items);
    }
    bool read_unique(value_id value, Schema& s) {
        if (!of_.is(value, json_kind::boolean)) return fail(value, "uniqueItems is true or false");
        if (of_.is_true(value)) s.has_different_items = owns(s);
        return true;
    }

    // ---- objects

    bool read_properties(value_id value, Schema& s) {
        owns(s);
        if (!of_.is(value, json_kind::object)) return fail(value, "properties is an object");
        for (std::size_t i = 0; i < of_.count(value); ++i) {
            const auto m = of_.member_at(value, i);
            s.properties.push_back({m.name, id_of(m.value)});
        }
        return true;
    }
    bool read_pattern_properties(value_id value, Schema& s) {
        owns(s);
        if (!of_.is(value, json_kind::object)) return fail(value, "patternProperties is an object");
        for (std::size_t i = 0; i < of_.count(value); ++i) {
            const auto m = of_.member_at(value, i);
            s.pattern_properties.push_back({{m.value, m.name}, id_of(m.value)});
        }
        return true;
    }
    bool read_names(value_id value, std::vector<text>& into) {
        if (!of_.is(value, json_kind::array)) return fail(value, "this is a list of names");
        for (std::size_t i = 0; i < of_.count(value); ++i) {
            if (!of_.is(of_.item(value, i), json_kind::string)) return fail(of_.item(value, i), "a name is a string");
            into.push_back(of_.text_of(of_.item(value, i)));
        }
        return true;
    }
    bool read_required(value_id value, Schema& s) {
        if (of_.is(value, json_kind::boolean))
            return refuse(value, "required is a list of names, beside properties; true and false are draft 3's");
        return owns(s) && read_names(value, s.required);
    }
    bool read_dependencies(const text& name, value_id value, Schema& s) {
        owns(s);
        if (!of_.is(value, json_kind::object)) return fail(value, string_of(name) + " is an object");
        for (std::size_t i = 0; i < of_.count(value); ++i) {
            const auto m = of_.member_at(value, i);
            typename Schema::dependency d;
            d.name = m.name;
            const bool is_list = of_.is(m.value, json_kind::array);
            if (name == "dependencies" && of_.is(m.value, json_kind::string))
                d.required.push_back(of_.text_of(m.value));
            else if (is_list || name == "dependentRequired") {
                if (!read_names(m.value, d.required)) return false;
            } else {
                d.of = id_of(m.value);
            }
            s.dependencies.push_back(std::move(d));
        }
        return true;
    }

    const Document& of_;
    schema_draft draft_;
    schema_resources<Document> resources_;
    bool lenient_;
    std::vector<schema_id> known_;  ///< of each value
    std::vector<value_id> sources_;
    std::vector<Schema> schemas_;
    schema_id root_ = 0;
    std::vector<std::pair<schema_id, schema_id>> beside_references_;
    parse_problem problem_;
    std::vector<parse_problem> warnings_;
};

}  // namespace riffle::detail
