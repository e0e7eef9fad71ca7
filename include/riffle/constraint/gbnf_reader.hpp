#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <riffle/constraint/code_points.hpp>
#include <riffle/constraint/expressions.hpp>
#include <riffle/constraint/gbnf_scanner.hpp>
#include <riffle/constraint/grammar_limits.hpp>
#include <riffle/constraint/parsed.hpp>
#include <riffle/constraint/rule_names.hpp>
#include <riffle/constraint/rules_without_use.hpp>
#include <riffle/core/text.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// Reads GBNF, llama.cpp's notation for grammars (its grammars/README.md and llama-grammar.cpp), into rules. Stops at
/// the first problem.
template <class Rules>
class gbnf_reader : gbnf_scanner {
public:
    gbnf_reader(const text& source, const grammar_limits& limits) : gbnf_scanner(source), limits_(limits) {}

    /// False where there is a problem.
    bool read(const text& root) {
        if (source_.size() > limits_.text_bytes) return fail_at(0, "the grammar is longer than the limit allows");
        if (!is_utf8()) return false;
        skip_space(line_end::goes_on);
        while (!at_end())
            if (!read_rule()) return false;
        return has_all_rules(root);
    }
    const parse_problem& problem() const noexcept { return problem_; }
    std::vector<parse_problem>& warnings() noexcept { return warnings_; }
    Rules& rules() noexcept { return grammar_; }

private:
    enum : std::size_t { most_warnings = 16 };

    // ---- rules

    bool read_rule() {
        in_rule_.clear();
        const std::size_t begin = at_;
        const text name = read_name();
        if (name.empty()) return fail(no_name());
        in_rule_.assign(name.data(), name.size());
        skip_space(line_end::ends);
        if (!source_.part(at_).starts_with("::=")) return fail("::= must follow the name of a rule");
        at_ += 3;
        skip_space(line_end::goes_on);

        const std::uint32_t rule = names_.find_or_add(grammar_, name, begin);
        if (grammar_.rules.size() > limits_.rules)
            return fail_at(begin, "the grammar has more rules than the limit allows");
        if (grammar_.rules[rule].body != grammar_rules::no_expression)
            return fail_at(begin, "this rule is defined a second time");
        expression_id body;
        if (!read_alternatives(body, 0, line_end::ends)) return false;
        if (!at_end() && !is_line_end(here())) return fail(unexpected());
        grammar_.rules[rule].body = body;
        grammar_.rules[rule].offset = begin;
        skip_space(line_end::goes_on);
        return true;
    }
    const char* unexpected() const noexcept {
        if (here() == ')') return "this ) has no matching (";
        if (here() == ']') return "this ] has no matching [";
        if (here() == '\'') return "literals have double quotes";
        return "a rule name, a literal, a class, a group or a token is expected here";
    }
    const char* no_name() const noexcept {
        if (here() == '|') return "a | must end the line before, where alternatives go on on the next";
        if (source_.part(at_).starts_with("\xEF\xBB\xBF")) return "the text begins with a byte order mark";
        return "a rule must begin with its name, of letters, digits, - and _";
    }
    bool has_all_rules(const text& root) {
        in_rule_.clear();
        for (const auto& rule : grammar_.rules)
            if (rule.body == grammar_rules::no_expression)
                return fail_at(rule.offset, "there is no rule called " + rule.name);
        const std::size_t found = names_.find(grammar_, root);
        if (found == grammar_.rules.size())
            return fail_at(0, "there is no rule called " + std::string(root.data(), root.size()) +
                                  ", with which the grammar is to begin");
        grammar_.root = std::uint32_t(found);
        for (const std::uint32_t rule : rules_without_use(grammar_))
            warn(grammar_.rules[rule], "this rule is never used");
        return true;
    }
    void warn(const typename Rules::rule& of, const char* sentence) {
        if (warnings_.size() == most_warnings) return;
        parse_problem warning;
        set_place(warning, source_, of.offset);
        warning.where = of.name;
        warning.sentence = sentence;
        warnings_.push_back(std::move(warning));
    }

    // ---- expressions

    std::uint32_t greatest_depth() const noexcept { return (std::min<std::uint32_t>)(limits_.depth, 1024); }
    bool read_alternatives(expression_id& made, std::uint32_t depth, line_end over) {
        if (depth > greatest_depth()) return fail("groups are nested too deeply");
        std::vector<expression_id> alternatives(1);
        if (!read_sequence(alternatives.back(), depth, over)) return false;
        while (take('|')) {
            skip_space(line_end::goes_on);
            alternatives.push_back(0);
            if (!read_sequence(alternatives.back(), depth, over)) return false;
        }
        made = grammar_.add_list(expression_kind::alternatives, alternatives.data(), alternatives.size());
        return true;
    }
    bool read_sequence(expression_id& made, std::uint32_t depth, line_end over) {
        std::vector<expression_id> items;
        while (!at_end()) {
            if (here() == '*' || here() == '+' || here() == '?' || here() == '{') {
                if (!read_repetition(items, over)) return false;
                continue;
            }
            if (!begins_an_item()) break;
            items.push_back(0);
            if (!read_item(items.back(), depth)) return false;
            skip_space(over);
        }
        made = items.empty() ? grammar_.add_literal({})
                             : grammar_.add_list(expression_kind::sequence, items.data(), items.size());
        return true;
    }
    bool begins_an_item() const noexcept {
        const char c = here();
        return c == '"' || c == '[' || c == '(' || c == '.' || c == '<' || c == '!' || is_of_name(c);
    }
    bool read_item(expression_id& made, std::uint32_t depth) {
        switch (here()) {
        case '"': return read_literal(made);
        case '[': return read_characters(made);
        case '(': return read_group(made, depth);
        case '<':
        case '!': return read_token(made);
        case '.':
            ++at_;
            made = grammar_.add_characters(code_point_set().inverted());
            return true;
        default: {
            const std::size_t begin = at_;
            const text name = read_name();
            made = grammar_.add_rule(names_.find_or_add(grammar_, name, begin));
            return true;
        }
        }
    }
    bool read_group(expression_id& made, std::uint32_t depth) {
        const std::size_t begin = at_++;
        skip_space(line_end::goes_on);
        if (!read_alternatives(made, depth + 1, line_end::goes_on)) return false;
        if (take(')')) return true;
        return at_end() ? fail_at(begin, "this ( is never closed") : fail(unexpected());
    }

