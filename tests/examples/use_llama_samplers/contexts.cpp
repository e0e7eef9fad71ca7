#include <cstdio>
#include <cstdlib>
#include <ggml-backend.h>

#include "program.hpp"

// llama_sampler_sample, and what else needs a model.

namespace {

class contexts {
public:
    explicit contexts(const char* model_file) {
        llama_log_set([](ggml_log_level, const char*, void*) {}, nullptr);
        ggml_backend_load_all();
        model_ = llama_model_load_from_file(model_file, llama_model_default_params());
        if (!model_) std::exit((std::printf("no model\n"), 1));
    }
    contexts(const contexts&) = delete;
    contexts& operator=(const contexts&) = delete;
    ~contexts() { llama_model_free(model_); }

    const llama_vocab* vocab() const { return llama_model_get_vocab(model_); }
    /// A new one; with a chain that its graph is to run.
    llama_context* context(llama_sampler* attached = nullptr) const {
        llama_sampler_seq_config config{0, attached};
        llama_context_params parameters = llama_context_default_params();
        parameters.n_ctx = 256;
        parameters.n_threads = parameters.n_threads_batch = 1;
        parameters.samplers = &config;
        parameters.n_samplers = attached ? 1 : 0;
        return llama_init_from_model(model_, parameters);
    }

private:
    llama_model* model_ = nullptr;
};

void sample(const char* what, llama_context* context, llama_sampler* sampler, int count) {
    llama_token token = 1;
    std::printf("%s:", what);
    for (int i = 0; i < count; ++i) {
        if (llama_decode(context, llama_batch_get_one(&token, 1)) != 0) break;
        token = llama_sampler_sample(sampler, context, -1);
        std::printf(" %d", token);
    }
    std::printf("\n");
}
void sample_anew(const char* what, const contexts& all, llama_sampler* chain) {
    llama_context* const context = all.context();
    sample(what, context, chain, 24);
    std::printf("%d counted\n", llama_perf_sampler(chain).n_sample);
    llama_free(context);
    llama_sampler_free(chain);
}

llama_sampler* drawing_chain() { return chain_of(llama_sampler_init_temp(1.2f), llama_sampler_init_dist(8)); }

void sampled(const contexts& all) {
    sample_anew("the usual chain", all, usual_chain());
    sample_anew("greedy", all, chain_of(llama_sampler_init_greedy()));
    sample_anew("drawn", all, drawing_chain());
    sample_anew("with one of its own", all,
                chain_of(llama_sampler_init_temp(1.2f), halving(), llama_sampler_init_dist(8)));
    sample_anew("two selectors", all, chain_of(llama_sampler_init_dist(8), llama_sampler_init_greedy()));
}

/// Those that llama.cpp does itself, between ours.
void between(const contexts& all) {
    const char* breakers[] = {"\n"};
    sample_anew("DRY", all,
                chain_of(strong_penalties(), llama_sampler_init_dry(all.vocab(), 0.8f, 1.75f, 1, 64, breakers, 1),
                         llama_sampler_init_temp(1.2f), llama_sampler_init_dist(8)));
    sample_anew("DRY switched off", all,
                chain_of(strong_penalties(), llama_sampler_init_dry(all.vocab(), 0.0f, 1.75f, 1, 64, breakers, 1),
                         llama_sampler_init_temp(1.2f), llama_sampler_init_dist(8)));
    sample_anew("infill", all,
                chain_of(llama_sampler_init_top_k(40), llama_sampler_init_infill(all.vocab()),
                         llama_sampler_init_temp(1.2f), llama_sampler_init_dist(8)));
    sample_anew("a grammar", all,
                chain_of(llama_sampler_init_grammar(all.vocab(), "root ::= [a-z ,.]+", "root"),
                         llama_sampler_init_top_k(40), llama_sampler_init_temp(1.2f), llama_sampler_init_dist(8)));
}

void sampled_alone(const contexts& all) {
    llama_sampler* const alone = llama_sampler_init_dist(7);
    llama_context* const context = all.context();
    sample("one sampler", context, alone, 6);
    std::printf("attached: %d\n", llama_set_sampler(context, 0, alone));
    llama_set_sampler(context, 0, nullptr);
    llama_free(context);
    llama_sampler_free(alone);
}

/// The program still has a sampler of the chain.
void attached(const contexts& all) {
    llama_sampler* const last = llama_sampler_init_dist(7);
    llama_sampler* const chain = chain_of(llama_sampler_init_temp(1.2f), last);
    llama_context* const context = all.context();
    std::printf("attached: %d\n", llama_set_sampler(context, 0, chain));
    std::printf("the same %d, seed %u\n", llama_sampler_chain_get(chain, 1) == last, llama_sampler_get_seed(last));
    sample("attached", context, chain, 6);
    llama_free(context);
    llama_sampler_free(chain);
}

void attached_late(const contexts& all) {
    llama_sampler* const chain = drawing_chain();
    llama_context* before = all.context();
    sample("before it is attached", before, chain, 6);
    llama_free(before);
    llama_context* const context = all.context(chain);
    sample("attached", context, chain, 6);
    llama_free(context);
    llama_sampler_free(chain);
}

void copied_while_attached(const contexts& all) {
    llama_sampler* const chain = drawing_chain();
    llama_sampler* const copy = llama_sampler_clone(chain);
    llama_context* const context = all.context(chain);
    sample("attached", context, chain, 4);
    llama_sampler_copy(chain, copy);
    llama_context* const other = all.context();
    sample("a copy", other, copy, 4);
    llama_free(other);
    llama_free(context);
    llama_sampler_free(copy);
    llama_sampler_free(chain);
}

void beside_one_attached(const contexts& all) {
    llama_sampler* const chain = chain_of(llama_sampler_init_top_k(20));
    llama_sampler* const other = drawing_chain();
    llama_context* const context = all.context(chain);
    sample("beside one that is attached", context, other, 6);
    std::printf("%d counted\n", llama_perf_sampler(other).n_sample);
    llama_free(context);
    llama_sampler_free(other);
    llama_sampler_free(chain);
}

}  // namespace

void use_contexts(const char* model_file) {
    const contexts all(model_file);
    sampled(all);
    between(all);
    sampled_alone(all);
    attached(all);
    attached_late(all);
    copied_while_attached(all);
    beside_one_attached(all);
}
