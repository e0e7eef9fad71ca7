#include <riffle/riffle.hpp>
#ifdef WITH_EXPLAIN
#include <riffle/explain.hpp>
#endif
#ifdef WITH_JSON_SCHEMA
#include <riffle/json_schema.hpp>
#endif
#ifdef WITH_TOKEN_TRIE
#include <riffle/token_trie.hpp>
#endif
#ifdef WITH_LLAMA
#include <riffle/llama.hpp>
#endif
#ifdef WITH_GPU
#include <riffle/gpu.hpp>
#endif

#include <cstdio>
#include <vector>

int main() {
    using namespace riffle;
    std::vector<float> logits(1000, 0.0f);
    logits[123] = 5.0f;

    auto best = top_k{.k = 40} | temperature{.t = 0.8f} | greedy{};
    if (best.sample(logits) != 123) {
        return 1;
    }

    auto drawn = chain(top_k{.k = 40}, top_p{.p = 0.95f}, temperature{.t = 0.8f}, dist{.seed = 42});
    const token_id token = drawn.sample(logits);
    if (token < 0 || token >= 1000) {
        return 1;
    }
    std::printf("token %d\n", token);

#ifdef WITH_EXPLAIN
    if (riffle::explain(drawn).empty()) {
        return 1;
    }
#endif
#ifdef WITH_JSON_SCHEMA
    if (!riffle::compile_json_schema(R"({"type": "integer"})")) {
        return 1;
    }
#endif
#ifdef WITH_TOKEN_TRIE
    if (!riffle::has_no_leaves(riffle::parse_token_trie(R"({"modelId": "", "descriptors": []})", 1000).problem())) {
        return 1;
    }
#endif
#ifdef WITH_LLAMA
    llama_sampler* const sampler = riffle::llama::make_chain(best);
    llama_token_data tokens[3] = {{0, 1.0f, 0.0f}, {1, 3.0f, 0.0f}, {2, 2.0f, 0.0f}};
    llama_token_data_array array{tokens, 3, -1, false};
    llama_sampler_apply(sampler, &array);
    const token_id chosen = array.data[array.selected].id;
    llama_sampler_free(sampler);
    if (chosen != 1) {
        return 1;
    }
#endif
#ifdef WITH_GPU
    const riffle::gpu::device device({.allow_software = true});  // with none, the processor serves
    riffle::gpu::sampler<decltype(best)> on_device(device, {.vocabulary = 1000});
    if (on_device.sample(best, logits) != 123) {
        return 1;
    }
#endif
    return 0;
}
