// Every stage over every kind of row: those of models, those that a sampler fears, those that an enemy would choose; and
// the two functions of two rows. Stages that look back have 64 tokens behind them (benchmarks/histories.cpp has the texts
// of an enemy). `benchmarks/table feared` shows how many times as long as on the median kind a stage takes, and where
// that is long.
#include <cstddef>
#include <cstdint>
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

void require(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "benchmark: %s\n", what);
    std::exit(1);
}

/// measure(state, rows of a kind) for every kind.
template <class Measure>
void add_kinds(const std::string& name, Measure measure) {
    const auto over = [&](const rows::kind& kind) {
        benchmark::RegisterBenchmark((name + "/" + kind.name).c_str(),
                                     [measure, &kind](benchmark::State& state) { measure(state, rows_of(kind)); })
            ->Unit(benchmark::kMicrosecond);
    };
    for (const auto& kind : rows::of_models) over(kind);
    for (const auto& kind : rows::feared) over(kind);
    for (const auto& kind : rows::hostile) over(kind);
}

std::vector<token_id> said() {
    std::vector<token_id> tokens;
    for (token_id i = 0; i < 64; ++i) tokens.push_back(i * 1999 % 41);  // some of them again and again
    return tokens;
}

template <class... Stages>
void add(const std::string& name, const Stages&... stages) {
    add_kinds(name, [stages...](benchmark::State& state, const auto& rows) {
        auto c = chain(stages...);
        c.reserve(vocabulary_size);
        c.prompt(said());
        const token_id token = c.peek(rows[0]);
        require(token != null_token || c.last_status() == status_code::no_legal_token, "there is no token");
        require(token == staged(c, rows[0]), "a fused sample differs from the staged one");
        std::size_t i = 0;
        for (auto _ : state) benchmark::DoNotOptimize(c.peek(rows[i++ % rows.size()]));
    });
}
/// Of two rows of the kind.
template <class Combination>
void add_two_rows(const std::string& name, const Combination& combination) {
    add_kinds(name, [combination](benchmark::State& state, const auto& rows) {
        std::vector<float> out(vocabulary_size);
        std::size_t i = 0;
        for (auto _ : state) {
            require(combination.combine(rows[i % rows.size()], rows[(i + 1) % rows.size()], out).ok(), "no row");
            benchmark::DoNotOptimize(out.data());
            ++i;
        }
    });
}

/// Numbers as texts, so that the text of a tenth of the tokens begins those of others; every 100th ends a text.
const vocabulary& some_words() {
    static const vocabulary words = [] {
        vocabulary v;
        for (std::size_t i = 0; i < vocabulary_size; ++i)
            v.add(std::to_string(i), i % 100 == 99 ? token_role::end_of_generation : token_role::text);
        return v;
    }();
    return words;
}
/// Half of the vocabulary: every other token.
token_set every_other() {
    token_set half;
    for (std::size_t i = 0; i < vocabulary_size; i += 2) half.add(token_id(i));
    return half;
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
    add("infill", infill{.vocab = &some_words()}, draw);
    add("logit_bias", logit_bias{{{17, 1.0f}, {70000, -1.0f}}}, draw);
    add("penalties", penalties{.repeat = 1.1f, .frequency = 0.1f, .presence = 0.1f}, draw);
    add("dry", dry{.multiplier = 1.0f}, draw);
    add("no_repeat_ngram", no_repeat_ngram{.n = 2}, draw);
    add("banned_sequences", banned_sequences{{{{17}}, {{said().back(), 5}, -1.0f}}}, draw);
    add("phrase_ban", phrase_ban{.vocab = &some_words(), .phrases = {"1234", "777"}}, draw);
    add("mask", mask{std::vector<std::uint32_t>((vocabulary_size + 31) / 32, 0x55555555u)}, draw);
    add("allowed_tokens, half", allowed_tokens{every_other()}, draw);
    add("allowed_tokens, three", allowed_tokens{{5, 7, 100000}}, draw);
    add("min_tokens", min_tokens{.count = 100, .ends = {99, 199}}, draw);
    add("length_penalty", length_penalty{.start = 0, .factor = 1.1f, .ends = {99, 199}}, draw);
    add("encoder_repetition", encoder_repetition{.penalty = 1.2f, .tokens = {5, 7, 100000}}, draw);
    add_two_rows("classifier_free_guidance", classifier_free_guidance{});
    add_two_rows("contrastive_decoding", contrastive_decoding{});
    return true;
}();

}  // namespace
