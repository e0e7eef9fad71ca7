// riffle beside llama.cpp in one process, on the same rows, taking turns of eight rows: microseconds a sample
// (medians), for llama.cpp's own chain with the fill that llama_sampler_sample does; for the same chain as one
// llama_sampler of riffle's in its place, fill included; for the chain on the row, under numerics::llama with its share
// of replays; and both under numerics::reproducible. Every token of llama_exact is compared with llama.cpp's.
//
//     compare_llama [V] [steps]
//
// Needs libllama 0.7.0: benchmarks/compare/table runs it in a root of Debian unstable.
#include <cstdio>
#include <cstdlib>
#include <llama.h>
#include <string>
#include <vector>

#include <riffle/llama.hpp>

#include "../rows.hpp"
#include "peer.hpp"

namespace {

using namespace riffle;
using namespace compared;
using row_set = std::vector<std::vector<float>>;

/// llama.cpp's chain, with the array of candidates that its llama_sampler_sample fills from the context's logits.
class peer_chain {
public:
    peer_chain() : chain_(llama_sampler_chain_init(llama_sampler_chain_default_params())) {}
    peer_chain(const peer_chain&) = delete;
    peer_chain& operator=(const peer_chain&) = delete;
    ~peer_chain() { llama_sampler_free(chain_); }
    void add(llama_sampler* s) { llama_sampler_chain_add(chain_, s); }

    token_id sample(const std::vector<float>& logits) {
        all_.resize(logits.size());
        for (std::size_t i = 0; i < logits.size(); ++i) all_[i] = {token_id(i), logits[i], 0.0f};
        llama_token_data_array a{all_.data(), all_.size(), -1, false};
        llama_sampler_apply(chain_, &a);
        const token_id token = a.data[a.selected].id;
        llama_sampler_accept(chain_, token);
        return token;
    }

private:
    llama_sampler* chain_;
    std::vector<llama_token_data> all_;
};

template <class... Stages>
void compare_chain(const char* name, const char* kind, const row_set& rows, int steps, const Stages&... stages) {
    peer_chain peer, adapted, own_adapted;
    (peer.add(peer_of(stages)), ...);
    auto exact = chain<llama_exact>(stages...);
    auto own = chain(stages...);
    adapted.add(llama::make_sampler(exact));
    own_adapted.add(llama::make_sampler(own));
    stopwatch of_peer, of_adapted, of_exact, of_own_adapted, of_own;
    int differing = 0;
    std::vector<token_id> expected(rows.size());
    for (int done = -int(rows.size()); done < steps; done += int(rows.size())) {  // turns of eight rows, one to warm up
        for (std::size_t i = 0; i < rows.size(); ++i) expected[i] = of_peer.time([&] { return peer.sample(rows[i]); });
        for (std::size_t i = 0; i < rows.size(); ++i)
            differing += of_adapted.time([&] { return adapted.sample(rows[i]); }) != expected[i];
        for (std::size_t i = 0; i < rows.size(); ++i) of_own_adapted.time([&] { return own_adapted.sample(rows[i]); });
        for (std::size_t i = 0; i < rows.size(); ++i)
            differing += of_exact.time([&] { return exact.sample(rows[i]); }) != expected[i];
        for (std::size_t i = 0; i < rows.size(); ++i) of_own.time([&] { return own.sample(rows[i]); });
        if (done < 0) of_peer = of_adapted = of_exact = of_own_adapted = of_own = {};
    }
    const auto counts = exact.replays();
    const double p = of_peer.median(), a = of_adapted.median(), e = of_exact.median(), b = of_own_adapted.median(),
                 o = of_own.median();
    std::printf("| %s | %s | %.0f | %.0f | %.1f× | %.1f | %.1f× | %.1f %% | %.0f | %.1f× | %.1f | %.1f× |%s\n", kind,
                name, p, a, p / a, e, p / e, 100.0 * double(counts.replays) / double(counts.rows), b, p / b, o, p / o,
                differing ? (" " + std::to_string(differing) + " TOKENS DIFFER").c_str() : "");
}

void compare_all(const char* kind, const row_set& rows, int steps) {
    compare_chain("top_k 40 \\| top_p .95 \\| min_p .05 \\| temperature .8 \\| dist", kind, rows, steps, top_k{40},
                  top_p{0.95f}, min_p{0.05f}, temperature{0.8f}, dist{1});
    compare_chain("llama.cpp's default chain, penalties 64 1.1", kind, rows, steps, penalties{64, 1.1f},
                  top_n_sigma{-1.0f}, top_k{40}, typical{1.0f}, top_p{0.95f}, min_p{0.05f}, xtc{0.0f},
                  dynamic_temperature{0.8f}, dist{1});
    compare_chain("temperature .8 \\| dist", kind, rows, steps, temperature{0.8f}, dist{1});
    compare_chain("min_p .05 \\| temperature .8 \\| dist", kind, rows, steps, min_p{0.05f}, temperature{0.8f}, dist{1});
    compare_chain("top_p .95 \\| temperature .8 \\| dist", kind, rows, steps, top_p{0.95f}, temperature{0.8f}, dist{1});
    compare_chain("temperature 1.5 \\| top_p .95 \\| dist", kind, rows, steps, temperature{1.5f}, top_p{0.95f},
                  dist{1});
    compare_chain("top_n_sigma 1 \\| temperature .8 \\| dist", kind, rows, steps, top_n_sigma{1.0f}, temperature{0.8f},
                  dist{1});
    compare_chain("typical .9 \\| dist", kind, rows, steps, typical{0.9f}, dist{1});
    compare_chain("mirostat_v2", kind, rows, steps, mirostat_v2{});
    compare_chain("min_p .05 \\| adaptive_p .5", kind, rows, steps, min_p{0.05f}, adaptive_p{0.5f});
    compare_chain("top_k 1000 \\| dist", kind, rows, steps, top_k{1000}, dist{1});
}

}  // namespace

int main(int count, char** words) {
    const std::size_t size = count > 1 ? std::size_t(std::atoll(words[1])) : 128256;
    const int steps = count > 2 ? std::atoi(words[2]) : 200;
    std::printf(
        "V = %zu\n\n| rows | chain | llama.cpp µs | llama_exact as llama_sampler µs | faster by | llama_exact µs | "
        "faster by | replays | reproducible as llama_sampler µs | faster by | reproducible µs | faster by |\n"
        "|---|---|---|---|---|---|---|---|---|---|---|---|\n",
        size);
    compare_all("medium", rows::eight(rows::medium, size), steps);
    compare_all("flat", rows::eight(rows::flat, size), steps);
}
