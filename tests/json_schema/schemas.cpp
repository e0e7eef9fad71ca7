// How a schema is read: drafts, references, what is wrong with it, what is only ignored, and what is large.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "json_schema/documents.hpp"

namespace {

using namespace riffle;
using namespace riffle_tests::json_documents;

TEST(JsonSchemaReferences, InEverySpelling) {
    expect_all({
        {R"({"$defs": {"a": {"type": "integer"}}, "$ref": "#/$defs/a"})", {"1"}, {"\"x\""}},
        {R"({"definitions": {"a/b": {"type": "null"}, "c~d": {"type": "integer"}, "e f%": {"type": "boolean"}}, "type": "array",
             "prefixItems": [{"$ref": "#/definitions/a~1b"}, {"$ref": "#/definitions/c~0d"}, {"$ref": "#/definitions/e%20f%25"}], "minItems": 3})",
         {"[null,1,true]"}, {"[1,1,true]"}},
        {R"({"$defs": {"a": {"$anchor": "here", "type": "integer"}}, "$ref": "#here"})", {"1"}, {"null"}},
        {R"({"$id": "http://x.y/root.json", "$defs": {"a": {"$id": "other.json", "type": "integer", "$defs": {"b": {"type": "null"}}}},
             "anyOf": [{"$ref": "other.json"}, {"$ref": "http://x.y/other.json#/$defs/b"}, {"$ref": "root.json#/$defs/a/$defs/b"}]})",
         {"1", "null"}, {"\"x\""}},
        {R"({"id": "http://x.y/a/b.json", "definitions": {"c": {"id": "#c", "type": "integer"}, "d": {"id": "../d/", "definitions":
             {"e": {"id": "e.json", "type": "null"}}}}, "anyOf": [{"$ref": "#c"}, {"$ref": "/d/e.json"}, {"$ref": "b.json#c"}]})",
         {"1", "null"}, {"\"x\""}},
        {R"({"properties": {"a": {"type": "integer"}, "b": {"$ref": "#/properties/a"}}, "type": "object"})", {R"({"a":1,"b":2})"}, {R"({"b":"x"})"}},
        {R"({"items": [{"type": "integer"}, {"$ref": "#/items/0"}], "type": "array"})", {"[1,2]"}, {"[1,null]"}},
        {R"({"type": "object", "properties": {"next": {"$ref": "#"}, "value": {"type": "integer"}}, "required": ["value"], "additionalProperties": false})",
         {R"({"value":1})", R"({"next":{"next":{"value":3},"value":2},"value":1})"}, {R"({"next":{}, "value":1})"}},
        {R"({"$defs": {"tree": {"type": "array", "items": {"$ref": "#/$defs/tree"}}}, "$ref": "#/$defs/tree", "minItems": 1})", {"[[],[[]]]"}, {"[]", "[1]"}},
        {R"({"$ref": "#/$defs/a", "$defs": {"a": {"properties": {"x": {"type": "integer"}}}}, "properties": {"x": {"minimum": 3}}, "type": "object"})",
         {R"({"x":3})"}, {R"({"x":2})", R"({"x":"y"})"}},
    });
}
TEST(JsonSchemaReferences, BesideOthersInOldDrafts) {
    const std::string draft = R"({"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {"a": {"type": "integer"}}, )";
    expect({draft + R"("properties": {"x": {"$ref": "#/definitions/a", "minimum": 3}}, "type": "object"})", {R"({"x":3})"}, {R"({"x":2})"}});
    expect({draft + R"("properties": {"x": {"$ref": "#/definitions/a", "type": "string"}}, "type": "object"})", {R"({"x":3})"}, {R"({"x":"y"})"}});
    const auto g = compile_json_schema(draft + R"("properties": {"x": {"$ref": "#/definitions/a", "minimum": 3}}})");
    ASSERT_EQ(g.warnings().size(), 1u);
    EXPECT_EQ(g.warnings()[0].where, "/properties/x/$ref");
}
TEST(JsonSchemaProblems, HaveAPlaceAndASentence) {
    expect_problem(R"({"properties": {"a/b": {"$ref": "other.json"}}})", "/properties/a~1b/$ref",
                   "other.json is not in this schema, and nothing is fetched: copy it under $defs");
    expect_problem(R"({"$ref": "#/$defs/x"})", "/$ref", "there is no #/$defs/x in this schema");
    expect_problem(R"({"$ref": "#"})", "", "this schema refers to itself for one and the same value, without end");
    expect_problem(R"({"$defs": {"a": {"allOf": [{"$ref": "#/$defs/b"}]}, "b": {"not": {"$ref": "#/$defs/a"}}}, "$ref": "#/$defs/a"})",
                   "/$defs/a", "this schema refers to itself");
    expect_problem(R"({"type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["a"]})", "", "no value satisfies this schema");
    expect_problem(R"({"allOf": [{"type": "string"}, {"type": "integer"}]})", "", "no value satisfies this schema");
    expect_problem(R"({"enum": []})", "", "no value satisfies this schema");
    expect_problem("false", "", "no value satisfies this schema");
    expect_problem(R"({"type": "strin"})", "/type", "a type is one of null, boolean, integer, number, string, array and object");
    expect_problem(R"({"properties": []})", "/properties", "properties is an object");
    expect_problem(R"({"items": 5})", "/items", "a schema is an object, true or false");
    expect_problem(R"({"minLength": -1})", "/minLength", "this is a whole number, 0 or more");
    expect_problem(R"({"minLength": 1.5})", "/minLength", "this is a whole number, 0 or more");
    expect_problem(R"({"multipleOf": 0})", "/multipleOf", "multipleOf is a number above 0");
    expect_problem(R"({"multipleOf": 123457})", "/multipleOf", "multipleOf is supported up to four digits beside zeros");
    expect_problem(R"({"type": "string", "pattern": "(a)\\1"})", "/pattern", "this pattern cannot be read: back references are not supported");
    expect_problem(R"({"type": "array", "uniqueItems": true})", "/uniqueItems", "uniqueItems is supported where");
    expect_problem(R"({"unevaluatedProperties": false})", "/unevaluatedProperties", "unevaluatedProperties is not supported");
    expect_problem(R"({"type": "object", "minProperties": 3})", "/minProperties", "minProperties: names that are not listed might come twice");
    expect_problem(R"({"properties": {"a": {"required": true}}})", "/properties/a/required", "required is a list of names");
    expect_problem(R"({"not": {"const": {"a": 1}}, "type": "object"})", "/not/const", "all arrays or objects but this one");
}
TEST(JsonSchemaProblems, OfASchemaThatUnrollsWithoutEnd) {
    // A schema within itself beside others, which make it another set of values at each level.
    expect_problem(R"({"items": {"oneOf": [{"items": {"items": {"$ref": "#"}}, "contains": {"type": "array"}}, {"not": {"prefixItems": [{"const": 1}, {"$ref": "#"}]}}]},)"
                   R"( "anyOf": [{"contains": {"type": "string"}}]})",
                   "", "the grammar of this schema has more nodes than the limit allows", {.lenient = true});
}
TEST(JsonSchemaProblems, OfTheText) {
    const auto at = [](const std::string& schema, std::size_t line, std::size_t column, const std::string& sentence) {
        const auto g = compile_json_schema(schema);
        EXPECT_FALSE(g.ok()) << schema;
        EXPECT_EQ(g.problem().line, line) << schema;
        EXPECT_EQ(g.problem().column, column) << schema;
        EXPECT_EQ(g.problem().sentence, sentence) << schema;
    };
    at("", 1, 1, "this is not JSON");
    at("{\n  \"type\": }", 2, 11, "this is not JSON");
    at("{} {}", 1, 4, "this is not JSON");
    at("{\"a\": 1e999}", 1, 11, "this number is greater than JSON parsers take: it is no double");
    at(std::string("{}\0", 3), 1, 3, "this is not JSON");
    EXPECT_FALSE(compile_json_schema("{\"title\": \"\xC3\"}").ok());
    EXPECT_FALSE(compile_json_schema("{'type': 'string'}").ok());
    EXPECT_FALSE(compile_json_schema("{\"a\": NaN}").ok());
    EXPECT_FALSE(compile_json_schema("{\"a\": 01}").ok());
    expect_problem(R"({"properties": {"a": {"type": "string", "type": "null"}}})", "/properties/a", "a name stands twice in this object");
}
/// What is not supported: where, why, and a document that is taken where it is ignored.
struct unsupported {
    const char *schema, *where, *sentence, *document;
};
constexpr unsupported all_unsupported[] = {
    {R"({"unevaluatedItems": false})", "/unevaluatedItems", "unevaluatedItems is not supported; list what is allowed", "[1]"},
    {R"({"$dynamicRef": "#x"})", "/$dynamicRef", "$dynamicRef is not supported; write $ref", "1"},
    {R"({"$dynamicRef": "#x", "type": "array"})", "/$dynamicRef", "$dynamicRef is not supported; write $ref", "[]"},
    {R"({"properties": {"a": {"required": true}}})", "/properties/a/required", "required is a list of names", R"({"a":1})"},
    {R"({"type": "string", "format": "iri"})", "/format", "the format iri is not supported; write a pattern", "\"x\""},
    {R"({"type": "string", "pattern": "(?<=a)b"})", "/pattern", "this pattern cannot be read: look-behind", "\"x\""},
    {R"({"type": "string", "pattern": "[ab]*a[ab]{20}", "maxLength": 100})", "/pattern", "a pattern here cannot be combined with others, or with lengths", "\"x\""},
    {R"({"type": "number", "multipleOf": 0.12345})", "/multipleOf", "multipleOf is supported up to four digits", "0.5"},
    {R"({"type": "object", "not": {"const": {"a": 1}}})", "/not/const", "all arrays or objects but this one", R"({"a":1})"},
    {R"({"type": "array", "not": {"prefixItems": [{}], "items": {"type": "string"}}})", "/not", "the opposite of items behind prefixItems", "[1]"},
    {R"({"type": "array", "not": {"contains": {"type": "null"}, "minContains": 2}})", "/not", "the opposite of minContains and maxContains", "[1]"},
    {R"({"type": "array", "not": {"uniqueItems": true}})", "/not", "the opposite of uniqueItems", "[1,2]"},
    {R"({"type": "array", "uniqueItems": true})", "/uniqueItems", "uniqueItems is supported where", "[1,1]"},
    {R"({"type": "array", "contains": {"const": 1}, "maxContains": 1001})", "/contains", "contains is supported up to 1,000 items", "[2]"},
    {R"({"type": "array", "contains": {"type": "integer"}, "maxContains": 900, "allOf": [{"contains": {"const": 1}, "maxContains": 900}]})", "/contains", "contains is supported up to 1,000 items", "[2]"},
    {R"({"type": "object", "not": {"patternProperties": {"^a": {"type": "null"}}}})", "/not", "the opposite of patternProperties", R"({"b":1})"},
    {R"({"type": "object", "not": {"propertyNames": {"pattern": "^a"}}})", "/not", "the opposite of propertyNames", R"({"a":1})"},
    {R"({"type": "object", "propertyNames": {"maxLength": 1001}})", "/propertyNames", "lengths of names are supported up to 1,000", R"({"a":1})"},
    {R"({"type": "object", "minProperties": 3})", "/minProperties", "minProperties: names that are not listed might come twice", R"({"a":1,"b":1,"c":1})"},
    {R"({"type": "object", "required": ["c"], "minProperties": 2, "maxProperties": 3})", "/minProperties", "minProperties and maxProperties together", R"({"c":1,"a":1})"},
    {R"({"type": "object", "patternProperties": {"[ab]*a[ab]{13}": {}}})", "/patternProperties/[ab]*a[ab]{13}", "this pattern cannot be used: its automaton has more states", R"({"a":1})"},
};
TEST(JsonSchemaProblems, OfWhatIsNotSupportedAreWarningsWhereLenient) {
    for (const unsupported& u : all_unsupported) {
        expect_problem(u.schema, u.where, u.sentence);
        const auto g = compile_json_schema(u.schema, {.lenient = true});
        ASSERT_TRUE(g.ok()) << u.schema << g.problem().message();
        ASSERT_FALSE(g.warnings().empty()) << u.schema;
        EXPECT_EQ(g.warnings()[0].where, u.where);
        EXPECT_EQ(g.warnings()[0].sentence.substr(0, text(u.sentence).size()), u.sentence);
        EXPECT_TRUE(takes(*g, u.document)) << u.schema << u.document;
    }
    const json_schema_options in_any_order{.lenient = true, .any_order = true};
    EXPECT_TRUE(compile_json_schema(R"({"type": "object", "maxProperties": 3})", in_any_order).ok());
    expect_problem(R"({"type": "object", "maxProperties": 3})", "/maxProperties", "any_order with minProperties or maxProperties", {.any_order = true});
}
TEST(JsonSchemaProblems, OfWhatIsWrongAreProblemsWhereLenientToo) {
    const json_schema_options lenient{.lenient = true};
    EXPECT_FALSE(compile_json_schema(R"({"$ref": "http://x.y/z"})", lenient).ok());
    EXPECT_FALSE(compile_json_schema(R"({"type": 5})", lenient).ok());
    // What is worked out for the names of an object has limits that nothing lifts.
    expect_problem(R"({"type": "object", "propertyNames": {"pattern": "^(.{101})*$"}, "patternProperties": {"^(.{103})*$": {"type": "null"}, "^(.{107})*$": {}}})",
                   "/patternProperties", "the patterns of names have more states in common than the limit allows", lenient);
}
TEST(JsonSchemaWarnings, NameWhatIsIgnored) {
    const auto g = compile_json_schema(R"({"type": "string", "nullable": true, "format": "color", "title": "x", "examples": [1], "$comment": "y"})");
    ASSERT_TRUE(g.ok());
    ASSERT_EQ(g.warnings().size(), 2u);
    EXPECT_EQ(g.warnings()[0].message(), "in /nullable: no draft knows the keyword nullable, which is ignored");
    EXPECT_EQ(g.warnings()[1].message(), "in /format: the format color is none of this draft, and is ignored");
}
TEST(JsonSchemaOrder, OfPropertiesThatAreJoined) {
    // The own ones come first, then those of $ref and allOf; names that only `required` has behind all that are listed.
    const std::string joined = R"({"properties": {"c": {}}, "required": ["z", "a"], "allOf": [{"properties": {"b": {}, "c": {}}}, {"properties": {"a": {}}}],
                                   "additionalProperties": true, "type": "object"})";
    expect({joined, {R"({"c":1,"b":2,"a":3,"z":4,"y":5})", R"({"a":3,"z":4})"}, {R"({"b":2,"c":1,"a":3,"z":4})", R"({"z":4,"a":3})"}});
    expect({joined, {R"({"z":4,"a":3,"y":1,"c":5})"}, {R"({"z":4})", R"({"z":4,"a":3,"z":4})"}}, {.any_order = true});
}
TEST(JsonSchemaOrder, AnyOrderHasLimits) {
    std::string many = R"({"type": "object", "properties": {)";
    for (int i = 0; i < 65; ++i) many += (i > 0 ? ", \"p" : "\"p") + std::to_string(i) + "\": {}";
    many += "}}";
    EXPECT_TRUE(compile_json_schema(many).ok());
    expect_problem(many, "/properties", "any_order is supported for objects of up to 64 listed properties", {.any_order = true});
    expect({R"({"type": "object", "properties": {"a": {}, "b": {}, "c": {}}, "additionalProperties": false, "minProperties": 2, "maxProperties": 2})",
            {R"({"c":1,"a":2})"}, {R"({"c":1})", R"({"c":1,"a":2,"b":3})"}}, {.any_order = true});
}
TEST(JsonSchemaLayout, OfWhiteSpace) {
    const std::string schema = R"({"type": "object", "properties": {"a": {"type": "array", "items": {"type": "integer"}}, "b": {"const": {"c": [1, 2]}}}})";
    expect({schema, {R"({"a":[1,2],"b":{"c":[1,2]}})", "{}"}, {R"({"a": [1]})", "{ }", R"({"a":[1, 2]})"}}, compact());
    expect({schema, {R"({"a": [1, 2], "b": {"c": [1, 2]}})", R"({"a": []})"}, {R"({"a":[1]})", R"({"a": [1,2]})"}}, {.whitespace = json_whitespace::single_space});
    expect({schema, {"{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": {\n    \"c\": [\n      1,\n      2\n    ]\n  }\n}", "{}", "{\n  \"a\": []\n}"},
            {"{\"a\": []}", "{\n    \"a\": []\n}"}}, {.whitespace = json_whitespace::pretty});
    expect({schema, {"{\n\"a\": []\n}"}, {"{\n  \"a\": []\n}"}}, {.whitespace = json_whitespace::pretty, .indent = 0});
    expect({schema, {"{ \"a\" : [ 1 ,\n\n          2 ] }", "{\n}", "{\"a\":\n\t[]}"}, {" {}", "{} ", "{\n\n\n}", "{  }", "{\r\n}"}});
}
TEST(JsonSchemaLayout, OfEscapes) {
    const json_schema_options any{.escapes = json_escapes::any};
    expect({R"({"const": "a/é😀\n"})", {R"("a/é😀\n")"}, {R"("a\/é😀\n")", R"("\u0061/é😀\n")"}});
    expect({R"({"const": "a/é😀\n"})", {R"("a\/\u00e9\ud83d\ude00\u000A")", R"("\u0061/é😀\n")"}, {R"("a/\ud83d\n")", R"("a/é\ud83d\ude01\n")"}}, any);
    expect({R"({"type": "string", "maxLength": 1})", {R"("\ud83d\ude00")", R"("\u0041")"}, {R"("\ud83d")", R"("\ude00")", R"("\u0041\u0041")"}}, any);
    expect({R"({"type": "string", "pattern": "^[\ud83d\ude00-\ud83d\ude05]$"})", {R"("\uD83D\uDE03")"}, {R"("\ud83d\ude06")", R"("\ud83c\ude03")"}}, any);
}
TEST(JsonSchemaLarge, IsTakenOrRefusedWithASentence) {
    std::string words, deep = "1", deep_schema = R"({"type": "integer"})", tools;
    for (int i = 0; i < 10000; ++i) words += (i > 0 ? ", \"value " : "\"value ") + std::to_string(i) + "\"";
    expect({"{\"enum\": [" + words + "]}", {"\"value 77\"", "\"value 9999\""}, {"\"value 10000\"", "\"value \""}});
    for (int i = 0; i < 256; ++i) {
        deep_schema = R"({"type": "object", "properties": {"a": )" + deep_schema + R"(}, "required": ["a"]})";
        deep = "{\"a\":" + deep + "}";
    }
    expect({deep_schema, {deep}, {deep.substr(1)}});
    for (int i = 0; i < 100; ++i) {
        const std::string n = std::to_string(i);
        tools += (i > 0 ? ", " : "") + (R"({"type": "object", "properties": {"name": {"const": "tool_)" + n +
                 R"("}, "arguments": {"type": "object", "properties": {"path_)" + n + R"(": {"type": "string", "maxLength": 10000}}, "required": ["path_)" + n +
                 R"("]}}, "required": ["name", "arguments"], "additionalProperties": false})");
    }
    for (const char* const one_of : {"anyOf", "oneOf"})
        expect({"{\"" + std::string(one_of) + "\": [" + tools + "]}", {R"({"name":"tool_5","arguments":{"path_5":"x"}})"},
                {R"({"name":"tool_5","arguments":{"path_6":"x"}})", R"({"name":"tool_100","arguments":{}})"}});
    expect_problem(std::string(2000, '[') + std::string(2000, ']'), "", "values are nested more deeply than the limit allows");
    expect_problem("{\"type\": \"string\", \"pattern\": \"(a|b)*a(a|b){20}\", \"maxLength\": 100}", "/pattern", "a pattern here cannot be combined");
    std::string choices;
    for (int i = 0; i < 20; ++i)
        choices += (i > 0 ? ", " : "") + (R"({"anyOf": [{"required": ["a)" + std::to_string(i) + R"("]}, {"required": ["b)" + std::to_string(i) + "\"]}]}");
    expect_problem("{\"allOf\": [" + choices + "]}", "", "anyOf, oneOf and not combine in more than 4,096 ways here");
    expect_problem(R"({"minimum": 1e401})", "", "");
    expect_problem(std::string(1100000, ' '), "", "the schema is longer than the limit allows");
}
TEST(JsonSchemaGrammar, CanBeRead) {
    const auto g = compile_json_schema(R"({"type": "object", "properties": {"a": {"type": "boolean"}}, "required": ["a"], "additionalProperties": false})", compact());
    const std::string text_of = to_gbnf(*g);
    EXPECT_NE(text_of.find("root ::= \"{\" graph1-0 \"}\""), std::string::npos) << text_of;
    const auto again = parse_gbnf(text_of);
    ASSERT_TRUE(again.ok()) << again.problem().message() << text_of;
    EXPECT_TRUE(takes(*again, R"({"a":true})"));
    EXPECT_FALSE(takes(*again, R"({"a":1})"));
}

}  // namespace
