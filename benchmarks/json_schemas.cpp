// What a JSON schema costs, over a sample of real ones: compiling, masks and tokens along the valid instances for the
// first time and again, what is allocated once all was seen, how many tokens are forced, and a hundred tools in one
// schema. At the end tables: what is taken and what is refused, by keyword, and distributions of all times.
//
// RIFFLE_SCHEMAS names the sample (its form: tests/json_schema/schema_sample.hpp); without it there are the tools alone.
// RIFFLE_VOCABULARIES names a folder with qwen2.rvcb; without it 151,936 tokens are made up.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include <riffle/json_schema.hpp>
#include <riffle/riffle.hpp>

#include "counted_allocations.hpp"
#include "durations.hpp"
#include "json_schema/schema_sample.hpp"
#include "vocabularies.hpp"

namespace {

using namespace riffle;
using riffle_tests::sampled_schema;
using vocabularies::large;

const std::vector<sampled_schema>& sample() {
    static const std::vector<sampled_schema> all = riffle_tests::schema_sample();
    return all;
}
constexpr json_schema_options compact{.whitespace = json_whitespace::compact};

/// A document without the white space between its parts.
std::string compacted(const std::string& document) {
    std::string all;
    bool is_in_string = false;
    for (std::size_t i = 0; i < document.size(); ++i) {
        const char c = document[i];
        if (c == '"') is_in_string = !is_in_string;
        if (!is_in_string && (c == ' ' || c == '\n' || c == '\t' || c == '\r')) continue;
        all += c;
        if (is_in_string && c == '\\') all += document[++i];
    }
    return all;
}
bool takes(grammar_matcher m, const std::vector<token_id>& document) {
    for (const token_id token : document)
        if (m.accept(token).refused) return false;
    return m.is_complete();
}

// ---- all schemas

struct outcomes {
    std::size_t schemas = 0, taken = 0, right = 0, invalid_taken = 0, valid_refused = 0;
    std::map<std::string, std::size_t> refused_for;  ///< the last word of where, which is the keyword
    distribution compile, matcher, mask_first, mask_again, accept_first, accept_again;
    std::size_t tokens = 0, allocated_again = 0;
    std::size_t compact_tokens = 0, forced_tokens = 0;
};
outcomes& found() {
    static outcomes all;
    return all;
}

/// Along a document, each mask and each token by the clock.
void follow(grammar_matcher m, const std::vector<token_id>& document, distribution& masks, distribution& accepts) {
    masks.all.reserve(masks.all.size() + document.size());
    accepts.all.reserve(accepts.all.size() + document.size());
    const std::size_t before = allocations;
    for (const token_id token : document) {
        masks.all.push_back(time_of([&] { benchmark::DoNotOptimize(m.legal_count()); }));
        accepts.all.push_back(time_of([&] { benchmark::DoNotOptimize(m.accept(token)); }));
    }
    if (&masks == &found().mask_again) found().allocated_again += allocations - before;
}
/// Of the tokens of a document that a program must write anyway, those that nothing need choose.
void count_forced(grammar_matcher m, const std::string& document) {
    const auto split = [](text t) { return large().split({t.data(), t.size()}); };
    for (std::size_t at = 0; at < document.size();) {
        std::vector<token_id> next = forced_tokens(m, split);
        found().forced_tokens += next.size();
        if (next.empty()) next.push_back(large().longest_at(document, at));
        for (const token_id token : next) {
            require(!m.accept(token).refused, "a token of a document is refused");
            at += large().words().piece(token).size();
            ++found().compact_tokens;
        }
    }
    require(m.is_complete(), "a document is not whole");
}

void measure(const sampled_schema& s) {
    outcomes& all = found();
    ++all.schemas;
    parsed<grammar> g;
    std::vector<double> times;
    for (int copy = 0; copy < 3; ++copy) times.push_back(time_of([&] { g = compile_json_schema(s.schema); }));
    all.compile.all.push_back(median_of(times));
    if (!g) {
        const std::string& where = g.problem().where;
        ++all.refused_for[where.substr(where.rfind('/') + 1) + ": " + g.problem().sentence];
        return;
    }
    ++all.taken;
    grammar_matcher m;
    all.matcher.all.push_back(time_of([&] { m = grammar_matcher(*g, large().trie()); }));
    std::vector<std::vector<token_id>> documents;
    std::size_t missed = 0;
    for (const std::string& document : s.valid) {
        documents.push_back(large().split(document));
        follow(m, documents.back(), all.mask_first, all.accept_first);
        missed += !takes(m, documents.back());
    }
    for (const auto& document : documents) {
        follow(m, document, all.mask_again, all.accept_again);
        all.tokens += document.size();
    }
    std::size_t taken = 0;
    for (const std::string& document : s.invalid) taken += takes(m, large().split(document));
    all.valid_refused += missed;
    all.invalid_taken += taken;
    all.right += missed == 0 && taken == 0;

    const parsed<grammar> without_space = compile_json_schema(s.schema, compact);
    for (std::size_t i = 0; missed == 0 && i < s.valid.size(); ++i)
        count_forced(grammar_matcher(*without_space, large().trie()), compacted(s.valid[i]));
}

void all_schemas(benchmark::State& state) {
    if (sample().empty()) return state.SkipWithError("RIFFLE_SCHEMAS names no file of schemas");
    for (auto _ : state)
        for (const sampled_schema& s : sample()) measure(s);
}

// ---- a hundred tools

std::string tool(std::size_t number) {
    const std::string n = std::to_string(number);
    return R"({"type": "object", "properties": {"name": {"const": "tool_)" + n +
           R"("}, "arguments": {"type": "object", "properties": {"path_)" + n +
           R"(": {"type": "string", "maxLength": 10000, "description": ")" + std::string(900, 'x') +
           R"("}, "count": {"type": "integer", "minimum": 0, "maximum": 1000}, "mode": {"enum": ["read", "write"]},)" +
           R"-("glob": {"type": "string", "pattern": "\\S+\\.(txt|md)"}, "since": {"type": "string", "format": "date-time"}},)-" +
           R"("required": ["path_)" + n + R"("]}}, "required": ["name", "arguments"], "additionalProperties": false})";
}
const std::string& hundred_tools() {
    static const std::string schema = [] {
        std::string all = R"({"anyOf": [)";
        for (std::size_t i = 0; i < 100; ++i) all += (i ? ", " : "") + tool(i);
        return all + "]}";
    }();
    return schema;
}
distribution compile_of_tools, first_mask_of_tools, forced_share_of_tools;

