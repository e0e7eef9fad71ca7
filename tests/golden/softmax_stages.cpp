// Stages that learn the softmax statistics of the row: cuts, sets, maps and removals that follow from it, ahead of the
// bridge and behind.

#include "golden/streams.hpp"

namespace riffle_tests {

using namespace riffle;

void add_softmax_stages(streams& all) {
    add(all, 1500, "typical .9 | dist", typical{.p = 0.9f}, dist{.seed = 101});
    add(all, 1500, "temperature .8 | typical .3 5 | dist", temperature{.t = 0.8f}, typical{.p = 0.3f, .min_keep = 5},
        dist{.seed = 102});
    add(all, 700, "top_k 60 | typical .7 | gumbel", top_k{.k = 60}, typical{.p = 0.7f}, gumbel{.seed = 103});
    add(all, 1200, "epsilon_cutoff 1e-3 | dist", epsilon_cutoff{.epsilon = 1e-3f}, dist{.seed = 104});
    add(all, 1200, "soft_cap 12 | eta_cutoff 2e-3 | dist", soft_cap{.cap = 12.0f}, eta_cutoff{.epsilon = 2e-3f},
        dist{.seed = 105});
    add(all, 900, "temperature 1.4 | top_a .1 | dist", temperature{.t = 1.4f}, top_a{.a = 0.1f}, dist{.seed = 106});
    add(all, 900, "p_less | dist", p_less{}, dist{.seed = 107});
    add(all, 900, "temperature 1.5 | p_less norm | dist", temperature{.t = 1.5f}, p_less{.normalised = true},
        dist{.seed = 108});
    add(all, 800, "min_k 3 | dist", min_k{}, dist{.seed = 109});
    add(all, 800, "temperature .7 | top_h .4 | dist", temperature{.t = 0.7f}, top_h{}, dist{.seed = 110});
    add(all, 800, "top_h .6 renormalised | gumbel", top_h{.alpha = 0.6f, .renormalised = true}, gumbel{.seed = 111});
    add(all, 700, "tail_free .95 | dist", tail_free{}, dist{.seed = 112});
    add(all, 700, "top_k 100 | tail_free .9 centred | dist", top_k{.k = 100}, tail_free{.z = 0.9f, .centred = true},
        dist{.seed = 113});
    add(all, 1300, "dynamic_temperature .8 .5 | dist", dynamic_temperature{.t = 0.8f, .range = 0.5f},
        dist{.seed = 114});
    add(all, 1300, "temperature .9 | dynamic_temperature 1 .7 2 | top_k 40 | dist", temperature{.t = 0.9f},
        dynamic_temperature{.t = 1.0f, .range = 0.7f, .exponent = 2.0f}, top_k{.k = 40}, dist{.seed = 115});
    add(all, 1000, "quadratic .3 | dist", quadratic{}, dist{.seed = 116});
    add(all, 1000, "min_p .02 | quadratic .2 2 | dist", min_p{.p = 0.02f}, quadratic{.factor = 0.2f, .curve = 2.0f},
        dist{.seed = 117});
    add(all, 1100, "xtc .5 .1 | dist", xtc{.seed = 118}, dist{.seed = 118});
    add(all, 1100, "temperature .8 | xtc 1 .02 | temperature 1.2 | min_p .05 | dist", temperature{.t = 0.8f},
        xtc{.probability = 1.0f, .threshold = 0.02f, .seed = 119}, temperature{.t = 1.2f}, min_p{.p = 0.05f},
        dist{.seed = 119});
    add(all, 600, "factual_nucleus .9 .8 .3 | dist",
        factual_nucleus{.p = 0.9f, .decay = 0.8f, .p_min = 0.3f, .resets = {1, 2, 3, 40}}, dist{.seed = 120});
}

}  // namespace riffle_tests
