// JSON schemas and regular expressions where one allocation fails: a problem says so, and the next attempt goes well.

#include <riffle/json_schema.hpp>

#include "embedding/sweep.hpp"

namespace riffle_tests::failing_schemas {
namespace {

using namespace riffle;

/// Reads a text by a function that answers a parsed grammar.
template <class Read>
void fail_each_allocation_of(Read read_text) {
    const auto nothing = [] { return parsed<grammar>(); };
    const auto read = [&](parsed<grammar>& into) {
        into = read_text();
        if (into) return status();
        EXPECT_EQ(into.problem().sentence, "out of memory");
        return status(status_code::out_of_memory);
    };
    fail_each_allocation(
        nothing, read, [&](parsed<grammar>& g, const outcome&) { EXPECT_TRUE(read(g).ok()); },
        [](parsed<grammar>& g) { EXPECT_TRUE(g.ok()); });
}

TEST(FailingAllocation, OfASchemaThatIsCompiled) {
    fail_each_allocation_of([] {
        return compile_json_schema(
            R"({"properties": {"a": {"$ref": "#/$defs/b"}, "c": {"minimum": 0.5}}, "required": ["c"], "x-note": 1,)"
            R"( "$defs": {"b": {"items": {"enum": [1, "two"]}, "uniqueItems": true}}})");
    });
}
TEST(FailingAllocation, OfAPatternInASchema) {
    fail_each_allocation_of([] { return compile_json_schema(R"({"type": "string", "pattern": "^[ab]+$", "maxLength": 3})"); });
}
TEST(FailingAllocation, OfARegularExpressionThatIsRead) {
    fail_each_allocation_of([] { return parse_regex("(?=[a-z]{2})[^b]+|x{2,3}\\b"); });
}

}  // namespace
}  // namespace riffle_tests::failing_schemas
