#include "progress.hpp"

#include <cstdio>

#include <fmt/format.h>

#include "terminal.hpp"

namespace quickstart {

progress_line::progress_line(bool shown) : shown_(shown), terminal_(terminal::is_terminal(stderr)) {}

void progress_line::finish() {
    if (shown_ && terminal_) std::fputs("\r\033[K", stderr);
    shown_ = false;
}

void progress_line::update(std::string_view job, double share) {
    if (!shown_) return;
    const int percent = static_cast<int>(share * 100);
    const int now = terminal_ ? percent : percent / 25 * 25;
    if (job == job_ && now == last_) return;
    job_ = job;
    last_ = now;
    if (terminal_) fmt::print(stderr, "\r\033[K{} {} %", job, now);
    else fmt::print(stderr, "{} {} %\n", job, now);
    std::fflush(stderr);
}

}  // namespace quickstart
