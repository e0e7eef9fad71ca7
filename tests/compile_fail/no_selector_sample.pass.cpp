#include <riffle/riffle.hpp>

auto right(std::span<const float> logits) {
    auto c = riffle::top_k{.k = 40} | riffle::temperature{.t = 0.8f} | riffle::dist{};
    return c.sample(logits);
}
