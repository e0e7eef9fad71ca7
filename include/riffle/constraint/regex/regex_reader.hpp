#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <riffle/constraint/code_points.hpp>
#include <riffle/constraint/regex/regex_syntax.hpp>
#include <riffle/core/text.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

// The classes of ECMA-262 (section 22.2.2.9, CharacterClassEscape): digits and word characters are ASCII, white space
// is Unicode's and the byte order mark.

inline code_point_set regex_digits() { return code_point_set({{'0', '9'}}); }
inline code_point_set regex_word_characters() {
    return code_point_set({{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}});
}
inline code_point_set regex_spaces() {
    return code_point_set({{'\t', '\r'},
                           {' ', ' '},
                           {0xA0, 0xA0},
                           {0x1680, 0x1680},
                           {0x2000, 0x200A},
                           {0x2028, 0x2029},
                           {0x202F, 0x202F},
                           {0x205F, 0x205F},
                           {0x3000, 0x3000},
                           {0xFEFF, 0xFEFF}});
}
inline code_point_set regex_line_ends() { return code_point_set({{'\n', '\n'}, {'\r', '\r'}, {0x2028, 0x2029}}); }

/// Reads ECMA-262's regular expressions (section 22.2.1 and annex B.1.2), without back references and look-behind, of
/// which no automaton is made. Stops at the first problem.
template <class Regex>
class regex_reader {
public:
    struct limits {
        std::uint32_t depth = 128;  ///< groups within groups
        std::uint32_t repetitions = 1'000'000;
        std::size_t nodes = 1 << 18;
    };

    explicit regex_reader(text source, const limits& l = {}) : source_(source), limits_(l) {}

    /// False where there is a problem.
    bool read() {
        if (!read_alternatives(regex_.root, 0)) return false;
        return at_end() || fail(at_, "this ) has no matching (");
    }
    Regex& made() noexcept { return regex_; }
    std::size_t problem_offset() const noexcept { return offset_; }
    const char* problem() const noexcept { return problem_; }

private:
    using node_id = typename Regex::node_id;

    bool fail(std::size_t at, const char* sentence) noexcept {
        offset_ = at;
        problem_ = sentence;
        return false;
    }
    bool at_end() const noexcept { return at_ >= source_.size(); }
    char here(std::size_t beyond = 0) const noexcept {
        return at_ + beyond < source_.size() ? source_[at_ + beyond] : '\0';
    }
    bool take(char c) noexcept {
        if (at_end() || here() != c) return false;
        ++at_;
        return true;
    }
    bool take(text these) noexcept {
        if (!source_.part(at_).starts_with(these)) return false;
        at_ += these.size();
        return true;
    }

    bool read_alternatives(node_id& made, std::uint32_t depth) {
        if (depth > limits_.depth) return fail(at_, "groups are nested too deeply");
        std::vector<node_id> alternatives;
        do {
            alternatives.push_back(0);
            if (!read_sequence(alternatives.back(), depth)) return false;
        } while (take('|'));
        made = regex_.add_list(regex_kind::alternatives, alternatives);
        return true;
    }
    bool read_sequence(node_id& made, std::uint32_t depth) {
        std::vector<node_id> items;
        while (!at_end() && here() != '|' && here() != ')') {
            node_id item = 0;
            bool can_repeat = true;
            const std::size_t begin = at_;
            if (!read_item(item, can_repeat, depth) || !read_quantifier(item, can_repeat, begin)) return false;
            if (regex_.nodes.size() > limits_.nodes) return fail(begin, "the pattern is larger than the limit allows");
            const auto& n = regex_.at(item);
            if (n.kind == regex_kind::sequence)  // a group that is not repeated
                for (std::size_t i = 0; i < n.count; ++i) items.push_back(regex_.part(n, i));
            else items.push_back(item);
        }
        made = regex_.add_list(regex_kind::sequence, items);
        return true;
    }
    bool read_item(node_id& made, bool& can_repeat, std::uint32_t depth) {
        const std::size_t begin = at_;
        switch (here()) {
        case '^':
        case '$':
            made = regex_.add(here() == '^' ? regex_kind::text_begin : regex_kind::text_end);
            can_repeat = false;
            ++at_;
            return true;
        case '(': return read_group(made, can_repeat, depth);
        case '.':
            ++at_;
            made = regex_.add_characters(regex_line_ends().inverted());
            return true;
        case '[': return read_class(made);
        case '*':
        case '+':
        case '?': return fail(begin, "there is nothing before this to repeat");
        case '{':
            if (is_quantifier()) return fail(begin, "there is nothing before this to repeat");
            break;
        case '\\':
            if (here(1) == 'b' || here(1) == 'B') {
                made = regex_.add(here(1) == 'b' ? regex_kind::word_boundary : regex_kind::not_word_boundary);
                can_repeat = false;
                at_ += 2;
                return true;
            }
            break;
        default: break;
        }
        code_point_set set;
        if (!read_character_or_class(set, false)) return false;
        made = regex_.add_characters(std::move(set));
        return true;
    }
    bool read_group(node_id& made, bool& can_repeat, std::uint32_t depth) {
        const std::size_t begin = at_++;
        regex_kind kind = regex_kind::sequence;
        if (take("?=")) kind = regex_kind::ahead;
        else if (take("?!")) kind = regex_kind::not_ahead;
        else if (take("?<=") || take("?<!")) return fail(begin, "look-behind is not supported");
        else if (take("?<")) {
            while (!at_end() && here() != '>') ++at_;
            if (!take('>')) return fail(begin, "the name of this group is never closed");
        } else if (take('?') && !take(':')) {
            return fail(begin,
                        "a group begins with (, (?:, (?=, (?! or (?<name>; modes and other forms are not ECMA-262's");
        }
        node_id inside = 0;
        if (!read_alternatives(inside, depth + 1)) return false;
        if (!take(')')) return fail(begin, "this ( is never closed");
        made = kind == regex_kind::sequence ? inside : regex_.add_list(kind, {inside});
        can_repeat = kind == regex_kind::sequence;
        return true;
    }

