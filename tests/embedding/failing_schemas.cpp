// JSON schemas and regular expressions where one allocation fails: a problem says so, and the next attempt goes well.

#include <riffle/json_schema.hpp>

#include "embedding/failing_texts.hpp"

namespace riffle_tests::failing_schemas {
namespace {

using namespace riffle;

TEST(FailingAllocation, OfASchemaThatIsCompiled) {
    fail_each_allocation_of_reading([] {
        return compile_json_schema(
            R"({"properties": {"a": {"$ref": "#/$defs/b"}, "c": {"minimum": 0.5}}, "required": ["c"], "x-note": 1,)"
            R"( "$defs": {"b": {"items": {"enum": [1, "two"]}, "uniqueItems": true}}})");
    });
}
TEST(FailingAllocation, OfAPatternInASchema) {
    fail_each_allocation_of_reading([] { return compile_json_schema(R"({"type": "string", "pattern": "^[ab]+$", "maxLength": 3})"); });
}
TEST(FailingAllocation, OfARegularExpressionThatIsRead) {
    fail_each_allocation_of_reading([] { return parse_regex("(?=[a-z]{2})[^b]+|x{2,3}\\b"); });
}

}  // namespace
}  // namespace riffle_tests::failing_schemas
