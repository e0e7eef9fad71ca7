#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace quickstart {

enum class style { plain, bold, faint, accent };

/// One character as it stands on the screen.
struct cell {
    std::string text;
    std::size_t columns = 1;
    std::size_t bytes = 1;  ///< bytes of the original text that it stands for
    style look = style::plain;
};

/// The characters of some bytes; what cannot be shown (controls, bytes that are no UTF-8) stands as \x1b.
/// A line feed stands as \n, or if `line_feeds` as itself: a cell of no columns.
std::vector<cell> cells_of(std::string_view bytes, bool unicode, bool line_feeds = false);

/// A string as it can be shown, shortened to at most `columns`.
std::string shortened(std::string_view bytes, std::size_t columns, bool unicode);

/// The same, padded with blanks to `columns`.
std::string fitted(std::string_view bytes, std::size_t columns, bool unicode);

/// Breaks cells into lines of at most `columns`, at blanks where there are any.
std::vector<std::vector<cell>> wrap(const std::vector<cell>& cells, std::size_t columns);

/// Columns that some cells fill.
std::size_t columns_of(const std::vector<cell>& cells);

}  // namespace quickstart
