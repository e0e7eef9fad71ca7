// Every stage that narrows as the bridge.

#include "golden/streams.hpp"

namespace riffle_tests {

using namespace riffle;

void add_cuts(streams& all) {
    add(all, 5000, "top_k 40 | dist", top_k{.k = 40}, dist{.seed = 21});
    add(all, 400, "top_k 1 | dist", top_k{.k = 1}, dist{.seed = 22});
    add(all, 2000, "top_k 200 | temperature .8 | gumbel", top_k{.k = 200}, temperature{.t = 0.8f}, gumbel{.seed = 23});
    add(all, 2500, "min_p .05 | dist", min_p{.p = 0.05f}, dist{.seed = 25});
    add(all, 1000, "min_p .3 keep 5 | temperature 1.2 | dist", min_p{.p = 0.3f, .min_keep = 5}, temperature{.t = 1.2f},
        dist{.seed = 26});
    add(all, 3000, "top_p .95 | dist", top_p{.p = 0.95f}, dist{.seed = 28});
    add(all, 1000, "top_p .5 keep 3 | gumbel", top_p{.p = 0.5f, .min_keep = 3}, gumbel{.seed = 29});
    add(all, 2000, "top_n_sigma 1 | dist", top_n_sigma{.n = 1.0f}, dist{.seed = 31});
    add(all, 1000, "top_p .99 | top_k 20 | dist", top_p{.p = 0.99f}, top_k{.k = 20}, dist{.seed = 38});
    add(all, 1000, "top_n_sigma 2 | top_k 30 | greedy", top_n_sigma{.n = 2.0f}, top_k{.k = 30}, greedy{});
}

}  // namespace riffle_tests
