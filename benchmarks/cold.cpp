// Time of single calls with caches as an engine leaves them: everything warm, as the other tables have it; all that a
// chain keeps gone from the caches, and the row just written; and the row gone too. Every chain alone, and behind 64
// edited tokens. `benchmarks/table cold` prints the table.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include <riffle/riffle.hpp>

#include "prefer_even.hpp"
#include "rows.hpp"

namespace {

using namespace riffle;

constexpr std::size_t row_size = 128256;
constexpr std::size_t edited_tokens = 64;
constexpr int calls = 15;  // of which the median is one measurement

enum class caches { warm, row_fresh, cold };
constexpr std::pair<caches, const char*> states[] = {
    {caches::warm, "warm"}, {caches::row_fresh, "row fresh"}, {caches::cold, "all cold"}};

/// More than the last cache holds, written so that nothing else stays in any cache.
void empty_the_caches() {
    static std::vector<std::uint64_t> other(std::size_t{96} << 17);  // 96 MiB
    static std::uint64_t value = 0;
    ++value;
    for (std::size_t i = 0; i < other.size(); i += 8) other[i] += value;
    benchmark::DoNotOptimize(other.data());
}

/// Tokens from all over the vocabulary, each once.
std::vector<token_id> tokens_to_edit() {
    std::vector<token_id> tokens;
    for (rows::generator random(7); tokens.size() < edited_tokens;) {
        const auto token = token_id(random.next() % row_size);
        if (std::find(tokens.begin(), tokens.end(), token) == tokens.end()) tokens.push_back(token);
    }
    return tokens;
}

void require(bool holds, const std::string& what) {
    if (holds) return;
    std::fprintf(stderr, "benchmark: wrong output: %s\n", what.c_str());
    std::exit(1);
}

/// The row that all chains read: where it lies in memory is worth a fifth of the warm times.
std::vector<float>& row_in_memory() {
    static std::vector<float> row(row_size);
    return row;
}

/// A chain, and what its row holds.
template <class Chain>
class measured {
public:
    measured(std::string name, Chain chain, const std::vector<float>& logits)
        : name_(std::move(name)), chain_(std::move(chain)), logits_(logits) {
        require(chain_.reserve(row_size).ok(), name_);
        require(chain_.prompt(tokens_to_edit()).ok(), name_);
        std::vector<token_data> tokens(row_size);
        for (std::size_t i = 0; i < row_size; ++i) tokens[i] = {token_id(i), logits[i], 0.0f};
        candidates c{tokens.data(), tokens.size(), -1, false};
        chain_.apply(c);
        require(c.selected >= 0, name_ + ": no token");
        expected_ = c[std::size_t(c.selected)].id;
    }
    /// The median time of a call, in seconds.
    double seconds(caches before) {
        std::vector<float>& row = row_in_memory();
        std::copy(logits_.begin(), logits_.end(), row.begin());
        std::vector<double> all;
        for (int i = 0; i < calls; ++i) {
            if (before == caches::warm) require(chain_.peek(row) == expected_, name_);
            else empty_the_caches();
            if (before == caches::row_fresh) std::copy(logits_.begin(), logits_.end(), row.begin());
            const auto begin = std::chrono::steady_clock::now();
            const token_id token = chain_.peek(row);
            all.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
            require(token == expected_, name_ + ": a fused sample differs from the staged one");
        }
        std::nth_element(all.begin(), all.begin() + calls / 2, all.end());
        return all[calls / 2];
    }

private:
    std::string name_;
    Chain chain_;
    const std::vector<float>& logits_;
    token_id expected_ = null_token;
};

template <class Chain>
void add(const std::string& name, Chain chain, const std::vector<float>& logits) {
    const auto of = std::make_shared<measured<Chain>>(name, std::move(chain), logits);
    for (const auto& [before, state_name] : states) {
        const auto run = [of, before = before](benchmark::State& state) {
            for (auto _ : state) state.SetIterationTime(of->seconds(before));
        };
        benchmark::RegisterBenchmark((name + "/" + state_name).c_str(), run)
            ->UseManualTime()
            ->Iterations(1)
            ->Unit(benchmark::kMicrosecond);
    }
}

std::vector<logit_bias_entry> biases() {
    std::vector<logit_bias_entry> entries;
    for (const token_id token : tokens_to_edit()) entries.push_back({token, entries.size() % 2 ? 0.5f : -0.5f});
    return entries;
}

template <class Policies = reproducible, class... Stages>
void add_with_and_without(const std::string& name, const std::vector<float>& logits, const Stages&... stages) {
    const penalties recent{.last_n = int(edited_tokens), .repeat = 1.1f};
    add(name + "/alone", chain<Policies>(stages...), logits);
    add(name + "/64 penalties", chain<Policies>(recent, stages...), logits);
}

const bool registered = [] {
    static const std::vector<float> medium = rows::medium(row_size, 1), flat = rows::flat(row_size, 1);
    const top_k forty{.k = 40};
    const top_p most{.p = 0.95f};
    const min_p likely{.p = 0.05f};
    const temperature cool{.t = 0.8f}, hot{.t = 1.5f};
    const dist draw{.seed = 42};
    add_with_and_without("greedy", medium, greedy{});
    add("greedy/64 biases", chain(logit_bias{biases()}, greedy{}), medium);
    add_with_and_without("top_k 40 | top_p | min_p | temperature | dist", medium, forty, most, likely, cool, draw);
    add("top_k 40 | top_p | min_p | temperature | dist/64 biases",
        chain(logit_bias{biases()}, forty, most, likely, cool, draw), medium);
    add_with_and_without("temperature | dist", medium, cool, draw);
    add_with_and_without<fast>("fast: temperature | dist", medium, cool, draw);
    add_with_and_without("llama.cpp's default chain", medium, top_n_sigma{.n = -1.0f}, forty, typical{.p = 1.0f}, most,
                         likely, xtc{.probability = 0.0f}, dynamic_temperature{.t = 0.8f}, draw);
    add_with_and_without("min_p | temperature | dist", medium, likely, cool, draw);
    add_with_and_without("top_p | temperature | dist", medium, most, cool, draw);
    add_with_and_without("temperature 1.5 | top_p | dist, flat rows", flat, hot, most, draw);
    add_with_and_without("top_n_sigma | temperature | dist", medium, top_n_sigma{.n = 1.0f}, cool, draw);
    add_with_and_without("typical | dist", medium, typical{.p = 0.9f}, draw);
    add_with_and_without("mirostat_v2", medium, mirostat_v2{});
    add_with_and_without("min_p | adaptive_p", medium, likely, adaptive_p{.target = 0.5f});
    add_with_and_without("top_k 1000 | dist", medium, top_k{.k = 1000}, draw);
    add_with_and_without("a user's apply | top_k 40 | dist", medium, prefer_even{}, forty, draw);
    return true;
}();

}  // namespace
