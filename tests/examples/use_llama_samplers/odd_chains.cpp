#include <cmath>
#include <cstdio>

#include "program.hpp"

// Chains, parameters and arrays that riffle's own chains do not allow.

namespace {

void apply_thrice(const char* what, llama_sampler* chain) {
    for (unsigned i = 0; i < 3; ++i) apply(what, chain, i);
    llama_sampler_free(chain);
}

void behind_a_selector() {
    apply_thrice("greedy behind dist", chain_of(llama_sampler_init_top_k(40), llama_sampler_init_temp(0.8f),
                                                llama_sampler_init_dist(7), llama_sampler_init_greedy()));
    apply_thrice("top_k behind dist", chain_of(llama_sampler_init_dist(7), llama_sampler_init_top_k(5)));
}

void many() {
    for (const int count : {31, 32, 33, 70}) {
        llama_sampler* const chain = new_chain();
        for (int i = 0; i < count; ++i) llama_sampler_chain_add(chain, llama_sampler_init_temp(1.01f));
        llama_sampler_chain_add(chain, llama_sampler_init_dist(7));
        std::printf("%d samplers\n", llama_sampler_chain_n(chain));
        apply_thrice("many samplers", chain);
    }
}

void odd_parameters() {
    const llama_logit_bias biases[] = {{5, INFINITY}, {-3, 2.0f}, {vocabulary + 5, 3.0f}};
    for (llama_sampler* const odd : {
             llama_sampler_init_penalties(vocabulary, 64, 0.0f, 0.0f, 0.0f),
             llama_sampler_init_penalties(vocabulary, 64, -1.0f, 0.0f, 0.0f),
             llama_sampler_init_penalties(vocabulary, 64, INFINITY, 0.0f, 0.0f),
             llama_sampler_init_top_p(NAN, 1),
             llama_sampler_init_min_p(INFINITY, 1),
             llama_sampler_init_temp(INFINITY),
             llama_sampler_init_temp(1e-30f),
             llama_sampler_init_temp_ext(1.0f, 0.5f, NAN),
             llama_sampler_init_xtc(NAN, 0.1f, 1, 1),
             llama_sampler_init_top_n_sigma(NAN),
             llama_sampler_init_logit_bias(vocabulary, 3, biases),
             llama_sampler_init_mirostat(vocabulary, 1, NAN, 0.1f, 100),
             llama_sampler_init_mirostat_v2(1, NAN, 0.1f),
         })
        apply_thrice(llama_sampler_name(odd), chain_of(strong_penalties(), odd, llama_sampler_init_dist(3)));
}

void odd_arrays() {
    llama_sampler* const chain = chain_of(strong_penalties(), llama_sampler_init_top_k(5), llama_sampler_init_dist(3));
    apply("as usual", chain, 1);
    llama_token_data_array empty{nullptr, 0, 3, false};
    llama_sampler_apply(chain, &empty);
    std::printf("of none: size %zu, selected %lld, sorted %d\n", empty.size, static_cast<long long>(empty.selected),
                int(empty.sorted));
    apply("as usual again", chain, 2);
    llama_sampler_free(chain);

    llama_sampler* const other = chain_of(llama_sampler_init_top_k(5), llama_sampler_init_dist(3));
    std::vector<llama_token_data> all = candidates(1, 20);
    all[3].id = -1;
    llama_token_data_array array{all.data(), all.size(), -1, false};
    llama_sampler_apply(other, &array);
    print("an id below 0", array);
    apply("none", other, 1);
    llama_sampler_free(other);
}

/// Of which one is no token.
void odd_tokens() {
    for (const llama_token token : {-1, -5, 1 << 30, vocabulary + 3}) {
        llama_sampler* const chain =
            chain_of(strong_penalties(), llama_sampler_init_temp(1.5f), llama_sampler_init_dist(1));
        apply("before an odd token", chain, 1);
        llama_sampler_accept(chain, token);
        apply_thrice("after it", chain);
    }
}

/// llama_sampler_i::name may be missing, or answer nothing.
void without_names() {
    static llama_sampler_i nameless{}, silent{};
    nameless.apply = silent.apply = [](llama_sampler*, llama_token_data_array* array) { array->selected = 0; };
    silent.name = [](const llama_sampler*) -> const char* { return nullptr; };
    for (llama_sampler_i* const functions : {&nameless, &silent})
        apply_thrice("without a name", chain_of(llama_sampler_init_temp(1.5f), llama_sampler_init(functions, nullptr)));
}

void nested() {
    llama_sampler* const inner = chain_of(strong_penalties(), llama_sampler_init_top_k(20));
    llama_sampler* const chain = chain_of(inner, llama_sampler_init_dist(3));
    llama_sampler_chain_add(inner, llama_sampler_init_min_p(0.1f, 1));
    std::printf("nested: %d in %d, seed %u\n", llama_sampler_chain_n(inner), llama_sampler_chain_n(chain),
                llama_sampler_get_seed(chain));
    for (unsigned i = 0; i < 3; ++i) apply("a chain in a chain", chain, i);
    llama_sampler* const copy = llama_sampler_clone(chain);
    apply_thrice("and a clone", copy);
    apply_thrice("the original", chain);
}

void added_to_while_used() {
    llama_sampler* const chain = chain_of(strong_penalties());
    llama_sampler_accept(chain, 5);
    llama_sampler_chain_add(chain, llama_sampler_init_top_k(10));
    apply("two", chain, 1);
    llama_sampler_chain_add(chain, llama_sampler_init_temp(1.5f));
    llama_sampler_chain_add(chain, llama_sampler_init_dist(1));
    for (unsigned i = 0; i < 3; ++i) apply("four", chain, i);
    llama_sampler_reset(chain);
    llama_sampler_chain_add(chain, llama_sampler_init_greedy());
    apply_thrice("five", chain);
}

}  // namespace

void use_odd_chains() {
    behind_a_selector();
    many();
    odd_parameters();
    odd_arrays();
    odd_tokens();
    without_names();
    nested();
    added_to_while_used();
}
