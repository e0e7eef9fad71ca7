// A nucleus, top_k and a draw over rows of every length, those beside the lengths at which the way through the row
// changes included: microseconds a sample. No length may cost more than a longer one by much, and no kind of row a step
// up. And short rows, as of a game that chooses among five actions, beside exp and std::discrete_distribution.
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include <riffle/riffle.hpp>

#include "rows.hpp"
#include "staged.hpp"

namespace {

using namespace riffle;
using row_set = std::vector<std::vector<float>>;

/// Thirty likely tokens as in rows::side_by_side, with ids far from each other.
std::vector<float> spread(std::size_t size, std::uint64_t seed) {
    constexpr std::size_t likely = 30;
    std::vector<float> row = rows::flat(size, seed);
    for (std::size_t i = 0; i < likely && i < size; ++i) row[i * size / likely] = 10.0f - 0.15f * float(i);
    return row;
}
/// Rows of one less than a power of two are those of that power without their last logit: the length alone differs.
std::vector<float> row_of(const rows::kind& kind, std::size_t size, std::uint64_t seed) {
    if (size < 1000 || !std::has_single_bit(size + 1)) return kind.make(size, seed);
    std::vector<float> row = kind.make(size + 1, seed);
    row.pop_back();
    return row;
}
constexpr std::size_t long_sizes[] = {1000,  2047,  2048,  4096,  8191,   8192,  16383,
                                      16384, 32000, 65535, 65536, 128256, 262144},
                      short_sizes[] = {5, 20, 100};
constexpr rows::kind kinds[] = {
    {"medium", rows::medium}, {"side by side", rows::side_by_side}, {"spread", spread}, {"flat", rows::flat}};

template <class Chain>
void sample(benchmark::State& state, const row_set& all, Chain chain) {
    for (const auto& row : all) {
        const token_id token = chain.peek(row);
        if (token == null_token || token != staged(chain, row))
            return state.SkipWithError("a fused sample differs from the staged one");
    }
    std::size_t i = 0;
    for (auto _ : state) benchmark::DoNotOptimize(chain.sample(all[i++ % all.size()]));
}

/// What a program without a library does with few actions.
void by_standard_library(benchmark::State& state, const row_set& all) {
    std::mt19937 random(42);
    std::size_t i = 0;
    std::vector<float> weights;
    for (auto _ : state) {
        weights.clear();
        for (const float logit : all[i++ % all.size()]) weights.push_back(std::exp(logit));
        benchmark::DoNotOptimize(std::discrete_distribution<int>(weights.begin(), weights.end())(random));
    }
}

template <class F>
void add(const std::string& name, F f) {
    benchmark::RegisterBenchmark(name.c_str(), f)->Unit(benchmark::kMicrosecond);
}

dynamic_chain at_run_time() {
    dynamic_chain c;
    const auto push = [&](const auto&... stages) { (c.push(stages), ...); };
    push(top_k{}, top_p{}, min_p{}, temperature{}, dist{});
    return c;
}

const bool registered = [] {
    for (const std::size_t size : long_sizes)
        for (const auto& kind : kinds) {
            const row_set all = rows::eight(
                [&](std::size_t n, std::uint64_t seed) { return row_of(kind, n, seed); }, size);
            const std::string what = std::string(kind.name) + "/" + std::to_string(size);
            add("top_p .95, temperature, dist/" + what,
                [=](benchmark::State& s) { sample(s, all, chain(top_p{.p = 0.95f}, temperature{}, dist{})); });
            add("top_k 40, dist/" + what, [=](benchmark::State& s) { sample(s, all, chain(top_k{}, dist{})); });
            add("temperature, dist/" + what, [=](benchmark::State& s) { sample(s, all, chain(temperature{}, dist{})); });
        }
    for (const std::size_t size : short_sizes) {
        const row_set all = rows::eight(rows::medium, size);
        const std::string what = "/short/" + std::to_string(size);
        add("exp, std::discrete_distribution" + what, [=](benchmark::State& s) { by_standard_library(s, all); });
        add("dist" + what, [=](benchmark::State& s) { sample(s, all, chain(dist{})); });
        add("temperature, dist" + what, [=](benchmark::State& s) { sample(s, all, chain(temperature{}, dist{})); });
        add("temperature, gumbel" + what, [=](benchmark::State& s) { sample(s, all, chain(temperature{}, gumbel{})); });
        add("top_p, temperature, dist" + what,
            [=](benchmark::State& s) { sample(s, all, chain(top_p{}, temperature{}, dist{})); });
        add("penalties, temperature, dist" + what,
            [=](benchmark::State& s) { sample(s, all, chain(penalties{.repeat = 1.1f}, temperature{}, dist{})); });
        add("five stages" + what, [=](benchmark::State& s) {
            sample(s, all, chain(top_k{}, top_p{}, min_p{}, temperature{}, dist{}));
        });
        add("five stages, at run time" + what, [=](benchmark::State& s) { sample(s, all, at_run_time()); });
    }
    return true;
}();

}  // namespace
