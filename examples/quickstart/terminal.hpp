#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

#include "cells.hpp"

namespace quickstart {

/// What standard output can show: how wide, in colours or not, with block characters or in ASCII.
class terminal {
public:
    /// `width` 0: as wide as the terminal, within reason.
    terminal(std::size_t width, bool color);

    std::size_t width() const noexcept { return width_; }
    bool color() const noexcept { return color_; }
    bool unicode() const noexcept { return unicode_; }

    /// The text in a style, or as it is where there are no colours.
    std::string paint(std::string_view text, style look) const;

    /// A bar that is `share` of `columns` long.
    std::string bar(double share, std::size_t columns) const;

    /// A text as lines that fit, each with its line feed.
    std::string paragraph(std::string_view text, style look = style::plain) const;

    /// A horizontal line over the whole width with a title in it.
    std::string rule(std::string_view title) const;

    static bool is_terminal(std::FILE* stream);

private:
    std::size_t width_;
    bool color_;
    bool unicode_;
};

}  // namespace quickstart
