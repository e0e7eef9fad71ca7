#include <riffle/riffle.hpp>

riffle::token_id sample(std::span<const float> logits) {
    using namespace riffle;
    static auto c = chain(penalties{.repeat = 1.1f}, top_k{}, top_p{}, min_p{}, temperature{}, dist{});
    return c.sample(logits);
}
