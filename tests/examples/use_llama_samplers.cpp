// A program as anybody writes it with llama.h: use_llama_samplers MODEL.gguf. What it prints is the same whoever does
// the sampling, for which tests/examples/llama_preload_test.sh runs it twice.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ggml-backend.h>
#include <llama.h>
#include <string>
#include <vector>

namespace {

constexpr std::int32_t vocabulary = 5000;

std::vector<llama_token_data> candidates(unsigned seed) {
    std::vector<llama_token_data> all;
    std::uint32_t state = seed;
    for (llama_token id = 0; id < vocabulary; ++id) {
        state = state * 1664525u + 1013904223u;
        all.push_back({id, float(state >> 8) * 0x1p-22f - 2.0f, 0.0f});
    }
    return all;
}

/// What is left in the array, p aside, which riffle has to a millionth.
void print(const char* what, const llama_token_data_array& array) {
    double sum = 0;
    for (std::size_t i = 0; i < array.size; ++i) sum += double(array.data[i].logit) * double(i + 1);
    std::printf("%-28s size %zu, selected %lld, sorted %d, first %d %.9g, sum %.17g\n", what, array.size,
                static_cast<long long>(array.selected), int(array.sorted), array.size ? array.data[0].id : -1,
                array.size ? double(array.data[0].logit) : 0.0, std::isfinite(sum) ? sum : 0.0);
}

llama_token apply(const char* what, llama_sampler* sampler, unsigned seed, bool accepts = true) {
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

/// A sampler of the program's own, between others.
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

/// llama_sampler_sample, which has a context.
void sampling(const char* file) {
    llama_log_set([](ggml_log_level, const char*, void*) {}, nullptr);
    ggml_backend_load_all();
    llama_model* const model = llama_model_load_from_file(file, llama_model_default_params());
    if (!model) std::exit((std::printf("no model\n"), 1));
    llama_context_params parameters = llama_context_default_params();
    parameters.n_ctx = 256;
    parameters.n_threads = parameters.n_threads_batch = 1;
    for (const int kind : {0, 1, 2, 3}) {
        llama_context* const context = llama_init_from_model(model, parameters);
        llama_sampler* const chain = kind == 0 ? usual_chain() : new_chain();
        if (kind == 1) llama_sampler_chain_add(chain, llama_sampler_init_greedy());
        if (kind >= 2) llama_sampler_chain_add(chain, llama_sampler_init_temp(1.2f));
        if (kind == 3) llama_sampler_chain_add(chain, halving());
        if (kind >= 2) llama_sampler_chain_add(chain, llama_sampler_init_dist(8));
        llama_token token = 1;
        std::printf("sampled, %d:", kind);
        for (int i = 0; i < 24; ++i) {
            if (llama_decode(context, llama_batch_get_one(&token, 1)) != 0) break;
            token = llama_sampler_sample(chain, context, -1);
            std::printf(" %d", token);
        }
        std::printf(", %d counted\n", llama_perf_sampler(chain).n_sample);
        llama_sampler_free(chain);
        llama_free(context);
    }
    llama_model_free(model);
}

}  // namespace

int main(int count, char** arguments) {
    chains();
    own_between();
    removing();
    alone();
    random_seeds();
    if (count > 1) sampling(arguments[1]);
    return 0;
}
