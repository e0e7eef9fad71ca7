// Rows of 16-bit logits beside the rows of the floats that they are, whose tokens they give: microseconds a sample of
// 131,072 logits, one row again and again (in the caches near the core) and of 64 by turns (not there).
// `benchmarks/table half_rows` prints the table: the time of the floats, and how many times that the 16 bits take;
// least times, since what other programs do to a row in the caches makes ratios of medians wander by a fifth.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include <riffle/riffle.hpp>

#include "narrowed.hpp"
#include "rows.hpp"

namespace {

using namespace riffle;

template <class Half>
struct row_pair {
    std::vector<Half> halves;
    std::vector<float> floats;
};
template <class Half>
row_pair<Half> pair_of(const std::vector<float>& row, Half (*narrow)(float)) {
    row_pair<Half> pair;
    for (const float logit : row) {
        pair.halves.push_back(narrow(logit));
        pair.floats.push_back(float(pair.halves.back()));
    }
    return pair;
}

template <class Half, class Chain>
void sample(benchmark::State& state, const std::vector<row_pair<Half>>& all, Chain chain, bool of_halves) {
    for (const auto& row : all)
        if (chain.peek(row.halves) != chain.peek(row.floats))
            return state.SkipWithError("the token of 16-bit logits differs from that of their floats");
    std::size_t i = 0;
    for (auto _ : state) {
        const auto& row = all[i++ % all.size()];
        benchmark::DoNotOptimize(of_halves ? chain.peek(row.halves) : chain.peek(row.floats));
    }
}

template <class Half>
void add_format(const char* format, Half (*narrow)(float)) {
    constexpr std::size_t size = 131072;
    static std::vector<row_pair<Half>> of_kind[2][2];
    for (std::size_t kind = 0; kind < 2; ++kind)
        for (std::size_t place = 0; place < 2; ++place) {
            auto& all = of_kind[kind][place];
            for (std::uint64_t seed = 0; seed < (place ? 64 : 1); ++seed)
                all.push_back(pair_of(kind ? rows::flat(size, seed) : rows::medium(size, seed), narrow));
            const std::string where = std::string(kind ? "flat" : "medium") + (place ? ", 64 rows" : ", one row");
            const auto add = [&](const std::string& name, const auto& chain) {
                for (const bool of_halves : {false, true})
                    benchmark::RegisterBenchmark(
                        (name + "/" + where + "/" + format + (of_halves ? "/halves" : "/floats")).c_str(),
                        [&all, chain, of_halves](benchmark::State& s) { sample(s, all, chain, of_halves); })
                        ->Unit(benchmark::kMicrosecond)
                        ->ComputeStatistics("least", [](const std::vector<double>& times) {
                            return *std::min_element(times.begin(), times.end());
                        });
            };
            add("greedy", chain(greedy{}));
            add("top_k, top_p, min_p, temperature, dist",
                chain(top_k{}, top_p{}, min_p{}, temperature{.t = 0.8f}, dist{}));
            add("min_p, temperature, dist", chain(min_p{}, temperature{.t = 0.8f}, dist{}));
            add("temperature, dist", chain(temperature{.t = 0.8f}, dist{}));
            add("temperature, top_p, dist", chain(temperature{.t = 0.8f}, top_p{.p = 0.9f}, dist{}));
            add("top_n_sigma, dist", chain(top_n_sigma{}, dist{}));
            add("top_k 1000, dist", chain(top_k{.k = 1000}, dist{}));
        }
}

const bool registered = [] {
    add_format("float16", to_float16);
    add_format("bfloat16", to_bfloat16);
    return true;
}();

}  // namespace
