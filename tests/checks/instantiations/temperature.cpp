#include <riffle/riffle.hpp>

riffle::token_id sample(std::span<const float> logits) {
    using namespace riffle;
    static auto c = chain(temperature{}, dist{});
    return c.sample(logits);
}
