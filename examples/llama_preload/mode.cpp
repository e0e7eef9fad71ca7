#include "mode.hpp"

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "llama_version.hpp"

namespace preload {
namespace {

preload_mode asked_for() {
    const char* const value = std::getenv("RIFFLE_PRELOAD");
    const std::string_view word = value ? value : "";
    if (word == "off") return preload_mode::off;
    if (word == "report") return preload_mode::report;
    if (!word.empty()) std::fprintf(stderr, "riffle: RIFFLE_PRELOAD is off, report or nothing, not '%s'\n", value);
    return preload_mode::on;
}

preload_mode possible() {
    const preload_mode asked = asked_for();
    if (asked == preload_mode::off || is_llama_of_our_headers()) return asked;
    std::fprintf(stderr, "riffle: this libllama is of another version than the headers that libriffle_llama_preload.so "
                         "was built with: llama.cpp does all the work\n");
    return preload_mode::off;
}

}  // namespace

preload_mode mode() {
    static const preload_mode found = possible();
    return found;
}

}  // namespace preload
