// A token inside llama.cpp, in a context of a model with random weights: microseconds (medians) in llama_decode and in
// taking the token from its row, for llama.cpp's own chain, for the same chain as one llama_sampler of riffle's, for
// riffle::llama::sample, and for riffle's chain attached to the context. All take the same tokens, turn about. Beside
// them a llama_sampler that takes no time at all: what llama_sampler_sample does for itself, which is to fill its
// array.
//
//     compare_in_llama [V] [steps]
//
// Needs libllama 0.7.0: benchmarks/compare/table runs it in a root of Debian unstable.
#include <cstdio>
#include <cstdlib>
#include <ggml-backend.h>
#include <llama.h>
#include <string>
#include <vector>

#include <riffle/llama.hpp>

#include "llama/owners.hpp"
#include "llama/random_model.hpp"
#include "peer.hpp"
#include "turns.hpp"

namespace {

using namespace riffle;
using namespace compared;
using riffle_tests::context_owner, riffle_tests::model_owner, riffle_tests::sampler_owner;

constexpr int longest_text = 256;

model_owner load(std::uint32_t vocabulary_size) {
    llama_log_set([](ggml_log_level, const char*, void*) {}, nullptr);
    ggml_backend_load_all();
    const char* const folder = std::getenv("TMPDIR");
    const std::string path = std::string(folder ? folder : "/tmp") + "/riffle-compare-model.gguf";
    riffle_tests::write_random_model(path, {}, vocabulary_size);
    model_owner model(llama_model_load_from_file(path.c_str(), llama_model_default_params()));
    std::remove(path.c_str());
    return model;
}

sampler_owner empty_chain() { return sampler_owner(llama_sampler_chain_init(llama_sampler_chain_default_params())); }

/// A llama_sampler that takes the first token.
sampler_owner no_work() {
    static llama_sampler_i functions = [] {
        llama_sampler_i f{};
        f.name = [](const llama_sampler*) { return "no work"; };
        f.apply = [](llama_sampler*, llama_token_data_array* tokens) { tokens->selected = 0; };
        return f;
    }();
    return sampler_owner(llama_sampler_init(&functions, nullptr));
}

/// A text of its own, with a context of its own and a way to take the next token from it.
template <class Take>
class text {
public:
    text(llama_model* model, llama_sampler* attached, Take take) : take_(take) {
        llama_context_params with = llama_context_default_params();
        with.n_ctx = longest_text;
        with.n_threads = with.n_threads_batch = 1;
        llama_sampler_seq_config of_sequence{0, attached};
        with.samplers = &of_sequence;
        with.n_samplers = attached ? 1 : 0;
        context_.reset(llama_init_from_model(model, with));
    }
    llama_token step(llama_token token) {
        if (++length_ == longest_text) {
            llama_memory_clear(llama_get_memory(context_.get()), false);
            length_ = 1;
        }
        decode_.time([&] {
            const auto done = llama_decode(context_.get(), llama_batch_get_one(&token, 1));
            llama_synchronize(context_.get());
            return done;
        });
        return sampling_.time([&] { return take_(context_.get()); });
    }
    void forget_times() { decode_ = sampling_ = {}; }
    double decode() { return decode_.median(); }
    double sampling() { return sampling_.median(); }

private:
    Take take_;
    context_owner context_;
    stopwatch decode_, sampling_;
    int length_ = 0;
};

template <class... Stages>
void compare_chain(const char* name, llama_model* model, int steps, const Stages&... stages) {
    const sampler_owner peer = empty_chain(), adapted = empty_chain();
    (llama_sampler_chain_add(peer.get(), peer_of(stages)), ...);
    auto exact = chain<llama_exact>(stages...);
    llama_sampler_chain_add(adapted.get(), llama::make_sampler(exact));
    const sampler_owner attached(llama::make_chain(exact)), nothing = no_work();
    const auto take_by = [](llama_sampler* s) {
        return [s](llama_context* context) { return llama_sampler_sample(s, context, -1); };
    };
    text of_nothing(model, nullptr, take_by(nothing.get()));
    text of_peer(model, nullptr, take_by(peer.get()));
    text of_adapted(model, nullptr, take_by(adapted.get()));
    text of_riffle(model, nullptr, [&](llama_context* context) { return llama::sample(exact, context, -1); });
    text of_attached(model, attached.get(), take_by(attached.get()));
    int differing = 0;
    llama_token token = 1;
    for (int i = -longest_text; i < steps; ++i) {
        if (i == 0)
            of_nothing.forget_times(), of_peer.forget_times(), of_adapted.forget_times(), of_riffle.forget_times(),
                of_attached.forget_times();
        of_nothing.step(token);
        const llama_token next = of_peer.step(token);
        differing += of_adapted.step(token) != next;
        differing += of_riffle.step(token) != next;
        differing += of_attached.step(token) != next;
        token = next;
    }
    const double n = of_nothing.sampling(), p = of_peer.sampling(), a = of_adapted.sampling(), r = of_riffle.sampling(),
                 g = of_attached.sampling();
    std::printf("| %s | %.0f | %.0f | %.0f | %.1f× | %.1f | %.1f× | %.1f | %.1f× | %+.0f |%s\n", name, n, p, a, p / a,
                r, p / r, g, p / g, of_attached.decode() - of_riffle.decode(),
                differing ? (" " + std::to_string(differing) + " TOKENS DIFFER").c_str() : "");
}

}  // namespace

int main(int count, char** words) {
    const int size = count > 1 ? std::atoi(words[1]) : 128256;
    const int steps = count > 2 ? std::atoi(words[2]) : 200;
    const model_owner model = load(std::uint32_t(size));
    if (!model) return std::puts("libllama cannot load the random model"), 1;
    llama_model* const m = model.get();
    std::printf("\nIn a context, V = %d\n\n| chain | filling alone µs | llama.cpp µs | as llama_sampler µs | faster by "
                "| llama::sample µs | "
                "faster by | attached µs | faster by | llama_decode of attached µs more "
                "|\n|---|---|---|---|---|---|---|---|---|---|\n",
                size);
    compare_chain("top_k 40 \\| top_p .95 \\| min_p .05 \\| temperature .8 \\| dist", m, steps, top_k{40}, top_p{0.95f},
                  min_p{0.05f}, temperature{0.8f}, dist{1});
    compare_chain("llama.cpp's default chain, penalties 64 1.1", m, steps, penalties{64, 1.1f}, top_n_sigma{-1.0f},
                  top_k{40}, typical{1.0f}, top_p{0.95f}, min_p{0.05f}, xtc{0.0f}, dynamic_temperature{0.8f}, dist{1});
    compare_chain("temperature .8 \\| dist", m, steps, temperature{0.8f}, dist{1});
    compare_chain("min_p .05 \\| temperature .8 \\| dist", m, steps, min_p{0.05f}, temperature{0.8f}, dist{1});
    compare_chain("top_n_sigma 1 \\| temperature .8 \\| dist", m, steps, top_n_sigma{1.0f}, temperature{0.8f}, dist{1});
}
