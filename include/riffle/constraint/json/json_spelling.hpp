#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <riffle/constraint/code_points.hpp>
#include <riffle/constraint/expressions.hpp>
#include <riffle/constraint/json/json_schema_options.hpp>
#include <riffle/constraint/numbering.hpp>
#include <riffle/core/text.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// Characters in JSON's strings (RFC 8259, section 7), as expressions of a grammar.
template <class Rules>
class json_spelling {
public:
    json_spelling(Rules& of, json_escapes escapes) : rules_(of), escapes_(escapes) {}

    /// One character of a set.
    expression_id operator()(const code_point_set& set) {
        key_.clear();
        for (const auto& range : set.ranges()) key_.insert(key_.end(), {range.first, range.last});
        const std::uint32_t number = numbers_.number_of(key_);
        if (number == made_.size()) made_.push_back(make(set));
        return made_[number];
    }
    /// As parts, one of which it is. What many sets have in common, the characters beyond ASCII and the escapes, are
    /// the same parts each time, so that a graph has them once.
    void add_parts(const code_point_set& set, std::vector<expression_id>& to) {
        const auto& ranges = set.ranges();
        const bool has_all_beyond = ranges.size() >= 2 &&
                                    ranges.back() == code_point_range{0xE000, greatest_code_point} &&
                                    ranges[ranges.size() - 2].first <= 0x80 && ranges[ranges.size() - 2].last == 0xD7FF;
        if (!has_all_beyond || escapes_ == json_escapes::any) return to.push_back((*this)(set));
        const code_point_set raw = set.intersected(raw_ascii_), others = set.intersected(escaped_);
        if (!raw.empty()) to.push_back(rules_.add_characters(raw));
        to.push_back((*this)(beyond_ascii_));
        if (!others.empty()) to.push_back(escapes_of(set, others));
    }
    expression_id any() { return (*this)(code_point_set().inverted()); }

    /// A text as it stands between the quotes, in the one spelling that names have.
    static std::string spelled(const text& of) {
        std::string made;
        for (const char c : of) {
            const char* const digits = "0123456789abcdef";
            if (const char e = short_escape(code_point(std::uint8_t(c))); e != 0) (made += '\\') += e;
            else if (std::uint8_t(c) < 0x20) ((made += "\\u00") += digits[c >> 4]) += digits[c & 15];
            else made += c;
        }
        return made;
    }

private:
    static char short_escape(code_point c) noexcept {
        switch (c) {
        case '"': return '"';
        case '\\': return '\\';
        case '\b': return 'b';
        case '\f': return 'f';
        case '\n': return 'n';
        case '\r': return 'r';
        case '\t': return 't';
        default: return 0;
        }
    }
    expression_id make(const code_point_set& set) {
        const code_point_set raw = set.intersected(escaped_.inverted()), others = set.intersected(escaped_);
        std::vector<expression_id> ways;
        if (!raw.empty()) ways.push_back(rules_.add_characters(raw));
        if (!others.empty() || escapes_ == json_escapes::any) ways.push_back(escapes_of(set, others));
        if (ways.empty()) ways.push_back(rules_.add_characters(set));  // of nothing
        return list(expression_kind::alternatives, ways);
    }
    expression_id escapes_of(const code_point_set& set, const code_point_set& others) {
        const bool is_all = escapes_ == json_escapes::needed && others == escaped_;
        if (is_all && escapes_of_all_ != none) return escapes_of_all_;
        std::vector<code_point_range> letters;
        for (const auto& range : others.ranges())
            for (code_point c = range.first; c <= range.last; ++c)
                if (const char e = short_escape(c); e != 0) letters.push_back({code_point(e), code_point(e)});
        if (escapes_ == json_escapes::any && set.has('/')) letters.push_back({'/', '/'});
        std::vector<expression_id> ways;
        if (!letters.empty()) ways.push_back(rules_.add_characters(code_point_set(std::move(letters))));
        const code_point_set by_number =
            escapes_ == json_escapes::any ? set : others.intersected(code_point_set({{0, 0x1F}}));
        if (!by_number.empty()) add_numbers(by_number, ways);
        if (ways.empty()) return rules_.add_characters({});
        const expression_id parts[] = {rules_.add_literal("\\"), list(expression_kind::alternatives, ways)};
        const expression_id made = rules_.add_list(expression_kind::sequence, parts, 2);
        if (is_all) escapes_of_all_ = made;
        return made;
    }
    expression_id list(expression_kind kind, const std::vector<expression_id>& of) {
        return rules_.add_list(kind, of.data(), of.size());
    }

    // ---- \uXXXX, and two of them for what lies above FFFF (section 7; the first one from D800 on, the second DC00)

