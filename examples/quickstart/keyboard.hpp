#pragma once

namespace quickstart {

enum class key { up, down, left, right, page_up, page_down, letter, end_of_input };

/// One key that somebody pressed.
struct pressed {
    key which = key::end_of_input;
    char letter = 0;  ///< of key::letter: as it was typed; '\n' for return
};

/// Keys from standard input, each as soon as it is pressed where that is a terminal. The terminal is as it was once
/// this is gone; Ctrl-C is a key, so that it cannot leave the terminal otherwise.
class keyboard {
public:
    keyboard();
    keyboard(const keyboard&) = delete;
    keyboard& operator=(const keyboard&) = delete;
    ~keyboard();

    /// Waits for a key. Escape sequences that are no key here are left out.
    pressed next();

private:
    struct saved_mode;
    saved_mode* saved_ = nullptr;
};

}  // namespace quickstart
