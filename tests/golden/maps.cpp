// Selectors straight from the row, behind maps that are folded into their passes.

#include "golden/streams.hpp"

namespace riffle_tests {

using namespace riffle;

namespace {

/// A user's map that falls and rises, so that it must be written out.
struct bend {
    float depth = 0.5f;
    std::array<float, 1> parameters() const noexcept { return {depth}; }
    template <class V>
    static RIFFLE_INLINE V map(const V& logit, const std::array<V, 1>& p) noexcept {
        const V x = lesser_of(greater_of(logit, V(-8.0f)), V(8.0f));
        return x - p[0] * (x * x) * V(0.125f);
    }
};
/// One that never falls, without parameters.
struct squeeze {
    static constexpr bool monotone = true;
    template <class V>
    static RIFFLE_INLINE V map(const V& logit) noexcept {
        return select(logit > V(2.0f), V(2.0f) + (logit - V(2.0f)) * V(0.7f), logit);
    }
};

}  // namespace

void add_maps(streams& all) {
    add(all, 5000, "greedy", greedy{});
    add(all, 2048, "dist", dist{.seed = 1});
    add(all, 1500, "gumbel", gumbel{.seed = 2});
    add(all, 777, "temperature .8 | greedy", temperature{.t = 0.8f}, greedy{});
    add(all, 3000, "temperature .8 | dist", temperature{.t = 0.8f}, dist{.seed = 3});
    add(all, 1000, "temperature 1.5 | dist", temperature{.t = 1.5f}, dist{.seed = std::uint64_t{4} << 40});
    add(all, 1000, "temperature .3 | gumbel", temperature{.t = 0.3f}, gumbel{.seed = 5});
    add(all, 1024, "soft_cap 30 | dist", soft_cap{.cap = 30.0f}, dist{.seed = 6});
    add(all, 999, "soft_cap 5 | gumbel", soft_cap{.cap = 5.0f}, gumbel{.seed = 7});
    add(all, 1200, "temperature .7 | soft_cap 8 | dist", temperature{.t = 0.7f}, soft_cap{.cap = 8.0f},
        dist{.seed = 8});
    add(all, 1200, "soft_cap 20 | temperature 1.2 | gumbel", soft_cap{.cap = 20.0f}, temperature{.t = 1.2f},
        gumbel{.seed = 9});
    add(all, 300, "temperature 0 | dist", temperature{.t = 0.0f}, dist{.seed = 10});
    add(all, 300, "temperature .001 | dist", temperature{.t = 0.001f}, dist{.seed = 11});
    add(all, 513, "soft_cap 10 | temperature 1.1 | soft_cap 3 | greedy", soft_cap{.cap = 10.0f}, temperature{.t = 1.1f},
        soft_cap{.cap = 3.0f}, greedy{});
    add(all, 700, "bend | dist", bend{}, dist{.seed = 12});
    add(all, 700, "temperature .9 | bend | temperature 1.2 | gumbel", temperature{.t = 0.9f}, bend{.depth = 0.9f},
        temperature{.t = 1.2f}, gumbel{.seed = 13});
    add(all, 900, "squeeze | dist", squeeze{}, dist{.seed = 14});
    add(all, 900, "squeeze | top_k 30 | dist", squeeze{}, top_k{.k = 30}, dist{.seed = 15});
}

}  // namespace riffle_tests
