/// A page with a slider for every parameter of every stage, which shows what each removes. This program is what stands
/// behind it, at a terminal: a request a line on standard input, an answer a line on standard output.
///
///     visualiser < requests
#include <cstdio>
#include <iostream>
#include <string>

#include "session.hpp"

int main() {
    visualiser::session session;
    std::string line;
    while (std::getline(std::cin, line)) std::puts(session.answer_to(line).c_str());
    return std::fflush(stdout) == 0 ? 0 : 1;
}
