#include <cstdio>
#include <string>

#include "program.hpp"

namespace {

void chains() {
    llama_sampler* const chain = usual_chain();
    print_chain("usual", chain);
    for (unsigned i = 0; i < 20; ++i) apply("usual", chain, i);
    apply("applied twice", chain, 20, false);
    apply("applied twice", chain, 20);

    llama_sampler* const copy = llama_sampler_clone(chain);
    print_chain("clone", copy);
    for (unsigned i = 0; i < 5; ++i) apply("original", chain, 30 + i);
    for (unsigned i = 0; i < 5; ++i) apply("clone", copy, 30 + i);
    llama_sampler_copy(chain, copy);
    for (unsigned i = 0; i < 3; ++i) apply("copied", copy, 40 + i);
    llama_sampler_reset(copy);
    for (unsigned i = 0; i < 5; ++i) apply("reset", copy, i);
    llama_sampler_free(copy);
    print_chain("outlives its clone", chain);
    apply("outlives its clone", chain, 50);
    const llama_perf_sampler_data measured = llama_perf_sampler(chain);
    std::printf("samples counted: %d\n", measured.n_sample);
    llama_sampler_free(chain);
}

void own_between() {
    llama_sampler* const chain = new_chain();
    llama_sampler_chain_add(chain, llama_sampler_init_penalties(vocabulary, 16, 1.1f, 0.0f, 0.0f));
    llama_sampler_chain_add(chain, halving());
    llama_sampler_chain_add(chain, llama_sampler_init_top_p(0.5f, 1));
    llama_sampler_chain_add(chain, llama_sampler_init_temp(0.7f));
    llama_sampler_chain_add(chain, llama_sampler_init_dist(5));
    print_chain("one of its own", chain);
    for (unsigned i = 0; i < 6; ++i) apply("one of its own", chain, i);
    llama_sampler* const copy = llama_sampler_clone(chain);
    for (unsigned i = 0; i < 3; ++i) apply("and a clone", copy, i);
    llama_sampler_free(copy);
    llama_sampler_free(chain);
}

void removing() {
    llama_sampler* const chain = usual_chain();
    llama_sampler* const taken = llama_sampler_chain_remove(chain, 3);
    std::printf("taken out: %s\n", llama_sampler_name(taken));
    print_chain("without it", chain);
    for (unsigned i = 0; i < 3; ++i) apply("without it", chain, i);
    llama_sampler* const other = new_chain();
    llama_sampler_chain_add(other, taken);
    llama_sampler_chain_add(other, llama_sampler_init_greedy());
    print_chain("in another", other);
    apply("in another", other, 1);
    while (llama_sampler_chain_n(other) > 0) llama_sampler_free(llama_sampler_chain_remove(other, 0));
    print_chain("all taken out", other);
    std::printf("none there: %d %d\n", llama_sampler_chain_get(other, 0) == nullptr,
                llama_sampler_chain_get(other, -1) == other);
    llama_sampler_free(other);
    llama_sampler_free(chain);
}

void random_seeds() {
    llama_sampler* const chain = new_chain();
    llama_sampler_chain_add(chain, llama_sampler_init_temp(1.5f));
    llama_sampler_chain_add(chain, llama_sampler_init_dist(LLAMA_DEFAULT_SEED));
    const std::uint32_t first = llama_sampler_get_seed(chain);
    std::vector<llama_token_data> all = candidates(1);
    const auto draws = [&] {
        std::string drawn;
        for (int i = 0; i < 8; ++i) {
            std::vector<llama_token_data> now = all;
            llama_token_data_array array{now.data(), now.size(), -1, false};
            llama_sampler_apply(chain, &array);
            drawn += std::to_string(array.data[array.selected].id) + " ";
        }
        return drawn;
    };
    const std::string one = draws();
    llama_sampler* const seeded = new_chain();  // whoever knows the seed can draw the same
    llama_sampler_chain_add(seeded, llama_sampler_init_temp(1.5f));
    llama_sampler_chain_add(seeded, llama_sampler_init_dist(first));
    std::string again;
    for (int i = 0; i < 8; ++i) {
        std::vector<llama_token_data> now = all;
        llama_token_data_array array{now.data(), now.size(), -1, false};
        llama_sampler_apply(seeded, &array);
        again += std::to_string(array.data[array.selected].id) + " ";
    }
    llama_sampler_reset(chain);
    std::printf("a random seed: known %d, drawn by it %d, another after a reset %d, other draws %d\n",
                first != LLAMA_DEFAULT_SEED, one == again, llama_sampler_get_seed(chain) != first, draws() != one);
    llama_sampler_free(seeded);
    llama_sampler_free(chain);
}

}  // namespace

void use_chains() {
    chains();
    own_between();
    removing();
    random_seeds();
}
