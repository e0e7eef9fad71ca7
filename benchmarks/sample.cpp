// Time per sample, beside the floors of the same machine in the same run: one max over the row, one sum of integer
// masses. benchmarks/table prints it as a table of ratios.
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include <riffle/riffle.hpp>

#include "floors.hpp"
#include "rows.hpp"
#include "staged.hpp"

namespace {

using namespace riffle;
using floors::mass_of, floors::max_of;
using row_set = std::vector<std::vector<float>>;

void require(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "benchmark: wrong output: %s\n", what);
    std::exit(1);
}

void max_floor(benchmark::State& state, const row_set& rows) {
    for (const auto& row : rows) require(max_of(row) == *std::max_element(row.begin(), row.end()), "max floor");
    std::size_t i = 0;
    for (auto _ : state) {
        const auto& row = rows[i++ % rows.size()];
        benchmark::DoNotOptimize(max_of(row));
    }
}

void mass_floor(benchmark::State& state, const row_set& rows) {
    std::vector<float> maxima;
    for (const auto& row : rows) {
        maxima.push_back(*std::max_element(row.begin(), row.end()));
        std::uint64_t total = 0;
        for (const float logit : row) total += fixed_mass_of(logit - maxima.back());
        require(mass_of(row, maxima.back()) == total, "mass floor");
    }
    std::size_t i = 0;
    for (auto _ : state) {
        const auto& row = rows[i % rows.size()];
        benchmark::DoNotOptimize(mass_of(row, maxima[i++ % rows.size()]));
    }
}

template <class Chain>
void sample(benchmark::State& state, const row_set& rows, Chain chain) {
    chain.reserve(rows[0].size());
    for (const auto& row : rows) {
        const token_id expected = staged(chain, row);
        require(chain.peek(row) == expected && expected != null_token, "a fused sample differs from the staged one");
    }
    std::size_t i = 0;
    for (auto _ : state) benchmark::DoNotOptimize(chain.sample(rows[i++ % rows.size()]));
}

template <class F>
void add(const std::string& name, F f) {
    benchmark::RegisterBenchmark(name.c_str(), f)->Unit(benchmark::kMicrosecond);
}

const bool registered = [] {
    static std::vector<std::pair<std::string, row_set>> sets;
    for (const std::size_t size : std::array<std::size_t, 3>{32000, 128256, 262144}) {
        sets.emplace_back("medium/" + std::to_string(size), rows::eight(rows::medium, size));
        sets.emplace_back("flat/" + std::to_string(size), rows::eight(rows::flat, size));
    }
    for (const auto& named : sets) {
        const std::string& suffix = named.first;
        const row_set& rows = named.second;
        add("floor max/" + suffix, [&](benchmark::State& s) { max_floor(s, rows); });
        add("floor mass/" + suffix, [&](benchmark::State& s) { mass_floor(s, rows); });
        const auto chains = [&]<class Policies>(Policies, const std::string& policy) {
            add(policy + "top_k 40 | top_p | min_p | temperature | dist/" + suffix, [&](benchmark::State& s) {
                sample(s, rows,
                       chain<Policies>(top_k{.k = 40}, top_p{.p = 0.95f}, min_p{.p = 0.05f}, temperature{.t = 0.8f},
                                       dist{.seed = 42}));
            });
            add(policy + "temperature | dist/" + suffix, [&](benchmark::State& s) {
                sample(s, rows, chain<Policies>(temperature{.t = 0.8f}, dist{.seed = 42}));
            });
            add(policy + "min_p | temperature | dist/" + suffix, [&](benchmark::State& s) {
                sample(s, rows, chain<Policies>(min_p{.p = 0.05f}, temperature{.t = 0.8f}, dist{.seed = 42}));
            });
        };
        chains(reproducible{}, "");
        add("fast: temperature | dist/" + suffix, [&](benchmark::State& s) {
            auto c = chain<fast>(temperature{.t = 0.8f}, dist{.seed = 42});
            for (const auto& row : rows) require(c.peek(row) != null_token, "no token under fast");
            std::size_t i = 0;
            for (auto _ : s) benchmark::DoNotOptimize(c.sample(rows[i++ % rows.size()]));
        });
    }
    return true;
}();

}  // namespace
