#include <cstdio>

#include "program.hpp"

// What a program does with a sampler that is in a chain, through llama_sampler_chain_get or by taking it out.

namespace {

llama_sampler* drawing_chain() {
    return chain_of(llama_sampler_init_xtc(0.5f, 0.0001f, 1, 11), llama_sampler_init_temp(1.5f),
                    llama_sampler_init_dist(3));
}

void accepting() {
    llama_sampler* const chain = chain_of(strong_penalties(), llama_sampler_init_greedy());
    const llama_token token = apply("not accepted", chain, 1, false);
    llama_sampler_accept(llama_sampler_chain_get(chain, 0), token);
    apply("accepted by one of two", chain, 1, false);
    llama_sampler_reset(llama_sampler_chain_get(chain, 0));
    apply("which is reset", chain, 1, false);
    llama_sampler_free(chain);
}

void resetting() {
    llama_sampler* const chain = drawing_chain();
    for (unsigned i = 0; i < 4; ++i) apply("before a reset of the last", chain, i);
    llama_sampler_reset(llama_sampler_chain_get(chain, 2));
    for (unsigned i = 0; i < 4; ++i) apply("after it", chain, i);
    llama_sampler_free(chain);
}

void applying() {
    llama_sampler* const chain = drawing_chain();
    for (unsigned i = 0; i < 3; ++i) apply("all of a chain", chain, i);
    apply("one of it", llama_sampler_chain_get(chain, 2), 3);
    for (unsigned i = 4; i < 6; ++i) apply("all of it again", chain, i);
    llama_sampler_free(chain);
}

void cloning() {
    llama_sampler* const chain = drawing_chain();
    for (unsigned i = 0; i < 3; ++i) apply("before a clone of the last", chain, i);
    llama_sampler* const last = llama_sampler_clone(llama_sampler_chain_get(chain, 2));
    apply("the clone", last, 1);
    apply("the chain", chain, 1);
    llama_sampler_free(last);
    llama_sampler_free(chain);
}

void copying() {
    llama_sampler* const one = chain_of(strong_penalties(), llama_sampler_init_dist(1));
    llama_sampler* const other = chain_of(strong_penalties(), llama_sampler_init_dist(1));
    for (unsigned i = 0; i < 2; ++i) apply("copied from", one, i);
    llama_sampler_copy(llama_sampler_chain_get(one, 1), llama_sampler_chain_get(other, 1));
    apply("the one", one, 1);
    apply("the other", other, 1);
    llama_sampler_free(one);
    llama_sampler_free(other);
}

void moving() {
    llama_sampler* const chain = chain_of(strong_penalties(), llama_sampler_init_greedy());
    for (unsigned i = 0; i < 3; ++i) apply("with penalties", chain, 1);
    llama_sampler* const other = chain_of(llama_sampler_chain_remove(chain, 0), llama_sampler_init_greedy());
    for (unsigned i = 0; i < 2; ++i) apply("which were moved", other, 1);
    apply("and without", chain, 1);
    llama_sampler_free(chain);
    llama_sampler_free(other);
}

void taking_out() {
    llama_sampler* const chain = drawing_chain();
    for (unsigned i = 0; i < 5; ++i) apply("before one is taken out", chain, i);
    llama_sampler_free(llama_sampler_chain_remove(chain, 1));
    for (unsigned i = 0; i < 5; ++i) apply("after it", chain, i);
    llama_sampler* const copy = llama_sampler_clone(chain);
    apply("a clone of what is left", copy, 9);
    llama_sampler_copy(chain, copy);
    llama_sampler_reset(copy);
    apply("reset", copy, 0);
    llama_sampler_free(copy);
    llama_sampler_free(chain);
}

/// Prompts of any length, of which the last tokens count.
void long_prompt() {
    llama_sampler* const chain = chain_of(strong_penalties(), llama_sampler_init_greedy());
    for (llama_token token = 0; token < 5 * vocabulary; ++token) llama_sampler_accept(chain, token % vocabulary);
    apply("a long prompt", chain, 1);
    llama_sampler* const taken = llama_sampler_chain_remove(chain, 0);
    apply("the last of it", taken, 1);
    llama_sampler_free(taken);
    llama_sampler_free(chain);
}

}  // namespace

void use_what_is_in_a_chain() {
    accepting();
    resetting();
    applying();
    cloning();
    copying();
    moving();
    taking_out();
    long_prompt();
}
