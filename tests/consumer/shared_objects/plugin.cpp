#include <riffle/settings.hpp>

#include "stages.hpp"

using namespace riffle;

namespace {

/// Another type than the program's of that name.
struct hidden {
    double number = 0.5;
    void apply(candidates& c) const noexcept { c.sort(); }
};

int loads() {
    static int count = 0;
    return ++count;
}
token_id sample(const float* logits, std::size_t size) {
    static auto sampler = top_k{.k = 40} | top_p{.p = 0.9f} | dist{.seed = 3};
    return sampler.sample({logits, size});
}
void fill(dynamic_chain& c) {
    c.push(top_k{.k = 7});
    c.push(keep_even{.wished = 8});
    c.push(hidden{});
}
int find(dynamic_chain& c) {
    const auto* const first = c.get_if<top_k>(0);
    const auto* const second = c.get_if<keep_even>(1);
    return (first ? first->k : 0) + (second ? 10 * second->wished : 0) + (c.get_if<hidden>(2) ? 1000 : 0);
}
/// Of a chain that a text describes, with everything that settings can bring along.
token_id sample_by_settings(const char* words, const float* logits, std::size_t size) {
    vocabulary all;
    for (const char* const piece : {"a", "b\n", ": c", "\"d\""}) all.add(piece);
    chain_settings settings;
    dynamic_chain c;
    if (!settings.read(words) || !settings.read_metadata("general.sampling.top_k", "4.000000")) return null_token;
    if (!settings.build(c, &all).ok()) return null_token;
    return c.sample({logits, size});
}
checkpoint mark(const usual_chain& c) { return c.mark(); }
status rollback(usual_chain& c, const checkpoint& to) { return c.rollback(to); }

}  // namespace

extern "C" __attribute__((visibility("default"))) const plugin_functions* riffle_plugin() {
    static constexpr plugin_functions functions{loads, sample, sample_by_settings, fill, find, mark, rollback};
    return &functions;
}
