// Every stage over every kind of row: those of models, those that a sampler fears, those that an enemy would choose.
// `benchmarks/table feared` shows how many times as long as on the median kind a stage takes, and where that is long.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include <riffle/riffle.hpp>

#include "rows.hpp"
#include "staged.hpp"

namespace {

using namespace riffle;

constexpr std::size_t vocabulary_size = 128256;

/// Made when the first asks.
const std::vector<std::vector<float>>& rows_of(const rows::kind& kind) {
    static std::map<std::string, std::vector<std::vector<float>>> made;
    auto& rows = made[kind.name];
    if (rows.empty()) rows = rows::eight(kind.make, vocabulary_size);
    return rows;
}

template <class... Stages>
void add(const std::string& name, const Stages&... stages) {
    const auto over = [&](const rows::kind& kind) {
        benchmark::RegisterBenchmark((name + "/" + kind.name).c_str(), [stages..., &kind](benchmark::State& state) {
            const auto& rows = rows_of(kind);
            auto c = chain(stages...);
            c.reserve(vocabulary_size);
            const token_id token = c.peek(rows[0]);
            if (token == null_token || token != staged(c, rows[0])) {
                std::fprintf(stderr, "benchmark: a fused sample differs from the staged one\n");
                std::exit(1);
            }
            std::size_t i = 0;
            for (auto _ : state) benchmark::DoNotOptimize(c.peek(rows[i++ % rows.size()]));
        })->Unit(benchmark::kMicrosecond);
    };
    for (const auto& kind : rows::of_models) over(kind);
    for (const auto& kind : rows::feared) over(kind);
    for (const auto& kind : rows::hostile) over(kind);
}

const bool registered = [] {
    const dist draw{.seed = 42};
    add("greedy", greedy{});
    add("dist", draw);
    add("gumbel", gumbel{});
    add("skew", skew{.amount = 0.5f});
    add("mirostat", mirostat{.n_vocab = vocabulary_size});
    add("mirostat_v2", mirostat_v2{});
    add("adaptive_p", adaptive_p{.target = 0.5f});
    add("temperature", temperature{.t = 0.8f}, draw);
    add("dynamic_temperature", dynamic_temperature{.t = 0.8f, .range = 0.5f}, draw);
    add("soft_cap", soft_cap{}, draw);
    add("quadratic", quadratic{}, draw);
    add("top_k 40", top_k{.k = 40}, draw);
    add("top_k 1000", top_k{.k = 1000}, draw);
    add("top_p", top_p{}, draw);
    add("factual_nucleus", factual_nucleus{}, draw);
    add("min_p", min_p{}, draw);
    add("typical", typical{}, draw);
    add("top_n_sigma", top_n_sigma{}, draw);
    add("top_a", top_a{}, draw);
    add("tail_free", tail_free{}, draw);
    add("epsilon_cutoff", epsilon_cutoff{}, draw);
    add("eta_cutoff", eta_cutoff{}, draw);
    add("p_less", p_less{}, draw);
    add("top_h", top_h{}, draw);
    add("min_k", min_k{}, draw);
    add("xtc", xtc{.probability = 1.0f}, draw);
    add("logit_bias", logit_bias{{{17, 1.0f}, {70000, -1.0f}}}, draw);
    return true;
}();

}  // namespace