    // ---- how often

    /// Whether a { begins a number of repetitions; else it stands for itself (annex B.1.2).
    bool is_quantifier() const noexcept {
        std::size_t i = 1;
        while (is_digit(here(i))) ++i;
        if (i == 1) return false;
        if (here(i) == ',')
            for (++i; is_digit(here(i));) ++i;
        return here(i) == '}';
    }
    static bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
    bool read_quantifier(node_id& item, bool can_repeat, std::size_t begin) {
        std::uint32_t least = 0, most = Regex::unlimited;
        if (take('*')) {
        } else if (take('+')) least = 1;
        else if (take('?')) most = 1;
        else if (here() == '{' && is_quantifier()) {
            if (!read_bounds(least, most)) return false;
        } else {
            // Python reads {,5} as {0,5}, ECMA-262 as five characters.
            if (here() == '{' && here(1) == ',' && is_digit(here(2))) return fail(at_, "write {0,n} in place of {,n}");
            return true;
        }
        take('?');  // as few as can be: the language is the same
        if (!can_repeat) return fail(begin, "only what matches characters can be repeated");
        if (here() == '+' || here() == '*' || here() == '?' || (here() == '{' && is_quantifier()))
            return fail(at_, "there is nothing before this to repeat");
        item = regex_.add_repetition(item, least, most);
        return true;
    }
    bool read_bounds(std::uint32_t& least, std::uint32_t& most) {
        const std::size_t begin = at_++;
        if (!read_number(least)) return fail(begin, "more repetitions than the limit allows");
        most = least;
        if (take(',')) {
            most = Regex::unlimited;
            if (is_digit(here()) && !read_number(most)) return fail(begin, "more repetitions than the limit allows");
        }
        take('}');
        return most >= least || fail(begin, "the maximum of this repetition is below its minimum");
    }
    bool read_number(std::uint32_t& number) noexcept {
        for (number = 0; is_digit(here()); ++at_) {
            number = number * 10 + std::uint32_t(here() - '0');
            if (number > limits_.repetitions) return false;
        }
        return true;
    }

    // ---- characters

