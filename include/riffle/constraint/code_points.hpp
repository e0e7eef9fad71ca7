#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <riffle/core/text.hpp>

// Characters: Unicode's code points without the surrogates, and UTF-8 as RFC 3629 has it (no overlong forms, nothing
// above 10FFFF).

namespace riffle::inline RIFFLE_ABI::detail {

using code_point = std::uint32_t;

enum : code_point { greatest_code_point = 0x10FFFF, first_surrogate = 0xD800, last_surrogate = 0xDFFF };

constexpr bool is_character(code_point c) noexcept {
    return c <= greatest_code_point && (c < first_surrogate || c > last_surrogate);
}
/// How many bytes a character has.
constexpr std::size_t utf8_length(code_point c) noexcept { return c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4; }

template <class String>
void append_utf8(String& to, code_point c) {
    const std::size_t length = utf8_length(c);
    if (length == 1) {
        to += char(c);
        return;
    }
    const code_point lead = length == 2 ? 0xC0 : length == 3 ? 0xE0 : 0xF0;
    to += char(lead | c >> (6 * (length - 1)));
    for (std::size_t left = length - 1; left-- > 0;) to += char(0x80 | (c >> (6 * left) & 0x3F));
}

/// The character at the front of some bytes, and how many bytes it has; 0 where no character stands there.
struct decoded_character {
    code_point value = 0;
    std::size_t length = 0;
};
inline decoded_character decode_utf8(const text& bytes) noexcept {
    if (bytes.empty()) return {};
    const auto first = std::uint8_t(bytes[0]);
    const std::size_t length = first < 0x80 ? 1 : first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if (length == 0 || length > bytes.size()) return {};
    code_point value = length == 1 ? first : first & (0x7Fu >> length);
    for (std::size_t i = 1; i < length; ++i) {
        const auto next = std::uint8_t(bytes[i]);
        if ((next & 0xC0) != 0x80) return {};
        value = value << 6 | (next & 0x3Fu);
    }
    if (!is_character(value) || utf8_length(value) != length) return {};
    return {value, length};
}

/// How many bytes of a text are whole characters, from its beginning on.
inline std::size_t utf8_prefix(const text& bytes) noexcept {
    std::size_t read = 0;
    while (read < bytes.size()) {
        const std::size_t length = decode_utf8(bytes.part(read, 4)).length;
        if (length == 0) break;
        read += length;
    }
    return read;
}
inline bool is_utf8(const text& bytes) noexcept { return utf8_prefix(bytes) == bytes.size(); }

struct code_point_range {
    code_point first, last;
    friend bool operator==(const code_point_range&, const code_point_range&) = default;
};

/// A set of characters: ascending ranges that do not touch.
template <class Range>
class basic_code_point_set {
public:
    basic_code_point_set() = default;
    /// Of ranges in any order. Surrogates and what lies above 10FFFF are left out. O(n log n).
    explicit basic_code_point_set(std::vector<Range> of) {
        std::sort(of.begin(), of.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        for (const auto& range : of) {
            if (range.first < first_surrogate) join({range.first, (std::min<code_point>)(range.last, 0xD7FF)});
            if (range.last > last_surrogate) join({(std::max<code_point>)(range.first, 0xE000), range.last});
        }
    }
    /// All other characters.
    basic_code_point_set inverted() const {
        std::vector<Range> others;
        code_point next = 0;
        for (const auto& range : ranges_) {
            if (range.first > next) others.push_back({next, range.first - 1});
            next = range.last + 1;
        }
        if (next <= greatest_code_point) others.push_back({next, greatest_code_point});
        return basic_code_point_set(std::move(others));
    }
    /// The characters that another set has too.
    basic_code_point_set intersected(const basic_code_point_set& other) const {
        std::vector<Range> both;
        auto a = ranges_.begin(), b = other.ranges_.begin();
        while (a != ranges_.end() && b != other.ranges_.end()) {
            const code_point first = (std::max)(a->first, b->first), last = (std::min)(a->last, b->last);
            if (first <= last) both.push_back({first, last});
            a->last < b->last ? ++a : ++b;
        }
        return basic_code_point_set(std::move(both));
    }
    bool has(code_point c) const noexcept {
        const auto next = std::upper_bound(ranges_.begin(), ranges_.end(), c,
                                           [](code_point v, const auto& r) { return v < r.first; });
        return next != ranges_.begin() && c <= std::prev(next)->last;
    }
    bool empty() const noexcept { return ranges_.empty(); }
    std::size_t size() const noexcept {
        std::size_t all = 0;
        for (const auto& range : ranges_) all += range.last - range.first + 1;
        return all;
    }
    const std::vector<Range>& ranges() const noexcept { return ranges_; }
    friend bool operator==(const basic_code_point_set&, const basic_code_point_set&) = default;

private:
    /// Ranges come in ascending order.
    void join(Range range) {
        range.last = (std::min<code_point>)(range.last, greatest_code_point);
        if (range.first > range.last) return;
        if (ranges_.empty() || range.first > ranges_.back().last + 1) return ranges_.push_back(range);
        ranges_.back().last = (std::max)(ranges_.back().last, range.last);
    }

    std::vector<Range> ranges_;
};
using code_point_set = basic_code_point_set<code_point_range>;

struct byte_range {
    std::uint8_t first, last;
    friend bool operator==(const byte_range&, const byte_range&) = default;
};
/// Byte ranges one behind the other: all strings with a byte of each.
struct byte_sequence {
    byte_range bytes[4];
    std::size_t length = 0;
};

/// The UTF-8 of a set of characters as byte sequences, ascending; of two that follow each other, and at each of their
/// places, the ranges are one and the same or have no byte in common. (Ranges are cut where the number of bytes
/// changes and where the continuation bytes do not go from first to last; Russ Cox, "Regular expression matching in the
/// wild", 2010.)
template <class Take>
void for_each_byte_sequence(const code_point_set& set, Take take) {
    constexpr code_point greatest_of_length[] = {0x7F, 0x7FF, 0xFFFF, greatest_code_point};
    struct part {
        code_point first, last;
    };
    std::vector<part> parts;  // the next one last
    const auto take_part = [&](const part& p) {
        const std::size_t length = utf8_length(p.first);
        byte_sequence s;
        s.length = length;
        std::string first, last;
        append_utf8(first, p.first);
        append_utf8(last, p.last);
        for (std::size_t i = 0; i < length; ++i) s.bytes[i] = {std::uint8_t(first[i]), std::uint8_t(last[i])};
        take(s);
    };
    /// Where the part has to be cut: behind this character. p.last: nowhere.
    const auto cut = [&](const part& p) {
        for (const code_point greatest : greatest_of_length)
            if (p.first <= greatest && greatest < p.last) return greatest;
        for (std::size_t i = 1; i < utf8_length(p.first); ++i) {
            const code_point low = (code_point{1} << (6 * i)) - 1;
            if ((p.first & ~low) == (p.last & ~low)) continue;
            if ((p.first & low) != 0) return p.first | low;
            if ((p.last & low) != low) return (p.last & ~low) - 1;
        }
        return p.last;
    };
    for (const auto& range : set.ranges()) {
        parts.push_back({range.first, range.last});
        while (!parts.empty()) {
            const part p = parts.back();
            parts.pop_back();
            const code_point end = cut(p);
            if (end == p.last) {
                take_part(p);
                continue;
            }
            parts.push_back({end + 1, p.last});
            parts.push_back({p.first, end});
        }
    }
}

}  // namespace riffle::detail
