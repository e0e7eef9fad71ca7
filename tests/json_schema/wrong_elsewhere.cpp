// What llama.cpp's converter gets wrong (json-schema-to-grammar.cpp, September 2026): what it reads as another schema,
// what it ignores, and what it cannot read.

#include <gtest/gtest.h>

#include "json_schema/documents.hpp"

namespace riffle_tests::json_schema_wrong_elsewhere {
namespace {

using namespace riffle;
using namespace riffle_tests::json_documents;

TEST(JsonSchemaWrongElsewhere, PartsOfAllOfHoldTogether) {  // there: any object
    expect_all({
        {R"({"allOf": [{"type": "string"}, {"minLength": 3}]})", {R"("abc")"}, {"{}", R"("ab")"}},
    });
}
TEST(JsonSchemaWrongElsewhere, NamesWithSignsOfTheirOwn) {  // there: a raw quote in a key, and classes that break
    expect_all({
        {R"({"type": "object", "properties": {"q\"x": {"type": "integer"}}, "additionalProperties": {"type": "null"}})",
         {R"({"q\"x":1})", R"({"q":null})", R"({"q\"":null})"}, {R"({"q"x":1})", R"({"q"":null})", R"({"q\"x":null})"}},
        {R"({"type": "object", "properties": {"]": {"type": "integer"}}, "additionalProperties": {"type": "null"}})",
         {R"({"]":1,"a":null})", R"({"]]":null})"}, {R"({"]":null})", R"({"a":1})"}},
        {R"({"type": "object", "properties": {"^": {"type": "integer"}}, "additionalProperties": {"type": "null"}})",
         {R"({"^":1,"^^":null})"}, {R"({"^":null})"}},
        {R"({"type": "object", "properties": {"a-z": {"type": "integer"}}, "additionalProperties": {"type": "null"}})",
         {R"({"a-z":1,"b":null,"-":null})"}, {R"({"a-z":null})", R"({"b":1})"}},
        {R"({"type": "object", "properties": {"\\": {"type": "integer"}}, "additionalProperties": {"type": "null"}})",
         {R"({"\\":1,"\\n":null})"}, {R"({"\\":null})", R"({"\":1})"}},
        {R"({"type": "object", "properties": {"a\nb": {"type": "integer"}}, "additionalProperties": false})",
         {R"({"a\nb":1})"}, {"{\"a\nb\":1}"}},
    });
}
TEST(JsonSchemaWrongElsewhere, BoundsBesideEachOther) {  // there: minimum hides exclusiveMinimum
    expect_all({
        {R"({"type": "integer", "minimum": 3, "exclusiveMinimum": 5, "maximum": 9, "exclusiveMaximum": 9})", {"6", "8"}, {"3", "5", "9"}},
        {R"({"type": "integer", "minimum": 7, "exclusiveMinimum": 5})", {"7"}, {"6", "5"}},
        {R"({"type": "string", "maxLength": 5000})", {'"' + std::string(5000, 'x') + '"'}, {'"' + std::string(5001, 'x') + '"'}},  // there: no bound
    });
}
TEST(JsonSchemaWrongElsewhere, NamesThatRequiredAloneHas) {  // there: dropped
    expect({R"({"type": "object", "properties": {"a": {}}, "required": ["b"]})", {R"({"b":1})", R"({"a":1,"b":2})"}, {"{}", R"({"a":1})"}});
}
TEST(JsonSchemaWrongElsewhere, WhatNothingSatisfiesIsAProblem) {  // there: nonsense rules
    expect_problem(R"({"type": "integer", "minimum": 10, "maximum": 5})", "", "no value satisfies this schema");
    expect_problem(R"({"type": "array", "minItems": 5, "maxItems": 2})", "", "no value satisfies this schema");
    expect_problem(R"({"type": "string", "minLength": 5, "maxLength": 2})", "", "no value satisfies this schema");
    expect_problem(R"({"$defs": {"a": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"})", "/$defs/a", "this schema refers to itself");
}
TEST(JsonSchemaWrongElsewhere, ReferencesAndSchemasOfOneWord) {  // there: errors
    expect_all({
        {R"({"type": "object", "properties": {"next": {"$ref": "#"}}, "additionalProperties": false})", {R"({"next":{"next":{}}})"}, {R"({"next":1})"}},
        {R"({"type": "object", "properties": {"a": true, "b": false}, "additionalProperties": false})", {R"({"a":[1]})"}, {R"({"b":1})"}},
        {R"({"$ref": "#/$defs/a~1b", "$defs": {"a/b": {"type": "null"}}})", {"null"}, {"1"}},
        {R"({"$ref": "#/$defs/a~0b", "$defs": {"a~b": {"type": "null"}}})", {"null"}, {"1"}},
        {"true", {"null", "[{}]"}, {"]"}},
    });
}
TEST(JsonSchemaWrongElsewhere, NothingIsIgnored) {  // there: each of these takes all values of its type, or an object
    expect_all({
        {R"({"type": "integer", "not": {"const": 5}})", {"4"}, {"5"}},
        {R"({"type": "integer", "if": {"minimum": 10}, "then": {"multipleOf": 5}, "else": {"maximum": 3}})", {"15", "3"}, {"11", "4"}},
        {R"({"type": "object", "properties": {"a": {}, "b": {}}, "dependentRequired": {"a": ["b"]}, "additionalProperties": false})",
         {"{}", R"({"a":1,"b":1})", R"({"b":1})"}, {R"({"a":1})"}},
        {R"({"type": "object", "properties": {"a": {}, "b": {}}, "dependentSchemas": {"a": {"required": ["b"]}}, "additionalProperties": false})",
         {R"({"a":1,"b":1})"}, {R"({"a":1})"}},
        {R"({"type": "object", "patternProperties": {"^x": {"type": "null"}}, "additionalProperties": false})", {R"({"xy":null})"}, {R"({"xy":1})", R"({"y":null})"}},
        {R"({"type": "object", "propertyNames": {"maxLength": 2}})", {R"({"ab":1})"}, {R"({"abc":1})"}},
        {R"({"type": "object", "properties": {"a": {}, "b": {}}, "additionalProperties": false, "minProperties": 1, "maxProperties": 1})",
         {R"({"a":1})", R"({"b":1})"}, {"{}", R"({"a":1,"b":1})"}},
        {R"({"type": "array", "items": {"enum": [1, 2]}, "uniqueItems": true})", {"[2,1]"}, {"[1,1]"}},
        {R"({"type": "array", "contains": {"const": 1}, "maxContains": 1})", {"[2,1]"}, {"[2]", "[1,1]"}},
        {R"({"type": "integer", "multipleOf": 7})", {"0", "-14"}, {"1", "13"}},
        {R"({"type": "number", "minimum": 0.5, "exclusiveMaximum": 2})", {"0.5", "1.999"}, {"0.49", "2"}},
        {R"({"type": "string", "format": "ipv4"})", {R"("1.2.3.255")"}, {R"("1.2.3.256")"}},
        {R"({"$ref": "#/$defs/a", "maximum": 3, "$defs": {"a": {"type": "integer"}}})", {"3"}, {"4", "\"\""}},
        {R"({"anyOf": [{"type": "integer"}, {"type": "null"}], "minimum": 3})", {"3", "null"}, {"2", "\"\""}},
        {R"({"enum": [1, 5, "a"], "minimum": 3})", {"5", "\"a\""}, {"1"}},
        {R"({"type": "string", "pattern": "^a*$", "maxLength": 2})", {R"("aa")"}, {R"("aaa")", R"("b")"}},
    });
    expect_problem(R"({"const": 1, "type": "string"})", "", "no value satisfies this schema");
    expect_problem(R"({"type": "object", "unevaluatedProperties": false})", "/unevaluatedProperties", "unevaluatedProperties is not supported");
}
TEST(JsonSchemaWrongElsewhere, PropertiesLeaveAnObjectOpen) {  // there: closed
    expect({R"({"type": "object", "properties": {"a": {"type": "null"}}})", {R"({"a":null,"b":1})", R"({"b":[]})"}, {R"({"a":1})"}});
}

TEST(JsonSchemaLimits, EachRefusesWithASentence) {
    json_schema_options small;
    small.limits.text_bytes = 20;
    expect_problem(R"({"type": "object", "x": 1})", "", "the schema is longer than the limit allows", small);
    small = {};
    small.limits.nodes = 50;
    expect_problem(R"({"enum": ["a long text of many characters", "another text that has as many"]})", "", "the grammar is larger than the limit allows", small);
    small = {};
    small.limits.rules = 3;
    expect_problem(R"({"prefixItems": [{"const": 1}, {"const": 2}, {"const": 3}, {"const": 4}]})", "", "the schema has more sets of values than the limit allows rules", small);
    small = {};
    small.limits.depth = 4;
    const std::string deep = std::string(40, '[') + std::string(40, ']');
    const auto g = compile_json_schema(R"({"const": )" + deep + "}", small);
    EXPECT_FALSE(g.ok());
    EXPECT_NE(g.problem().sentence.find("deep"), std::string::npos) << g.problem().message();
}

}  // namespace
}  // namespace riffle_tests::json_schema_wrong_elsewhere
