// What each of the ways to read less of a row is worth: the same work with it and without, on rows where it helps and
// on those where it cannot. Both answer the same, which is checked first. `benchmarks/table tricks` prints the table.
// RIFFLE_RECORDED names a file of recorded rows of 32,000 float16 logits, if there is one.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include <riffle/riffle.hpp>

#include "passes.hpp"
#include "rows.hpp"

namespace {

using namespace riffle;
using passes::lowest, passes::prepared, passes::unmapped;

// ---- what they do, each with `uses` and without; the answers are alike

/// min_p's cut: blocks whose maximum lies below are passed over.
std::uint64_t blocks_by_their_maxima(prepared& p, bool uses) {
    return p.found_above(p.maximum - 3.0f, uses ? p.block_maxima : p.no_maxima).size;
}
/// A sum of exp: blocks that weigh nothing are passed over, and where few logits of one weigh those are moved together.
std::uint64_t exp_of_what_weighs(prepared& p, bool uses) {
    return uses ? p.mass(p.maximum - mass_range, p.block_maxima) : p.mass(lowest, p.no_maxima);
}
/// The bound of a top-k from the maxima of blocks, or from a histogram of the row.
std::uint64_t bound_from_block_maxima(prepared& p, bool uses) {
    constexpr std::size_t k = 40;
    float bound = lowest;
    if (uses) {
        bound = wide::bound_of_rank(p.r, p.block_maxima.data(), k, p.maximum, p.groups.data(), false, p.bins.data());
    } else {
        const auto by = wide::buckets::between(p.maximum - 20.0f, p.maximum);
        std::fill(p.bins.begin(), p.bins.end(), 0);
        wide::count_by_bucket(p.r, p.no_maxima.data(), fused_maps<>{}, by, p.bins.data());
        const auto bucket = std::int32_t(wide::bucket_exceeding(p.bins, k - 1));
        if (bucket > 0)
            bound = wide::least_float(p.maximum, [&](float x) { return by.bucket_of(lanes<1>(x))[0] >= bucket; });
    }
    candidates found{p.tokens.data(), 0, -1, false};
    wide::find_greatest(p.r, p.block_maxima.data(), k, bound, unmapped{p.maximum}, found);
    return found.size;
}
/// The maxima of lanes that bound a larger k: kept while the maximum is found, or found by reading the row again.
std::uint64_t lane_maxima_kept(prepared& p, bool uses) {
    constexpr std::size_t k = 1000;
    p.find_max(uses ? p.groups.data() : nullptr);
    const float bound =
        wide::bound_of_rank(p.r, p.block_maxima.data(), k, p.maximum, p.groups.data(), uses, p.bins.data());
    candidates found{p.tokens.data(), 0, -1, false};
    wide::find_greatest(p.r, p.block_maxima.data(), k, bound, unmapped{p.maximum}, found);
    return found.size;
}
/// A top-k whose bound rises while it gathers: what helps where far more than k reach the first bound.
std::uint64_t rising_bound(prepared& p, bool uses) {
    constexpr std::size_t k = 40;
    const float bound =
        wide::bound_of_rank(p.r, p.block_maxima.data(), k, p.maximum, p.groups.data(), false, p.bins.data());
    candidates found{p.tokens.data(), 0, -1, false};
    if (uses) {
        wide::find_greatest(p.r, p.block_maxima.data(), k, bound, unmapped{p.maximum}, found);
    } else {
        found = p.found_above(bound, p.block_maxima);
        found.keep_greatest(k);
    }
    return found.size;
}
/// min_p needs no exp but that of its survivors; the mass of the row is what is saved.
std::uint64_t exp_of_survivors_alone(prepared& p, bool uses) {
    if (!uses) benchmark::DoNotOptimize(p.mass(p.maximum - mass_range, p.block_maxima));
    candidates found = p.found_above(p.maximum - 3.0f, p.block_maxima);
    return found.weigh(p.maximum);
}
/// Penalties on 64 tokens: the edits are kept beside the row, or the whole row is copied.
std::uint64_t edits_kept_beside_the_row(prepared& p, bool uses) {
    p.assign(&p.edits);
    if (!uses)
        for (std::size_t b = 0; b < p.r.blocks(); ++b) p.r.own(b);
    for (int i = 0; i < 64; ++i)
        p.r.edit(token_id((std::size_t(i) * 7919) % p.logits.size()), [](float logit) { return logit - 1.0f; });
    const float maximum = wide::find_max(p.r, p.edited_maxima.data()).logit;
    p.assign();
    return std::uint64_t(ordered_key(maximum)) & 0xffffffff;
}
/// A mask that leaves 100 tokens: they are gathered, or all others hidden.
std::uint64_t gather_when_few_are_legal(prepared& p, bool uses) {
    static const std::vector<std::uint32_t> words = [] {
        std::vector<std::uint32_t> all(300000 / 32);
        for (std::size_t i = 0; i < 100; ++i) all[i * 9] |= 1u << (i % 32);
        return all;
    }();
    std::uint64_t total = 0;
    if (uses) {
        candidates found{p.tokens.data(), wide::find_legal(p.r, words, p.tokens.data()), -1, false};
        total = found.weigh(found[found.greatest()].logit);
    } else {
        p.assign();
        wide::hide_illegal(p.r, words);
        const float maximum = p.find_max();
        total = wide::find_mass<false>(p.r, p.block_maxima.data(), maximum - mass_range, fused_maps<>{}, maximum,
                                       p.masses.data());
        p.assign();
        p.find_max();
    }
    return total;
}
/// A draw among all within three nats of the greatest: they stay in the row, the others hidden, or become candidates.
std::uint64_t many_survivors_stay(prepared& p, bool uses) {
    const float cut = p.maximum - 3.0f;
    constexpr std::uint64_t share = std::uint64_t{1} << 63;
    token_id token = null_token;
    if (uses) {
        wide::hide_below(p.r, p.block_maxima.data(), cut);
        const std::uint64_t total = p.mass(cut, p.block_maxima);
        token = wide::pick_by_mass(p.r.blocks(), p.masses.data(), multiply_high(share, total),
                                   [&](std::size_t b, std::uint32_t* weights) {
                                       wide::weigh_logits(p.r.block(b), block_size, fused_maps<>{}, p.maximum, weights);
                                   })
                    .id;
        p.assign();
        p.find_max();
    } else {
        candidates found = p.found_above(cut, p.block_maxima);
        const std::uint64_t total = found.weigh(p.maximum);
        found.select_by_weight(multiply_high(share, total));
        token = found[std::size_t(found.selected)].id;
    }
    return std::uint64_t(token);
}
/// temperature 1.5, then a nucleus of .95: its end among few at the top or in a band, or by a histogram and candidates.
std::uint64_t nucleus_ends_early_or_in_a_band(prepared& p, bool uses) {
    static auto c = chain(temperature{1.5f}, top_p{0.95f}, dist{1});
    if (uses) return std::uint64_t(c.peek(p.logits));
    const fused_maps<temperature> maps(temperature{1.5f});
    const auto map = [&](float logit) { return maps.one(logit); };
    const float top = map(p.find_max());
    const float cut = wide::preimage(map, top - mass_range, p.maximum);
    const std::uint64_t total = wide::find_mass<false>(p.r, p.block_maxima.data(), cut, maps, top, p.masses.data());
    const std::uint64_t target = top_p{0.95f}.target(total);
    const auto by = wide::buckets::between(top - mass_range, top);
    std::fill(p.bins.begin(), p.bins.end(), 0);
    wide::mass_by_bucket(p.r, p.block_maxima.data(), cut, maps, by, top, p.bins.data());
    const auto bucket = std::int32_t(wide::bucket_exceeding(p.bins, target));
    const float low = wide::least_float(top, [&](float l) { return by.bucket_of(lanes<1>(l))[0] >= bucket; });
    candidates found = p.found_above(wide::preimage(map, low, p.maximum), p.block_maxima);
    found.map_logits(maps);
    found.keep_nucleus(top, target, 1);
    const std::uint64_t left = found.weigh(top);
    found.select_by_weight(multiply_high(draws(1, {}, stream_of(dist::kind, 0)).bits(), left));
    return std::uint64_t(found[std::size_t(found.selected)].id);
}

struct trick {
    const char* name;
    std::uint64_t (*run)(prepared&, bool uses);
};
constexpr trick tricks[] = {
    {"blocks passed over by their maxima (min_p's cut)", blocks_by_their_maxima},
    {"exp of what weighs", exp_of_what_weighs},
    {"exp of survivors alone (min_p)", exp_of_survivors_alone},
    {"bound from block maxima (top_k 40)", bound_from_block_maxima},
    {"lane maxima kept by max (top_k 1000)", lane_maxima_kept},
    {"rising bound (top_k 40)", rising_bound},
    {"edits kept beside the row (64 tokens)", edits_kept_beside_the_row},
    {"gathering (100 are legal)", gather_when_few_are_legal},
    {"survivors stay in the row (3 nats)", many_survivors_stay},
    {"nucleus ended early or in a band", nucleus_ends_early_or_in_a_band},
};

const bool registered = [] {
    static std::deque<std::deque<prepared>> sets;
    const auto add = [](const std::string& kind, std::vector<std::vector<float>> given) {
        auto& rows = sets.emplace_back();
        for (auto& row : given) rows.emplace_back(std::move(row));
        for (const auto& t : tricks)
            for (const bool uses : {true, false})
                benchmark::RegisterBenchmark(
                    (std::string(t.name) + "/" + kind + "/" + (uses ? "with" : "without")).c_str(),
                    [&rows, t, uses, kind](benchmark::State& state) {
                        for (auto& p : rows)
                            if (t.run(p, true) != t.run(p, false)) {
                                std::fprintf(stderr, "benchmark: %s differs on %s rows\n", t.name, kind.c_str());
                                std::exit(1);
                            }
                        std::size_t i = 0;
                        for (auto _ : state) benchmark::DoNotOptimize(t.run(rows[i++ % rows.size()], uses));
                    })
                    ->Unit(benchmark::kMicrosecond);
    };
    for (const auto& kind : rows::of_models) add(kind.name, rows::eight(kind.make, 128256));
    if (const char* const path = std::getenv("RIFFLE_RECORDED")) {
        auto recorded = rows::recorded(path, 32000);
        if (recorded.empty()) {
            std::fprintf(stderr, "benchmark: %s holds no row of 32000 logits as float16\n", path);
            std::exit(1);
        }
        add("recorded", std::move(recorded));
    }
    for (const auto& kind : rows::feared) add(kind.name, rows::eight(kind.make, 128256));
    return true;
}();

}  // namespace