void compile_tools(benchmark::State& state) {
    for (auto _ : state) {
        parsed<grammar> g;
        compile_of_tools.all.push_back(time_of([&] { g = compile_json_schema(hundred_tools()); }));
        require(g.ok(), "the tools: " + g.problem().message());
    }
}
void first_mask_of_all_tools(benchmark::State& state) {
    const parsed<grammar> g = compile_json_schema(hundred_tools());
    (void)grammar_matcher(*g, large().trie()).legal_count();  // slices of the vocabulary are made once
    for (auto _ : state) {
        state.PauseTiming();
        const parsed<grammar> fresh = compile_json_schema(hundred_tools());
        grammar_matcher m(*fresh, large().trie());
        std::size_t legal = 0;
        state.ResumeTiming();
        first_mask_of_tools.all.push_back(time_of([&] { legal = m.legal_count(); }));
        require(legal > 0, "no token may begin a call");
    }
}
void calls_of_tools(benchmark::State& state) {
    const parsed<grammar> g = compile_json_schema(hundred_tools(), compact);
    const std::size_t tokens = found().compact_tokens, forced = found().forced_tokens;
    for (auto _ : state)
        for (std::size_t i = 0; i < 100; ++i) {
            const std::string n = std::to_string(i);
            count_forced(grammar_matcher(*g, large().trie()),
                         R"({"name":"tool_)" + n + R"(","arguments":{"path_)" + n + R"(":"/srv/notes/plan.md","count":12,"mode":"read"}})");
        }
    forced_share_of_tools.all.push_back(double(found().forced_tokens - forced) / double(found().compact_tokens - tokens));
    found().compact_tokens = tokens;
    found().forced_tokens = forced;
}

// ---- the tables at the end

void print() {
    const outcomes& all = found();
    std::printf("\n%s vocabulary of %zu tokens\n\n", large().is_real() ? "a real" : "a made-up", large().trie().size());
    if (all.schemas > 0) {
        std::printf("| schemas | taken | all instances right | invalid instances taken | valid ones refused |\n|---|---|---|---|---|\n"
                    "| %zu | %zu | %zu | %zu | %zu |\n\n",
                    all.schemas, all.taken, all.right, all.invalid_taken, all.valid_refused);
        std::printf("| refused | why |\n|---|---|\n");
        for (const auto& [why, count] : all.refused_for) std::printf("| %zu | %s |\n", count, why.c_str());
        std::printf("\n");
    }
    print_heading();
    if (all.schemas > 0) {
        print_line("sample", "compile", all.compile);
        print_line("sample", "matcher", all.matcher);
        print_line("sample", "mask, first time through", all.mask_first);
        print_line("sample", "mask, again", all.mask_again);
        print_line("sample", "accept, first time through", all.accept_first);
        print_line("sample", "accept, again", all.accept_again);
    }
    const std::string tools = "100 tools, " + std::to_string(hundred_tools().size() / 1000) + " kB";
    print_line(tools, "compile", compile_of_tools);
    print_line(tools, "first mask", first_mask_of_tools);
    if (all.schemas > 0)
        std::printf("\nallocations once all was seen: %.4f a token (%zu tokens)\nforced tokens, compact: %.1f %% of %zu",
                    double(all.allocated_again) / double(all.tokens), all.tokens,
                    100.0 * double(all.forced_tokens) / double(all.compact_tokens), all.compact_tokens);
    std::printf("\nforced tokens of calls, compact: %.1f %%\n", 100.0 * forced_share_of_tools.mean());
}

const bool registered = [] {
    large();
    found();  // is gone after the tables are printed
    hundred_tools();
    std::atexit(print);
    benchmark::RegisterBenchmark("schemas", all_schemas)->Iterations(1)->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark("tools/compile", compile_tools)->Iterations(21)->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark("tools/first mask", first_mask_of_all_tools)->Iterations(21)->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark("tools/calls", calls_of_tools)->Iterations(1)->Unit(benchmark::kMillisecond);
    return true;
}();

}  // namespace
