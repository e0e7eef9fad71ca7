// Long chains, a user's own stages, and two selectors' streams side by side.

#include "golden/streams.hpp"

namespace riffle_tests {

using namespace riffle;

namespace {

/// A user's stage that draws: drops some candidates by chance, never the first in rank.
struct drop_some {
    std::uint64_t seed = 0;
    void apply(candidates& c, const draws& random) const noexcept {
        const std::size_t best = c.greatest();
        for (std::size_t i = 0; i < c.size; ++i)
            if (i != best && random.bits(std::uint32_t(c[i].id)) % 3 == 0) c[i].logit = illegal_logit;
        c.keep_legal();
    }
};
/// And one that changes logits in the order of ranks.
struct by_rank {
    static constexpr bool needs_sorted = true;
    void apply(candidates& c) const noexcept {
        for (std::size_t i = 0; i < c.size; ++i) c[i].logit = c[i].logit - float(i % 7) * 0.125f;
    }
};

mask every_third(std::size_t size) {
    mask m;
    m.words.resize((size + 31) / 32);
    for (std::size_t id = 0; id < size; id += 3) m.words[id / 32] |= 1u << (id % 32);
    return m;
}

}  // namespace

void add_long_chains(streams& all) {
    add(all, 2000, "penalties | logit_bias | mask | soft_cap | top_k | top_p | min_p | temperature | dist",
        penalties{.repeat = 1.1f}, logit_bias{.biases = {{6, 2.5f}, {9, -1.0f}}}, every_third(2000),
        soft_cap{.cap = 25.0f}, top_k{.k = 100}, top_p{.p = 0.97f}, min_p{.p = 0.01f}, temperature{.t = 0.9f},
        dist{.seed = 71});
    add(all, 1000, "temperature .9 | top_k 80 | soft_cap 9 | temperature 1.3 | top_p .9 | gumbel",
        temperature{.t = 0.9f}, top_k{.k = 80}, soft_cap{.cap = 9.0f}, temperature{.t = 1.3f}, top_p{.p = 0.9f},
        gumbel{.seed = 72});
    add(all, 1000, "penalties | temperature 1.1 | soft_cap 20 | top_n_sigma 1.2 | top_p .9 | dist",
        penalties{.last_n = 32, .presence = 1.0f}, temperature{.t = 1.1f}, soft_cap{.cap = 20.0f},
        top_n_sigma{.n = 1.2f}, top_p{.p = 0.9f}, dist{.seed = 73});
    add(all, 400, "drop_some | drop_some | dist", drop_some{.seed = 74}, drop_some{.seed = 74}, dist{.seed = 74});
    add(all, 1000, "top_k 100 | drop_some | by_rank | top_p .8 | gumbel", top_k{.k = 100}, drop_some{.seed = 75},
        by_rank{}, top_p{.p = 0.8f}, gumbel{.seed = 75});
}

}  // namespace riffle_tests
