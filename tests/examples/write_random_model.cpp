// Writes the small model of tests/llama/random_model.hpp for the tests of examples: write_random_model PATH
#include <cstdio>

#include "llama/random_model.hpp"

int main(int count, char** words) {
    if (count != 2) return std::puts("write_random_model PATH"), 1;
    riffle_tests::write_random_model(words[1]);
    return 0;
}
