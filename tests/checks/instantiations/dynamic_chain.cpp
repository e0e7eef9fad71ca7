#include <riffle/riffle.hpp>

riffle::token_id sample(std::span<const float> logits) {
    using namespace riffle;
    static dynamic_chain c;
    if (c.view().size() == 0) {
        c.push(top_k{});
        c.push(temperature{});
        c.push(dist{});
    }
    return c.sample(logits);
}
