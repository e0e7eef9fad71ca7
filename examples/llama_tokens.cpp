// Chains from settings, and the tokens of llama.cpp 0.7.0.
#include <cstdio>
#include <vector>

// [begin:exact]
#include <riffle/llama_exact.hpp>
using namespace riffle;

// Seed 42 draws what llama.cpp's top-k, top-p, temp and dist draw with seed 42.
auto like_llama = chain<llama_exact>(top_k{.k = 40}, top_p{.p = 0.95f}, temperature{.t = 0.8f}, dist{.seed = 42});
// [end:exact]

// [begin:settings]
#include <riffle/settings.hpp>

// llama.cpp's names, options, letters and defaults; what is named makes the chain, in that order.
bool set_up(dynamic_chain& chain, text settings) {
    chain_settings s;
    if (!s.read(settings))
        return std::printf("%s\n", s.problem().c_str()), false;  // the first eight problems, and how many more
    return s.build(chain).ok();
}
// [end:settings]

int main() {
    std::vector<float> logits(32000, -8.0f);
    for (std::size_t i = 0; i < 60; ++i) logits[i * 500] = 3.0f - 0.07f * float(i);

    dynamic_chain own;
    if (!set_up(own, "top_k=40;top_p=0.95;temp=0.8;seed=42")) return 1;
    std::printf("Eight tokens of one row: llama.cpp's for seed 42, and beside each what riffle's own draws give:\n");
    for (int i = 0; i < 8; ++i) std::printf("%d/%d ", like_llama.sample(logits), own.sample(logits));
    std::printf("\n\nWhat a setting that nobody knows answers:\n");

    dynamic_chain none;
    if (set_up(none, "top_k=40;topp=0.9;tmep=0.8")) return 1;
    const replay_counts counts = like_llama.replays();
    return counts.rows == 8 && counts.replays == 0 ? 0 : 1;
}
