#include <cstdio>

#include "program.hpp"

// llama_sampler_copy between chains of the same samplers that came to be in other ways.

namespace {

void of_other_seeds() {
    llama_sampler* const one = chain_of(llama_sampler_init_temp(1.5f), llama_sampler_init_dist(1));
    llama_sampler* const other = chain_of(llama_sampler_init_temp(1.5f), llama_sampler_init_dist(2));
    apply("seed 2", other, 1);
    llama_sampler_copy(one, other);
    for (unsigned i = 0; i < 2; ++i) apply("a copy of seed 1", other, 1);
    llama_sampler_reset(other);
    apply("reset", other, 1);
    apply("seed 1", one, 1);
    std::printf("seeds %u %u\n", llama_sampler_get_seed(one), llama_sampler_get_seed(other));
    llama_sampler_free(one);
    llama_sampler_free(other);
}

/// Of a kind that llama.cpp copies as a whole, seed and all.
void of_whole_samplers() {
    const auto made = [](std::uint32_t seed) {
        return chain_of(strong_penalties(), llama_sampler_init_xtc(0.5f, 0.0001f, 1, seed),
                        llama_sampler_init_mirostat_v2(seed, 5.0f, 0.1f));
    };
    llama_sampler *const one = made(4), *const other = made(5);
    for (unsigned i = 0; i < 3; ++i) apply("seed 4", one, i);
    llama_sampler_copy(one, other);
    for (unsigned i = 0; i < 3; ++i) apply("a copy of it", other, i);
    llama_sampler_reset(other);
    for (unsigned i = 0; i < 3; ++i) apply("reset", other, i);
    llama_sampler_free(one);
    llama_sampler_free(other);
}

/// One of them used between the additions.
void of_parts() {
    llama_sampler* const one = chain_of(strong_penalties());
    llama_sampler_accept(one, 5);
    llama_sampler_chain_add(one, llama_sampler_init_dist(1));
    llama_sampler* const other = chain_of(strong_penalties(), llama_sampler_init_dist(1));
    for (unsigned i = 0; i < 2; ++i) apply("used while it was made", one, i);
    llama_sampler_copy(one, other);
    apply("the one", one, 1);
    apply("the other", other, 1);
    llama_sampler_copy(other, one);
    apply("and back", one, 2);
    llama_sampler_free(one);
    llama_sampler_free(other);
}

/// One of them with a sampler that was used before.
void of_used_samplers() {
    llama_sampler* const used = strong_penalties();
    llama_sampler_accept(used, 5);
    llama_sampler *const one = chain_of(used), *const other = chain_of(strong_penalties());
    llama_sampler_copy(one, other);
    apply("the one", one, 1);
    apply("the other", other, 1);
    llama_sampler_free(one);
    llama_sampler_free(other);
}

void of_nested_chains() {
    const auto made = [] {
        return chain_of(chain_of(strong_penalties(), llama_sampler_init_top_k(20)), llama_sampler_init_dist(3));
    };
    llama_sampler *const one = made(), *const other = made();
    llama_sampler* const inner = llama_sampler_chain_get(other, 0);
    llama_sampler_free(llama_sampler_chain_remove(inner, 1));
    for (unsigned i = 0; i < 2; ++i) apply("a chain in a chain", other, i);
    llama_sampler_chain_add(inner, llama_sampler_init_top_k(20));
    for (unsigned i = 0; i < 3; ++i) apply("another", one, i);
    llama_sampler_copy(one, other);
    apply("the one", one, 5);
    apply("the other", other, 5);
    std::printf("%d and %d in it\n", llama_sampler_chain_n(other), llama_sampler_chain_n(inner));
    llama_sampler_free(one);
    llama_sampler_free(other);
}

}  // namespace

void copy_chains() {
    llama_sampler_copy(nullptr, nullptr);
    of_other_seeds();
    of_whole_samplers();
    of_parts();
    of_used_samplers();
    of_nested_chains();
}
