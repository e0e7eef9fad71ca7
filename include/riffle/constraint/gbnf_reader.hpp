#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <riffle/constraint/code_points.hpp>
#include <riffle/constraint/expressions.hpp>
#include <riffle/constraint/grammar_limits.hpp>
#include <riffle/constraint/parsed.hpp>
#include <riffle/constraint/rule_names.hpp>
#include <riffle/core/text.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// Reads GBNF, llama.cpp's notation for grammars (its grammars/README.md and llama-grammar.cpp), into rules. Stops at
/// the first problem. (As long as the notation: a function for each thing that it has.)
template <class Rules>
class gbnf_reader {
public:
    gbnf_reader(const text& source, const grammar_limits& limits) : source_(source), limits_(limits) {}

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
    Rules& rules() noexcept { return g_; }

private:
    /// Whether the end of a line ends what is read.
    enum class line_end { ends, goes_on };
    enum : std::size_t { most_warnings = 16 };

    // ---- the text

    bool at_end() const noexcept { return at_ >= source_.size(); }
    char here(std::size_t ahead = 0) const noexcept {
        return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0';
    }
    bool take(char c) noexcept {
        if (at_end() || here() != c) return false;
        ++at_;
        return true;
    }
    static bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
    static bool is_of_name(char c) noexcept {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '-' || c == '_';
    }
    static bool is_line_end(char c) noexcept { return c == '\n' || c == '\r'; }
    void skip_space(line_end over) noexcept {
        while (!at_end()) {
            if (here() == '#') {
                while (!at_end() && !is_line_end(here())) ++at_;
            } else if (here() == ' ' || here() == '\t' || (over == line_end::goes_on && is_line_end(here()))) {
                ++at_;
            } else {
                return;
            }
        }
    }
    bool is_utf8() {
        for (std::size_t i = 0; i < source_.size();) {
            const std::size_t length = decode_utf8(source_.part(i, 4)).length;
            if (length == 0) return fail_at(i, "this byte is not UTF-8");
            i += length;
        }
        return true;
    }

    // ---- problems

    bool fail_at(std::size_t offset, const char* sentence) { return fail_at(offset, std::string(sentence)); }
    bool fail_at(std::size_t offset, std::string sentence) {
        set_place(problem_, source_, offset);
        problem_.where = in_rule_;
        problem_.sentence = std::move(sentence);
        return false;
    }
    bool fail(const char* sentence) { return fail_at(at_, sentence); }

    // ---- rules

    text read_name() noexcept {
        const std::size_t begin = at_;
        while (!at_end() && is_of_name(here())) ++at_;
        return source_.part(begin, at_ - begin);
    }
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

