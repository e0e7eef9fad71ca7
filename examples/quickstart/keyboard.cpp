#include "keyboard.hpp"

#include <cerrno>
#include <cstdio>
#include <string>

#if !defined(_WIN32)
#include <termios.h>
#include <unistd.h>
#endif

namespace quickstart {
namespace {

constexpr char ctrl_c = 3, ctrl_d = 4, escape = 27;

/// The next byte; -1 at the end of the input.
#if defined(_WIN32)
int next_byte() { return std::getchar(); }
#else
int next_byte() {
    unsigned char byte = 0;
    for (;;) {
        const ssize_t count = read(STDIN_FILENO, &byte, 1);
        if (count == 1) return byte;
        if (count == 0 || errno != EINTR) return -1;
    }
}
#endif

/// What follows `ESC [`, up to the letter or ~ that ends it (ECMA-48, section 5.4).
std::string rest_of_sequence() {
    std::string rest;
    for (int byte = next_byte(); byte >= 0 && rest.size() < 16; byte = next_byte()) {
        rest += static_cast<char>(byte);
        if (byte >= 0x40) break;
    }
    return rest;
}

}  // namespace

#if defined(_WIN32)  // a console hands over what was typed with the return key
struct keyboard::saved_mode {};
keyboard::keyboard() = default;
keyboard::~keyboard() = default;
#else
struct keyboard::saved_mode {
    termios mode;
};

keyboard::keyboard() {
    termios mode{};
    if (tcgetattr(STDIN_FILENO, &mode) != 0) return;
    saved_ = new saved_mode{mode};
    mode.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | ISIG);
    tcsetattr(STDIN_FILENO, TCSANOW, &mode);
}

keyboard::~keyboard() {
    if (saved_ != nullptr) tcsetattr(STDIN_FILENO, TCSANOW, &saved_->mode);
    delete saved_;
}
#endif

pressed keyboard::next() {
    for (;;) {
        const int byte = next_byte();
        if (byte < 0 || byte == ctrl_c || byte == ctrl_d) return {};
        if (byte != escape) return {key::letter, byte == '\r' ? '\n' : static_cast<char>(byte)};
        const int introducer = next_byte();
        if (introducer != '[' && introducer != 'O') continue;
        const std::string rest = rest_of_sequence();
        if (rest == "A") return {key::up};
        if (rest == "B") return {key::down};
        if (rest == "C") return {key::right};
        if (rest == "D") return {key::left};
        if (rest == "5~") return {key::page_up};
        if (rest == "6~") return {key::page_down};
    }
}

}  // namespace quickstart
