#include "program.hpp"

#include <cmath>
#include <cstddef>
#include <cstdio>

std::vector<llama_token_data> candidates(unsigned seed, std::int32_t count) {
    std::vector<llama_token_data> all;
    std::uint32_t state = seed;
    for (llama_token id = 0; id < count; ++id) {
        state = state * 1664525u + 1013904223u;
        all.push_back({id, float(state >> 8) * 0x1p-22f - 2.0f, 0.0f});
    }
    return all;
}

void print(const char* what, const llama_token_data_array& array) {
    double sum = 0;
    for (std::size_t i = 0; i < array.size; ++i) sum += double(array.data[i].logit) * double(i + 1);
    std::printf("%-28s size %zu, selected %lld, sorted %d, first %d %.9g, sum %.17g\n", what, array.size,
                static_cast<long long>(array.selected), int(array.sorted), array.size ? array.data[0].id : -1,
                array.size ? double(array.data[0].logit) : 0.0, std::isfinite(sum) ? sum : 0.0);
}

llama_token apply(const char* what, llama_sampler* sampler, unsigned seed, bool accepts) {
    std::vector<llama_token_data> all = candidates(seed);
    llama_token_data_array array{all.data(), all.size(), -1, false};
    llama_sampler_apply(sampler, &array);
    print(what, array);
    const llama_token token = array.selected >= 0 ? array.data[array.selected].id : array.size ? array.data[0].id : 0;
    if (accepts) llama_sampler_accept(sampler, token);
    return token;
}

void print_chain(const char* what, llama_sampler* chain) {
    std::printf("%s: %d samplers, seed %u:", what, llama_sampler_chain_n(chain), llama_sampler_get_seed(chain));
    for (std::int32_t i = 0; i < llama_sampler_chain_n(chain); ++i)
        std::printf(" %s", llama_sampler_name(llama_sampler_chain_get(chain, i)));
    std::printf("\n");
}

llama_sampler* new_chain() { return llama_sampler_chain_init(llama_sampler_chain_default_params()); }

llama_sampler* strong_penalties() { return llama_sampler_init_penalties(vocabulary, 64, 1.5f, 1.0f, 1.0f); }

llama_sampler* halving() {
    static llama_sampler_i functions = [] {
        llama_sampler_i i{};
        i.name = [](const llama_sampler*) { return "halving"; };
        i.apply = [](llama_sampler*, llama_token_data_array* array) {
            for (std::size_t n = 0; n < array->size; ++n) array->data[n].logit *= 0.5f;
        };
        i.clone = [](const llama_sampler*) { return halving(); };
        i.free = [](llama_sampler*) {};
        return i;
    }();
    return llama_sampler_init(&functions, nullptr);
}

llama_sampler* usual_chain() {
    llama_sampler* const chain = new_chain();
    const llama_logit_bias biases[] = {{17, 3.0f}, {18, -INFINITY}};
    llama_sampler_chain_add(chain, llama_sampler_init_logit_bias(vocabulary, 2, biases));
    llama_sampler_chain_add(chain, llama_sampler_init_penalties(vocabulary, 32, 1.2f, 0.1f, 0.1f));
    llama_sampler_chain_add(chain, llama_sampler_init_top_n_sigma(-1.0f));
    llama_sampler_chain_add(chain, llama_sampler_init_top_k(200));
    llama_sampler_chain_add(chain, llama_sampler_init_typical(0.95f, 2));
    llama_sampler_chain_add(chain, llama_sampler_init_top_p(0.9f, 1));
    llama_sampler_chain_add(chain, llama_sampler_init_min_p(0.02f, 1));
    llama_sampler_chain_add(chain, llama_sampler_init_xtc(0.5f, 0.01f, 1, 77));
    llama_sampler_chain_add(chain, llama_sampler_init_temp_ext(0.9f, 0.3f, 1.5f));
    llama_sampler_chain_add(chain, llama_sampler_init_dist(99));
    return chain;
}