    void add_numbers(const code_point_set& set, std::vector<expression_id>& ways) {
        std::vector<expression_id> all;
        for (const auto& range : set.ranges()) {
            if (range.first <= 0xFFFF) add_unit(range.first, (std::min<code_point>)(range.last, 0xFFFF), all);
            if (range.last > 0xFFFF)
                add_pairs((std::max<code_point>)(range.first, 0x10000) - 0x10000, range.last - 0x10000, all);
        }
        const expression_id parts[] = {rules_.add_literal("u"), list(expression_kind::alternatives, all)};
        ways.push_back(rules_.add_list(expression_kind::sequence, parts, 2));
    }
    void add_pairs(code_point first, code_point last, std::vector<expression_id>& to) {
        const auto pair = [&](code_point high_first, code_point high_last, code_point low_first, code_point low_last) {
            std::vector<expression_id> high, low;
            add_unit(0xD800 + high_first, 0xD800 + high_last, high);
            add_unit(0xDC00 + low_first, 0xDC00 + low_last, low);
            const expression_id parts[] = {list(expression_kind::alternatives, high), rules_.add_literal("\\u"),
                                           list(expression_kind::alternatives, low)};
            to.push_back(rules_.add_list(expression_kind::sequence, parts, 3));
        };
        const code_point high_first = first >> 10, high_last = last >> 10, low_first = first & 0x3FF,
                         low_last = last & 0x3FF;
        if (high_first == high_last) return pair(high_first, high_last, low_first, low_last);
        const bool is_whole_first = low_first == 0, is_whole_last = low_last == 0x3FF;
        if (!is_whole_first) pair(high_first, high_first, low_first, 0x3FF);
        const code_point from = high_first + !is_whole_first, to_ = high_last - !is_whole_last;
        if (from <= to_ && to_ <= high_last) pair(from, to_, 0, 0x3FF);
        if (!is_whole_last) pair(high_last, high_last, 0, low_last);
    }
    /// The four digits of the numbers of a range.
    void add_unit(code_point first, code_point last, std::vector<expression_id>& to) {
        add_digits(first, last, 4, {}, to);
    }
    void add_digits(code_point first, code_point last, std::uint32_t count, std::vector<expression_id> ahead,
                    std::vector<expression_id>& to) {
        const code_point below = (code_point{1} << (4 * (count - 1))) - 1;
        const bool is_whole = (first & below) == 0 && (last & below) == below;
        if (is_whole) {
            ahead.push_back(digit(first >> (4 * (count - 1)), last >> (4 * (count - 1))));
            for (std::uint32_t i = 1; i < count; ++i) ahead.push_back(digit(0, 15));
            to.push_back(list(expression_kind::sequence, ahead));
            return;
        }
        const std::uint32_t shift = 4 * (count - 1);
        for (code_point d = first >> shift; d <= last >> shift;) {
            const code_point lowest = d << shift, from = (std::max)(first, lowest),
                             end = (std::min)(last, lowest | below);
            if (from == lowest && end == (lowest | below)) {  // and so may the next ones be
                code_point d_end = d;
                while (d_end < last >> shift && (((d_end + 1) << shift) | below) <= last) ++d_end;
                std::vector<expression_id> whole = ahead;
                whole.push_back(digit(d, d_end));
                for (std::uint32_t i = 1; i < count; ++i) whole.push_back(digit(0, 15));
                to.push_back(list(expression_kind::sequence, whole));
                d = d_end + 1;
                continue;
            }
            std::vector<expression_id> behind = ahead;
            behind.push_back(digit(d, d));
            add_digits(from & below, end & below, count - 1, behind, to);
            ++d;
        }
    }
    expression_id digit(code_point first, code_point last) {
        std::vector<code_point_range> ranges;
        if (first <= 9) ranges.push_back({'0' + first, '0' + (std::min<code_point>)(last, 9)});
        if (last >= 10) {
            const code_point from = (std::max<code_point>)(first, 10) - 10;
            ranges.push_back({'a' + from, 'a' + last - 10});
            ranges.push_back({'A' + from, 'A' + last - 10});
        }
        return rules_.add_characters(code_point_set(std::move(ranges)));
    }

    enum : expression_id { none = ~0u };

    Rules& rules_;
    json_escapes escapes_;
    const code_point_set escaped_{{{0, 0x1F}, {'"', '"'}, {'\\', '\\'}}};
    const code_point_set raw_ascii_{{{' ', '!'}, {'#', '['}, {']', 0x7F}}},
        beyond_ascii_{{{0x80, greatest_code_point}}};
    list_numbers numbers_;
    std::vector<std::uint32_t> key_;
    std::vector<expression_id> made_;  ///< of each set that came before
    expression_id escapes_of_all_ = none;
};

}  // namespace riffle::detail
