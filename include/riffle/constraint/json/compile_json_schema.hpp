#pragma once
#include <string>
#include <utility>

#include <riffle/constraint/compile_grammar.hpp>
#include <riffle/constraint/expressions.hpp>
#include <riffle/constraint/grammar.hpp>
#include <riffle/constraint/json/json_document.hpp>
#include <riffle/constraint/json/json_schema_options.hpp>
#include <riffle/constraint/json/json_text.hpp>
#include <riffle/constraint/json/schema_grammar.hpp>
#include <riffle/constraint/json/schema_reader.hpp>
#include <riffle/constraint/parsed.hpp>
#include <riffle/core/text.hpp>

namespace riffle::inline RIFFLE_ABI {
namespace detail {

template <class Rules>
parsed<grammar> read_json_schema(const text& source, const json_schema_options& options) {
    parse_problem problem;
    if (source.size() > options.limits.text_bytes) {
        problem.sentence = "the schema is longer than the limit allows";
        return parsed<grammar>(std::move(problem));
    }
    json_document document;
    if (!read_json(source, 4 * options.limits.depth, document, problem)) return parsed<grammar>(std::move(problem));
    schema_reader<json_document> reader(document, options.lenient);
    if (!reader.read()) return parsed<grammar>(reader.problem(), std::move(reader.warnings()));
    schema_grammar<Rules, schema_reader<json_document>> writer(reader, options);
    if (!writer.write(reader.root())) return parsed<grammar>(reader.problem(), std::move(reader.warnings()));
    parsed<grammar> made = compile(std::move(writer.rules()), options.limits, "no value satisfies this schema");
    if (made) return parsed<grammar>(*made, std::move(reader.warnings()));
    problem.sentence = made.problem().sentence;
    return parsed<grammar>(std::move(problem), std::move(reader.warnings()));
}

}  // namespace detail

/// Compiles a JSON schema to the grammar of the documents that it takes: for `constrain`, `guided` and all else that
/// takes a grammar. What is taken is kept to the letter, and what is not supported is refused.
///
///     parsed<grammar> g = compile_json_schema(R"({"type": "object", "properties": {"name": {"type": "string"}}})");
///     if (!g) std::puts(g.problem().message().c_str());  // in /properties/name: why
///
/// Drafts 4, 6, 7, 2019-09 and 2020-12 by `$schema`; without it 2020-12, and the older forms where they cannot be
/// mistaken. Keywords beside each other hold together. A keyword that no draft knows is an annotation: warnings() names
/// it. A standard one that is not supported, in its place, is a problem, or with `lenient` a warning; `format` is such
/// an assertion. problem().where is the JSON pointer of what is wrong; where the text is no JSON it is empty, and
/// `line` and `column` say where reading stopped. A reference to another document, one to itself for the same value,
/// and a schema that no value satisfies are problems. The tables of include/riffle/constraint/json/README.md say what is
/// supported.
///
/// Documents: properties come in the order of the schema, then names that only `required` has, then others in any order
/// (options.any_order lifts that); of schemas that are joined, a schema's own ones come first, then those of $ref and
/// allOf. Names and constants have one spelling. A listed name comes once; others may come again, where that fools no
/// count. Numbers have no exponent where something bounds them, integers no fraction, zero no sign.
///
/// Nothing throws; out of memory is a problem without a place. Time and memory grow with the schema, up to the limits;
/// a set of values that combines more than 4,096 choices is refused. A length or a count costs a counter, whatever its
/// size.
template <class Grammar = grammar>
parsed<Grammar> compile_json_schema(const text& schema, const json_schema_options& options = {}) noexcept {
    return detail::read_in_memory<Grammar>(
        [&] { return detail::read_json_schema<detail::grammar_rules>(schema, options); });
}

}  // namespace riffle
