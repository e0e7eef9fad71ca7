// What sits around a grammar: the token trie, triggers and thoughts over a hundred thousand tokens of free text, text out
// with stop strings, tags for five hundred tools, whole choices, and the calls of riffle for C beside those of C++. Prints
// a table of its own: microseconds by the clock, and allocations once all was seen. Output is verified.
//
// RIFFLE_VOCABULARIES names a folder with qwen2.rvcb; without it 151,936 tokens are made up.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include <riffle/c_api.hpp>
#include <riffle/json_schema.hpp>
#include <riffle/riffle.hpp>
#include <riffle/token_trie.hpp>

#include "counted_allocations.hpp"
#include "durations.hpp"
#include "grammar_texts.hpp"
#include "vocabularies.hpp"

namespace {

using namespace riffle;
using vocabularies::large;

struct line {
    std::string of;
    const char* what;
    distribution times;
    double allocations_each = 0;
};
std::vector<line>& lines() {
    static std::vector<line> all;
    return all;
}
/// Calls something so often, a call a time; memory that the second half asks for is counted.
template <class Do>
void measure(const std::string& of, const char* what, std::size_t times, Do something) {
    line l{of, what, {}, 0};
    l.times.all.reserve(times);
    std::size_t before_half = 0;
    for (std::size_t i = 0; i < times; ++i) {
        if (i == times / 2) before_half = allocations;
        l.times.all.push_back(time_of([&] { something(i); }));
    }
    l.allocations_each = double(allocations - before_half) / double(times - times / 2);
    lines().push_back(std::move(l));
}
/// Over many calls at once, for what takes less than the clock: microseconds of one.
template <class Do>
void measure_together(const std::string& of, const char* what, std::size_t rounds, std::size_t each, Do something) {
    line l{of, what, {}, 0};
    l.times.all.reserve(rounds);
    std::size_t before_half = 0;
    for (std::size_t r = 0; r < rounds; ++r) {
        if (r == rounds / 2) before_half = allocations;
        l.times.all.push_back(time_of([&] {
                                  for (std::size_t i = 0; i < each; ++i) something(r * each + i);
                              }) /
                              double(each));
    }
    l.allocations_each = double(allocations - before_half) / double((rounds - rounds / 2) * each);
    lines().push_back(std::move(l));
}

// ---- the token trie

std::string payload_of_thirty() {
    std::string all = R"({"modelId": "m", "descriptors": [{"path": "action", "leaves": [)";
    for (int i = 0; i < 30; ++i) {
        const std::string name = "OWNER_ACTION_" + std::to_string(i * 7919 % 1000);
        all += (i ? R"(, {"name": ")" : R"({"name": ")") + name + R"(", "tokens": [)";
        const char* between = "";
        for (const token_id token : large().split(name)) (all += between) += std::to_string(token), between = ", ";
        all += "]}";
    }
    return all + "]}]}";
}
void tries(benchmark::State& state) {
    for (auto _ : state) {
        const std::string payload = payload_of_thirty();
        const auto size = std::int32_t(large().words().size());
        measure("30 actions", "payload from JSON", 2001, [&](std::size_t) { require(parse_token_trie(payload, size).ok(), "a payload"); });
        token_trie_cache cache(size);
        const parsed<token_trie> first = cache.parse(payload);
        measure_together("30 actions", "payload from the cache", 201, 100, [&](std::size_t) {
            if (!(*cache.parse(payload) == *first)) require(false, "a trie");
        });
        require(first->node_bytes() <= 16 * first->node_count(), "nodes of more than 16 bytes");
        trie_matcher m(*first);
        measure_together("30 actions", "a value, token by token", 201, 20, [&](std::size_t) {
            m.reset();
            while (m.status() == trie_status::active) m.accept(m.legal().ids[0]);
        });
    }
}

// ---- free text

std::vector<token_id> free_tokens() {
    std::string text;
    while (text.size() < 450'000) text += "The miller says < that he saw \"lights\" in the tower; <tool is not a call, and {neither} is this.\n";
    std::vector<token_id> tokens = large().split(text);
    tokens.resize(100'000);
    return tokens;
}
void free_text_of_100000(benchmark::State& state) {
    for (auto _ : state) {
        const std::vector<token_id> tokens = free_tokens();
        const parsed<grammar> call = compile_json_schema(R"({"type": "object", "properties": {"where": {"type": "string"}}})");
        triggered woken(grammar_matcher(*call, large().trie()), triggers{.words = {"<tool_call>", "<|call|>"}}, after_constraint::rearm);
        require((woken.check)().ok(), "triggers");
        const auto read = [&](const char* of, auto& matcher) {
            measure_together(of, "a token: mask and accept", 100, 1000, [&](std::size_t i) {
                benchmark::DoNotOptimize(matcher.legal());
                if (matcher.accept(tokens[i]).refused) require(false, "free text is legal");
            });
            line last = lines().back();
            last.what = "the last 1,000 of 100,000";
            last.times.all = {last.times.all.back()};
            lines().push_back(last);
        };
        read("2 words trigger", woken);
        triggered by_pattern(grammar_matcher(*call, large().trie()), triggers{.patterns = {R"(<tool_\w+>)", R"(\n\s*\{)"}}, after_constraint::rearm);
        read("2 patterns trigger", by_pattern);
        budgeted thinking(thought_tags(large().trie(), reasoning_budget{.tokens = 1'000'000, .starts_inside = true}), grammar_matcher(*call, large().trie()));
        require((thinking.check)().ok(), "thoughts");
        read("within thoughts", thinking);
        text_stream out(large().words(), {"\nUser:", "<|im_end|>", "###"});
        std::size_t bytes = 0, held = 0;
        for (const token_id token : tokens) held += large().words().piece(token).size();
        measure_together("text, 3 stop strings", "a token", 100, 1000, [&](std::size_t i) { bytes += out.push(tokens[i]).size(); });
        held -= bytes;  // a beginning of a stop string
        require(held < 16 && !out.stopped(), "a text");
    }
}

// ---- tags

std::string tool(std::size_t number) {
    const std::string n = std::to_string(number);
    return R"({"type": "object", "properties": {"path_)" + n + R"(": {"type": "string", "minLength": 1, "maxLength": 4096},)" +
           R"("count": {"type": "integer", "minimum": 0, "maximum": )" + std::to_string(100 + number) +
           R"(}, "mode": {"enum": ["read", "write", "append"]}, "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 8},)" +
           R"("options": {"type": "object", "properties": {"deep": {"type": "boolean"}, "limit": {"type": "number"}}}},)" +
           R"("required": ["path_)" + n + R"(", "count"], "additionalProperties": false})";
}
void tags_of_500(benchmark::State& state) {
    for (auto _ : state) {
        std::vector<tag> tags;
        measure("500 tools", "their schemas, each", 500, [&](std::size_t i) {
            const parsed<grammar> arguments = compile_json_schema(tool(i), {.whitespace = json_whitespace::single_space});
            require(arguments.ok(), "a schema");
            tags.push_back({.begin = "<function=tool_" + std::to_string(i) + ">", .content = *arguments, .end = "</function>"});
        });
        grammar turn;
        measure("500 tools", "tagged_text", 11, [&](std::size_t) { turn = tagged_text(tags); });
        require(bool(turn), "tags");
        grammar_matcher m(turn, large().trie());
        line masks{"500 tools", "mask, first time through", {}, 0}, accepts{"500 tools", "accept, first time through", {}, 0};
        line again{"500 tools", "mask and accept, again", {}, 0};
        std::size_t allocated = 0;
        for (int round = 0; round < 2; ++round) {
            m.reset();
            for (std::size_t k = 0; k < 40; ++k) {
                const std::string n = std::to_string(k * 37 % 500);
                const std::string text = "I will look < at the file now. <function=tool_" + n + ">{\"path_" + n +
                                         "\": \"/srv/notes/plan.md\", \"count\": 12, \"mode\": \"read\", \"tags\": [\"a b\", \"c\"]}</function> Done. ";
                for (const token_id token : large().split(text)) {
                    const std::size_t before_call = allocations;
                    const double mask = time_of([&] { benchmark::DoNotOptimize(m.legal_count()); });
                    const double accept = time_of([&] {
                        if (m.accept(token).refused) require(false, "a call");
                    });
                    if (round == 1) allocated += allocations - before_call;
                    if (round == 0) masks.times.all.push_back(mask), accepts.times.all.push_back(accept);
                    else again.times.all.push_back(mask + accept);
                }
            }
        }
        again.allocations_each = double(allocated) / double(again.times.all.size());
        require(m.is_complete(), "talk");
        for (line& l : {std::ref(masks), std::ref(accepts), std::ref(again)}) lines().push_back(l);
    }
}

// ---- whole choices

void choices_of_30(benchmark::State& state) {
    for (auto _ : state) {
        std::vector<std::string> names;
        for (int i = 0; i < 30; ++i) names.push_back("action_" + std::to_string(i * 7919 % 1000));
        const choice_matcher m(large().trie(), names, {.end = "\""});
        const prefix_batch tree = prefix_tree(m);
        std::vector<double> rows(tree.size());
        for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = -0.1 * double(i % 17);
        choice_scorer scorer;
        choice_scores scores;
        measure_together("30 choices", "score_choices", 101, 20, [&](std::size_t) {
            scorer.score(m, [&](std::size_t i) { return rows[i]; }, scores);
        });
        double sum = 0;
        for (const double p : scores.probability) sum += p;
        require(std::abs(sum - 1) < 1e-9, "scores");
        choice_matcher at = m;
        measure_together("30 choices", "a choice, mask and accept of each token", 101, 20, [&](std::size_t) {
            at.reset();
            while (!at.is_finished()) at.accept(at.legal().ids[0]);
        });
    }
}

// ---- C

void c_beside_cpp(benchmark::State& state) {
    for (auto _ : state) {
        std::vector<riffle_token_text> tokens;
        const vocabulary& words = large().words();
        for (std::size_t i = 0; i < words.size(); ++i)
            tokens.push_back({words.piece(token_id(i)).data(), words.piece(token_id(i)).size(),
                              words.ends_generation(token_id(i)) ? std::uint32_t{riffle_end_of_generation} : 0u});
        riffle_vocabulary* const v = riffle_vocabulary_new(tokens.data(), tokens.size(), nullptr);
        riffle_chain* const in_c = riffle_chain_new("top_k=8;temp=0.8;seed=1", v, nullptr, nullptr);
        require(in_c != nullptr, "a chain");
        chain_settings settings;
        require(settings.read("top_k=8;temp=0.8;seed=1"), "settings");
        dynamic_chain in_cpp;
        require(settings.build(in_cpp).ok(), "a chain");
        std::vector<float> row(64);
        for (std::size_t i = 0; i < row.size(); ++i) row[i] = float(i % 13);
        std::size_t sum = 0;
        measure_together("64 logits", "sample from C++", 201, 500, [&](std::size_t) { sum += std::size_t(in_cpp.sample(row)); });
        measure_together("64 logits", "sample from C", 201, 500, [&](std::size_t) {
            riffle_token token = -1;
            riffle_chain_sample(in_c, row.data(), row.size(), &token);
            sum -= std::size_t(token);
        });
        require(sum == 0, "one token from both");
        measure_together("64 logits", "accept from C++", 201, 500, [&](std::size_t i) { in_cpp.accept(token_id(i % 50)); });
        measure_together("64 logits", "accept from C", 201, 500, [&](std::size_t i) { riffle_chain_accept(in_c, token_id(i % 50)); });
        riffle_chain_free(in_c);
        riffle_vocabulary_free(v);
    }
}

void print() {
    std::printf("\na vocabulary of %zu tokens, %s\n\n| | µs | calls | mean | p50 | p99 | max | allocations each, once warm |\n"
                "|---|---|---|---|---|---|---|---|\n",
                large().words().size(), large().is_real() ? "Qwen 2's" : "made up");
    for (const line& l : lines())
        std::printf("| %s | %s | %zu | %.3f | %.3f | %.3f | %.1f | %.3f |\n", l.of.c_str(), l.what, l.times.all.size(), l.times.mean(),
                    l.times.at(0.5), l.times.at(0.99), l.times.at(1.0), l.allocations_each);
}

const bool registered = [] {
    large();
    lines();
    std::atexit(print);
    benchmark::RegisterBenchmark("tries", tries)->Iterations(1);
    benchmark::RegisterBenchmark("free text", free_text_of_100000)->Iterations(1);
    benchmark::RegisterBenchmark("tags", tags_of_500)->Iterations(1);
    benchmark::RegisterBenchmark("choices", choices_of_30)->Iterations(1);
    benchmark::RegisterBenchmark("C", c_beside_cpp)->Iterations(1);
    return true;
}();

}  // namespace
