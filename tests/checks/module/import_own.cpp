#include <cstdio>

import own;

int main() {
    const float row[] = {1.0f, 2.0f, 3.0f, 2.5f};
    std::printf("%d\n", next_token(row, 4));
}
