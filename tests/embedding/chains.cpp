#include "embedding/chains.hpp"

#include <utility>

namespace riffle_tests {

namespace {

using namespace riffle;

mask leaving(std::uint32_t one_in) {
    mask m;
    m.words.resize((row_length + 31) / 32);
    for (std::size_t id = 0; id < row_length; id += one_in) m.words[id / 32] |= 1u << (id % 32);
    return m;
}

/// A chain put together at run time: a few lines of code each, where a type of its own is a thousand.
template <class... Stages>
dynamic_chain at_run_time(Stages... stages) {
    dynamic_chain c;
    (c.push(std::move(stages)), ...);
    return c;
}

}  // namespace

const std::vector<named_chain>& chains() {
    static const std::vector<named_chain> all = [] {
        std::vector<named_chain> r;
        const auto add = [&](const char* name, any_pipeline c) { r.push_back({name, std::move(c)}); };
        const dist d{.seed = 1};
        add("greedy", at_run_time(greedy{}));
        add("temperature | dist", temperature{.t = 0.8f} | d);
        add("temperature | gumbel", at_run_time(temperature{.t = 0.8f}, gumbel{.seed = 1}));
        add("penalties | top_k | top_p | min_p | temperature | dist", penalties{.repeat = 1.2f} | top_k{.k = 40} |
                                                                          top_p{.p = 0.95f} | min_p{.p = 0.05f} |
                                                                          temperature{.t = 0.8f} | d);
        add("fast", with<fast>(temperature{.t = 0.8f} | top_p{.p = 0.9f} | d));
        add("top_p | dist", at_run_time(top_p{.p = 0.95f}, d));
        add("top_n_sigma | dist", at_run_time(top_n_sigma{.n = 1.0f}, d));
        add("soft_cap | min_p | dist", soft_cap{.cap = 10.0f} | min_p{.p = 0.1f} | d);
        add("penalties of everything | dist", at_run_time(penalties{.last_n = -1, .presence = 0.5f}, d));
        add("temperature | logit_bias | top_k | dist",
            at_run_time(temperature{.t = 1.3f}, logit_bias{.biases = {{3, 1.0f}, {900, -2.0f}}}, top_k{.k = 200}, d));
        add("mask | top_p | dist", at_run_time(leaving(2), top_p{.p = 0.9f}, d));
        add("mask of few | dist", leaving(100) | d);
        add("bend | drop_odd | dist", chain(bend{}, drop_odd{}, d));
        add("not_twice | top_k | dist", at_run_time(not_twice{}, top_k{.k = 5}, d));
        add("penalties | temperature | not_twice | top_p | dist",
            at_run_time(penalties{.repeat = 1.2f}, temperature{.t = 0.8f}, not_twice{}, top_p{.p = 0.95f}, d));
        return r;
    }();
    return all;
}

}  // namespace riffle_tests
