// Edits by id and by the history, ahead of the bridge and behind it.

#include "golden/streams.hpp"

namespace riffle_tests {

using namespace riffle;

namespace {

logit_bias biases(std::size_t size) {
    logit_bias b;
    integers random(size);
    for (int i = 0; i < 20; ++i)
        b.biases.push_back(
            {token_id(random.below(std::uint32_t(size))), float(random.between(-4096, 4096)) * 0x1p-10f});
    b.biases.push_back({3, -std::numeric_limits<float>::infinity()});
    b.biases.push_back({token_id(size) + 5, 100.0f});
    return b;
}

}  // namespace

void add_edits(streams& all) {
    add(all, 1500, "logit_bias | dist", biases(1500), dist{.seed = 51});
    add(all, 1500, "logit_bias | top_k 40 | dist", biases(1500), top_k{.k = 40}, dist{.seed = 52});
    add(all, 800, "temperature .8 | logit_bias | dist", temperature{.t = 0.8f}, biases(800), dist{.seed = 53});
    add(all, 800, "soft_cap 12 | logit_bias | top_p .9 | gumbel", soft_cap{.cap = 12.0f}, biases(800), top_p{.p = 0.9f},
        gumbel{.seed = 54});
    add(all, 2000, "penalties 64 1.1 | top_k 40 | dist", penalties{.last_n = 64, .repeat = 1.1f}, top_k{.k = 40},
        dist{.seed = 55});
    add(all, 1000, "penalties frequency .3 presence .7 | dist", penalties{.frequency = 0.3f, .presence = 0.7f},
        dist{.seed = 56});
    add(all, 600, "penalties all 1.3 | temperature .9 | gumbel", penalties{.last_n = -1, .repeat = 1.3f},
        temperature{.t = 0.9f}, gumbel{.seed = 57});
    add(all, 600, "temperature 1.1 | penalties 8 -.5 | min_p .05 | dist", temperature{.t = 1.1f},
        penalties{.last_n = 8, .frequency = -0.5f}, min_p{.p = 0.05f}, dist{.seed = 58});
    add(all, 1000, "logit_bias | penalties | temperature .8 | top_p .95 | dist", biases(1000),
        penalties{.repeat = 1.2f, .frequency = 0.1f}, temperature{.t = 0.8f}, top_p{.p = 0.95f}, dist{.seed = 59});
    add(all, 1000, "top_k 60 | penalties | dist", top_k{.k = 60}, penalties{.repeat = 1.2f, .presence = 0.4f},
        dist{.seed = 60});
    add(all, 1000, "top_k 60 | logit_bias | gumbel", top_k{.k = 60}, biases(1000), gumbel{.seed = 61});
}

}  // namespace riffle_tests
