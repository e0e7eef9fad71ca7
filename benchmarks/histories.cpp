// Texts that an enemy would choose, beside usual ones, for every stage that looks back: microseconds a step over a row of
// 4,096 logits, so that the history is what costs. A usual text has every token once; the others repeat one token, or
// have tokens that share their places in the table of counts.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include <riffle/riffle.hpp>

#include "rows.hpp"

namespace {

using namespace riffle;
using token_list = std::vector<token_id>;

constexpr std::size_t length = 32767;

token_list usual() {
    token_list text;
    for (std::size_t i = 0; i < length; ++i) text.push_back(token_id(i * 37 % 128256));
    return text;
}
token_list one_token() { return token_list(length, 5); }
/// Side by side in a table of 65,536, under the first hash function of core/token_counts.hpp.
token_list colliding() {
    token_list text;
    for (std::uint32_t token = 0; text.size() < length; ++token)
        if (((token * 0x9E3779B9u) >> 7 & 65535) < 4096) text.push_back(token_id(token));
    return text;
}

/// So many sequences of the common token with another behind them.
std::vector<token_list> with_a_common_head(std::size_t count, std::size_t head) {
    std::vector<token_list> sequences(count, token_list(head, 5));
    for (std::size_t i = 0; i < count; ++i) sequences[i].push_back(token_id(100 + i));
    return sequences;
}

template <class Stage>
void add(const std::string& name, const Stage& stage) {
    const std::pair<const char*, token_list> texts[] = {
        {"usual", usual()}, {"one token", one_token()}, {"colliding", colliding()}};
    for (const auto& [kind, text] : texts)
        benchmark::RegisterBenchmark((name + "/" + kind).c_str(), [stage, text = text](benchmark::State& state) {
            const auto row = rows::medium(4096, 1);
            auto c = chain(stage, greedy{});
            if (!c.prompt(text).ok() || c.peek(row) == null_token) return state.SkipWithError("no token");
            for (auto _ : state) benchmark::DoNotOptimize(c.peek(row));
        })->Unit(benchmark::kMicrosecond);
}

const bool registered = [] {
    add("penalties", penalties{.last_n = -1, .repeat = 1.1f});
    add("no_repeat_ngram 3", no_repeat_ngram{.n = 3});
    add("no_repeat_ngram 10000", no_repeat_ngram{.n = 10000});
    add("dry", dry{.multiplier = 1.0f, .last_n = -1});
    add("dry, 2,000 breakers with a common head",
        dry{.multiplier = 1.0f, .last_n = -1, .breakers = token_sequences(with_a_common_head(2000, 20))});
    banned_sequences banned;
    for (auto& tokens : with_a_common_head(2000, 20)) banned.sequences.push_back({std::move(tokens), -1.0f});
    add("banned_sequences, 2,000 with a common head", banned);
    add("factual_nucleus", factual_nucleus{.decay = 0.9999f, .p_min = 0.0f});
    return true;
}();

}  // namespace
