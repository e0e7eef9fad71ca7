#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include <riffle/constraint/expressions.hpp>
#include <riffle/constraint/json/json_schema_options.hpp>
#include <riffle/core/text.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// What stands between the values of a document: brackets, commas and colons, and white space around them. A level is
/// that of what an array or object holds: 1 in the outermost.
template <class Rules>
class json_layout {
public:
    /// So many levels are indented.
    enum : std::uint32_t { most_indented = 16 };

    json_layout(Rules& of, json_whitespace whitespace, std::uint32_t indent)
        : rules_(of), whitespace_(whitespace), indent_(indent) {}

    bool is_indented(std::uint32_t level) const noexcept {
        return whitespace_ == json_whitespace::pretty && level <= most_indented;
    }
    /// The bracket that opens, and what stands ahead of the first value.
    expression_id open(const char* bracket, std::uint32_t level) {
        return joined({literal(bracket), line(level), space()});
    }
    /// A value is followed by this.
    expression_id behind_value() { return space(); }
    expression_id comma(std::uint32_t level) {
        const bool has_space = whitespace_ == json_whitespace::single_space ||
                               (whitespace_ == json_whitespace::pretty && !is_indented(level));
        return joined({literal(has_space ? ", " : ","), line(level), space()});
    }
    expression_id colon() {
        const bool has_space = whitespace_ == json_whitespace::single_space || whitespace_ == json_whitespace::pretty;
        return joined({space(), literal(has_space ? ": " : ":"), space()});
    }
    /// The bracket that closes, behind a value.
    expression_id close(const char* bracket, std::uint32_t level) {
        return joined({line(level - 1, level), literal(bracket)});
    }
    /// Both, with nothing in between.
    expression_id nothing(const char* open_bracket, const char* close_bracket) {
        return joined({literal(open_bracket), space(), literal(close_bracket)});
    }

    // ---- pieces

    expression_id literal(const text& of) { return rules_.add_literal(of); }
    expression_id joined(std::initializer_list<expression_id> parts) {
        std::vector<expression_id> all;
        for (const expression_id p : parts) {
            const expression& e = rules_.at(p);
            if (e.kind != expression_kind::literal || e.count != 0) all.push_back(p);
        }
        return all.empty() ? literal({}) : rules_.add_list(expression_kind::sequence, all.data(), all.size());
    }
    expression_id one_of(const std::vector<expression_id>& ways) {
        if (ways.empty()) return rules_.add_characters({});  // nothing matches
        return rules_.add_list(expression_kind::alternatives, ways.data(), ways.size());
    }

private:
    enum : std::uint32_t { no_rule = ~0u };

    expression_id line(std::uint32_t level, std::uint32_t of_level) {
        if (!is_indented(of_level)) return literal({});
        return literal("\n" + std::string(std::size_t{level} * indent_, ' '));
    }
    expression_id line(std::uint32_t level) { return line(level, level); }
    /// llama.cpp's rule (json-schema-to-grammar.cpp, SPACE_RULE).
    expression_id space() {
        if (whitespace_ != json_whitespace::flexible) return literal({});
        if (space_ == no_rule) {
            const expression_id blanks =
                rules_.add_repetition(rules_.add_characters(code_point_set({{' ', ' '}, {'\t', '\t'}})), 0, 20);
            const expression_id line_ends = rules_.add_repetition(literal("\n"), 1, 2);
            const expression_id ways[] = {literal({}), literal(" "), joined({line_ends, blanks})};
            space_ = std::uint32_t(rules_.rules.size());
            rules_.rules.push_back({"space", rules_.add_list(expression_kind::alternatives, ways, 3), 0});
        }
        return rules_.add_rule(space_);
    }

    Rules& rules_;
    json_whitespace whitespace_;
    std::uint32_t indent_;
    std::uint32_t space_ = no_rule;
};

}  // namespace riffle::detail
