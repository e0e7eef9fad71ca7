// The golden streams without GoogleTest, which does not build for WebAssembly: prints each line that differs from the
// checked-in one, and how many were compared.

#include "golden/streams.hpp"

int main() {
    using namespace riffle_tests;
    const auto lines = golden_lines();
    int same = 0, differing = 0;
    for (const auto& s : all_streams()) {
        const auto line = lines.find(s.name);
        const std::string expected = line == lines.end() ? "nothing" : line->second;
        for (const auto& drawn : {s.typed(), s.at_run_time()}) {
            if (drawn == expected) ++same;
            else ++differing, std::printf("%s\n  expected %s\n", drawn.c_str(), expected.c_str());
        }
    }
    std::printf("%d streams as checked in, %d differing\n", same, differing);
    return differing || same == 0;
}
