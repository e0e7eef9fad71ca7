#include <riffle/riffle.hpp>

riffle::token_id sample(std::span<const float> logits) {
    using namespace riffle;
    static auto c = chain(soft_cap{}, temperature{}, gumbel{});
    return c.sample(logits);
}
