// Writes the small model of tests/llama/random_model.hpp, for the tests of examples and for benchmarks:
// write_random_model PATH [V]
#include <cstdio>
#include <cstdlib>

#include "llama/random_model.hpp"

int main(int count, char** words) {
    if (count != 2 && count != 3) return std::puts("write_random_model PATH [V]"), 1;
    const unsigned long vocabulary_size = count == 3 ? std::strtoul(words[2], nullptr, 10) : 4096;
    riffle_tests::write_random_model(words[1], {}, std::uint32_t(vocabulary_size));
    return 0;
}
