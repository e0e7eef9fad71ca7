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

template <class Grammar = grammar>
parsed<Grammar> compile_json_schema(const text& schema, const json_schema_options& options = {}) noexcept {
    RIFFLE_TRY { return detail::read_json_schema<detail::grammar_rules>(schema, options); }
    RIFFLE_CATCH {
        parse_problem problem;
        problem.sentence = "out of memory";
        return parsed<Grammar>(std::move(problem));
    }
}

}  // namespace riffle
