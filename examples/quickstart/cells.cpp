#include "cells.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace quickstart {
namespace {

struct code_point {
    char32_t value = 0;
    std::size_t bytes = 0;  // 0: not UTF-8
};

/// The code point at the front of some bytes: the shortest form of a scalar value, as RFC 3629 wants it.
code_point decode(std::string_view bytes) {
    const auto lead = static_cast<unsigned char>(bytes[0]);
    if (lead < 0x80) return {lead, 1};
    const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || bytes.size() < length) return {};
    char32_t value = lead & (0xffu >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        const auto next = static_cast<unsigned char>(bytes[i]);
        if ((next & 0xc0) != 0x80) return {};
        value = value << 6 | (next & 0x3fu);
    }
    const bool overlong = (length == 3 && value < 0x800) || (length == 4 && value < 0x10000);
    const bool surrogate = value >= 0xd800 && value < 0xe000;
    if (overlong || surrogate || value > 0x10ffff) return {};
    return {value, length};
}

struct range {
    char32_t first, last;
};

template <std::size_t N>
bool is_in(const std::array<range, N>& ranges, char32_t value) {
    return std::any_of(ranges.begin(), ranges.end(),
                       [&](const range& each) { return value >= each.first && value <= each.last; });
}

/// Controls, and characters that steer the direction of the text: shown as they are they would take the table
/// apart.
constexpr std::array unprintable{range{0x00, 0x1f},     range{0x7f, 0x9f},       range{0x200b, 0x200f},
                                 range{0x2028, 0x202e}, range{0x2060, 0x206f},   range{0xfeff, 0xfeff},
                                 range{0xe000, 0xf8ff}, range{0xe0000, 0x10ffff}};
constexpr std::array combining{range{0x300, 0x36f}, range{0x1ab0, 0x1aff}, range{0x20d0, 0x20ff}, range{0xfe00, 0xfe0f},
                               range{0xfe20, 0xfe2f}};
constexpr std::array wide{range{0x1100, 0x115f}, range{0x2e80, 0xa4cf},   range{0xac00, 0xd7a3},
                          range{0xf900, 0xfaff}, range{0xfe30, 0xfe6f},   range{0xff00, 0xff60},
                          range{0xffe0, 0xffe6}, range{0x1f300, 0x1faff}, range{0x20000, 0x3fffd}};

}  // namespace

std::vector<cell> cells_of(std::string_view bytes, bool unicode, bool line_feeds) {
    std::vector<cell> cells;
    while (!bytes.empty()) {
        const code_point front = decode(bytes);
        const std::size_t length = std::max<std::size_t>(front.bytes, 1);
        const std::string_view character = bytes.substr(0, length);
        if (character == "\n" && line_feeds) {
            cells.push_back({"\n", 0, 1});
        } else if (character == "\n") {
            cells.push_back({"\\n", 2, 1});
        } else if (front.bytes == 0 || is_in(unprintable, front.value) || (!unicode && length > 1)) {
            for (const char byte : character)
                cells.push_back({fmt::format("\\x{:02x}", static_cast<unsigned char>(byte)), 4, 1});
        } else if (is_in(combining, front.value) && !cells.empty() && cells.back().columns > 0) {
            cells.back().text += character;
            cells.back().bytes += length;
        } else {
            cells.push_back({std::string(character), is_in(wide, front.value) ? 2u : 1u, length});
        }
        bytes.remove_prefix(length);
    }
    return cells;
}

std::size_t columns_of(const std::vector<cell>& cells) {
    std::size_t columns = 0;
    for (const cell& each : cells) columns += each.columns;
    return columns;
}

std::string shortened(std::string_view bytes, std::size_t columns, bool unicode) {
    std::vector<cell> cells = cells_of(bytes, unicode);
    std::size_t used = columns_of(cells);
    if (used > columns) {
        for (; used >= columns && !cells.empty(); cells.pop_back()) used -= cells.back().columns;
        cells.push_back({unicode ? "…" : "~", 1, 0});
    }
    std::string text;
    for (const cell& each : cells) text += each.text;
    return text;
}

std::string fitted(std::string_view bytes, std::size_t columns, bool unicode) {
    std::string text = shortened(bytes, columns, unicode);
    const std::size_t used = columns_of(cells_of(text, unicode));
    return text.append(columns - std::min(used, columns), ' ');
}

std::vector<std::vector<cell>> wrap(const std::vector<cell>& cells, std::size_t columns) {
    std::vector<std::vector<cell>> lines(1);
    std::size_t word = 0;  // where the last word of the last line begins
    for (const cell& each : cells) {
        if (each.text == "\n") {
            lines.emplace_back();
            word = 0;
            continue;
        }
        const bool blank = each.text == " ";
        bool full = false;
        while (!lines.back().empty() && columns_of(lines.back()) + each.columns > columns) {
            full = true;
            std::vector<cell>& line = lines.back();
            std::vector<cell> carried;
            if (!blank && word > 0) {  // the word goes on to the next line
                carried.assign(line.begin() + static_cast<std::ptrdiff_t>(word), line.end());
                line.resize(word);
            }
            lines.push_back(std::move(carried));
            word = 0;
        }
        if (blank && full) continue;  // the end of the line stands for it
        lines.back().push_back(each);
        if (blank) word = lines.back().size();
    }
    for (std::vector<cell>& line : lines)
        while (!line.empty() && line.back().text == " ") line.pop_back();
    return lines;
}

}  // namespace quickstart
