#include <cstdio>
#include <string>

#include "program.hpp"

namespace {

void alone() {
    struct named {
        const char* name;
        llama_sampler* sampler;
    };
    for (const auto& [name, sampler] : {
             named{"greedy", llama_sampler_init_greedy()},
             named{"dist", llama_sampler_init_dist(3)},
             named{"top_k", llama_sampler_init_top_k(10)},
             named{"top_p", llama_sampler_init_top_p(0.3f, 1)},
             named{"min_p", llama_sampler_init_min_p(0.4f, 1)},
             named{"typical", llama_sampler_init_typical(0.4f, 1)},
             named{"temp", llama_sampler_init_temp(0.5f)},
             named{"temp_ext", llama_sampler_init_temp_ext(0.5f, 0.2f, 1.0f)},
             named{"xtc", llama_sampler_init_xtc(0.9f, 0.0001f, 1, 12)},
             named{"top_n_sigma", llama_sampler_init_top_n_sigma(1.0f)},
             named{"mirostat", llama_sampler_init_mirostat(vocabulary, 4, 5.0f, 0.1f, 100)},
             named{"mirostat_v2", llama_sampler_init_mirostat_v2(4, 5.0f, 0.1f)},
             named{"adaptive_p", llama_sampler_init_adaptive_p(0.3f, 0.9f, 4)},
             named{"penalties", llama_sampler_init_penalties(vocabulary, 8, 1.5f, 0.2f, 0.1f)},
             named{"switched off", llama_sampler_init_top_k(0)},
         }) {
        std::printf("%s is called %s, seed %u\n", name, llama_sampler_name(sampler), llama_sampler_get_seed(sampler));
        for (unsigned i = 0; i < 4; ++i) apply(name, sampler, i);
        llama_sampler* const copy = llama_sampler_clone(sampler);
        if (std::string(name) != "adaptive_p")  // whose clones draw from the beginning
            for (unsigned i = 4; i < 6; ++i) apply("its clone", copy, i);
        llama_sampler_reset(sampler);
        apply("reset", sampler, 0);
        llama_sampler_free(copy);
        llama_sampler_free(sampler);
    }
}

/// Used, then added to a chain.
void added_late() {
    llama_sampler* const used = llama_sampler_init_dist(4);
    apply("by itself", used, 1);
    llama_sampler* const chain = chain_of(llama_sampler_init_temp(1.5f), used);
    for (unsigned i = 0; i < 3; ++i) apply("in a chain", chain, i);
    llama_sampler* const copy = llama_sampler_clone(chain);
    apply("and a clone", copy, 9);
    llama_sampler_reset(chain);
    apply("reset", chain, 1);
    llama_sampler_free(copy);
    llama_sampler_free(chain);
}

void copied() {
    llama_sampler* const one = llama_sampler_init_dist(1);
    llama_sampler* const other = llama_sampler_init_dist(2);
    apply("before a copy", other, 1);
    llama_sampler_copy(one, other);
    apply("after it", other, 1);
    apply("which it was of", one, 1);
    std::printf("its seed: %u\n", llama_sampler_get_seed(other));
    llama_sampler_reset(other);
    std::printf("and after a reset: %u\n", llama_sampler_get_seed(other));
    llama_sampler_free(one);
    llama_sampler_free(other);
}

/// Its seed is drawn anew, and told.
void random_seed() {
    llama_sampler* const drawn = llama_sampler_init_dist(LLAMA_DEFAULT_SEED);
    const std::uint32_t seed = llama_sampler_get_seed(drawn);
    llama_sampler* const again = llama_sampler_init_dist(seed);
    std::vector<llama_token_data> one = candidates(1), other = one;
    llama_token_data_array first{one.data(), one.size(), -1, false}, second{other.data(), other.size(), -1, false};
    llama_sampler_apply(drawn, &first);
    llama_sampler_apply(again, &second);
    llama_sampler_reset(drawn);
    std::printf("alone, a random seed: drawn by it %d, another after a reset %d\n", first.selected == second.selected,
                llama_sampler_get_seed(drawn) != seed);
    llama_sampler_free(drawn);
    llama_sampler_free(again);
}

}  // namespace

void use_samplers_alone() {
    alone();
    added_late();
    copied();
    random_seed();
}
