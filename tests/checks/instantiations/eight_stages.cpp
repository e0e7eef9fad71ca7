#include <riffle/riffle.hpp>

riffle::token_id sample(std::span<const float> logits) {
    using namespace riffle;
    static auto c =
        chain(logit_bias{}, penalties{.repeat = 1.1f}, top_n_sigma{}, top_k{}, top_p{}, min_p{}, temperature{}, dist{});
    return c.sample(logits);
}
