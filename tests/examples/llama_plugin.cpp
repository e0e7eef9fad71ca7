// A shared library that makes samplers: before main, where a program is linked with it, and for one that opens it and
// is linked with no libllama.

#include "llama_plugin.hpp"

#include <cstdio>
#include <llama.h>

namespace {

int samplers_of_a_chain() {
    llama_sampler* const chain = llama_sampler_chain_init(llama_sampler_chain_default_params());
    llama_sampler_chain_add(chain, llama_sampler_init_top_k(4));
    llama_sampler_chain_add(chain, llama_sampler_init_dist(1));
    llama_token_data all[] = {{0, 1.0f, 0.0f}, {1, 2.0f, 0.0f}, {2, 0.5f, 0.0f}};
    llama_token_data_array array{all, 3, -1, false};
    llama_sampler_apply(chain, &array);
    const int count = array.selected < 0 ? 0 : llama_sampler_chain_n(chain);
    llama_sampler_free(chain);
    return count;
}

const int before_main = samplers_of_a_chain();

}  // namespace

int samplers_of_plugin() { return before_main == samplers_of_a_chain() ? before_main : -1; }
