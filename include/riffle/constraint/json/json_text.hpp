#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <riffle/constraint/json/json_document.hpp>
#include <riffle/constraint/parsed.hpp>
#include <riffle/core/text.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// Takes what nlohmann-json's parser finds, and makes a document of it. The parser does not recurse, and stops where
/// this answers false.
template <class Document>
class json_events {
public:
    using json = nlohmann::json;

    json_events(Document& into, std::size_t most_depth) : into_(into), most_depth_(most_depth) {}

    bool null() { return into_.add(json_kind::null), true; }
    bool boolean(bool value) { return into_.add(json_kind::boolean, value ? "true" : "false"), true; }
    bool number_integer(json::number_integer_t value) {  // below 0
        return add_number("-" + in_digits(0 - std::uint64_t(value)));
    }
    bool number_unsigned(json::number_unsigned_t value) { return add_number(in_digits(value)); }
    bool number_float(json::number_float_t, const json::string_t& digits) { return add_number(digits); }
    bool string(json::string_t& value) { return into_.add(json_kind::string, value), true; }
    bool binary(json::binary_t&) { return false; }
    bool start_object(std::size_t) { return begin(json_kind::object); }
    bool start_array(std::size_t) { return begin(json_kind::array); }
    bool key(json::string_t& name) { return into_.set_name(name), true; }
    bool end_object() {
        const auto ended = into_.open();
        if (into_.end()) return true;
        while (into_.depth() > 0) into_.end();  // so that the place can be told
        where_ = into_.pointer(ended);
        return fail("a name stands twice in this object");
    }
    bool end_array() { return into_.end(); }
    bool parse_error(std::size_t read, const std::string&, const json::exception& why) {
        offset_ = read > 0 ? read - 1 : 0;
        return fail(why.id == 406 ? "this number is greater than JSON parsers take: it is no double"
                                  : "this is not JSON");
    }

    const char* problem() const noexcept { return problem_; }
    std::size_t offset() const noexcept { return offset_; }
    const std::string& where() const noexcept { return where_; }

private:
    bool fail(const char* sentence) noexcept {
        if (!problem_) problem_ = sentence;
        return false;
    }
    bool begin(json_kind kind) {
        if (into_.depth() >= most_depth_) return fail("values are nested more deeply than the limit allows");
        into_.begin(kind);
        return true;
    }
    /// A point is a point, whatever the locale.
    bool add_number(std::string digits) {
        for (char& c : digits)
            if (std::strchr("0123456789+-eE", c) == nullptr) c = '.';
        into_.add(json_kind::number, digits);
        return true;
    }

    Document& into_;
    std::size_t most_depth_;
    const char* problem_ = nullptr;
    std::size_t offset_ = 0;
    std::string where_;
};

/// Reads a JSON text (RFC 8259, in UTF-8); false where there is a problem.
template <class Document>
bool read_json(const text& source, std::size_t most_depth, Document& into, parse_problem& problem) {
    const void* const zero = source.empty() ? nullptr : std::memchr(source.data(), 0, source.size());
    if (zero != nullptr) {  // the parser would take it for the end
        set_place(problem, source, std::size_t(static_cast<const char*>(zero) - source.data()));
        problem.sentence = "this is not JSON";
        return false;
    }
    json_events<Document> events(into, most_depth);
    const std::string_view view(source.data(), source.size());
    if (nlohmann::json::sax_parse(view.begin(), view.end(), &events)) return true;
    problem.where = events.where();
    if (problem.where.empty()) set_place(problem, source, events.offset());
    problem.sentence = events.problem() ? events.problem() : "this is not JSON";
    return false;
}

}  // namespace riffle::detail
