#pragma once
#include <string>

#include <riffle/core/text.hpp>
#include <riffle/settings/dialects/json_items.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// What a request says of the document that it wants: a JSON schema (json: any object), or a grammar in GBNF. Nothing,
/// where any text will do.
struct document_format {
    std::string schema, grammar;
    std::string other;  ///< what else it asks for, that riffle's settings have not
};

/// OpenAI's {"type": "json_schema", "json_schema": {"schema": ...}}, and llama-server's {"type": "json_object",
/// "schema":
/// ...}.
inline document_format read_response_format(const text& value) {
    std::string type, asked_for = "json", name, member;
    for (json_items all(value); all.next(name) && all.next(member);) {
        if (name == "type") type = member;
        else if (name == "schema") asked_for = member;
        else if (name == "json_schema")
            for (json_items inner{text(member)}; inner.next(name) && inner.next(member);)
                if (name == "schema") asked_for = member;
    }
    if (type == "json_schema" || type == "json_object") return {asked_for, "", ""};
    return {"", "", type == "text" ? "" : type};
}
/// vLLM's {"json": ...}, {"json_object": true} or {"grammar": ...}.
inline document_format read_structured_outputs(const text& value) {
    document_format format;
    std::string name, member;
    for (json_items all(value); all.next(name) && all.next(member);) {
        if (member == "null" || member == "false") continue;
        if (name == "json") format.schema = member;
        else if (name == "json_object") format.schema = "json";
        else if (name == "grammar") format.grammar = member;
        else format.other = name;
    }
    return format;
}

}  // namespace riffle::detail
