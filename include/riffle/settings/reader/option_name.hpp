#pragma once
#include <cstddef>

#include <riffle/core/text.hpp>
#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// A character of a name as it is compared: case does not matter, and `-` is `_`. By hand, since tolower() asks the
/// locale.
constexpr char folded(char c) noexcept {
    if (c == '-') return '_';
    return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
}

/// Whether a text is a known name or word, both folded.
constexpr bool same_word(const text& written, const char* known) noexcept {
    for (const char c : written) {
        if (*known == '\0' || folded(c) != folded(*known)) return false;
        ++known;
    }
    return *known == '\0';
}

/// A name without the one or two dashes that it has on a command line.
constexpr text without_dashes(const text& name) noexcept {
    std::size_t dashes = 0;
    while (dashes < 2 && dashes < name.size() && name[dashes] == '-') ++dashes;
    return name.part(dashes);
}

/// How many letters must be put in, left out, changed, or exchanged with their neighbour to make one folded word of the
/// other (the optimal string alignment distance), the case of a typing error. Words of more than 31 letters are as far
/// apart as can be. Takes the product of their lengths, and no heap.
inline std::size_t edit_distance(const text& a, const text& b) noexcept {
    constexpr std::size_t longest = 31;
    if (a.size() > longest || b.size() > longest) return std::size_t(-1);
    const auto least = [](std::size_t x, std::size_t y) { return x < y ? x : y; };
    std::size_t rows[3][longest + 1] = {};  // for the letters of a up to the present one, the one before, and its own
    std::size_t *before_last = rows[0], *last = rows[1], *now = rows[2];
    for (std::size_t j = 0; j <= b.size(); ++j) now[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t* const oldest = before_last;
        before_last = last;
        last = now;
        now = oldest;
        now[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const char x = folded(a[i - 1]), y = folded(b[j - 1]);
            now[j] = least(least(last[j], now[j - 1]) + 1, last[j - 1] + (x != y));
            if (i > 1 && j > 1 && x == folded(b[j - 2]) && y == folded(a[i - 2]))
                now[j] = least(now[j], before_last[j - 2] + 1);
        }
    }
    return now[b.size()];
}

}  // namespace riffle::detail
