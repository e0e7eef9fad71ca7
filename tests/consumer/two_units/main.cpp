#include <cstdio>

#include "tokens.hpp"

int main() {
    const tokens plain = plain_tokens();
    const tokens native = native_tokens();
    for (std::size_t step = 0; step < plain.size(); ++step) {
        if (plain[step] < 0 || plain[step] != native[step]) {
            std::printf("step %zu: token %d with -O0, %d with -O3 -march=native\n", step, plain[step], native[step]);
            return 1;
        }
    }
    std::printf("%d steps, the same tokens\n", steps);
    return 0;
}
