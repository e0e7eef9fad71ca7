// A JSON schema: the bytes as they are, or a schema that is made by them, since bytes at random are hardly ever one.

#include <string>

#include <riffle/json_schema.hpp>

#include "fuzz/fuzz.hpp"
#include "fuzz/grammar_walk.hpp"

namespace riffle_tests::fuzz {

namespace {

/// Writes a schema: each byte chooses what comes next.
class schema_writer {
public:
    explicit schema_writer(input in) : in_(in) {}
    std::string write() {
        const std::string root = schema(3);
        return R"({"$defs": {"a": )" + schema(2) + R"(, "b": )" + schema(2) + "}" + (root.size() > 2 ? ", " + root.substr(1) : "}");
    }

private:
    std::string schema(int depth) {
        if (in_.empty() || depth == 0) return leaf();
        std::string all = "{", between;
        for (std::size_t n = 1 + in_.below(3); n > 0; --n) {
            const std::string next = keyword(depth);
            const std::string name = next.substr(0, next.find(':'));
            if (all.find(name + ":") != all.npos) continue;  // a name twice is refused
            all += between + next;
            between = ", ";
        }
        return all + "}";
    }
    std::string leaf() {
        static const char* const all[] = {"{}", "{\"type\": \"string\"}", "{\"type\": \"integer\"}", "{\"const\": 1}",
                                          "{\"enum\": [\"a\", \"b\", null]}", "{\"$ref\": \"#/$defs/a\"}", "{\"type\": \"boolean\"}",
                                          "{\"$ref\": \"#/$defs/b\"}", "{\"$ref\": \"#\"}", "{\"minimum\": 2}", "{\"maxLength\": 2}",
                                          "{\"not\": {\"type\": \"null\"}}", "{\"pattern\": \"^a\"}", "{\"type\": \"array\"}"};
        return all[in_.below(14)];
    }
    std::string quoted(const char* name) { return "\"" + std::string(name) + "\": "; }
    std::string count() { return std::to_string(in_.below(6)); }
    std::string number() {
        static const char* const all[] = {"0", "1", "-3", "2.5", "10", "1e3", "-0.25", "123456789012345678901", "7"};
        return all[in_.below(9)];
    }
    std::string name() {
        static const char* const all[] = {"\"a\"", "\"b\"", "\"ab\"", "\"q\\\"\"", "\"\"", "\"\\u00e9\""};
        return all[in_.below(6)];
    }
    std::string list(int depth) { return "[" + schema(depth - 1) + ", " + schema(depth - 1) + "]"; }
    std::string keyword(int depth) {
        static const char* const types[] = {"\"string\"", "\"integer\"", "\"number\"", "\"object\"", "\"array\"", "\"null\"", "[\"object\", \"string\"]"};
        static const char* const patterns[] = {"\"^a\"", "\"b$\"", "\"^[a-c]{1,4}$\"", "\"a|b\"", "\"^(?!a)\"", "\"\\\\bab\"", "\"(ab)+\""};
        static const char* const formats[] = {"\"date\"", "\"ipv4\"", "\"hostname\"", "\"uuid\"", "\"duration\""};
        switch (in_.below(32)) {
        case 0: return quoted("type") + types[in_.below(7)];
        case 1: return quoted("enum") + "[" + number() + ", " + name() + ", null, [1]]";
        case 2: return quoted("const") + (in_.below(2) != 0 ? number() : name());
        case 3: return quoted("minimum") + number();
        case 4: return quoted("exclusiveMaximum") + number();
        case 5: return quoted("multipleOf") + (in_.below(2) != 0 ? "0.5" : "3");
        case 6: return quoted("minLength") + count();
        case 7: return quoted("maxLength") + count();
        case 8: return quoted("pattern") + patterns[in_.below(7)];
        case 9: return quoted("format") + formats[in_.below(5)];
        case 10: return quoted("items") + schema(depth - 1);
        case 11: return quoted("prefixItems") + list(depth);
        case 12: return quoted("minItems") + count();
        case 13: return quoted("maxItems") + count();
        case 14: return quoted("uniqueItems") + "true";
        case 15: return quoted("contains") + schema(depth - 1);
        case 16: return quoted("maxContains") + count();
        case 17:
        case 18: return quoted("properties") + "{\"a\": " + schema(depth - 1) + ", \"ab\": " + schema(depth - 1) + "}";
        case 19: return quoted("required") + "[" + name() + "]";
        case 20: return quoted("additionalProperties") + (in_.below(2) != 0 ? "false" : schema(depth - 1));
        case 21: return quoted("patternProperties") + "{" + patterns[in_.below(7)] + ": " + schema(depth - 1) + "}";
        case 22: return quoted("propertyNames") + schema(depth - 1);
        case 23: return quoted("minProperties") + count();
        case 24: return quoted("maxProperties") + count();
        case 25: return quoted("allOf") + list(depth);
        case 26: return quoted("anyOf") + list(depth);
        case 27: return quoted("oneOf") + list(depth);
        case 28: return quoted("not") + schema(depth - 1);
        case 29: return quoted("if") + schema(depth - 1) + ", " + quoted("then") + schema(depth - 1);
        case 30: return quoted("dependentRequired") + "{" + name() + ": [" + name() + "]}";
        default: return quoted("dependentSchemas") + "{" + name() + ": " + schema(depth - 1) + "}";
        }
    }

    input in_;
};

}  // namespace

void schema(input in) {
    const std::uint8_t how = in.byte();
    riffle::json_schema_options options;
    options.lenient = (how & 2) != 0;
    options.any_order = (how & 4) != 0;
    options.whitespace = riffle::json_whitespace(how >> 3 & 3);
    options.escapes = (how & 32) != 0 ? riffle::json_escapes::any : riffle::json_escapes::needed;
    const std::string source = (how & 1) != 0 ? schema_writer(in).write()
                                              : std::string(reinterpret_cast<const char*>(in.rest().data()), in.rest().size());
    const riffle::parsed<riffle::grammar> g = riffle::compile_json_schema(source, options);
    if (g.ok()) return follow(*g, how);
    must(!g.problem().sentence.empty(), "a problem has a sentence");
    must(g.problem().message().size() <= longest_problem + 3 * source.size(), "a problem is short");
    must(g.problem().offset <= source.size(), "a problem lies in the text");
}

}  // namespace riffle_tests::fuzz
