#pragma once
#include <cstddef>
#include <string>

#include <riffle/core/text.hpp>
#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// The items of a list, one after the other: of a JSON array or object, or of the same without its brackets. A string
/// is given as what it means, an inner list or object as it is written, anything else as its words. Nothing is
/// validated beyond what taking it apart needs.
class json_items {
public:
    explicit json_items(const text& list) noexcept : rest_(trimmed(list)) {
        if (has_ends('[', ']') || has_ends('{', '}')) rest_ = trimmed(rest_.part(1, rest_.size() - 2));
    }

    /// Whether there was another one. Behind a `,`, or in an object behind a `:`, so that names and values take turns.
    bool next(std::string& item) {
        item.clear();
        rest_ = trimmed(rest_);
        if (rest_.empty()) return false;
        if (rest_[0] == '"') take_string(item);
        else take_plain(item);
        rest_ = trimmed(rest_);
        if (!rest_.empty() && is_separator(rest_[0])) rest_ = rest_.part(1);
        return true;
    }
    static text trimmed(text t) noexcept {
        const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; };
        while (!t.empty() && blank(t[0])) t = t.part(1);
        while (!t.empty() && blank(t[t.size() - 1])) t = t.part(0, t.size() - 1);
        return t;
    }

private:
    bool has_ends(char first, char last) const noexcept {
        return rest_.size() >= 2 && rest_[0] == first && rest_[rest_.size() - 1] == last;
    }
    static bool is_separator(char c) noexcept { return c == ',' || c == ':'; }

    void take_string(std::string& into) {
        std::size_t i = 1;
        for (; i < rest_.size() && rest_[i] != '"'; ++i) {
            if (rest_[i] != '\\' || i + 1 == rest_.size()) into += rest_[i];
            else take_escape(++i, into);
        }
        rest_ = rest_.part(i + 1);
    }
    /// Up to the separator outside of inner brackets and strings.
    void take_plain(std::string& into) {
        std::size_t depth = 0, i = 0;
        for (bool in_string = false; i < rest_.size(); ++i) {
            const char c = rest_[i];
            if (c == '"') in_string = !in_string;
            if (in_string && c == '\\') ++i;  // and what it escapes
            if (in_string) continue;
            if (c == '[' || c == '{') ++depth;
            if ((c == ']' || c == '}') && depth > 0) --depth;
            if (depth == 0 && is_separator(c)) break;
        }
        const text plain = trimmed(rest_.part(0, i));
        into.assign(plain.data(), plain.size());
        rest_ = rest_.part(i);  // nothing, where an escape has led beyond the end
    }
    void take_escape(std::size_t& i, std::string& into) {
        switch (rest_[i]) {
        case 'n': into += '\n'; return;
        case 't': into += '\t'; return;
        case 'r': into += '\r'; return;
        case 'b': into += '\b'; return;
        case 'f': into += '\f'; return;
        case 'u': take_code_point(i, into); return;
        default: into += rest_[i];
        }
    }
    /// \uXXXX, two of them where they are a pair (RFC 8259, section 7), as UTF-8.
    void take_code_point(std::size_t& i, std::string& into) {
        unsigned long code = unit_at(i + 1);
        i += 4;
        if (code >= 0xD800 && code < 0xDC00 && rest_.part(i + 1).starts_with("\\u")) {
            code = 0x10000 + ((code - 0xD800) << 10) + ((unit_at(i + 3) - 0xDC00) & 0x3FF);
            i += 6;
        }
        const auto add = [&](unsigned long byte) { into += char(static_cast<unsigned char>(byte)); };
        if (code < 0x80) return add(code);
        if (code < 0x800) return add(0xC0 | code >> 6), add(0x80 | (code & 0x3F));
        if (code < 0x10000) return add(0xE0 | code >> 12), add(0x80 | (code >> 6 & 0x3F)), add(0x80 | (code & 0x3F));
        add(0xF0 | code >> 18), add(0x80 | (code >> 12 & 0x3F)), add(0x80 | (code >> 6 & 0x3F)),
            add(0x80 | (code & 0x3F));
    }
    unsigned long unit_at(std::size_t i) const noexcept {
        unsigned long unit = 0;
        for (std::size_t n = 0; n < 4 && i + n < rest_.size(); ++n) {
            const char c = rest_[i + n];
            const int digit = c >= '0' && c <= '9'   ? c - '0'
                              : c >= 'a' && c <= 'f' ? c - 'a' + 10
                              : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                     : 0;
            unit = unit * 16 + static_cast<unsigned long>(digit);
        }
        return unit;
    }

    text rest_;
};

/// What a value means that may be a JSON string, and any other as it is written.
inline std::string string_in(const text& value) {
    std::string string(value.data(), value.size());
    if (!value.empty() && value[0] == '"') json_items(value).next(string);
    return string;
}

/// Whether a value is a JSON string and nothing behind it.
inline bool is_one_string(const text& value) {
    if (value.empty() || value[0] != '"' || value[value.size() - 1] != '"') return false;
    std::string first, second;
    json_items items(value);
    return items.next(first) && !items.next(second);
}

}  // namespace riffle::detail
