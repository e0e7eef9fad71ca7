// Random schemas beside a validator that reads them by the words of the specification: what the grammar writes is
// valid, what is valid is taken, what is not is refused.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/constraint/grammar_matcher.hpp>
#include <riffle/json_schema.hpp>

#include "constraint/grammar_texts.hpp"
#include "integers.hpp"
#include "json_schema/random_schema.hpp"
#include "json_schema/slow_validator.hpp"

namespace riffle_tests::json_schema_against_validator {
namespace {

using namespace riffle;
using grammar_texts::tokens;
using random_schema::instance_maker;
using random_schema::schema_form;
using random_schema::schema_maker;
using slow::json;
using slow::schema_draft;

json_schema_options compact() {
    json_schema_options options;
    options.whitespace = json_whitespace::compact;
    return options;
}
/// All drafts, and all depths up to three.
schema_form form_of(std::uint64_t seed) { return {.draft = schema_draft(seed % 5), .depth = 1 + int(seed / 5 % 3)}; }
bool takes(const grammar& g, std::string_view text) {
    grammar_matcher m(g, tokens());
    return m.accept_bytes(text).ok() && m.is_complete();
}
/// The problem of a schema that leaves nothing.
bool says_that_nothing_is_valid(const parse_problem& problem) {
    return problem.sentence == "no value satisfies this schema";
}

/// What became of the schemas and instances of a test. A test of nothing but refusals would test nothing.
struct tally {
    int taken = 0, refused = 0, empty = 0;
    int valid = 0, invalid = 0;

