// Each keyword of JSON Schema in each of its forms: documents that it takes, and documents that it does not.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "json_schema/documents.hpp"

namespace {

using namespace riffle_tests::json_documents;

TEST(JsonSchemaKeywords, Type) {
    expect_all({
        {R"({})", {"1", "null", "\"x\"", "[]", "{}", "[{\"a\":[1,\"b\",null,true,1.5e3]}]"}, {"", "nul", "[1,]", "{\"a\"}", "01"}},
        {R"(true)", {"1", "{}"}, {"x"}},
        {R"({"type": "null"})", {"null"}, {"0", "\"\""}},
        {R"({"type": "boolean"})", {"true", "false"}, {"0", "null"}},
        {R"({"type": "integer"})", {"0", "-1", "12345"}, {"1.0", "1e3", "01", "-0", "\"1\"", "+1"}},
        {R"({"type": "number"})", {"0", "-1", "0.5", "-0.25", "1e5", "1.5E-3"}, {"-0", "-0.0", ".5", "1.", "01"}},
        {R"({"type": "string"})", {R"("")", R"("a\"\\\n\u0001")", "\"\xC3\xA9\""}, {"1", "\"\n\"", R"("\x")", "\"\xC3\""}},
        {R"({"type": "array"})", {"[]", "[1,[2]]"}, {"{}", "[1"}},
        {R"({"type": "object"})", {"{}", R"({"a":1,"b":{}})"}, {"[]"}},
        {R"({"type": ["integer", "null"]})", {"1", "null"}, {"1.5", "true"}},
    });
}
TEST(JsonSchemaKeywords, EnumAndConst) {
    expect_all({
        {R"({"enum": ["a", 1, null, {"b": [1, 2]}]})", {"\"a\"", "1", "null", R"({"b":[1,2]})", R"({ "b" : [ 1 , 2 ] })"},
         {"\"b\"", "2", R"({"b":[2,1]})"}},
        {R"({"const": "q\"x\n"})", {R"("q\"x\n")"}, {R"("q\"x\u000a")", R"("q")"}},
        {R"({"const": 1.50})", {"1.50"}, {"1.5", "1"}},
        {R"({"enum": ["a", "b", 3], "type": "string"})", {"\"a\"", "\"b\""}, {"3"}},
        {R"({"enum": ["a", "bcd", "ef"], "maxLength": 2})", {"\"a\"", "\"ef\""}, {"\"bcd\""}},
        {R"({"enum": [1, 2, 3, 4.5], "minimum": 2, "type": "integer"})", {"2", "3"}, {"1", "4.5"}},
        {R"({"enum": [1, 2], "const": 2.0})", {"2.0"}, {"1"}},
        {R"({"const": {"a": 1}, "required": ["a"]})", {R"({"a":1})"}, {"{}"}},
    });
}
TEST(JsonSchemaKeywords, Bounds) {
    expect_all({
        {R"({"type": "integer", "minimum": 3, "maximum": 12})", {"3", "9", "10", "12"}, {"2", "13", "-3", "30", "1"}},
        {R"({"type": "integer", "exclusiveMinimum": 3, "exclusiveMaximum": 5})", {"4"}, {"3", "5"}},
        {R"({"type": "integer", "minimum": 3, "exclusiveMinimum": 5, "maximum": 100})", {"6", "100"}, {"3", "5"}},
        {R"({"$schema": "http://json-schema.org/draft-04/schema#", "minimum": 3, "exclusiveMinimum": true})",
         {"3.1", "4", "\"x\""}, {"3", "3.0", "2"}},
        {R"({"type": "number", "minimum": -1.5, "maximum": 0.25})", {"-1.5", "-1.50", "-1", "0", "0.25", "-0.001", "0.249"},
         {"-1.51", "0.26", "-2", "0.2500001", "1e-1"}},
        {R"({"type": "integer", "minimum": -20, "maximum": -7})", {"-7", "-20", "-13"}, {"-6", "-21", "7", "0"}},
        {R"({"type": "number", "exclusiveMinimum": 0})", {"0.1", "1"}, {"0", "0.0", "-1"}},
        {R"({"minimum": 10})", {"10", "\"x\"", "null"}, {"9.999"}},
        {R"({"type": "integer", "minimum": 0.5, "maximum": 1.5})", {"1"}, {"0", "2"}},
        // From their own digits, beyond 64 bits and below the precision of a double.
        {R"({"type": "integer", "minimum": 123456789012345678901234567890, "maximum": 123456789012345678901234567892})",
         {"123456789012345678901234567890", "123456789012345678901234567892"},
         {"123456789012345678901234567889", "123456789012345678901234567893", "12345678901234567890123456789"}},
        {R"({"minimum": 0.12345678901234567891, "maximum": 0.12345678901234567893, "type": "number"})",
         {"0.12345678901234567892"}, {"0.1234567890123456789", "0.12345678901234567894"}},
        {R"({"minimum": 1e2, "type": "integer"})", {"100"}, {"99"}},
    });
}
TEST(JsonSchemaKeywords, MultipleOf) {
    expect_all({
        {R"({"type": "integer", "multipleOf": 7, "minimum": 1})", {"7", "14", "700"}, {"1", "0", "8"}},
        {R"({"multipleOf": 0.01, "type": "number"})", {"0", "1.25", "4.02", "3", "-2.50"}, {"0.0075", "1.001"}},
        {R"({"multipleOf": 2.5, "type": "number"})", {"2.5", "5", "0", "10", "7.50"}, {"2", "1.25"}},
        {R"({"multipleOf": 300000, "type": "integer"})", {"300000", "600000", "0", "-900000"}, {"100000", "3000"}},
        {R"({"multipleOf": 10000, "type": "integer"})", {"10000", "20000", "0"}, {"1000"}},
        {R"({"allOf": [{"multipleOf": 2}, {"multipleOf": 3}], "type": "integer"})", {"6", "12"}, {"2", "3", "4"}},
        {R"({"not": {"multipleOf": 3}, "type": "integer"})", {"1", "5"}, {"3", "0"}},
    });
    expect({R"({"multipleOf": 9973, "type": "integer"})", {"9973", "19946", "99730"}, {"9974", "1"}});
}
TEST(JsonSchemaKeywords, Lengths) {
    expect_all({
        {R"({"type": "string", "minLength": 2, "maxLength": 3})",
         {"\"ab\"", "\"\xC3\xA9\xF0\x9F\x98\x80\"", R"("\n\n\n")"}, {"\"a\"", "\"abcd\"", R"("\n")"}},
        {R"({"maxLength": 1})", {"\"a\"", "123"}, {"\"ab\""}},
        {R"({"type": "string", "minLength": 2.0})", {"\"ab\""}, {"\"a\""}},
    });
    const std::string schema = R"({"type": "string", "minLength": 3, "maxLength": 5000})";
    expect({schema, {"\"" + std::string(5000, 'x') + "\""}, {"\"" + std::string(5001, 'x') + "\"", "\"xx\""}});
}
TEST(JsonSchemaKeywords, Pattern) {
    expect_all({
        {R"({"type": "string", "pattern": "b+"})", {"\"abc\"", "\"b\""}, {"\"ac\"", "\"\""}},
        {R"({"type": "string", "pattern": "^\\S+\\.(txt|md)$"})", {"\"a.txt\"", "\"a.b.md\""}, {"\"a b.txt\"", "\"a.txtx\""}},
        {R"({"type": "string", "pattern": "^\"\\\\$"})", {R"("\"\\")"}, {R"("\"")", R"("\\")"}},
        {R"({"type": "string", "pattern": "^[^a]$"})", {R"("\n")", "\"\xC3\xA9\"", R"("\u0001")"}, {"\"a\"", R"("ab")"}},
        {R"({"type": "string", "pattern": "^(?!foo)[a-z]+$"})", {"\"bar\""}, {"\"food\""}},
        {R"({"type": "string", "pattern": "^[a-z]+$", "minLength": 3, "maxLength": 4})", {"\"abc\"", "\"abcd\""},
         {"\"ab\"", "\"abcde\"", "\"ab1\""}},
        {R"({"type": "string", "pattern": "^(ab)+$", "minLength": 3, "maxLength": 6})", {"\"abab\"", "\"ababab\""},
         {"\"ab\"", "\"aba\"", "\"abababab\""}},
        {R"({"allOf": [{"pattern": "^a"}, {"pattern": "z$"}], "type": "string"})", {"\"az\"", "\"abz\""}, {"\"a\"", "\"z\"", "\"za\""}},
        {R"({"type": "string", "not": {"pattern": "x"}})", {"\"abc\"", "\"\""}, {"\"x\"", "\"axb\""}},
        {R"({"type": "string", "pattern": "^.{1,5000}$", "maxLength": 3})", {"\"abc\""}, {"\"\"", "\"abcd\""}},
        {R"({"type": "string", "pattern": "^ab.{1,5000}c$"})", {"\"abxc\""}, {"\"abc\""}},
    });
}
TEST(JsonSchemaKeywords, Items) {
    expect_all({
        {R"({"type": "array", "items": {"type": "integer"}})", {"[]", "[1]", "[1, 2,3]"}, {"[\"a\"]", "[1,]", "[,]"}},
        {R"({"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 2})", {"[1]", "[1,2]"}, {"[]", "[1,2,3]"}},
        {R"({"type": "array", "maxItems": 0})", {"[]"}, {"[1]"}},
        {R"({"type": "array", "items": false})", {"[]"}, {"[1]"}},
        {R"({"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "items": {"type": "null"}})",
         {"[]", "[1]", "[1,\"a\"]", "[1,\"a\",null,null]"}, {"[\"a\"]", "[1,2]", "[1,\"a\",3]"}},
        {R"({"type": "array", "prefixItems": [{"type": "integer"}], "items": false, "minItems": 1})", {"[1]"}, {"[]", "[1,2]"}},
        {R"({"items": [{"type": "integer"}], "additionalItems": {"type": "string"}, "type": "array"})",
         {"[]", "[1]", "[1,\"a\"]"}, {"[1,2]", "[\"a\"]"}},
        {R"({"type": "array", "prefixItems": [{}, {}, {}], "minItems": 2, "maxItems": 4})", {"[1,2]", "[1,2,3,4]"}, {"[1]", "[1,2,3,4,5]"}},
        {R"({"allOf": [{"items": {"minimum": 3}}, {"items": {"maximum": 5}}], "type": "array", "items": {"type": "integer"}})",
         {"[3,5]"}, {"[2]", "[6]"}},
        {R"({"type": "array", "minItems": 3, "maxItems": 100000, "items": {"type": "array", "maxItems": 10000,
             "items": {"type": "string", "minLength": 2, "maxLength": 10000}}})",
         {R"([["ab"],[],["abc","cd"]])"}, {R"([["a"],[],[]])", "[[],[]]"}},
    });
}
TEST(JsonSchemaKeywords, UniqueItems) {
    expect_all({
        {R"({"type": "array", "items": {"enum": ["a", "b", 1, 1.0]}, "uniqueItems": true, "minItems": 2})",
         {"[\"a\",\"b\"]", "[1,\"b\",\"a\"]"}, {"[\"a\"]", "[\"a\",\"a\"]", "[1,1]", "[1,1.0]"}},
        {R"({"type": "array", "items": {"type": ["boolean", "null"]}, "uniqueItems": true})", {"[]", "[true,null,false]"}, {"[true,true]"}},
        {R"({"type": "array", "uniqueItems": true, "maxItems": 1})", {"[]", "[{\"a\":1}]"}, {"[1,2]"}},
        {R"({"type": "array", "uniqueItems": false})", {"[1,1]"}, {}},
    });
}
TEST(JsonSchemaKeywords, Contains) {
    expect_all({
        {R"({"type": "array", "contains": {"const": 5}, "minItems": 2, "maxItems": 4})", {"[5,1]", "[1,2,5]"}, {"[5]", "[1,2]", "[]", "[1,2,3,4,5]"}},
        {R"({"type": "array", "contains": {"type": "integer"}, "maxContains": 2})", {"[\"a\",1]", "[1,2]"}, {"[1,2,3]", "[\"a\"]", "[]"}},
        {R"({"type": "array", "contains": {"type": "integer"}, "minContains": 2})", {"[1,\"a\",2]"}, {"[1]", "[]"}},
        {R"({"type": "array", "contains": {"type": "integer"}, "minContains": 0})", {"[]", "[\"a\"]"}, {}},
        {R"({"type": "array", "contains": {}, "maxContains": 2})", {"[1]", "[1,2]"}, {"[]", "[1,2,3]"}},
        {R"({"contains": {}, "minContains": 3, "maxContains": 2})", {"{}"}, {"[]", "[1,2]", "[1,2,3]"}},
        {R"({"type": "array", "prefixItems": [{"type": "string"}], "contains": {"const": 5}, "maxContains": 1})", {"[\"a\",5]", "[\"a\",4,true,5]"}, {"[5]", "[\"a\"]", "[\"a\",5,5]"}},
        {R"({"type": "array", "allOf": [{"contains": {"const": 1}}, {"contains": {"const": 2}}], "maxItems": 3})", {"[1,2]", "[2,1]", "[3,2,1]"}, {"[1]", "[2,2]", "[3,3", "[1,2,3,4]"}},
        {R"({"type": "array", "allOf": [{"contains": {"minimum": 3}, "maxContains": 1}, {"contains": {"maximum": 5}, "minContains": 2}], "items": {"type": "integer"}})", {"[1,3]", "[1,2,9]", "[4,2]"}, {"[3,4]", "[1,2]", "[9,1]", "[4,9,1]"}},
        {R"({"type": "array", "not": {"contains": {"type": "null"}}})", {"[]", "[1]"}, {"[null]", "[1,null]"}},
    });
}
TEST(JsonSchemaKeywords, Properties) {
    expect_all({
        {R"({"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "string"}}, "additionalProperties": false})",
         {"{}", R"({"a":1})", R"({"b":"x"})", R"({"a":1,"b":"x"})", R"({ "a" : 1 , "b" : "x" })"},
         {R"({"b":"x","a":1})", R"({"a":"x"})", R"({"c":1})", R"({"a":1,})", R"({"a":1,"a":2})"}},
        {R"({"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]})",
         {R"({"a":1})", R"({"a":1,"z":[]})"}, {"{}", R"({"z":1})", R"({"a":1,"a":2})"}},
        {R"({"type": "object", "properties": {"a": {}}, "required": ["b"], "additionalProperties": {"type": "integer"}})",
         {R"({"b":1})", R"({"a":"x","b":1,"c":2})"}, {R"({"a":1})", R"({"b":"x"})"}},
        {R"({"properties": {"a": {"type": "integer"}}})", {"1", "[]", R"({"a":1})", R"({"b":"x"})"}, {R"({"a":"x"})"}},
        {R"({"type": "object", "properties": {"a": false, "b": {}}})", {"{}", R"({"b":1})"}, {R"({"a":1})"}},
        {R"({"type": "object", "properties": {"q\"x": {"type": "integer"}, "]": {}, "^-\\": {}, "a\nb": {"const": 4}},
             "additionalProperties": {"type": "boolean"}})",
         {R"({"q\"x":1,"]":2,"^-\\":3,"a\nb":4,"z":true})"}, {R"({"q\"x":true})", R"({"z":1})", R"({"a\u000ab":true})"}},
        {R"({"type": "object", "additionalProperties": {"type": "integer"}})", {"{}", R"({"x":1,"y":2})"}, {R"({"x":"y"})"}},
    });
}
TEST(JsonSchemaKeywords, PatternProperties) {
    expect_all({
        {R"({"type": "object", "patternProperties": {"^a": {"type": "integer"}, "z$": {"minimum": 5}}, "additionalProperties": false})",
         {"{}", R"({"a":1})", R"({"az":5})", R"({"z":"x"})"}, {R"({"az":1})", R"({"a":"x"})", R"({"b":1})"}},
        {R"({"type": "object", "properties": {"ab": {"minimum": 3}}, "patternProperties": {"^a": {"type": "integer"}},
             "additionalProperties": {"type": "null"}})",
         {R"({"ab":3})", R"({"a":1,"x":null})"}, {R"({"ab":1})", R"({"ab":"x"})", R"({"x":1})"}},
    });
}
TEST(JsonSchemaKeywords, PropertyNames) {
    expect_all({
        {R"({"type": "object", "propertyNames": {"anyOf": [{"pattern": "^a"}, {"maxLength": 2}, {"enum": ["bcdef"]}]}})",
         {"{}", R"({"abcdef":1})", R"({"xy":1})", R"({"bcdef":1,"ab":2})"}, {R"({"xyz":1})", R"({"bcde":1})"}},
        {R"({"type": "object", "propertyNames": {"oneOf": [{"const": "x"}, {"const": "y"}]}})", {R"({"x":1,"y":2})", R"({"y":2})"}, {R"({"z":1})"}},
        {R"({"type": "object", "propertyNames": {"pattern": "^[a-z]+$"}})", {"{}", R"({"ab":1})"}, {R"({"A":1})", R"({"":1})"}},
        {R"({"type": "object", "propertyNames": {"enum": ["a", "b"]}})", {"{}", R"({"a":1})", R"({"a":1,"b":2})"}, {R"({"c":1})"}},
        {R"({"type": "object", "propertyNames": {"maxLength": 2}})", {R"({"ab":1})"}, {R"({"abc":1})"}},
        {R"({"type": "object", "properties": {"abc": {}}, "propertyNames": {"maxLength": 2}})", {"{}"}, {R"({"abc":1})"}},
        {R"({"type": "object", "propertyNames": false})", {"{}"}, {R"({"a":1})"}},
    });
}
TEST(JsonSchemaKeywords, NumbersOfProperties) {
    expect_all({
        {R"({"type": "object", "properties": {"a": {}, "b": {}, "c": {}}, "additionalProperties": false, "minProperties": 2})",
         {R"({"a":1,"b":2})", R"({"a":1,"c":2})", R"({"a":1,"b":2,"c":3})"}, {"{}", R"({"a":1})", R"({"c":1})"}},
        {R"({"type": "object", "properties": {"a": {}, "b": {}, "c": {}}, "additionalProperties": false, "maxProperties": 1})",
         {"{}", R"({"b":2})"}, {R"({"a":1,"c":2})"}},
        {R"({"type": "object", "minProperties": 1})", {R"({"x":1})"}, {"{}"}},
        {R"({"type": "object", "maxProperties": 2})", {"{}", R"({"x":1,"y":2})"}, {R"({"x":1,"y":2,"z":3})"}},
        {R"({"type": "object", "properties": {"a": {}}, "required": ["a"], "minProperties": 2})", {R"({"a":1,"x":2})"}, {R"({"a":1})"}},
        {R"({"type": "object", "maxProperties": 0})", {"{}"}, {R"({"a":1})"}},
    });
}
TEST(JsonSchemaKeywords, AllOfAnyOf) {
    expect_all({
        {R"({"allOf": [{"type": "string"}, {"minLength": 3}]})", {"\"abc\""}, {"\"ab\"", "{}", "123"}},
        {R"({"anyOf": [{"type": "integer"}, {"minLength": 2}], "type": ["integer", "string"]})", {"1", "\"ab\""}, {"\"a\"", "null"}},
        {R"({"type": "object", "properties": {"a": {}}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}], "additionalProperties": true})",
         {R"({"a":1})", R"({"b":1})", R"({"a":1,"b":1})"}, {"{}", R"({"c":1})"}},
        {R"({"allOf": [{"properties": {"a": {"minimum": 2}}}, {"properties": {"a": {"maximum": 3}, "b": {"const": 1}}}], "type": "object"})",
         {R"({"a":2})", R"({"a":3,"b":1})"}, {R"({"a":1})", R"({"a":4})", R"({"b":2})"}},
        {R"({"allOf": [true, {"type": "null"}]})", {"null"}, {"1"}},
        {R"({"anyOf": [false, {"type": "null"}]})", {"null"}, {"1"}},
    });
}
TEST(JsonSchemaKeywords, OneOf) {
    expect_all({
        {R"({"oneOf": [{"type": "integer"}, {"minimum": 2}]})", {"1", "2.5", "\"x\""}, {"3", "1.5"}},
        {R"({"oneOf": [{"type": "string"}, {"type": "integer"}]})", {"\"x\"", "1"}, {"null"}},
        {R"({"type": "object", "oneOf": [{"required": ["a"]}, {"required": ["b"]}], "properties": {"a": {}, "b": {}}, "additionalProperties": false})",
         {R"({"a":1})", R"({"b":1})"}, {"{}", R"({"a":1,"b":1})"}},
        {R"({"oneOf": [{"properties": {"kind": {"const": "a"}, "x": {}}, "required": ["kind"], "additionalProperties": false},
                       {"properties": {"kind": {"const": "b"}, "y": {}}, "required": ["kind"], "additionalProperties": false}]})",
         {R"({"kind":"a","x":1})", R"({"kind":"b"})"}, {R"({"kind":"a","y":1})", "1", "{}"}},
        {R"({"oneOf": [{"enum": ["a", "b"]}, {"enum": ["b", "c"]}]})", {"\"a\"", "\"c\""}, {"\"b\""}},
        {R"({"oneOf": [{"type": "string", "pattern": "^a"}, {"type": "string", "pattern": "z$"}]})", {"\"ab\"", "\"bz\""}, {"\"az\"", "\"b\""}},
        {R"({"oneOf": [{"type": "object", "properties": {"a": {}}, "additionalProperties": false},
                       {"type": "object", "properties": {"b": {}}, "additionalProperties": false}]})",
         {R"({"a":1})", R"({"b":1})"}, {"{}", R"({"a":1,"b":1})"}},
    });
}
TEST(JsonSchemaKeywords, Not) {
    expect_all({
        {R"({"not": {"type": "string"}})", {"1", "{}", "null"}, {"\"x\""}},
        {R"({"not": {"not": {"type": "string"}}})", {"\"x\""}, {"1"}},
        {R"({"type": "string", "not": {"enum": ["a", "bc"]}})", {"\"b\"", "\"ab\"", "\"\""}, {"\"a\"", "\"bc\""}},
        {R"({"type": "integer", "not": {"const": 5}})", {"4", "50", "-5"}, {"5"}},
        {R"({"type": "object", "not": {"required": ["a"]}, "properties": {"a": {}, "b": {}}})", {"{}", R"({"b":1})"}, {R"({"a":1})"}},
        {R"({"type": "number", "not": {"minimum": 3, "maximum": 5}})", {"2", "6", "2.999"}, {"3", "5", "4.5"}},
        {R"({"not": {"properties": {"a": {"type": "integer"}}, "required": ["a"]}, "type": "object"})",
         {"{}", R"({"a":"x"})"}, {R"({"a":1})"}},
        {R"({"type": "array", "not": {"items": {"type": "integer"}}})", {"[\"a\"]", "[1,\"a\"]"}, {"[]", "[1]"}},
        {R"({"type": "array", "not": {"maxItems": 1}})", {"[1,2]"}, {"[]", "[1]"}},
        {R"({"not": {"anyOf": [{"type": "string"}, {"type": "number"}]}})", {"null", "{}"}, {"1", "\"x\""}},
        {R"({"not": {"oneOf": [{"minimum": 3}, {"maximum": 5}]}, "type": "integer"})", {"3", "4", "5"}, {"2", "6"}},
    });
}
TEST(JsonSchemaKeywords, IfThenElse) {
    expect_all({
        {R"({"type": "object", "properties": {"kind": {"enum": ["a", "b"]}, "x": {}}, "required": ["kind"],
             "if": {"properties": {"kind": {"const": "a"}}}, "then": {"required": ["x"]}, "else": {"properties": {"x": false}}})",
         {R"({"kind":"a","x":1})", R"({"kind":"b"})"}, {R"({"kind":"a"})", R"({"kind":"b","x":1})"}},
        {R"({"if": {"type": "integer"}, "then": {"minimum": 3}})", {"3", "\"x\"", "1.5"}, {"2"}},
        {R"({"if": {"type": "integer"}, "else": {"type": "string"}})", {"3", "\"x\""}, {"1.5", "null"}},
        {R"({"then": false, "type": "integer"})", {"1"}, {"\"x\""}},
    });
}
TEST(JsonSchemaKeywords, Dependencies) {
    expect_all({
        {R"({"type": "object", "properties": {"a": {}, "b": {}}, "dependentRequired": {"a": ["b"]}})",
         {"{}", R"({"b":1})", R"({"a":1,"b":1})"}, {R"({"a":1})"}},
        {R"({"type": "object", "properties": {"a": {}, "b": {}}, "dependencies": {"a": ["b"]}})", {"{}", R"({"a":1,"b":1})"}, {R"({"a":1})"}},
        {R"({"type": "object", "properties": {"a": {}, "b": {"type": "integer"}}, "dependentSchemas": {"a": {"properties": {"b": {"minimum": 5}}}}})",
         {R"({"b":1})", R"({"a":1,"b":5})", R"({"a":1})"}, {R"({"a":1,"b":1})"}},
        {R"({"dependencies": {"a": {"required": ["c"]}}, "type": "object", "properties": {"a": {}}})",
         {"{}", R"({"a":1,"c":1})"}, {R"({"a":1})"}},
    });
}
TEST(JsonSchemaKeywords, WhatLlamaCppMakesWrong) {  // constraints of its converter, September 2026
    expect_all({
        {R"({"allOf": [{"type": "string"}, {"minLength": 3}]})", {"\"abc\""}, {"{}"}},
        {R"({"properties": {"q\"x": {"type": "integer"}}, "additionalProperties": {"type": "integer"}, "type": "object"})",
         {R"({"q\"x":1})", R"({"a\"b":1})"}, {"{\"a\"b\":1}"}},
        {R"({"properties": {"]": {}, "^": {}, "-": {}, "\\": {}}, "additionalProperties": {"type": "null"}, "type": "object"})",
         {R"({"]":1,"^":1,"-":1,"\\":1,"x":null})"}, {R"({"x":1})"}},
        {R"({"type": "integer", "minimum": 1, "exclusiveMinimum": 5})", {"6"}, {"5", "1"}},
        {R"({"type": "object", "properties": {"a": {}}, "required": ["b"]})", {R"({"b":1})"}, {"{}"}},
        {R"({"type": "string", "maxLength": 5000})", {}, {"\"" + std::string(5001, 'x') + "\""}},
        {R"({"type": "array", "items": {"$ref": "#"}})", {"[]", "[[],[[]]]"}, {"[1]"}},
    });
    expect_problem(R"({"type": "integer", "minimum": 10, "maximum": 5})", "", "no value satisfies this schema");
    expect_problem(R"({"type": "array", "minItems": 5, "maxItems": 2})", "", "no value satisfies this schema");
}

}  // namespace
