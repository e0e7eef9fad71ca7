// main() of every test executable. RIFFLE_TEST_LANES=4|8|16 forces that lane width for all of its tests, so that one
// binary can be run once a width; where this machine has no such lanes it answers 77, which ctest counts as skipped.
// RIFFLE_TEST_TRAPS=1 makes invalid operations, divisions by zero and overflows end the program, as some hosts do.

#include <cfenv>
#include <cstdio>
#include <cstdlib>

#include <gtest/gtest.h>

#include <riffle/riffle.hpp>

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    if (const char* lanes = std::getenv("RIFFLE_TEST_LANES")) {
        if (!riffle::wide::force_width(std::atoi(lanes))) {
            std::printf("skipped: this machine has no lanes of width %s\n", lanes);
            return 77;
        }
        std::printf("lanes forced to %s\n", lanes);
    }
    if (std::getenv("RIFFLE_TEST_TRAPS")) {
#if defined(__GLIBC__)
        const bool traps = feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW) != -1;
#else
        const bool traps = false;
#endif
        if (!traps) {
            std::printf("skipped: this C library or processor does not trap\n");
            return 77;
        }
    }
    return RUN_ALL_TESTS();
}
