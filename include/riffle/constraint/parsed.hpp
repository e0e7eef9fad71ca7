#pragma once
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include <riffle/core/text.hpp>

namespace riffle::inline RIFFLE_ABI {

namespace detail {

/// A number in digits, whatever the locale.
template <class String>
void append_number(String& to, std::uint64_t number) {
    if (number >= 10) append_number(to, number / 10);
    to += char('0' + number % 10);
}
template <class String = std::string>
String in_digits(std::uint64_t number) {
    String digits;
    append_number(digits, number);
    return digits;
}

}  // namespace detail

/// What is wrong with a text, and where. (A status holds literals and a number: it cannot name a place in a text.)
template <class String>
struct basic_parse_problem {
    std::size_t offset = 0;  ///< bytes of the text ahead of the place
    /// The line of the place, from 1; 0: no place in the text.
    std::size_t line = 0, column = 0;  ///< and its column, which counts characters from 1; 0: no place in the text
    String where;     ///< what the place belongs to: the name of a rule, a JSON pointer; empty where there is none
    String sentence;  ///< what is wrong there

    /// `line:column: in where: sentence`, for a person.
    String message() const {
        String all;
        if (line != 0) {
            detail::append_number(all, line);
            all += ':';
            detail::append_number(all, column);
            all += ": ";
        }
        if (!where.empty()) ((all += "in ") += where) += ": ";
        return all += sentence;
    }
};

using parse_problem = basic_parse_problem<std::string>;

namespace detail {

/// Where an offset lies in a text. (A column counts what is no continuation byte.)
template <class Problem>
void set_place(Problem& problem, const text& source, std::size_t offset) {
    problem.offset = offset;
    problem.line = problem.column = 1;
    for (std::size_t i = 0; i < offset && i < source.size(); ++i) {
        const char c = source[i];
        const bool is_line_end = c == '\n' || (c == '\r' && !(i + 1 < source.size() && source[i + 1] == '\n'));
        if (is_line_end) ++problem.line, problem.column = 1;
        else if ((std::uint8_t(c) & 0xC0) != 0x80) ++problem.column;
    }
}

}  // namespace detail

#if defined(__cpp_exceptions)
/// What parsed::value throws: the problem in words.
template <class Problem>
class basic_parse_error : public std::exception {
public:
    /// Keeps the problem, and its message() as text.
    explicit basic_parse_error(Problem problem) : problem_(std::move(problem)), text_(problem_.message()) {}
    /// `line:column: in where: sentence`, for a person.
    const char* what() const noexcept override { return text_.c_str(); }
    /// What was wrong with the text, and where.
    const Problem& problem() const noexcept { return problem_; }

private:
    Problem problem_;
    std::string text_;
};
using parse_error = basic_parse_error<parse_problem>;
#endif

/// What a text was read as, or the problem that it has. Warnings are there in both cases: what was read, but may not be
/// what was meant.
///
///     parsed<grammar> g = parse_gbnf(source);
///     if (!g) std::puts(g.problem().message().c_str());
template <class T>
class parsed {
public:
    /// Nothing was read yet: not ok, and no problem either.
    parsed() = default;
    /// Read, with warnings perhaps.
    explicit parsed(T value, std::vector<parse_problem> warnings = {})
        : value_(std::move(value)), warnings_(std::move(warnings)), is_good_(true) {}
    /// Not read.
    explicit parsed(parse_problem problem, std::vector<parse_problem> warnings = {})
        : problem_(std::move(problem)), warnings_(std::move(warnings)) {}

    /// Whether the text could be read.
    bool ok() const noexcept { return is_good_; }
    /// Whether the text could be read, for `if (p)`.
    explicit operator bool() const noexcept { return is_good_; }
    /// What it was read as; T's default where it could not be.
    const T& operator*() const noexcept { return value_; }
    /// Members of what it was read as; of T's default where it could not be.
    const T* operator->() const noexcept { return &value_; }
    /// What it was read as. Where it could not be: throws parse_error where exceptions are on, else T's default.
    const T& value() const {
#if defined(__cpp_exceptions)
        if (!is_good_) throw parse_error(problem_);
#endif
        return value_;
    }
    /// The first problem; nothing in it where ok().
    const parse_problem& problem() const noexcept { return problem_; }
    /// In the order of the text; empty where nothing is odd.
    const std::vector<parse_problem>& warnings() const noexcept { return warnings_; }

private:
    T value_{};
    parse_problem problem_;
    std::vector<parse_problem> warnings_;
    bool is_good_ = false;
};

namespace detail {

/// What read() answers; where it throws there is no memory, which is a problem without a place.
template <class T, class Read>
parsed<T> read_in_memory(Read read) noexcept {
    RIFFLE_TRY { return read(); }
    RIFFLE_CATCH {
        parse_problem problem;
        problem.sentence = "out of memory";
        return parsed<T>(std::move(problem));
    }
}

}  // namespace detail
}  // namespace riffle
