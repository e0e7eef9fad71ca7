#pragma once
// Files that tests read. They are named when a test runs, never when it is compiled: what is compiled holds no path of
// the clone it lies in, so that a compiler cache serves every clone.

#include <cstdlib>
#include <fstream>
#include <string>

namespace riffle_tests {

/// The path of a file in tests/: "golden/streams.txt". The folder is that of RIFFLE_TEST_FILES, which ctest sets;
/// without it, the folder tests of the present folder or of one above it.
inline std::string test_file(const std::string& name) {
    if (const char* folder = std::getenv("RIFFLE_TEST_FILES")) return std::string(folder) + "/" + name;
    std::string path = "tests/" + name;
    for (int levels = 0; levels < 8 && !std::ifstream(path).is_open(); ++levels) path = "../" + path;
    return path;
}

}  // namespace riffle_tests
