// What a chain of six stages adds to a program: the sections of this object file.
#include <riffle/riffle.hpp>

using namespace riffle;

pipeline<reproducible, penalties, top_k, top_p, min_p, temperature, dist> sampler =
    chain(penalties{.last_n = 64, .repeat = 1.1f}, top_k{.k = 40}, top_p{.p = 0.95f}, min_p{.p = 0.05f},
          temperature{.t = 0.8f}, dist{.seed = 42});

token_id next_token(std::span<const float> logits) { return sampler.sample(logits); }
