#pragma once
// Random schemas of some few keywords, mostly such as have a meaning, and random instances that are aimed at a schema:
// most of them are valid or nearly so.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "integers.hpp"
#include "json_schema/slow_validator.hpp"

namespace riffle_tests::random_schema {

using slow::json;
using slow::schema_draft;

/// All that is chosen at random.
class choices {
public:
    explicit choices(integers& random) : random_(&random) {}

    bool one_in(std::uint32_t many) { return random_->below(many) == 0; }
    std::uint32_t below(std::uint32_t bound) { return random_->below(bound); }
    template <class List>
    const auto& of(const List& list) {
        return list[random_->below(std::uint32_t(list.size()))];
    }
    const char* of(std::initializer_list<const char*> list) {
        return list.begin()[random_->below(std::uint32_t(list.size()))];
    }

    std::string name() { return of({"a", "b", "c", "d", "ab"}); }
    std::string string() {
        return of({"", "a", "b", "ab", "ba", "aa", "abc", "c", "\xC3\xA9", "a\"", "\n", "aaaa", "1", "\\", "a b", "/",
                   "\x7F", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"});
    }
    /// What is whole is written without a point: 1 and 1.0 are the same number, but not the same text.
    json number() {
        if (!one_in(4)) return int(below(16)) - 4;
        if (one_in(3)) return of(std::array{100, -100, 99, 1000, 255, -128, 65536, 1'000'000});
        return of(std::array{0.5, 1.5, -0.5, 2.25, 0.1, 0.3, -1.75, 7.5, 12.5, 99.9, -0.01, 1234.56, 0.001});
    }
    json scalar() {
        switch (below(5)) {
        case 0: return nullptr;
        case 1: return one_in(2);
        case 2: return number();
        default: return string();
        }
    }
    json value(int depth = 2) {
        const std::uint32_t kind = below(depth > 0 ? 8 : 5);
        if (kind < 5) return scalar();
        json all = kind < 6 ? json::array() : json::object();
        for (std::uint32_t i = below(4); i > 0; --i) {
            if (all.is_array()) all.push_back(value(depth - 1));
            else all[name()] = value(depth - 1);
        }
        return all;
    }

private:
    integers* random_;
};

// ---- schemas

struct schema_form {
    schema_draft draft = schema_draft::draft2020;
    int depth = 3;
    bool is_plain = false;  ///< one schema alone says what a value is: nothing applies two to the same one
    bool has_references = true;
};

class schema_maker {
public:
    schema_maker(integers& random, const schema_form& form) : choose_(random), form_(form) {}

    /// A schema that is a document of its own.
    json document() {
        json all = json::object();
        static constexpr std::array names = {
            "http://json-schema.org/draft-04/schema#", "http://json-schema.org/draft-06/schema#",
            "http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2019-09/schema",
            "https://json-schema.org/draft/2020-12/schema"};
        all["$schema"] = names[std::size_t(form_.draft)];
        definitions_ = form_.has_references && choose_.one_in(3) ? 1 + choose_.below(2) : 0;
        json root = schema(form_.depth, 0);
        if (root.is_object()) all.update(root);
        for (std::uint32_t i = 0; i < definitions_; ++i) all[home()][definition(i)] = schema(form_.depth - 1, i + 1);
        return all;
    }
    /// A schema that may become part of another one: nothing in it refers to anything.
    json part() {
        definitions_ = 0;
        form_.has_references = false;
        return schema(form_.depth, 0);
    }

private:
    bool is_since(schema_draft first) const { return form_.draft >= first; }
    const char* home() const { return is_since(schema_draft::draft2019) ? "$defs" : "definitions"; }
    static std::string definition(std::uint32_t i) { return i == 0 ? "x" : "y"; }
    json reference(std::uint32_t i) const { return "#/" + std::string(home()) + "/" + definition(i); }

    /// For a value that is less deep than the one around it: any reference leads on, none leads in a circle.
    json child(int depth) {
        if (form_.has_references && choose_.one_in(8)) {
            const std::uint32_t which = choose_.below(definitions_ + 1);
            return {{"$ref", which == definitions_ ? json("#") : reference(which)}};
        }
        return schema(depth - 1, 0);
    }
    /// For the same value: references may only lead to definitions from `first` on, or they might lead in a circle.
    json beside(int depth, std::uint32_t first) {
        if (first < definitions_ && choose_.one_in(5)) return {{"$ref", reference(first)}};
        return schema(depth - 1, first);
    }
    json schema(int depth, std::uint32_t first) {
        if (depth <= 0 || choose_.one_in(12)) return small_schema();
        json all = json::object();
        if (first < definitions_ && choose_.one_in(8)) {
            all["$ref"] = reference(first);
            // What stands beside it is ignored in older drafts, by their words, and heeded by what people write.
            if (!is_since(schema_draft::draft2019) || form_.is_plain || choose_.one_in(2)) return all;
        }
        std::string type = choose_.of(
            {"string", "integer", "number", "array", "array", "object", "object", "object", "boolean", "null"});
        if (choose_.one_in(8)) {
            const std::string other = choose_.of({"string", "integer", "array", "object", "null"});
            if (other != type) all["type"] = {type, other};
            if (other != type) add_keywords(all, other, depth);
        } else if (!choose_.one_in(6)) {
            all["type"] = type;
        }
        add_keywords(all, type, depth);
        if (!form_.is_plain) {
            if (choose_.one_in(4)) add_applicator(all, depth, first);
            if (choose_.one_in(12)) add_applicator(all, depth, first);
        }
        return all;
    }
    json small_schema() {
        switch (choose_.below(9)) {
        case 0: return is_since(schema_draft::draft6) && choose_.one_in(2) ? json(!choose_.one_in(4)) : json::object();
        case 1: return {{"type", choose_.of({"string", "integer", "boolean", "null", "number", "array", "object"})}};
        case 2:
            if (is_since(schema_draft::draft6)) return {{"const", choose_.value(1)}};
            [[fallthrough]];
        case 3:
        case 4: {
            json values = json::array();
            for (std::uint32_t i = 0; i <= choose_.below(4); ++i) {
                const json value = choose_.one_in(5) ? choose_.value(1) : choose_.scalar();
                if (std::none_of(values.begin(), values.end(),
                                 [&](const json& each) { return slow::are_equal(each, value); }))
                    values.push_back(value);
            }
            return {{"enum", std::move(values)}};
        }
        default: {
            const char* const type = choose_.of({"string", "integer", "number"});
            json all = json::object();
            if (!choose_.one_in(5)) all["type"] = type;
            add_keywords(all, type, 0);
            return all;
        }
        }
    }
    void add_keywords(json& to, const std::string& type, int depth) {
        if (type == "string") add_string(to);
        if (type == "integer" || type == "number") add_number(to);
        if (type == "array") add_array(to, depth);
        if (type == "object") add_object(to, depth);
    }

    void add_bounds(json& to, const char* least, const char* most, std::uint32_t greatest) {
        const std::uint32_t a = choose_.below(greatest + 1), b = choose_.below(greatest + 1);
        const bool may_cross = choose_.one_in(20);
        const std::uint32_t kind = choose_.below(4);
        if (kind != 1) to[least] = may_cross ? a : std::min(a, b);
        if (kind != 0) to[most] = may_cross ? b : std::max(a, b);
    }
    void add_string(json& to) {
        if (choose_.one_in(3)) add_bounds(to, "minLength", "maxLength", 4);
        if (choose_.one_in(3))
            to["pattern"] = choose_.of({"^a",     "b$",           "^a*$", "^[ab]+$",   "a",
                                        "^.{2}$", "^(a|b)$",      "[^a]", "^(ab)*$",   "^[^b]*$",
                                        "aa|b",   "^(?:a|bc?)+$", "^\\d", "^\\w*$",    "^[a-c]{1,3}$",
                                        "^a.*b$", "(ab|b)a?c",    "^$",   "^[^\\n]+$", "\\W"});
    }
    void add_number(json& to) {
        if (choose_.one_in(2)) {
            const json a = choose_.number(), b = choose_.number();
            const bool is_ordered = !(slow::decimal(b) < slow::decimal(a)) || choose_.one_in(20);
            const std::uint32_t kind = choose_.below(4);
            if (kind != 1) add_bound(to, "minimum", "exclusiveMinimum", is_ordered ? a : b);
            if (kind != 0) add_bound(to, "maximum", "exclusiveMaximum", is_ordered ? b : a);
        }
        if (choose_.one_in(4)) {
            static const std::array<json, 14> divisors = {1, 2, 3, 5, 10, 0.5, 0.1, 1.5, 0.25, 7, 100, 0.01, 2.5, 0.3};
            to["multipleOf"] = choose_.of(divisors);
        }
    }
    void add_bound(json& to, const char* word, const char* exclusive, const json& bound) {
        const bool is_exclusive = choose_.one_in(3);
        if (is_since(schema_draft::draft6)) {
            to[is_exclusive ? exclusive : word] = bound;
        } else {
            to[word] = bound;
            if (is_exclusive) to[exclusive] = !choose_.one_in(4);
        }
    }
    void add_array(json& to, int depth) {
        if (choose_.one_in(3)) add_bounds(to, "minItems", "maxItems", 3);
        const bool is_new = is_since(schema_draft::draft2020);
        const bool has_places = choose_.one_in(3);
        if (has_places) {
            json places = json::array();
            for (std::uint32_t i = 0; i <= choose_.below(3); ++i) places.push_back(child(depth));
            to[is_new ? "prefixItems" : "items"] = std::move(places);
        }
        if (!choose_.one_in(3)) {
            const char* const rest = is_new ? "items" : has_places ? "additionalItems" : "items";
            const bool may_be_boolean = rest[0] == 'a' || is_since(schema_draft::draft6);
            to[rest] = may_be_boolean && choose_.one_in(has_places ? 3 : 12) ? json(choose_.one_in(4)) : child(depth);
        }
        if (is_since(schema_draft::draft6) && !form_.is_plain && choose_.one_in(5)) {
            to["contains"] = child(depth);
            if (is_since(schema_draft::draft2019) && choose_.one_in(2)) add_bounds(to, "minContains", "maxContains", 2);
        }
        if (choose_.one_in(10)) {
            if (choose_.one_in(2)) to["items"] = small_schema();
            to["uniqueItems"] = !choose_.one_in(5);
        }
    }
    json names(std::uint32_t most) {
        json all = json::array();
        for (std::uint32_t i = 0; i <= choose_.below(most); ++i) {
            const json name = choose_.name();
            if (std::find(all.begin(), all.end(), name) == all.end()) all.push_back(name);
        }
        return all;
    }
    void add_object(json& to, int depth) {
        if (!choose_.one_in(5)) {
            json& properties = to["properties"] = json::object();
            for (std::uint32_t i = choose_.below(4); i > 0; --i) properties[choose_.name()] = child(depth);
        }
        if (choose_.one_in(2)) to["required"] = names(2);
        if (!form_.is_plain && choose_.one_in(5)) {
            json& patterns = to["patternProperties"] = json::object();
            for (std::uint32_t i = 0; i <= choose_.below(2); ++i)
                patterns[choose_.of({"^a", "b$", "^[ab]", "c", "^d$", "^.$"})] = child(depth);
        }
        if (choose_.one_in(2)) to["additionalProperties"] = choose_.one_in(2) ? json(choose_.one_in(4)) : child(depth);
        if (choose_.one_in(6)) add_bounds(to, "minProperties", "maxProperties", 3);
        if (is_since(schema_draft::draft6) && choose_.one_in(10)) {
            if (choose_.one_in(2)) to["propertyNames"] = {{"pattern", choose_.of({"^a", "b$", "^[abc]$", "^.$"})}};
            else if (choose_.one_in(2)) to["propertyNames"] = {{"enum", names(3)}};
            else to["propertyNames"] = {{"maxLength", 1 + choose_.below(2)}};
        }
        if (!form_.is_plain && choose_.one_in(10)) {
            const bool has_names = choose_.one_in(2);
            const char* const word = !is_since(schema_draft::draft2019) ? "dependencies"
                                     : has_names                        ? "dependentRequired"
                                                                        : "dependentSchemas";
            // A schema for the object itself: no reference in it leads in a circle, since it has none in its place.
            to[word][choose_.name()] = has_names ? names(2) : schema(std::min(depth - 1, 1), definitions_);
        }
    }
    /// Schemas for the instance itself.
    void add_applicator(json& to, int depth, std::uint32_t first) {
        const std::uint32_t kind = choose_.below(is_since(schema_draft::draft7) ? 9 : 7);
        if (kind == 6) {
            to["not"] = choose_.one_in(2) ? small_schema() : beside(std::min(depth, 2), first);
        } else if (kind > 6) {
            to["if"] = choose_.one_in(2) ? small_schema() : beside(std::min(depth, 2), first);
            if (!choose_.one_in(4)) to["then"] = beside(depth - 1, first);
            if (!choose_.one_in(3)) to["else"] = beside(depth - 1, first);
        } else {
            json parts = json::array();
            for (std::uint32_t i = 0; i <= choose_.below(3); ++i) parts.push_back(beside(depth - 1, first));
            to[kind < 2 ? "anyOf" : kind < 4 ? "oneOf" : "allOf"] = std::move(parts);
        }
    }

    choices choose_;
    schema_form form_;
    std::uint32_t definitions_ = 0;
};

// ---- instances

class instance_maker {
public:
    instance_maker(integers& random, const json& document) : choose_(random), document_(document) {}

    /// Aimed at the schema, and changed in up to two places; now and then any value.
    json instance() {
        if (choose_.one_in(12)) return choose_.value();
        json all = aimed(document_, 4);
        for (std::uint32_t i = choose_.below(3); i > 0; --i) change(all);
        return all;
    }
    /// A value somewhere in it becomes another one, or goes, or one comes.
    void change(json& all) {
        const auto some_place_in = [&](json& some) {
            return std::next(some.begin(), std::ptrdiff_t(choose_.below(std::uint32_t(some.size()))));
        };
        json* at = &all;
        while (at->is_structured() && !at->empty() && !choose_.one_in(3)) at = &*some_place_in(*at);
        const std::uint32_t kind = choose_.below(4);
        if (at->is_structured() && kind < 2) {
            if (kind == 0 && !at->empty()) at->erase(some_place_in(*at));
            else if (at->is_object()) (*at)[choose_.name()] = choose_.value(1);
            else if (!at->empty() && choose_.one_in(2)) at->push_back(json(choose_.of(*at)));
            else at->push_back(choose_.value(1));
        } else if (at->is_number_integer() && kind < 3) {
            *at = at->get<int>() + int(choose_.below(3)) - 1;
        } else {
            *at = choose_.value(1);
        }
    }

private:
    /// One object of all schemas that a value has to obey, more or less: where several say something the last one wins.
    void gather(const json& schema, json& all, int depth) {
        if (!schema.is_object() || depth == 0) return;
        if (schema.contains("$ref")) gather(pointed_at(schema["$ref"].get<std::string>()), all, depth - 1);
        for (const auto& [word, value] : schema.items()) {
            const bool merges = value.is_object() && all.contains(word) && all[word].is_object();
            if (merges && (word == "properties" || word == "patternProperties")) all[word].update(value);
            else if (word == "required" && all.contains(word))
                for (const json& name : value) all[word].push_back(name);
            else if (word == "anyOf" || word == "oneOf") gather(choose_.of(value), all, depth - 1);
            else if (word == "allOf")
                for (const json& each : value) gather(each, all, depth - 1);
            else if (word == "if") gather_condition(schema, all, depth - 1);
            else if (word != "not" && word != "then" && word != "else" && word != "$ref") all[word] = value;
        }
    }
    void gather_condition(const json& schema, json& all, int depth) {
        const bool holds = choose_.one_in(2);
        if (holds) gather(schema["if"], all, depth);
        if (schema.contains(holds ? "then" : "else")) gather(schema[holds ? "then" : "else"], all, depth);
    }
    const json& pointed_at(const std::string& reference) const {
        if (reference == "#") return document_;
        const std::size_t last = reference.rfind('/');
        return document_[reference.substr(2, last - 2)][reference.substr(last + 1)];
    }

    json aimed(const json& schema, int depth) {
        // What is required to have itself within it would go on for ever.
        if (!schema.is_object() || depth < -2 || choose_.one_in(40)) return choose_.value(depth > 1 ? 2 : 0);
        json all = json::object();
        gather(schema, all, 4);
        if (all.contains("const") && !choose_.one_in(20)) return all["const"];
        if (all.contains("enum") && !all["enum"].empty() && !choose_.one_in(20)) return choose_.of(all["enum"]);
        const std::string type = type_of(all);
        if (type == "string") return aimed_string(all);
        if (type == "integer" || type == "number") return aimed_number(all, type == "integer");
        if (type == "array") return aimed_array(all, depth);
        if (type == "object") return aimed_object(all, depth);
        if (type == "boolean") return choose_.one_in(2);
        return nullptr;
    }
    std::string type_of(const json& all) {
        if (all.contains("type") && !choose_.one_in(30)) {
            const json& type = all["type"];
            return type.is_array() ? choose_.of(type).get<std::string>() : type.get<std::string>();
        }
        std::vector<std::string> likely;
        const auto see = [&](std::initializer_list<const char*> words, const char* type) {
            for (const char* const word : words)
                if (all.contains(word)) likely.emplace_back(type);
        };
        see({"pattern", "minLength", "maxLength"}, "string");
        see({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}, "number");
        see({"items", "prefixItems", "contains", "minItems", "maxItems", "uniqueItems"}, "array");
        see({"properties", "required", "patternProperties", "additionalProperties", "minProperties"}, "object");
        if (!likely.empty() && !choose_.one_in(4)) return choose_.of(likely);
        return choose_.of({"string", "integer", "number", "array", "object", "boolean", "null"});
    }
    json aimed_string(const json& all) {
        if (!all.contains("minLength") && !all.contains("maxLength")) return choose_.string();
        const std::uint32_t length = count_of(all, "minLength", "maxLength", 3);
        std::string text;
        for (std::uint32_t i = 0; i < length; ++i) text += choose_.of({"a", "a", "b", "c", "\xC3\xA9"});
        return text;
    }
    json aimed_number(const json& all, bool is_whole) {
        std::vector<json> near;
        for (const char* const word : {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"})
            if (all.contains(word) && all[word].is_number()) near.push_back(all[word]);
        if (near.empty() || choose_.one_in(3)) return is_whole ? json(int(choose_.below(20)) - 5) : choose_.number();
        const json& bound = choose_.of(near);
        if (bound.is_number_integer()) return bound.get<int>() + int(choose_.below(3)) - 1;
        const int hundredths = int(bound.get<double>() * 100) + (int(choose_.below(5)) - 2) * 25;
        if (is_whole || hundredths % 100 == 0) return hundredths / 100;  // what is whole is written without a point
        return hundredths / 100.0;
    }
    std::uint32_t count_of(const json& all, const char* least, const char* most, std::uint32_t usual) {
        const std::uint32_t low = all.contains(least) ? all[least].get<std::uint32_t>() : 0;
        const std::uint32_t high = all.contains(most) ? all[most].get<std::uint32_t>() : low + usual;
        if (high < low || choose_.one_in(12)) return choose_.below(6);
        return low + choose_.below(high - low + 1);
    }
    json aimed_array(const json& all, int depth) {
        json array = json::array();
        if (depth <= 0) return array;
        const std::uint32_t count = count_of(all, "minItems", "maxItems", 3);
        const json nothing = json::object();
        const bool has_prefix = all.contains("prefixItems");
        const bool has_places = has_prefix || (all.contains("items") && all["items"].is_array());
        const json& places = !has_places ? nothing : has_prefix ? all["prefixItems"] : all["items"];
        const char* const rest = has_places && !has_prefix ? "additionalItems" : "items";
        for (std::uint32_t i = 0; i < count; ++i) {
            if (all.contains("contains") && choose_.one_in(3)) array.push_back(aimed(all["contains"], depth - 1));
            else if (has_places && i < places.size()) array.push_back(aimed(places[i], depth - 1));
            else if (all.contains(rest)) array.push_back(aimed(all[rest], depth - 1));
            else array.push_back(choose_.value(depth > 1 ? 1 : 0));
        }
        return array;
    }
    json aimed_object(const json& all, int depth) {
        json object = json::object();
        const bool is_short = depth <= 0;
        json required = all.contains("required") ? all["required"] : json::array();
        const auto is_required = [&](const std::string& name) {
            return std::find(required.begin(), required.end(), json(name)) != required.end();
        };
        if (all.contains("properties"))
            for (const auto& [name, schema] : all["properties"].items())
                if (is_required(name) ? !choose_.one_in(15) : !is_short && choose_.one_in(2))
                    object[name] = aimed(schema, depth - 1);
        const auto add_other = [&](const std::string& name) {
            if (object.contains(name)) return;
            json value = choose_.value(1);
            if (all.contains("additionalProperties")) value = aimed(all["additionalProperties"], depth - 1);
            if (all.contains("patternProperties"))
                for (const auto& [pattern, schema] : all["patternProperties"].items())
                    if (slow::is_found(pattern, name)) value = aimed(schema, depth - 1);
            object[name] = std::move(value);
        };
        for (const json& name : required)
            if (!choose_.one_in(15)) add_other(name.get<std::string>());
        const bool may_have_others = all.value("additionalProperties", json()) != json(false);
        if (!is_short &&
            (may_have_others ? choose_.one_in(3) : all.contains("patternProperties") || choose_.one_in(15)))
            for (std::uint32_t i = choose_.below(3); i > 0; --i) add_other(choose_.name());
        return object;
    }

    choices choose_;
    const json& document_;
};

}  // namespace riffle_tests::random_schema
