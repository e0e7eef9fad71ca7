#include <riffle/riffle.hpp>

riffle::token_id sample(std::span<const float> logits) {
    using namespace riffle;
    static auto c = any_pipeline(chain(top_k{}, dist{}));
    return c.sample(logits);
}
