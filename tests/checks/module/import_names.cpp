#include <cstdio>

import names;

int main() {
    const float row[] = {1.0f, 2.0f, 3.0f, 2.5f};
    auto c = riffle::top_k{.k = 3} | riffle::temperature{.t = 0.8f} | riffle::dist{.seed = 5};
    int token = 0;
    for (int step = 0; step < 4; ++step) token = 10 * token + c.sample(row);
    std::printf("%d\n", token);
}