    bool read_class(node_id& made) {
        const std::size_t begin = at_++;
        const bool is_inverted = take('^');
        std::vector<code_point_range> ranges;
        while (!at_end() && here() != ']') {
            const std::size_t of_range = at_;
            code_point_set first, last;
            if (!read_character_or_class(first, true)) return false;
            if (here() == '-' && at_ + 1 < source_.size() && here(1) != ']') {
                ++at_;
                if (!read_character_or_class(last, true)) return false;
                if (first.size() == 1 && last.size() == 1) {
                    const code_point_range range{first.ranges()[0].first, last.ranges()[0].first};
                    if (range.last < range.first) return fail(of_range, "this range ends before it begins");
                    ranges.push_back(range);
                    continue;
                }
                ranges.push_back({'-', '-'});  // [\w-.] is no range (annex B.1.2)
                ranges.insert(ranges.end(), last.ranges().begin(), last.ranges().end());
            }
            ranges.insert(ranges.end(), first.ranges().begin(), first.ranges().end());
        }
        if (!take(']')) return fail(begin, "this [ is never closed");
        code_point_set set(std::move(ranges));
        made = regex_.add_characters(is_inverted ? set.inverted() : std::move(set));
        return true;
    }
    bool read_character_or_class(code_point_set& set, bool in_class) {
        if (here() == '\\') return read_escape(set, in_class);
        const decoded_character c = decode_utf8(source_.part(at_));
        if (c.length == 0) return fail(at_, "the pattern is not UTF-8");
        at_ += c.length;
        set = one(c.value);
        return true;
    }
    static code_point_set one(code_point c) { return code_point_set({{c, c}}); }
    bool read_escape(code_point_set& set, bool in_class) {
        const std::size_t begin = at_++;
        if (at_end()) return fail(begin, "the pattern ends in a \\");
        const char c = here();
        const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c);
        if (!is_letter) {  // it stands for itself
            const decoded_character itself = decode_utf8(source_.part(at_));
            if (itself.length == 0) return fail(at_, "the pattern is not UTF-8");
            at_ += itself.length;
            set = one(itself.value);
            return true;
        }
        ++at_;
        switch (c) {
        case 'd': set = regex_digits(); return true;
        case 'D': set = regex_digits().inverted(); return true;
        case 'w': set = regex_word_characters(); return true;
        case 'W': set = regex_word_characters().inverted(); return true;
        case 's': set = regex_spaces(); return true;
        case 'S': set = regex_spaces().inverted(); return true;
        case 't': set = one('\t'); return true;
        case 'n': set = one('\n'); return true;
        case 'v': set = one('\v'); return true;
        case 'f': set = one('\f'); return true;
        case 'r': set = one('\r'); return true;
        case '0':
            if (is_digit(here())) return fail(begin, "octal escapes are not supported; write \\xHH");
            set = one(0);
            return true;
        case 'b':
            if (!in_class) break;
            set = one('\b');
            return true;
        case 'c':
            if (const char letter = char(here() | 0x20); letter >= 'a' && letter <= 'z') {
                ++at_;
                set = one(code_point(letter & 0x1F));
                return true;
            }
            break;
        case 'x': return read_hexadecimal(set, begin, 2);
        case 'u': return read_unicode(set, begin);
        case 'p':
        case 'P':
            return fail(begin, "classes by Unicode property (\\p{...}) are not supported; write a class of ranges");
        case 'k': return fail(begin, "back references are not supported: what they match is no regular language");
        default: break;
        }
        if (is_digit(c))
            return fail(begin, "back references are not supported: what they match is no regular language");
        return fail(begin, "ECMA-262 has no such escape");
    }
    bool read_digits(code_point& value, std::size_t count) noexcept {
        value = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const char c = char(here(i) | 0x20);
            const bool is_hexadecimal = is_digit(here(i)) || (c >= 'a' && c <= 'f');
            if (!is_hexadecimal) return false;
            value = value * 16 + code_point(is_digit(here(i)) ? here(i) - '0' : c - 'a' + 10);
        }
        at_ += count;
        return true;
    }
    bool read_hexadecimal(code_point_set& set, std::size_t begin, std::size_t count) {
        code_point value;
        if (!read_digits(value, count)) return fail(begin, "this escape needs hexadecimal digits");
        set = one(value);
        return true;
    }
    bool read_unicode(code_point_set& set, std::size_t begin) {
        code_point value = 0;
        if (take('{')) {
            std::size_t digits = 0;
            while (digits < 8 && here(digits) != '}') ++digits;
            if (digits == 0 || !read_digits(value, digits) || !take('}') || value > greatest_code_point)
                return fail(begin, "no character has this number");
        } else if (!read_digits(value, 4)) {
            return fail(begin, "this escape needs hexadecimal digits");
        }
        code_point low;
        const std::size_t behind = at_;
        const bool is_high = value >= 0xD800 && value <= 0xDBFF;
        if (is_high && take("\\u") && read_digits(low, 4) && low >= 0xDC00 && low <= 0xDFFF)
            value = 0x10000 + ((value - 0xD800) << 10) + (low - 0xDC00);
        else if (is_high) at_ = behind;
        if (!is_character(value)) return fail(begin, surrogate);
        set = one(value);
        return true;
    }

    static constexpr const char* surrogate =
        "half of a surrogate pair: patterns match characters, not their UTF-16; write \\u{...}";

    text source_;
    limits limits_;
    Regex regex_;
    std::size_t at_ = 0, offset_ = 0;
    const char* problem_ = nullptr;
};

}  // namespace riffle::detail
