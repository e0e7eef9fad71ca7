#pragma once
#include <cstddef>
#include <string>

#include <riffle/core/text.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// A reference to a resource, taken apart (RFC 3986, appendix B).
struct uri_parts {
    text scheme, authority, path, query;
    bool has_scheme = false, has_authority = false, has_query = false;
};
inline std::size_t find_in(const text& in, char c, std::size_t from = 0) noexcept {
    while (from < in.size() && in[from] != c) ++from;
    return from;
}
inline uri_parts uri_parts_of(text of) noexcept {
    uri_parts p;
    of = of.part(0, find_in(of, '#'));
    const std::size_t colon = find_in(of, ':');
    if (colon < of.size() && colon > 0 && colon < find_in(of, '/') && colon < find_in(of, '?')) {
        p.has_scheme = true;
        p.scheme = of.part(0, colon);
        of = of.part(colon + 1);
    }
    const std::size_t question = find_in(of, '?');
    if (question < of.size()) {
        p.has_query = true;
        p.query = of.part(question + 1);
    }
    of = of.part(0, question);
    if (of.starts_with("//")) {
        p.has_authority = true;
        const std::size_t end = find_in(of, '/', 2);
        p.authority = of.part(2, end - 2);
        of = of.part(end);
    }
    p.path = of;
    return p;
}
/// Without `.` and `..` (section 5.2.4).
template <class String>
String without_dots(const String& path) {
    String made;
    for (std::size_t at = 0; at < path.size();) {
        std::size_t end = find_in(text(path), '/', at);
        const String segment(path, at, end - at);
        const bool is_last = end >= path.size();
        if (segment == "..") {
            if (!made.empty()) made.pop_back();  // the / behind the segment that goes
            while (!made.empty() && made.back() != '/') made.pop_back();
        } else if (segment != ".") {
            made += segment;
            if (!is_last) made += '/';
        }
        at = end + 1;
    }
    return made;
}
/// A reference as a whole URI without its fragment (section 5.2.2).
template <class String = std::string>
String resolved_uri(const text& base, const text& reference) {
    const uri_parts b = uri_parts_of(base), r = uri_parts_of(reference);
    const auto string_of = [](const text& t) { return String(t.data(), t.size()); };
    String path = string_of(r.path);
    const bool takes_authority = !r.has_scheme && !r.has_authority;
    const bool takes_path = takes_authority && r.path.empty();
    if (takes_path) path = string_of(b.path);
    else if (takes_authority && !path.empty() && path[0] != '/') {
        std::size_t end = b.path.size();
        while (end > 0 && b.path[end - 1] != '/') --end;
        path = (end == 0 && b.has_authority ? String("/") : string_of(b.path.part(0, end))) + path;
    }
    String made;
    const text scheme = r.has_scheme ? r.scheme : b.scheme;
    if (r.has_scheme || b.has_scheme) made += string_of(scheme) + ":";
    const bool has_authority = takes_authority ? b.has_authority : r.has_authority;
    if (has_authority) made += "//" + string_of(takes_authority ? b.authority : r.authority);
    made += without_dots(path);
    const uri_parts& q = takes_path && !r.has_query ? b : r;
    if (q.has_query) made += "?" + string_of(q.query);
    return made;
}
/// Without the escapes %HH.
template <class String = std::string>
String without_percent_escapes(const text& of) {
    const auto digit = [](char c) {
        return c >= '0' && c <= '9' ? c - '0' : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10 : -1;
    };
    String made;
    for (std::size_t i = 0; i < of.size(); ++i) {
        const bool is_escape = of[i] == '%' && i + 2 < of.size() && digit(of[i + 1]) >= 0 && digit(of[i + 2]) >= 0;
        if (!is_escape) {
            made += of[i];
            continue;
        }
        made += char(digit(of[i + 1]) * 16 + digit(of[i + 2]));
        i += 2;
    }
    return made;
}

}  // namespace riffle::detail
