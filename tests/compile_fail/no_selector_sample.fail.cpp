#include <riffle/riffle.hpp>

// expect: riffle: sample and peek need a selector as the last stage .greedy, dist, gumbel, or your own.
auto wrong(std::span<const float> logits) {
    auto c = riffle::top_k{.k = 40} | riffle::temperature{.t = 0.8f};
    return c.sample(logits);
}