    void expect_some(int schemas, int instances) const {
        EXPECT_GT(taken, schemas) << refused << " refused, " << empty << " of them since nothing is valid";
        EXPECT_LT(refused - empty, taken / 4);
        EXPECT_GT(valid, instances);
        EXPECT_GT(invalid, instances);
    }
};

// ---- the order of members

/// Texts of a value with the members of its objects in every order, up to some number of them.
std::vector<std::string> texts_in_every_order(const json& value, std::size_t most) {
    if (!value.is_structured()) return {value.dump()};
    // The texts of each part, with its name; then all ways to choose one of each, in all orders of parts.
    std::vector<std::vector<std::string>> parts;
    for (const auto& [name, part] : value.items()) {
        parts.push_back(texts_in_every_order(part, most));
        if (value.is_object())
            for (std::string& text : parts.back()) text.insert(0, json(name).dump() + ":");
    }
    std::vector<std::size_t> order(parts.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::vector<std::string> all;
    do {
        std::vector<std::string> begun = {""};
        for (const std::size_t which : order) {
            std::vector<std::string> longer;
            for (const std::string& text : begun)
                for (const std::string& part : parts[which])
                    if (longer.size() < most) longer.push_back(text + (text.empty() ? "" : ",") + part);
            begun = std::move(longer);
        }
        for (const std::string& text : begun)
            if (all.size() < most) all.push_back(value.is_object() ? "{" + text + "}" : "[" + text + "]");
    } while (value.is_object() && all.size() < most && std::next_permutation(order.begin(), order.end()));
    return all;
}
enum class answer { yes, no, too_many };
/// Whether one of a value's texts is taken.
answer takes_in_some_order(const grammar& g, const json& value) {
    constexpr std::size_t most = 250;
    const std::vector<std::string> texts = texts_in_every_order(value, most);
    for (const std::string& text : texts)
        if (takes(g, text)) return answer::yes;
    return texts.size() < most ? answer::no : answer::too_many;
}
json shuffled(const json& value, integers& random) {
    if (!value.is_structured()) return value;
    json all = value.is_object() ? json::object() : json::array();
    if (value.is_array()) {
        for (const json& item : value) all.push_back(shuffled(item, random));
        return all;
    }
    std::vector<std::string> names;
    for (const auto& [name, member] : value.items()) names.push_back(name);
    for (; !names.empty();) {
        const auto next = names.begin() + std::ptrdiff_t(random.below(std::uint32_t(names.size())));
        all[*next] = shuffled(value[*next], random);
        names.erase(next);
    }
    return all;
}
/// Members in the order in which a plain schema has them: its properties, what else it requires, all others. Values of
/// enum and const are as they are there.
class documented_order {
public:
    explicit documented_order(const json& document) : document_(document) {}

    json of(const json& value) const { return of(document_, value); }

private:
    json of(const json& schema, const json& value) const {
        if (!schema.is_object() || !value.is_structured()) return value;
        if (schema.contains("$ref")) return of(pointed_at(schema["$ref"].get<std::string>()), value);
        if (schema.contains("const")) return slow::are_equal(schema["const"], value) ? schema["const"] : value;
        if (schema.contains("enum")) {
            for (const json& each : schema["enum"])
                if (slow::are_equal(each, value)) return each;
            return value;
        }
        return value.is_array() ? of_items(schema, value) : of_members(schema, value);
    }
    json of_items(const json& schema, const json& value) const {
        const char* const first = schema.contains("prefixItems") ? "prefixItems" : "items";
        const char* const rest =
            first[0] == 'i' && schema.contains(first) && schema[first].is_array() ? "additionalItems" : "items";
        json all = json::array();
        for (std::size_t i = 0; i < value.size(); ++i) {
            if (schema.contains(first) && schema[first].is_array() && i < schema[first].size())
                all.push_back(of(schema[first][i], value[i]));
            else all.push_back(schema.contains(rest) ? of(schema[rest], value[i]) : value[i]);
        }
        return all;
    }
    json of_members(const json& schema, const json& value) const {
        json all = json::object();
        if (schema.contains("properties"))
            for (const auto& [name, of_member] : schema["properties"].items())
                if (value.contains(name)) all[name] = of(of_member, value[name]);
        const json others = schema.value("additionalProperties", json(true));
        if (schema.contains("required"))
            for (const json& name : schema["required"])
                if (const auto text = name.get<std::string>(); value.contains(text) && !all.contains(text))
                    all[text] = of(others, value[text]);
        for (const auto& [name, member] : value.items())
            if (!all.contains(name)) all[name] = of(others, member);
        return all;
    }
    const json& pointed_at(const std::string& reference) const {
        if (reference == "#") return document_;
        const std::size_t last = reference.rfind('/');
        return document_[reference.substr(2, last - 2)][reference.substr(last + 1)];
    }

    const json& document_;
};
/// Whether a value of enum or const has members: they come as they are written there, whatever the options.
bool has_constant_objects(const json& schema, bool is_constant = false) {
    if (is_constant && schema.is_object() && schema.size() > 1) return true;
    if (!schema.is_structured()) return false;
    for (const auto& [word, part] : schema.items())
        if (has_constant_objects(part, is_constant || word == "enum" || word == "const")) return true;
    return false;
}

// ---- the validator itself

/// A schema with instances that are valid by it, and such as are not.
struct example {
    const char* schema;
    std::vector<const char*> valid, invalid;
};
TEST(SlowValidator, KnowsTheSpecification) {
    const std::vector<example> examples = {
        {R"({"type":"integer"})", {"1", "-3", "1.0", "1e2"}, {"1.5", "\"1\"", "null"}},
        {R"({"$schema":"http://json-schema.org/draft-04/schema#","type":"integer"})", {"1"}, {"1.0", "1e2"}},
        {R"({"multipleOf":0.1})", {"0.3", "0.7", "1", "0", "-1.1", "1e50", "\"a\""}, {"0.35", "1e-2"}},
        {R"({"multipleOf":2.5})", {"5", "-7.5", "1e1"}, {"2", "0.5", "26"}},
        {R"({"minimum":-0.5,"exclusiveMaximum":2})", {"-0.5", "0", "1.99"}, {"-0.51", "-1", "2", "1e1"}},
        {R"({"$schema":"http://json-schema.org/draft-04/schema#","minimum":1,"exclusiveMinimum":true})", {"2"}, {"1"}},
        {R"({"minLength":1,"maxLength":2})", {"\"\u00e9\u00e9\"", "3"}, {"\"\"", "\"aaa\""}},
        {R"({"pattern":"^a.$|b"})", {"\"a\u00e9\"", "\"cbc\"", "1"}, {"\"a\u00e9\u00e9\"", "\"a\"", "\"aac\""}},
        {R"({"enum":[1,"a",{"a":[1],"b":2}]})", {"1.0", "\"a\"", R"({"b":2,"a":[1]})"}, {"true", R"({"a":[1]})"}},
        {R"({"prefixItems":[{"type":"null"}],"items":{"const":1}})",
         {"[]", "[null]", "[null,1,1]"},
         {"[1]", "[null,2]"}},
        {R"({"$schema":"http://json-schema.org/draft-07/schema#","items":[true],"additionalItems":false})",
         {"[]", "[1]"},
         {"[1,2]"}},
        {R"({"$schema":"http://json-schema.org/draft-07/schema#","additionalItems":false})", {"[1,2]"}, {}},
        {R"({"contains":{"const":1}})", {"[1]", "[2,1,1]", "{}"}, {"[]", "[2]"}},
        {R"({"contains":{"const":1},"minContains":0,"maxContains":1})", {"[]", "[2]", "[1]"}, {"[1,1]"}},
        {R"({"uniqueItems":true})", {"[]", "[1,true,\"1\"]"}, {"[1,2,1.0]", R"([{"a":1,"b":2},{"b":2,"a":1}])"}},
        {R"({"properties":{"a":{"type":"null"}},"patternProperties":{"^b":false},"additionalProperties":{"const":1}})",
         {R"({"a":null,"c":1})", "[]"},
         {R"({"a":1})", R"({"b":1})", R"({"c":2})"}},
        {R"({"required":["a"],"maxProperties":1})", {R"({"a":1})"}, {"{}", R"({"b":1})", R"({"a":1,"b":2})"}},
        {R"({"propertyNames":{"maxLength":1}})", {R"({"a":1})"}, {R"({"aa":1})"}},
        {R"({"dependentRequired":{"a":["b"]},"dependentSchemas":{"c":{"maxProperties":1}}})",
         {R"({"b":1})", R"({"a":1,"b":1})", R"({"c":1})"},
         {R"({"a":1})", R"({"b":1,"c":1})"}},
        {R"({"$schema":"http://json-schema.org/draft-07/schema#","dependencies":{"a":["b"],"c":{"maxProperties":1}}})",
         {R"({"b":1})", R"({"a":1,"b":1})", R"({"c":1})"},
         {R"({"a":1})", R"({"b":1,"c":1})"}},
        {R"({"oneOf":[{"minimum":2},{"maximum":4}]})", {"1", "5"}, {"3", "\"a\""}},
        {R"({"anyOf":[{"minimum":2},{"const":0}],"not":{"const":3}})", {"2", "0", "\"a\""}, {"1", "3"}},
        {R"({"if":{"minimum":5},"then":{"multipleOf":2},"else":{"multipleOf":3}})", {"6", "3", "\"a\""}, {"7", "4"}},
        {R"({"properties":{"a":{"$ref":"#"}},"additionalProperties":false})",
         {R"({"a":{"a":1}})"},
         {R"({"a":{"b":1}})"}},
        {R"({"items":{"$ref":"#/$defs/a~1b%25"},"$defs":{"a/b%":{"type":"null"}}})", {"[null]"}, {"[1]"}},
    };
    for (const example& each : examples) {
        const json schema = json::parse(each.schema);
        for (const char* const text : each.valid)
            EXPECT_TRUE(slow::validates(schema, json::parse(text))) << each.schema << "\n  " << text;
        for (const char* const text : each.invalid)
            EXPECT_FALSE(slow::validates(schema, json::parse(text))) << each.schema << "\n  " << text;
    }
}

// ---- what a grammar writes

/// Texts at random, byte by byte. Ahead of some length anything may come, behind it what leads to an end soon.
class walk {
public:
    enum class end { complete, too_long, nothing_may_follow, refused };

    walk(const grammar& g, integers& random) : at_(g, tokens()), random_(random) {}

    end draw() {
        for (;;) {
            const byte_set next = at_.expected_bytes();
            if (at_.is_complete() && (next.empty() || is_long() || random_.below(3) == 0)) return end::complete;
            if (next.empty()) return end::nothing_may_follow;
            if (text_.size() > 3000) return end::too_long;
            const std::uint8_t byte = chosen(next);
            text_ += char(byte);
            see(char(byte));
            if (at_.accept(token_id(byte)).refused) return end::refused;
        }
    }
    const std::string& text() const { return text_; }

private:
    bool is_long() const { return text_.size() > 60; }
    /// A text must know where its strings are: a bracket ends something only outside of them.
    void see(char c) {
        if (!is_in_string_) is_in_string_ = c == '"';
        else if (is_escaped_) is_escaped_ = false;
        else if (c == '\\') is_escaped_ = true;
        else if (c == '"') is_in_string_ = false;
    }
    std::uint32_t weight_of(std::uint8_t byte) const {
        const std::string_view letters = "abcd", ends = "}]", numbers = "0123456789-.ntf";
        const auto is_of = [&](std::string_view set) { return set.find(char(byte)) != std::string_view::npos; };
        if (is_in_string_) {
            if (byte == '"') return 60;
            return is_of(letters) ? is_long() ? 60 : 25 : is_of("\\") ? is_long() ? 1 : 5 : 1;
        }
        if (is_of(ends)) return is_long() ? 4000 : 60;
        if (is_of("{[")) return is_long() ? 2 : 25;
        if (is_of("\",:")) return 60;
        return is_of(numbers) ? 15 : is_of(" \n\teE") ? 4 : 1;
    }
    std::uint8_t chosen(const byte_set& next) {
        std::uint32_t sum = 0;
        for (unsigned b = 0; b < 256; ++b)
            if (next.contains(std::uint8_t(b))) sum += weight_of(std::uint8_t(b));
        std::uint32_t left = random_.below(sum);
        for (unsigned b = 0; b < 256; ++b) {
            if (!next.contains(std::uint8_t(b))) continue;
            const std::uint32_t weight = weight_of(std::uint8_t(b));
            if (left < weight) return std::uint8_t(b);
            left -= weight;
        }
        return next.first();
    }

    grammar_matcher at_;
    integers& random_;
    std::string text_;
    bool is_in_string_ = false, is_escaped_ = false;
};
struct walks {
    int schemas = 0, complete = 0, too_long = 0;
    std::set<std::string> texts{};  ///< different ones: a walk that always says the same would show little
};
/// Whether all that is drawn is JSON, and valid.
void expect_valid_walks(const json_schema_options& options, std::uint64_t first_seed, std::uint64_t count, walks& all) {
    for (std::uint64_t seed = first_seed; seed < first_seed + count; ++seed) {
        integers random(seed);
        const json schema = schema_maker(random, form_of(seed)).document();
        const parsed<grammar> g = compile_json_schema(schema.dump(), options);
        if (!g) continue;
        ++all.schemas;
        for (int i = 0; i < 5; ++i) {
            walk drawn(*g, random);
            const walk::end end = drawn.draw();
            SCOPED_TRACE("seed " + std::to_string(seed) + ": " + schema.dump() + "\n  " + drawn.text());
            if (end == walk::end::too_long) ++all.too_long;
            ASSERT_NE(end, walk::end::nothing_may_follow);
            ASSERT_NE(end, walk::end::refused) << "the last byte was expected";
            if (end != walk::end::complete) continue;
            const json value = json::parse(drawn.text(), nullptr, false);
            ASSERT_FALSE(value.is_discarded());
            ASSERT_TRUE(slow::validates(schema, value));
            ++all.complete;
            all.texts.insert(drawn.text());
        }
    }
}
void expect_valid_walks(const json_schema_options& options, std::uint64_t first_seed, std::uint64_t count) {
    walks all;
    // Where a name that is required may still come at any time, chance does not find it soon.
    const int share_too_long = options.any_order ? 5 : 20;
    expect_valid_walks(options, first_seed, count, all);
    EXPECT_GT(all.schemas, int(count) * 6 / 10);
    EXPECT_GT(all.complete, all.schemas * 4);
    EXPECT_LT(all.too_long, all.schemas / share_too_long);
    EXPECT_GT(all.texts.size(), std::size_t(all.schemas));
}

TEST(JsonSchemaWalks, AreValid) { expect_valid_walks({.most_digits = 4}, 1, 600); }
TEST(JsonSchemaWalks, AreValidWithAllDigits) { expect_valid_walks({.most_digits = 7}, 10'001, 400); }
TEST(JsonSchemaWalks, AreValidWithoutWhiteSpace) {
    expect_valid_walks({.whitespace = json_whitespace::compact, .most_digits = 4}, 20'001, 600);
}
TEST(JsonSchemaWalks, AreValidWithSingleSpaces) {
    expect_valid_walks({.whitespace = json_whitespace::single_space, .most_digits = 4}, 30'001, 400);
}
TEST(JsonSchemaWalks, AreValidInLines) {
    expect_valid_walks({.whitespace = json_whitespace::pretty, .escapes = json_escapes::any, .most_digits = 4}, 40'001,
                       400);
}
TEST(JsonSchemaWalks, AreValidInAnyOrder) {
    expect_valid_walks({.any_order = true, .whitespace = json_whitespace::compact, .most_digits = 4}, 50'001, 600);
}

// ---- what it takes

TEST(JsonSchemaInstances, AreTakenInSomeOrderIfTheyAreValid) {
    tally all;
    for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
        integers random(seed);
        const json schema = schema_maker(random, form_of(seed)).document();
        const parsed<grammar> g = compile_json_schema(schema.dump(), compact());
        instance_maker make(random, schema);
        ++(g ? all.taken : all.refused);
        const bool is_empty = !g && says_that_nothing_is_valid(g.problem());
        all.empty += is_empty ? 1 : 0;
        if (!g && !is_empty) continue;
        for (int i = 0; i < 40; ++i) {
            const json value = make.instance();
            const bool is_valid = slow::validates(schema, value);
            SCOPED_TRACE("seed " + std::to_string(seed) + ": " + schema.dump() + "\n  " + value.dump());
            if (is_empty) {
                ASSERT_FALSE(is_valid) << g.problem().message();
                continue;
            }
            const answer is_taken = takes_in_some_order(*g, value);
            if (is_taken == answer::too_many) continue;
            ASSERT_EQ(is_taken == answer::yes, is_valid);
            ++(is_valid ? all.valid : all.invalid);
        }
    }
    all.expect_some(1200, 10'000);
}
/// What random schemas have shown to be wrong at some time.
TEST(JsonSchemaInstances, ThatWereTakenWronglyOnce) {
    struct {
        const char* schema;
        std::vector<const char*> instances;
    } const examples[] = {
        {R"({"contains":{}})", {"[]", "[1]"}},
        {R"({"contains":{"type":"boolean"}})", {"[]", "[1]", "[true]", "[1,true]"}},
        {R"({"not":{"items":{"type":"string"}}})", {"[]", "[1]", "[\"a\"]", "[\"a\",1]", "1"}},
        {R"({"oneOf":[{},{"items":{"const":1}}]})", {"[]", "[1]", "[2]", "[1,2]", "1"}},
        {R"({"oneOf":[{},{"properties":{"a":{"$ref":"#"}},"required":["a"]}]})",
         {"{}", R"({"a":1})", R"({"a":{"a":1}})", R"({"a":{"a":{"a":1}}})", "1"}},
        {R"({"oneOf":[{},{"prefixItems":[{"$ref":"#"}],"minItems":1}]})", {"[]", "[1]", "[[1]]", "[[[]]]", "1"}},
        {R"({"oneOf":[{},{"patternProperties":{"^d$":{"$ref":"#"}},"required":["d"]}]})",
         {"{}", R"({"d":1})", R"({"d":{"d":1}})", "1"}},
        {R"({"prefixItems":[{"required":["d","e"],"properties":{"d":false}},{"properties":{"a":{},"b":{}}}]})",
         {"[0,{}]", R"([0,{"a":1}])", R"([0,{"x":1,"a":1}])", R"([{"e":1},{}])", "[1,2]"}},
        {R"({"prefixItems":[{"required":["d","e"],"properties":{"d":false}},)"
         R"({"properties":{"a":{}},"required":["a"]}]})",
         {"[0,{}]", R"([0,{"a":1}])", R"([0,{"a":1,"x":1}])", R"([{"e":1},{}])", "[1,2]"}},
        {R"({"properties":{"a":{"required":["p","q"],"additionalProperties":false},"d":{"required":["c"]}}})",
         {R"({"d":{"c":1}})", R"({"x":1,"d":{"c":1}})", R"({"c":1,"d":{"c":1}})", R"({"d":{"c":1},"c":1})",
          R"({"d":{}})"}},
    };
    for (const auto& each : examples)
        for (const bool any_order : {false, true}) {
            json_schema_options options = compact();
            options.any_order = any_order;
            options.most_digits = 3;
            const json schema = json::parse(each.schema);
            const parsed<grammar> g = compile_json_schema(schema.dump(), options);
            if (!g) continue;  // it may say that it is not supported
            for (const char* const text : each.instances) {
                const json value = json::parse(text);
                EXPECT_EQ(any_order ? takes(*g, text) : takes_in_some_order(*g, value) == answer::yes,
                          slow::validates(schema, value))
                    << each.schema << "\n  " << text << (any_order ? " in any order" : "");
            }
        }
}
TEST(JsonSchemaInstances, AreNoneWhereAValueMustHaveItselfWithinIt) {
    for (const bool any_order : {false, true}) {
        json_schema_options options = compact();
        options.any_order = any_order;
        const parsed<grammar> none =
            compile_json_schema(R"({"type":"object","properties":{"a":{"$ref":"#"}},"required":["a"]})", options);
        EXPECT_FALSE(none.ok()) << any_order;
        EXPECT_TRUE(says_that_nothing_is_valid(none.problem())) << none.problem().message();
        // As a member it can only be left out: a text that begins it could not be ended.
        const parsed<grammar> some = compile_json_schema(
            R"({"properties":{"x":{"$ref":"#/$defs/x"},"y":{}},"type":"object","additionalProperties":false,"$defs":)"
            R"({"x":{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}},"required":["a"]}}})",
            options);
        ASSERT_TRUE(some.ok()) << some.problem().message();
        EXPECT_TRUE(takes(*some, R"({"y":1})"));
        grammar_matcher m(*some, tokens());
        EXPECT_FALSE(m.accept_bytes(R"({"x")").ok()) << any_order;
    }
}
TEST(JsonSchemaInstances, AreTakenAsTheyWereWrittenByTheGrammarAndRefusedWhereAChangeMakesThemInvalid) {
    tally all;
    for (std::uint64_t seed = 10'001; seed <= 10'500; ++seed) {
        integers random(seed);
        const json schema = schema_maker(random, form_of(seed)).document();
        // Numbers that doubles hold, and dump() writes as they were; as long as those that are put in.
        json_schema_options options = compact();
        options.most_digits = 7;
        const parsed<grammar> g = compile_json_schema(schema.dump(), options);
        if (!g) continue;
        ++all.taken;
        instance_maker make(random, schema);
        for (int i = 0; i < 10; ++i) {
            walk drawn(*g, random);
            if (drawn.draw() != walk::end::complete) continue;
            json value = json::parse(drawn.text(), nullptr, false);
            // Not those with an exponent or a name that comes twice: they are written in another way again.
            if (value.dump() != drawn.text()) continue;
            make.change(value);
            const bool is_valid = slow::validates(schema, value);
            const answer is_taken = takes_in_some_order(*g, value);
            if (is_taken == answer::too_many) continue;
            SCOPED_TRACE("seed " + std::to_string(seed) + ": " + schema.dump() + "\n  " + value.dump());
            ASSERT_EQ(is_taken == answer::yes, is_valid);
            ++(is_valid ? all.valid : all.invalid);
        }
    }
    all.expect_some(300, 500);
}
TEST(JsonSchemaInstances, OfPlainSchemasAreTakenInTheDocumentedOrderAlone) {
    tally all;
    int out_of_order = 0;
    for (std::uint64_t seed = 20'001; seed <= 20'800; ++seed) {
        integers random(seed);
        schema_form form = form_of(seed);
        form.is_plain = true;
        const json schema = schema_maker(random, form).document();
        const parsed<grammar> g = compile_json_schema(schema.dump(), compact());
        ++(g ? all.taken : all.refused);
        all.empty += !g && says_that_nothing_is_valid(g.problem()) ? 1 : 0;
        if (!g) continue;
        instance_maker make(random, schema);
        for (int i = 0; i < 30; ++i) {
            const json value = make.instance();
            const json in_order = documented_order(schema).of(value), any = shuffled(value, random);
            const bool is_valid = slow::validates(schema, value);
            SCOPED_TRACE("seed " + std::to_string(seed) + ": " + schema.dump() + "\n  " + any.dump());
            ASSERT_EQ(takes(*g, in_order.dump()), is_valid) << in_order.dump();
            const bool is_in_order = documented_order(schema).of(any).dump() == any.dump();
            ASSERT_EQ(takes(*g, any.dump()), is_valid && is_in_order);
            ++(is_valid ? all.valid : all.invalid);
            out_of_order += is_valid && !is_in_order ? 1 : 0;
        }
    }
    all.expect_some(500, 4000);
    EXPECT_GT(out_of_order, 200);
}
/// With a space behind each comma and colon, as Python writes it.
std::string with_spaces(const json& value) {
    if (!value.is_structured()) return value.dump();
    std::string all;
    for (const auto& [name, part] : value.items()) {
        if (!all.empty()) all += ", ";
        if (value.is_object()) all += json(name).dump() + ": ";
        all += with_spaces(part);
    }
    return value.is_object() ? "{" + all + "}" : "[" + all + "]";
}
TEST(JsonSchemaInstances, AreTakenInTheLayoutThatWasAskedFor) {
    tally all;
    int laid_out = 0;
    for (std::uint64_t seed = 50'001; seed <= 50'500; ++seed) {
        integers random(seed);
        schema_form form = form_of(seed);
        form.is_plain = true;
        const json schema = schema_maker(random, form).document();
        std::vector<parsed<grammar>> grammars;
        for (const json_whitespace whitespace : {json_whitespace::compact, json_whitespace::single_space,
                                                 json_whitespace::pretty, json_whitespace::flexible})
            grammars.push_back(compile_json_schema(schema.dump(), {.whitespace = whitespace, .indent = 4}));
        for (const parsed<grammar>& g : grammars) ASSERT_EQ(g.ok(), grammars[0].ok()) << seed << schema.dump();
        if (!grammars[0]) continue;
        ++all.taken;
        instance_maker make(random, schema);
        for (int i = 0; i < 15; ++i) {
            const json value = documented_order(schema).of(make.instance());
            const bool is_valid = slow::validates(schema, value);
            ++(is_valid ? all.valid : all.invalid);
            const std::array texts = {value.dump(), with_spaces(value), value.dump(4)};
            laid_out += is_valid && texts[0] != texts[1] ? 1 : 0;
            for (std::size_t is = 0; is < texts.size(); ++is) {
                SCOPED_TRACE("seed " + std::to_string(seed) + ": " + schema.dump() + "\n  " + texts[is]);
                for (std::size_t asked = 0; asked < texts.size(); ++asked)
                    ASSERT_EQ(takes(*grammars[asked], texts[is]), is_valid && texts[is] == texts[asked]) << asked;
                ASSERT_EQ(takes(*grammars[3], texts[is]), is_valid) << "flexible";
            }
        }
    }
    all.expect_some(300, 1000);
    EXPECT_GT(laid_out, 300);
}
TEST(JsonSchemaInstances, AreTakenInAnyOrderByAnOption) {
    json_schema_options options = compact();
    options.any_order = true;
    tally all;
    for (std::uint64_t seed = 30'001; seed <= 31'200; ++seed) {
        integers random(seed);
        const json schema = schema_maker(random, form_of(seed)).document();
        if (has_constant_objects(schema)) continue;
        const parsed<grammar> g = compile_json_schema(schema.dump(), options);
        ++(g ? all.taken : all.refused);
        all.empty += !g && says_that_nothing_is_valid(g.problem()) ? 1 : 0;
        if (!g) continue;
        instance_maker make(random, schema);
        for (int i = 0; i < 40; ++i) {
            const json value = shuffled(make.instance(), random);
            const bool is_valid = slow::validates(schema, value);
            SCOPED_TRACE("seed " + std::to_string(seed) + ": " + schema.dump() + "\n  " + value.dump());
            ASSERT_EQ(takes(*g, value.dump()), is_valid);
            ++(is_valid ? all.valid : all.invalid);
        }
    }
    all.expect_some(600, 5000);
}
TEST(JsonSchemaInstances, AreNoneInAnyOrderWhereThereAreNoneInOrder) {
    json_schema_options in_any = compact();
    in_any.any_order = true;
    int empty = 0;
    std::string different;
    for (std::uint64_t seed = 40'001; seed <= 41'000; ++seed) {
        integers random(seed);
        const std::string schema = schema_maker(random, form_of(seed)).document().dump();
        const parsed<grammar> g = compile_json_schema(schema, compact()), any = compile_json_schema(schema, in_any);
        const bool is_empty = !g && says_that_nothing_is_valid(g.problem());
        const bool is_empty_in_any = !any && says_that_nothing_is_valid(any.problem());
        empty += is_empty ? 1 : 0;
        // One may be refused for another reason.
        if ((is_empty && any) || (is_empty_in_any && g))
            different += "\n  seed " + std::to_string(seed) + ": " + schema;
    }
    EXPECT_EQ(different, "");
    EXPECT_GT(empty, 100);
}

// ---- sets of values

/// Two schemas, joined by a word, take what a rule makes of what each of them takes.
template <class Join, class Rule>
void expect_of_pairs(std::uint64_t first_seed, const Join& join, const Rule& rule, tally& all) {
    for (std::uint64_t seed = first_seed; seed < first_seed + 1500; ++seed) {
        integers random(seed);
        const json head = {{"$schema", schema_maker(random, form_of(seed)).document()["$schema"]}};
        schema_form form = form_of(seed);
        form.depth = 1 + int(seed / 5 % 2);
        schema_maker make_part(random, form);
        const auto document_of = [&](const json& words) {
            json document = head;
            document.update(words);
            return document;
        };
        const json a = make_part.part(), b = make_part.part();
        const json schema = document_of(join(a, b));
        const json only_a = document_of({{"allOf", json::array({a})}}),
                   only_b = document_of({{"allOf", json::array({b})}});
        const parsed<grammar> g = compile_json_schema(schema.dump(), compact());
        ++(g ? all.taken : all.refused);
        const bool is_empty = !g && says_that_nothing_is_valid(g.problem());
        all.empty += is_empty ? 1 : 0;
        if (!g && !is_empty) continue;
        instance_maker make_both(random, schema), make_a(random, only_a), make_b(random, only_b);
        for (int i = 0; i < 30; ++i) {
            const json value = (i % 3 == 0 ? make_both : i % 3 == 1 ? make_a : make_b).instance();
            const bool is_valid = rule(slow::validates(only_a, value), slow::validates(only_b, value));
            SCOPED_TRACE("seed " + std::to_string(seed) + ": " + schema.dump() + "\n  " + value.dump());
            const answer is_taken = g ? takes_in_some_order(*g, value) : answer::no;
            if (is_taken == answer::too_many) continue;
            ASSERT_EQ(is_taken == answer::yes, is_valid) << g.problem().message();
            ++(is_valid ? all.valid : all.invalid);
        }
    }
}
json words(const char* word, const json& a, const json& b) { return {{word, json::array({a, b})}}; }

TEST(JsonSchemaPairs, AllOfTakesWhatBothTake) {
    tally all;
    expect_of_pairs(
        1, [](const json& a, const json& b) { return words("allOf", a, b); }, [](bool a, bool b) { return a && b; },
        all);
    all.expect_some(300, 2000);
}
TEST(JsonSchemaPairs, AnyOfTakesWhatOneOfThemTakes) {
    tally all;
    expect_of_pairs(
        10'001, [](const json& a, const json& b) { return words("anyOf", a, b); },
        [](bool a, bool b) { return a || b; }, all);
    all.expect_some(900, 5000);
}
TEST(JsonSchemaPairs, OneOfTakesWhatOneAloneTakes) {
    tally all;
    expect_of_pairs(
        20'001, [](const json& a, const json& b) { return words("oneOf", a, b); },
        [](bool a, bool b) { return a != b; }, all);
    all.expect_some(900, 5000);
}
TEST(JsonSchemaPairs, NotTakesAway) {
    tally all;
    expect_of_pairs(
        30'001,
        [](const json& a, const json& b) {
            return json{{"allOf", json::array({a})}, {"not", b}};
        },
        [](bool a, bool b) { return a && !b; }, all);
    all.expect_some(600, 3000);
}

}  // namespace
}  // namespace riffle_tests::json_schema_against_validator
