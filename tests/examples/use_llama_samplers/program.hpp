#pragma once

#include <cstdint>
#include <llama.h>
#include <vector>

// What the parts of the program have in common.

constexpr std::int32_t vocabulary = 5000;

std::vector<llama_token_data> candidates(unsigned seed, std::int32_t count = vocabulary);

/// What is left in an array, p aside, which riffle has to a millionth.
void print(const char* what, const llama_token_data_array& array);

/// Applies a sampler to the candidates of a seed, prints what that leaves, and accepts the token; answers it.
llama_token apply(const char* what, llama_sampler* sampler, unsigned seed, bool accepts = true);

void print_chain(const char* what, llama_sampler* chain);

llama_sampler* new_chain();

/// A chain of some samplers.
template <class... Samplers>
llama_sampler* chain_of(Samplers... samplers) {
    llama_sampler* const chain = new_chain();
    (llama_sampler_chain_add(chain, samplers), ...);
    return chain;
}

llama_sampler* strong_penalties();

/// A sampler of the program's own.
llama_sampler* halving();

/// One of most kinds.
llama_sampler* usual_chain();

// The parts.

void use_chains();
void use_samplers_alone();
void use_what_is_in_a_chain();
void copy_chains();
void use_odd_chains();
void use_random_chains();
void use_contexts(const char* model_file);
