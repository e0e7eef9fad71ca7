#include "blanks.hpp"

#include <cstddef>

namespace quickstart {
namespace {

constexpr bool is_blank(char c) noexcept { return c == ' ' || (c >= '\t' && c <= '\r'); }

}  // namespace

std::string fold_blanks(std::string_view text) {
    std::string folded;
    for (std::size_t i = 0; i < text.size();) {
        std::size_t line_feeds = 0;
        const std::size_t first = i;
        for (; i < text.size() && is_blank(text[i]); ++i) line_feeds += text[i] == '\n';
        if (i > first) folded += line_feeds > 1 ? '\n' : ' ';
        if (i < text.size()) folded += text[i++];
    }
    return folded;
}

}  // namespace quickstart
