#include "terminal.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <vector>

#if !defined(_WIN32)
#include <sys/ioctl.h>
#include <unistd.h>
#endif

#include <fmt/format.h>

namespace quickstart {
namespace {

std::string_view environment(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

#if defined(_WIN32)  // a console is written to as a file is: without colours, and as wide as --width says
std::size_t terminal_width() { return 96; }
bool shows_escape_sequences(std::FILE*) { return false; }
#else
bool shows_escape_sequences(std::FILE* stream) { return isatty(fileno(stream)) != 0; }
std::size_t terminal_width() {
    constexpr std::size_t otherwise = 96;
    winsize size{};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return otherwise;
    return std::clamp<std::size_t>(size.ws_col, 64, 120);  // longer lines are hard to read
}
#endif

/// A machine without any locale settings (a container) is most often looked at through a terminal that knows
/// UTF-8; one that says otherwise is believed.
bool shows_unicode() {
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
        const std::string_view locale = environment(name);
        if (locale.empty()) continue;
        for (const char* utf8 : {"UTF-8", "utf-8", "UTF8", "utf8"})
            if (locale.find(utf8) != locale.npos) return true;
        return false;
    }
    return true;
}

}  // namespace

terminal::terminal(std::size_t width, bool color)
    : width_(width != 0 ? width : terminal_width()),
      color_(color && is_terminal(stdout) && environment("NO_COLOR").empty()), unicode_(shows_unicode()) {}

bool terminal::is_terminal(std::FILE* stream) {
    return shows_escape_sequences(stream) && environment("TERM") != "dumb";
}

std::string terminal::paint(std::string_view text, style look) const {
    static constexpr std::array<std::string_view, 4> codes{"", "\033[1m", "\033[2m", "\033[1;36m"};
    if (!color_ || look == style::plain) return std::string(text);
    return fmt::format("{}{}\033[0m", codes[static_cast<std::size_t>(look)], text);
}

std::string terminal::bar(double share, std::size_t columns) const {
    static constexpr std::array<std::string_view, 8> eighths{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const double filled = std::clamp(share, 0.0, 1.0) * static_cast<double>(columns);
    if (!unicode_) return std::string(static_cast<std::size_t>(std::lround(filled)), '#');
    const auto parts = static_cast<std::size_t>(std::lround(filled * 8));
    std::string drawn;
    for (std::size_t i = 0; i < parts / 8; ++i) drawn += "█";
    drawn += eighths[parts % 8];
    return drawn;
}

std::string terminal::paragraph(std::string_view text, style look) const {
    std::string lines;
    for (const std::vector<cell>& line : wrap(cells_of(text, unicode_), width_)) {
        std::string shown_line;
        for (const cell& each : line) shown_line += each.text;
        lines += paint(shown_line, look) + '\n';
    }
    return lines;
}

std::string terminal::rule(std::string_view title) const {
    const std::size_t used = columns_of(cells_of(title, unicode_)) + 4;
    const std::string_view dash = unicode_ ? "─" : "-";
    const std::size_t rest = width_ > used ? width_ - used : 0;
    std::string line = fmt::format("{0}{0} {1} ", dash, title);
    for (std::size_t i = 0; i < rest; ++i) line += dash;
    return paint(line, style::bold);
}

}  // namespace quickstart
