// Texts that an enemy would choose, beside usual ones, for every stage that looks back: microseconds a step over a row
// of 4,096 logits, so that the history is what costs. A usual text has every token once; the others repeat one token,
// or have tokens that share their places in the table of counts. Stages with a form under llama_exact once more as
// that. phrase_ban looks at what is accepted: microseconds a token.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include <riffle/llama_exact.hpp>
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
/// In one half of a table of 65,536, each in a place of its own: what was not counted is looked for among all of them.
token_list filling_a_half() {
    token_list text;
    std::vector<bool> taken(32768);
    for (std::uint32_t token = 0; token < 4000000 && text.size() < length; ++token)
        if (const auto home = (token * 0x9E3779B9u) >> 7 & 65535; home < taken.size() && !taken[home]) {
            taken[home] = true;
            text.push_back(token_id(token));
        }
    return text;
}

/// So many sequences of the common token with another behind them.
std::vector<token_list> with_a_common_head(std::size_t count, std::size_t head) {
    std::vector<token_list> sequences(count, token_list(head, 5));
    for (std::size_t i = 0; i < count; ++i) sequences[i].push_back(token_id(100 + i));
    return sequences;
}

/// measure(state, a chain with such a text behind it) for each text.
template <class Policies, class Stage, class Measure>
void add_texts(const std::string& name, const Stage& stage, Measure measure) {
    const std::pair<const char*, token_list> texts[] = {{"usual", usual()},
                                                        {"one token", one_token()},
                                                        {"colliding", colliding()},
                                                        {"filling a half", filling_a_half()}};
    for (const auto& [kind, text] : texts)
        benchmark::RegisterBenchmark((name + "/" + kind).c_str(),
                                     [stage, measure, text = text](benchmark::State& state) {
                                         auto c = chain<Policies>(stage, greedy{});
                                         if (!c.prompt(text).ok()) return state.SkipWithError("no memory");
                                         measure(state, c);
                                     })
            ->Unit(benchmark::kMicrosecond);
}
template <class Policies, class Stage>
void add(const std::string& name, const Stage& stage, std::size_t row_size = 4096) {
    add_texts<Policies>(name, stage, [row_size](benchmark::State& state, auto& c) {
        const auto row = rows::medium(row_size, 1);
        if (c.peek(row) == null_token) return state.SkipWithError("no token");
        for (auto _ : state) benchmark::DoNotOptimize(c.peek(row));
    });
}
/// On candidates, of which each is asked for.
template <class Policies, class Stage>
void add_on_candidates(const std::string& name, const Stage& stage) {
    add_texts<Policies>(name, stage, [](benchmark::State& state, auto& c) {
        const auto row = rows::medium(128256, 1);
        std::vector<token_data> all(row.size());
        for (auto _ : state) {
            for (std::size_t i = 0; i < row.size(); ++i) all[i] = {token_id(i), row[i], 0.0f};
            candidates some{all.data(), all.size(), -1, false};
            if (!c.apply(some).ok()) return state.SkipWithError("no token");
            benchmark::DoNotOptimize(some.selected);
        }
    });
}
template <class Stage>
void add(const std::string& name, const Stage& stage) {
    add<reproducible>(name, stage);
}
template <class Stage>
void add_both(const std::string& name, const Stage& stage) {
    add(name, stage);
    add<llama_exact>(name + ", llama_exact", stage);
}

/// Phrases of one letter, again and again, with any of 200 other bytes behind: where a text of that letter goes on with
/// none of them, one byte undoes 64 beginnings.
phrase_set phrases_that_begin_alike() {
    std::vector<std::string> texts;
    for (std::size_t size = 1; size <= 64; ++size)
        for (int byte = 0; byte < 200; ++byte) texts.push_back(std::string(size, 'a') + char('a' + 1 + byte));
    return phrase_set(std::vector<text>(texts.begin(), texts.end()));
}
void add_phrases() {
    static const vocabulary words = [] {
        vocabulary v;
        v.add(" phrase");
        v.add(std::string(64, 'a') + "!");
        return v;
    }();
    const std::pair<const char*, token_id> texts[] = {{"usual", 0}, {"one token", 1}};
    for (const auto& [kind, token] : texts)
        benchmark::RegisterBenchmark(
            (std::string("phrase_ban, 12,800 that begin alike/") + kind).c_str(),
            [token = token](benchmark::State& state) {
                auto c = chain(phrase_ban{.vocab = &words, .phrases = phrases_that_begin_alike()}, greedy{});
                for (auto _ : state) c.accept(token);
                if (!c.last_status().ok()) state.SkipWithError("a token was refused");
            })
            ->Unit(benchmark::kMicrosecond);
}

const bool registered = [] {
    constexpr auto all = std::int32_t(length);  // -1 is off under llama_exact
    add_both("penalties", penalties{.last_n = all, .repeat = 1.1f});
    add_both("penalties of 4,096 tokens", penalties{.last_n = 4096, .repeat = 1.1f});
    add<reproducible>("penalties, 128,256 logits", penalties{.last_n = all, .repeat = 1.1f}, 128256);
    add_on_candidates<reproducible>("penalties, 128,256 candidates", penalties{.last_n = all, .repeat = 1.1f});
    add_on_candidates<llama_exact>("penalties, 128,256 candidates, llama_exact",
                                   penalties{.last_n = all, .repeat = 1.1f});
    add_on_candidates<reproducible>("no_repeat_ngram 1, 128,256 candidates", no_repeat_ngram{.n = 1});
    add("no_repeat_ngram 3", no_repeat_ngram{.n = 3});
    add("no_repeat_ngram 10000", no_repeat_ngram{.n = 10000});
    add_both("dry", dry{.multiplier = 1.0f, .last_n = all});
    add_both("dry, 2,000 breakers with a common head",
             dry{.multiplier = 1.0f, .last_n = all, .breakers = token_sequences(with_a_common_head(2000, 20))});
    banned_sequences banned;
    for (auto& tokens : with_a_common_head(2000, 20)) banned.sequences.push_back({std::move(tokens), -1.0f});
    add("banned_sequences, 2,000 with a common head", banned);
    add("factual_nucleus", factual_nucleus{.decay = 0.9999f, .p_min = 0.0f});
    add_phrases();
    return true;
}();

}  // namespace
