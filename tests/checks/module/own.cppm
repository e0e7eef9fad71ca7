// A module with functions of its own over riffle.
module;
#include <riffle/riffle.hpp>
export module own;

export int next_token(const float* logits, unsigned long size);
int next_token(const float* logits, unsigned long size) {
    auto c = riffle::top_k{.k = 3} | riffle::temperature{.t = 0.8f} | riffle::dist{.seed = 5};
    int token = 0;
    for (int step = 0; step < 4; ++step) token = 10 * token + c.sample({logits, size});
    return token;
}