        const std::uint32_t rule = names_.find_or_add(g_, name, begin);
        if (g_.rules.size() > limits_.rules) return fail_at(begin, "the grammar has more rules than the limit allows");
        if (g_.rules[rule].body != grammar_rules::no_expression)
            return fail_at(begin, "this rule is defined a second time");
        expression_id body;
        if (!read_alternatives(body, 0, line_end::ends)) return false;
        if (!at_end() && !is_line_end(here())) return fail(unexpected());
        g_.rules[rule].body = body;
        g_.rules[rule].offset = begin;
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
        for (const auto& rule : g_.rules)
            if (rule.body == grammar_rules::no_expression)
                return fail_at(rule.offset, "there is no rule called " + rule.name);
        const std::size_t found = names_.find(g_, root);
        if (found == g_.rules.size())
            return fail_at(0, "there is no rule called " + std::string(root.data(), root.size()) +
                                  ", with which the grammar is to begin");
        g_.root = std::uint32_t(found);
        warn_of_unused_rules();
        return true;
    }
    void warn_of_unused_rules() {
        std::vector<std::uint8_t> is_used(g_.rules.size());
        std::vector<std::uint32_t> left{g_.root};
        is_used[g_.root] = 1;
        std::vector<expression_id> inside;
        while (!left.empty()) {
            inside.assign(1, g_.rules[left.back()].body);
            left.pop_back();
            while (!inside.empty()) {
                const expression& e = g_.at(inside.back());
                inside.pop_back();
                for (std::size_t i = 0; e.has_parts() && i < e.count; ++i) inside.push_back(g_.part(e, i));
                if (e.kind != expression_kind::rule || is_used[e.first]) continue;
                is_used[e.first] = 1;
                left.push_back(e.first);
            }
        }
        for (std::size_t i = 0; i < is_used.size(); ++i)
            if (!is_used[i]) warn(g_.rules[i], "this rule is never used");
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

    bool read_alternatives(expression_id& made, std::uint32_t depth, line_end over) {
        if (depth > limits_.depth) return fail("groups are nested too deeply");
        std::vector<expression_id> alternatives(1);
        if (!read_sequence(alternatives.back(), depth, over)) return false;
        while (take('|')) {
            skip_space(line_end::goes_on);
            alternatives.push_back(0);
            if (!read_sequence(alternatives.back(), depth, over)) return false;
        }
        made = g_.add_list(expression_kind::alternatives, alternatives.data(), alternatives.size());
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
        made = items.empty() ? g_.add_literal({}) : g_.add_list(expression_kind::sequence, items.data(), items.size());
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
            made = g_.add_characters(code_point_set().inverted());
            return true;
        default: {
            const std::size_t begin = at_;
            const text name = read_name();
            made = g_.add_rule(names_.find_or_add(g_, name, begin));
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
        made = g_.add_literal(bytes);
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
        made = g_.add_characters(std::move(set));
        return true;
    }
    /// One character of a literal or a class, escaped or not.
    bool read_character(code_point& c) {
        const std::size_t begin = at_;
        if (!take('\\')) {
            const decoded_character next = decode_utf8(source_.part(at_, 4));
            c = next.value;
            at_ += next.length;
            return true;
        }
        if (at_end()) return fail_at(begin, "the text ends behind this \\");
        const char kind = here();
        ++at_;
        switch (kind) {
        case 'x': return read_hexadecimal(begin, 2, c);
        case 'u': return read_hexadecimal(begin, 4, c);
        case 'U': return read_hexadecimal(begin, 8, c);
        case 't': c = '\t'; return true;
        case 'r': c = '\r'; return true;
        case 'n': c = '\n'; return true;
        case '\\':
        case '"':
        case '[':
        case ']':
        case '-': c = code_point(kind); return true;
        default:
            return fail_at(begin,
                           "there is no such escape: \\x \\u \\U \\t \\r \\n \\\\ \\\" \\[ \\] and \\- are known");
        }
    }
    bool read_hexadecimal(std::size_t begin, int digits, code_point& c) {
        c = 0;
        for (int i = 0; i < digits; ++i, ++at_) {
            const char d = here();
            const int value = is_digit(d)            ? d - '0'
                              : d >= 'a' && d <= 'f' ? d - 'a' + 10
                              : d >= 'A' && d <= 'F' ? d - 'A' + 10
                                                     : -1;
            if (value < 0) return fail_at(begin, "this escape has too few hexadecimal digits: \\x has 2, \\u 4, \\U 8");
            c = c << 4 | code_point(value);
        }
        return is_character(c) || fail_at(begin, "this is no character of Unicode");
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
        made = g_.add_token(std::move(reference), negated);
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
        if (g_.at(items.back()).height > 4 * limits_.depth) return fail_at(begin, "repetitions are nested too deeply");
        items.back() = g_.add_repetition(items.back(), least, most);
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
    /// False, and all digits taken, where it is greater.
    bool read_number(std::uint32_t& number, std::uint32_t greatest) noexcept {
        std::uint64_t value = 0;
        for (; is_digit(here()); ++at_)
            value = (std::min<std::uint64_t>)(value * 10 + std::uint64_t(here() - '0'), std::uint64_t{1} << 40);
        number = std::uint32_t((std::min<std::uint64_t>)(value, greatest));
        return value <= greatest;
    }

    text source_;
    grammar_limits limits_;
    std::size_t at_ = 0;
    std::string in_rule_;  ///< the rule that is being read
    Rules g_;
    rule_names<Rules> names_;
    parse_problem problem_;
    std::vector<parse_problem> warnings_;
};

}  // namespace riffle::detail
