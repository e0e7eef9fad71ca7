// The golden streams without GoogleTest, which does not build for WebAssembly, and what is saved half way: prints each
// line that differs from the checked-in one, and how many streams were compared.

#include "golden/saved.hpp"
#include "golden/streams.hpp"

namespace {

using namespace riffle_tests;
using lines = std::map<std::string, std::string>;

bool is_expected(const lines& checked_in, const stream& s, const std::string& found) {
    const auto line = checked_in.find(s.name);
    const std::string expected = line == checked_in.end() ? "nothing" : line->second;
    if (found != expected) std::printf("%s\n  expected %s\n", found.c_str(), expected.c_str());
    return found == expected;
}

}  // namespace

int main() {
    const lines of_streams = golden_lines(), of_bytes = saved_lines();
    int same = 0, differing = 0;
    const auto count = [&](bool is_same) { ++(is_same ? same : differing); };
    for (const stream& s : all_streams()) {
        count(is_expected(of_streams, s, line_of(s, s.typed())));
        count(is_expected(of_streams, s, line_of(s, s.at_run_time())));
        const resumed_stream goes_on = resumed(s, s.typed(), s.at_run_time());
        count(is_expected(of_streams, s, goes_on.line) && is_expected(of_bytes, s, goes_on.saved));
    }
    std::printf("%d streams as checked in, %d differing\n", same, differing);
    return differing || same == 0;
}
