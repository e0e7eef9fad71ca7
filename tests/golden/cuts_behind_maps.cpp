// The same behind maps that are commuted past the cut, and several cuts in a row.

#include "golden/streams.hpp"

namespace riffle_tests {

using namespace riffle;

void add_cuts_behind_maps(streams& all) {
    add(all, 1500, "temperature 1.5 | top_k 600 | dist", temperature{.t = 1.5f}, top_k{.k = 600}, dist{.seed = 24});
    add(all, 1000, "temperature 1.5 | min_p .02 | dist", temperature{.t = 1.5f}, min_p{.p = 0.02f}, dist{.seed = 27});
    add(all, 1500, "temperature 1.3 | top_p .9 | dist", temperature{.t = 1.3f}, top_p{.p = 0.9f}, dist{.seed = 30});
    add(all, 1000, "temperature .9 | top_n_sigma 1.5 | gumbel", temperature{.t = 0.9f}, top_n_sigma{.n = 1.5f},
        gumbel{.seed = 32});
    add(all, 1000, "soft_cap 10 | top_n_sigma .5 | dist", soft_cap{.cap = 10.0f}, top_n_sigma{.n = 0.5f},
        dist{.seed = 33});
    add(all, 1000, "soft_cap 15 | top_k 50 | dist", soft_cap{.cap = 15.0f}, top_k{.k = 50}, dist{.seed = 34});
    add(all, 1000, "soft_cap 15 | top_p .8 | dist", soft_cap{.cap = 15.0f}, top_p{.p = 0.8f}, dist{.seed = 35});
    add(all, 800, "soft_cap 3 | min_p .1 | gumbel", soft_cap{.cap = 3.0f}, min_p{.p = 0.1f}, gumbel{.seed = 36});
    add(all, 4000, "top_k 40 | top_p .95 | min_p .05 | temperature .8 | dist", top_k{.k = 40}, top_p{.p = 0.95f},
        min_p{.p = 0.05f}, temperature{.t = 0.8f}, dist{.seed = 37});
    add(all, 1000, "min_p .01 | top_p .9 | top_n_sigma 2 | dist", min_p{.p = 0.01f}, top_p{.p = 0.9f},
        top_n_sigma{.n = 2.0f}, dist{.seed = 39});
    add(all, 1500, "top_k 1000 | top_n_sigma 1 | temperature 2 | dist", top_k{.k = 1000}, top_n_sigma{.n = 1.0f},
        temperature{.t = 2.0f}, dist{.seed = 40});
    add(all, 600, "top_k off | top_p off | min_p off | dist", top_k{.k = 0}, top_p{.p = 1.0f}, min_p{.p = 0.0f},
        dist{.seed = 41});
}

}  // namespace riffle_tests
