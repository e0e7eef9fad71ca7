#pragma once
#include <cstdint>

#include <riffle/constraint/grammar_limits.hpp>

namespace riffle::inline RIFFLE_ABI {

/// Where white space may stand in a document, or must.
enum class json_whitespace : std::uint8_t {
    compact,       ///< nowhere: the fewest tokens
    single_space,  ///< one space behind each `,` and `:`, as Python's json.dumps writes it
    flexible,      ///< between any two parts nothing, a space, or one or two line feeds and up to 20 spaces and tabs
    pretty,        ///< a line for each item and each member, indented by json_schema_options::indent
};

/// How characters may be written in strings.
enum class json_escapes : std::uint8_t {
    needed,  ///< as they are; what JSON wants escaped by its short escape or \u00XX
    any,     ///< by every escape that JSON has for them, too
};

/// How documents are written, and how strictly a schema is read.
struct json_schema_options {
    /// Ignores standard keywords and formats that are not supported, with a warning: documents may then break them.
    bool lenient = false;
    /// Lets the properties of an object come in any order, up to 64 listed ones; else they come in the order of the
    /// schema. Costs a state for each set of properties that a text has come to, so masks are found anew more often.
    bool any_order = false;
    /// Flexible white space is bounded, since models that may write as much as they like come to write nothing else.
    json_whitespace whitespace = json_whitespace::flexible;
    /// Spaces a level, where whitespace is pretty. Values nested more than 16 levels deep are written as single_space
    /// does: each level has rules of its own.
    std::uint32_t indent = 2;
    /// `any` makes strings larger in the grammar, by some hundred nodes where a pattern tells characters apart.
    json_escapes escapes = json_escapes::needed;
    /// Digits of a number ahead of the point, and behind it; more where a bound has more. Without a limit a model can
    /// go on writing digits.
    std::uint32_t most_digits = 16;
    /// `text_bytes` of the schema; `depth`: of schemas within schemas; the rest as for every grammar.
    grammar_limits limits{};
};

}  // namespace riffle
