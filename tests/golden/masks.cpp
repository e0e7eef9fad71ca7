// Masks ahead of the bridge, and as the bridge where few tokens are left.

#include "golden/streams.hpp"

namespace riffle_tests {

using namespace riffle;

namespace {

logit_bias two_biases() { return {.biases = {{6, 2.5f}, {9, -1.0f}}}; }

/// A mask that leaves one id in `one_in`.
mask leaving(std::size_t size, std::uint32_t one_in) {
    mask m;
    integers random(size + one_in);
    m.words.resize((size + 31) / 32);
    for (std::size_t id = 0; id < size; ++id)
        if (random.below(one_in) == 0) m.words[id / 32] |= 1u << (id % 32);
    m.words[0] |= 1u << 17;
    m.words[1] |= 1u << 9;
    for (std::size_t word = 8; word < 16 && one_in < 32 && word < m.words.size(); ++word) m.words[word] = ~0u;
    return m;
}

}  // namespace

void add_masks(streams& all) {
    add(all, 1500, "mask half | dist", leaving(1500, 2), dist{.seed = 62});
    add(all, 1500, "mask half | top_k 40 | temperature .8 | dist", leaving(1500, 2), top_k{.k = 40},
        temperature{.t = 0.8f}, dist{.seed = 63});
    add(all, 4000, "mask few | dist", leaving(4000, 200), dist{.seed = 64});
    add(all, 4000, "mask few | penalties | temperature 1.4 | gumbel", leaving(4000, 100), penalties{.repeat = 1.5f},
        temperature{.t = 1.4f}, gumbel{.seed = 65});
    add(all, 1000, "temperature 1.2 | mask half | top_p .9 | dist", temperature{.t = 1.2f}, leaving(1000, 2),
        top_p{.p = 0.9f}, dist{.seed = 66});
    add(all, 1000, "logit_bias | mask half | greedy", two_biases(), leaving(1000, 2), greedy{});
    add(all, 1000, "mask half | mask third | top_n_sigma 1 | dist", leaving(1000, 2), leaving(1000, 3),
        top_n_sigma{.n = 1.0f}, dist{.seed = 67});
}

}  // namespace riffle_tests
