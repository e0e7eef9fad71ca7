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
    while (std::getline(std::cin, line)) {
        const visualiser::json request = visualiser::json::parse(line, nullptr, false);
        std::puts(session.answer(request).dump().c_str());
    }
    return std::fflush(stdout) == 0 ? 0 : 1;
}
