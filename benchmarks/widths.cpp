// What wider lanes are worth: each pass over a row of 128,256 logits at every width this machine has, forced. All give
// the same bits, which is checked first. `benchmarks/table widths` prints the table.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <string>

#include <benchmark/benchmark.h>

#include <riffle/riffle.hpp>

#include "passes.hpp"
#include "rows.hpp"

namespace {

using namespace riffle;
using passes::lowest, passes::prepared, passes::unmapped;

std::uint64_t bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }

std::uint64_t max(prepared& p) { return bits_of(p.find_max()); }

std::uint64_t above(prepared& p) { return p.found_above(p.maximum - 3.0f, p.block_maxima).size; }
std::uint64_t above_all(prepared& p) { return p.found_above(lowest, p.no_maxima).size; }

template <std::size_t K>
std::uint64_t select_greatest(prepared& p) {
    const float bound =
        wide::bound_of_rank(p.r, p.block_maxima.data(), K, p.maximum, p.groups.data(), false, p.bins.data());
    candidates found{p.tokens.data(), 0, -1, false};
    wide::find_greatest(p.r, p.block_maxima.data(), K, bound, unmapped{p.maximum}, found);
    return found.size;
}

std::uint64_t mass(prepared& p) { return p.mass(p.maximum - mass_range, p.block_maxima); }

std::uint64_t fast_mass(prepared& p) {
    wide::find_mass<true>(p.r, p.block_maxima.data(), p.maximum - mass_range, fused_maps<>{}, p.maximum,
                          p.masses.data());
    return 0;  // its last bits may differ from width to width
}

std::uint64_t histogram(prepared& p) {
    const auto by = wide::buckets::between(p.maximum - mass_range, p.maximum);
    std::fill(p.bins.begin(), p.bins.end(), 0);
    wide::mass_by_bucket(p.r, p.block_maxima.data(), p.maximum - mass_range, fused_maps<>{}, by, p.maximum,
                         p.bins.data());
    return p.bins[wide::buckets::count - 1];
}

std::uint64_t moments(prepared& p) {
    const auto found = wide::find_moments(p.r, p.block_maxima.data(), fused_maps<>{}, p.maximum);
    return found.deviation();
}

std::uint64_t softmax(prepared& p) {
    const auto found =
        wide::find_softmax(p.r, p.block_maxima.data(), p.maximum - mass_range, lowest, fused_maps<>{}, p.maximum);
    return found.mass;
}

std::uint64_t noise(prepared& p) {
    return std::uint64_t(wide::pick_by_noise(p.r, p.block_maxima.data(), fused_maps<>{}, p.maximum, draws(1, {}, 0)));
}

std::uint64_t candidates_of(prepared& p) {
    wide::fill_candidates(p.r, false, p.tokens.data());
    return bits_of(p.tokens[p.logits.size() - 1].logit);
}

struct pass {
    const char* name;
    std::uint64_t (*run)(prepared&);
};
constexpr pass all_passes[] = {
    {"max", max},
    {"above (min_p .05)", above},
    {"above (every token)", above_all},
    {"select (top_k 40)", select_greatest<40>},
    {"select (top_k 1000)", select_greatest<1000>},
    {"mass", mass},
    {"mass (fast)", fast_mass},
    {"histogram of masses", histogram},
    {"moments (top_n_sigma)", moments},
    {"softmax (typical)", softmax},
    {"noise (gumbel)", noise},
    {"candidates of a row", candidates_of},
};

/// At a width, until it is destroyed.
struct at_width {
    explicit at_width(int width) { wide::force_width(width); }
    ~at_width() { wide::force_width(0); }
};

std::uint64_t answer_at(int width, const pass& of, prepared& p) {
    const at_width forced(width);
    p.find_max();  // the maxima of blocks and lanes are those of a width
    return of.run(p);
}

void require_equal_answers(const pass& of, std::deque<prepared>& rows) {
    for (auto& p : rows)
        for (const int width : {8, 16})
            if (width <= wide::widest() && answer_at(width, of, p) != answer_at(4, of, p)) {
                std::fprintf(stderr, "benchmark: %s at %d lanes differs\n", of.name, width);
                std::exit(1);
            }
}

const bool registered = [] {
    static std::deque<std::deque<prepared>> sets;
    for (const auto& kind : {rows::of_models[1], rows::of_models[2]}) {
        auto& rows = sets.emplace_back();
        for (auto& row : rows::eight(kind.make, 128256)) rows.emplace_back(std::move(row));
        for (const auto& p : all_passes)
            for (const int width : {4, 8, 16}) {
                if (width > wide::widest()) continue;
                const std::string name = std::string(p.name) + "/" + kind.name + "/" + std::to_string(width);
                benchmark::RegisterBenchmark(name.c_str(), [&rows, p, width](benchmark::State& state) {
                    require_equal_answers(p, rows);
                    const at_width forced(width);
                    for (auto& row : rows) row.find_max();
                    std::size_t i = 0;
                    for (auto _ : state) benchmark::DoNotOptimize(p.run(rows[i++ % rows.size()]));
                })->Unit(benchmark::kMicrosecond);
            }
    }
    return true;
}();

}  // namespace
