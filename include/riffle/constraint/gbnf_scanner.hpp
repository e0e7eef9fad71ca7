#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <riffle/constraint/code_points.hpp>
#include <riffle/constraint/parsed.hpp>
#include <riffle/core/text.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// A place in a text of GBNF. Takes from there what the notation is made of: white space, names, numbers, characters;
/// and holds the problem that was met.
class gbnf_scanner {
protected:
    /// Whether the end of a line ends what is read.
    enum class line_end { ends, goes_on };

    explicit gbnf_scanner(const text& source) noexcept : source_(source) {}

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
        const std::size_t read = utf8_prefix(source_);
        return read == source_.size() || fail_at(read, "this byte is not UTF-8");
    }
    text read_name() noexcept {
        const std::size_t begin = at_;
        while (!at_end() && is_of_name(here())) ++at_;
        return source_.part(begin, at_ - begin);
    }
    /// False, and all digits taken, where it is greater.
    bool read_number(std::uint32_t& number, std::uint32_t greatest) noexcept {
        std::uint64_t value = 0;
        for (; is_digit(here()); ++at_)
            value = (std::min<std::uint64_t>)(value * 10 + std::uint64_t(here() - '0'), std::uint64_t{1} << 40);
        number = std::uint32_t((std::min<std::uint64_t>)(value, greatest));
        return value <= greatest;
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

    bool fail_at(std::size_t offset, const char* sentence) { return fail_at(offset, std::string(sentence)); }
    bool fail_at(std::size_t offset, std::string sentence) {
        set_place(problem_, source_, offset);
        problem_.where = in_rule_;
        problem_.sentence = std::move(sentence);
        return false;
    }
    bool fail(const char* sentence) { return fail_at(at_, sentence); }

    text source_;
    std::size_t at_ = 0;
    std::string in_rule_;  ///< the rule that is being read
    parse_problem problem_;
};

}  // namespace riffle::detail