    bool read_literal(expression_id& made) {
        const std::size_t begin = at_++;
        std::string bytes;
        while (!at_end() && here() != '"') {
            code_point c;
            if (!read_character(c)) return false;
            append_utf8(bytes, c);
        }
        if (!take('"')) return fail_at(begin, "this \" is never closed");
        made = grammar_.add_literal(bytes);
        return true;
    }
    bool read_characters(expression_id& made) {
        const std::size_t begin = at_++;
        const bool inverted = take('^');
        std::vector<code_point_range> ranges;
        while (!at_end() && here() != ']') {
            const std::size_t of_range = at_;
            code_point_range range;
            if (!read_character(range.first)) return false;
            range.last = range.first;
            if (here() == '-' && at_ + 1 < source_.size() && here(1) != ']') {
                ++at_;
                if (!read_character(range.last)) return false;
            }
            if (range.last < range.first) return fail_at(of_range, "this range ends before it begins");
            ranges.push_back(range);
        }
        if (!take(']')) return fail_at(begin, "this [ is never closed");
        if (ranges.empty()) return fail_at(begin, "a class without characters matches nothing");
        code_point_set set(std::move(ranges));
        if (inverted) set = set.inverted();
        if (set.empty()) return fail_at(begin, "a class without characters matches nothing");
        made = grammar_.add_characters(std::move(set));
        return true;
    }
    /// `<[12]>`, `<text>`, and with a ! ahead any token but that.
    bool read_token(expression_id& made) {
        const std::size_t begin = at_;
        const bool negated = take('!');
        if (!take('<')) return fail_at(begin, "a token must follow this !: !<[12]> or !<text>");
        token_reference reference;
        reference.offset = begin;
        if (here() == '[' && is_digit(here(1))) {
            ++at_;
            if (!read_number(reference.id, 0x7FFFFFFF)) return fail_at(begin, "there are no tokens with such an id");
            if (!take(']') || !take('>')) return fail_at(begin, "a token by its id is written <[12]>");
        } else {
            const std::size_t open = at_ - 1;
            while (!at_end() && here() != '>' && !is_line_end(here())) ++at_;
            if (!take('>')) return fail_at(begin, "this < is never closed");
            const text name = source_.part(open, at_ - open);
            if (name.size() == 2) return fail_at(begin, "a token without a text or an id");
            reference.name.assign(name.data(), name.size());
        }
        made = grammar_.add_token(std::move(reference), negated);
        return true;
    }

    bool read_repetition(std::vector<expression_id>& items, line_end over) {
        const std::size_t begin = at_;
        if (items.empty()) return fail_at(begin, "there is nothing before this to repeat");
        std::uint32_t least = 0, most = expression::unlimited;
        const char kind = here();
        ++at_;
        if (kind == '+') least = 1;
        if (kind == '?') most = 1;
        if (kind == '{' && !read_bounds(begin, least, most, over)) return false;
        if (most < least) return fail_at(begin, "the maximum of this repetition is below its minimum");
        if (grammar_.at(items.back()).height > 4 * greatest_depth())
            return fail_at(begin, "repetitions are nested too deeply");
        items.back() = grammar_.add_repetition(items.back(), least, most);
        skip_space(over);
        return true;
    }
    bool read_bounds(std::size_t begin, std::uint32_t& least, std::uint32_t& most, line_end over) {
        const char* const sentence = "a repetition is written {2}, {2,} or {2,5}";
        skip_space(over);
        if (!is_digit(here())) return fail_at(begin, sentence);
        if (!read_number(least, limits_.repetitions)) return fail_at(begin, too_many_repetitions());
        most = least;
        skip_space(over);
        if (take(',')) {
            skip_space(over);
            most = expression::unlimited;
            if (is_digit(here()) && !read_number(most, limits_.repetitions))
                return fail_at(begin, too_many_repetitions());
            skip_space(over);
        }
        return take('}') || fail_at(begin, sentence);
    }
    std::string too_many_repetitions() const {
        std::string sentence = "more than ";
        append_number(sentence, limits_.repetitions);
        return sentence += " repetitions, which is the limit";
    }
    grammar_limits limits_;
    Rules grammar_;
    rule_names<Rules> names_;
    std::vector<parse_problem> warnings_;
};

}  // namespace riffle::detail
