// What speculation costs and brings: verified positions beside peeks of the same rows, laws beside peeks, marks, rounds
// of drafters without a model, and tokens a step over texts that are known beforehand. Who is compared takes turns on
// the same rows, every other time the other way round. Each round is looked at: that it accepts what it must. At the
// end three tables: what is beside peeks, what is alone, and the replays.
//
// RIFFLE_VOCABULARIES names a folder with qwen2.rvcb, into whose tokens the texts of the replays are split.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include <riffle/riffle.hpp>
#include <riffle/speculative.hpp>

#include "durations.hpp"
#include "replay.hpp"
#include "replay_texts.hpp"
#include "rows.hpp"

#ifndef RIFFLE_BENCHMARK_SOURCES
#define RIFFLE_BENCHMARK_SOURCES "include/riffle"  // from the top of the project; CMake says the whole path
#endif

namespace {

using namespace riffle;
using row_list = std::vector<std::vector<float>>;

constexpr std::size_t row_size = 128256;
constexpr std::size_t drafted = 8;
constexpr rows::kind kinds[] = {
    {"peaked", rows::peaked}, {"medium", rows::medium}, {"flat", rows::flat}, {"ties", rows::ties}};
constexpr std::size_t kind_count = std::size(kinds);

/// One row more than is drafted.
const row_list& rows_of(std::size_t kind) {
    static std::array<row_list, kind_count> all;
    while (all[kind].size() <= drafted) all[kind].push_back(kinds[kind].make(row_size, 1 + all[kind].size()));
    return all[kind];
}

// ---- the table of costs

struct cost_line {
    std::string of, chain, target;
    std::array<std::string, kind_count> cells;
};
std::vector<cost_line>& cost_lines() {
    static std::vector<cost_line> all;
    return all;
}
std::string formatted(const char* format, double a, double b = 0.0) {
    char text[64];
    std::snprintf(text, sizeof text, format, a, b);
    return text;
}
std::string marked(const std::string& cell, bool meets_target) { return meets_target ? cell : "**" + cell + "**"; }
void note_cost(const std::string& of, const std::string& chain, const std::string& target, std::size_t kind,
               const std::string& cell) {
    auto& lines = cost_lines();
    const auto is_same = [&](const cost_line& l) { return l.of == of && l.chain == chain; };
    auto line = std::find_if(lines.begin(), lines.end(), is_same);
    if (line == lines.end()) line = lines.insert(line, {of, chain, target, {}});
    line->cells[kind] = cell;
}

// ---- taking turns

/// Medians: of both, and of the differences of their turns.
struct comparison {
    double first, second, difference;
};
/// first() and second() are timed, behind(which of them) is not. `each`: what one turn's times are divided by. Whoever
/// comes second finds warmer caches, so each order has its own medians, and what counts is their mean.
template <class First, class Second, class Behind>
comparison take_turns(int turns, double each, First first, Second second, Behind behind) {
    std::array<std::vector<double>, 2> firsts, seconds, differences;
    for (int turn = -4; turn < turns; ++turn) {
        const std::size_t order = turn % 2 == 0 ? 0 : 1;
        double a = 0.0, b = 0.0;
        for (const bool is_first : {order == 0, order == 1}) {
            if (is_first) a = time_of(first) / each;
            else b = time_of(second) / each;
            behind(is_first);
        }
        if (turn < 0) continue;
        firsts[order].push_back(a);
        seconds[order].push_back(b);
        differences[order].push_back(b - a);
    }
    const auto median = [](const auto& of) { return (median_of(of[0]) + median_of(of[1])) / 2; };
    return {median(firsts), median(seconds), median(differences)};
}

// ---- chains

auto usual() {
    return chain(top_k{.k = 40}, top_p{.p = 0.95f}, min_p{.p = 0.05f}, temperature{.t = 0.8f}, dist{.seed = 42});
}
auto behind_penalties() {
    return chain(penalties{.last_n = 64, .repeat = 1.1f}, top_k{.k = 40}, top_p{.p = 0.95f}, min_p{.p = 0.05f},
                 temperature{.t = 0.8f}, dist{.seed = 42});
}
auto whole_row() { return chain(temperature{.t = 0.8f}, dist{.seed = 42}); }

constexpr const char* name_of_usual = "top_k 40 | top_p .95 | min_p .05 | temperature .8 | dist";
constexpr const char* name_of_penalties = "the same behind penalties 64 1.1";
constexpr const char* name_of_whole_row = "temperature .8 | dist";

/// With a text behind it, and room for the rows.
template <class Chain>
Chain prepared(Chain c) {
    require(c.reserve(row_size).ok(), "no memory");
    for (token_id token = 0; token < 128; ++token) c.accept(token * 7 + 3);
    return c;
}

// ---- verification

/// A draft of tokens that the chain would sample, with laws q that have so many entries (0: for certain). q(x) is half
/// of p(x), so x is accepted for sure; the row's likeliest tokens share the rest.
template <class Chain>
draft draft_to_accept(Chain& c, const row_list& logits, std::size_t size, std::size_t entries) {
    draft made;
    auto ranks = chain(top_k{.k = std::int32_t(entries + 1)}, dist{});
    const checkpoint begin = c.mark();
    for (std::size_t i = 0; i < size; ++i) {
        const token_id token = c.peek(logits[i]);
        const float p = c.weigh(logits[i]).p(token);
        std::vector<token_probability> law;
        for (const token_data& one : ranks.distribution(logits[i]))
            if (one.id != token && law.size() + 1 < entries)
                law.push_back({one.id, (1.0f - p / 2) / float(entries - 1)});
        law.push_back({token, p / 2});
        std::sort(law.begin(), law.end(), [](const auto& a, const auto& b) { return a.token < b.token; });
        require(entries == 0 ? made.push(token) : law.size() == entries && made.push(token, law), "a law");
        c.accept(token);
    }
    require(c.rollback(begin).ok(), "a rollback");
    return made;
}
/// Behind what a draft has, the row's least likely token, out of a law with so many entries (0: for certain).
draft with_refused(draft made, const std::vector<float>& logits, std::size_t entries) {
    const auto token = token_id(std::min_element(logits.begin(), logits.end()) - logits.begin());
    if (entries == 0) return made.push(token), made;
    auto ranks = chain(top_k{.k = std::int32_t(entries - 1)}, dist{});
    std::vector<token_probability> law = {{token, 1.0f}};
    for (const token_data& one : ranks.distribution(logits)) law.push_back({one.id, 1.0f});
    std::sort(law.begin(), law.end(), [](const auto& a, const auto& b) { return a.token < b.token; });
    require(law.size() == entries && made.push(token, law), "a law");
    return made;
}

/// A round beside peeks and accepts of as many rows: microseconds a position. So many tokens have to be accepted.
template <class Verifier, class Chain>
comparison round_beside_peeks(Chain& c, const row_list& logits, const draft& proposed, std::size_t accepted,
                              const Verifier& how) {
    speculator<Verifier> verifier(how);
    require(verifier.reserve(row_size, drafted).ok(), "no memory");
    const checkpoint begin = c.mark();
    const std::size_t positions = accepted + 1;
    const auto row = [&](std::size_t i) { return std::span<const float>(logits[i]); };
    std::vector<token_id> alone(positions);
    const verified* round = nullptr;
    return take_turns(
        301, double(positions),
        [&] {
            for (std::size_t i = 0; i < positions; ++i) c.accept(alone[i] = c.peek(logits[i]));
        },
        [&] { round = &verifier.verify(c, proposed, row); },
        [&](bool is_peeks) {
            if (!is_peeks) {
                require(round->state.ok() && round->accepted == accepted && round->tokens.size() == positions,
                        "a round");
                if constexpr (std::is_same_v<Verifier, match>)
                    require(std::equal(alone.begin(), alone.end(), round->tokens.begin()), "match");
            }
            require(c.rollback(begin).ok(), "a rollback");
        });
}
/// Tokens that are proposed for certain are accepted by chance: a seed with which so many are.
template <class Verifier, class Chain>
Verifier accepting(Chain& c, const row_list& logits, const draft& proposed, std::size_t accepted) {
    speculator<Verifier> verifier;
    const checkpoint begin = c.mark();
    const auto row = [&](std::size_t i) { return std::span<const float>(logits[i]); };
    for (;; ++verifier.how().seed) {
        const std::size_t found = verifier.verify(c, proposed, row).accepted;
        require(c.rollback(begin).ok(), "a rollback");
        if (found == accepted) return verifier.how();
    }
}

/// A position may cost a peek and this.
double allowed_beyond_peek(std::size_t entries) { return 0.6 + 0.010 * double(entries); }
constexpr double of_match = 0.3, of_whole_row = 1.4;  ///< microseconds beyond the peek, and times a peek

std::string beyond(const comparison& found, double allowed) {
    return marked(formatted("%.1f %+.2f", found.first, found.difference), found.difference <= allowed);
}
std::string times_peek(const comparison& found, double allowed) {
    const double ratio = 1.0 + found.difference / found.first;
    return marked(formatted("%.1f, %.2f×", found.first, ratio), ratio <= allowed);
}

template <class Chain>
void match_beside_peeks(const char* name, Chain (*make)(), std::size_t kind) {
    Chain c = prepared(make());
    const row_list& logits = rows_of(kind);
    const draft proposed = draft_to_accept(c, logits, drafted, 0);
    const comparison found = round_beside_peeks(c, logits, proposed, drafted, match{});
    note_cost("`match`, 8 accepted", name, "peek + 0.3 µs", kind, beyond(found, of_match));
}

/// A draft of tokens that are accepted, and one, or none, that is refused behind them.
struct law_of_draft {
    std::size_t entries, accepted;
    bool ends_refused;
    std::string words() const {
        const std::string of = entries == 0 ? ", certain" : ", q of " + std::to_string(entries);
        const std::string number = std::to_string(accepted);
        if (!ends_refused) return of + ", " + number + " accepted";
        return of + (accepted == 0 ? ", refused at once" : ", " + number + " accepted, then refused");
    }
};
template <class Verifier, class Chain>
void law_beside_peeks(const std::string& verifier, const char* name, Chain (*make)(), std::size_t kind,
                      law_of_draft of) {
    Chain c = prepared(make());
    const row_list& logits = rows_of(kind);
    draft proposed = draft_to_accept(c, logits, of.accepted, of.entries);
    if (of.ends_refused) proposed = with_refused(proposed, logits[of.accepted], of.entries);
    const auto how = accepting<Verifier>(c, logits, proposed, of.accepted);
    const comparison found = round_beside_peeks(c, logits, proposed, of.accepted, how);
    const std::string what = verifier + of.words();
    if (of.entries > 1000)
        note_cost(what, name, "reported", kind,
                  formatted("%.1f %+.1f", found.first, found.difference) +
                      formatted(" (%.1f ns an entry)", 1000 * found.difference / double(of.entries)));
    else if (std::is_same_v<Chain, decltype(whole_row())>)
        note_cost(what, name, "1.4 × peek", kind, times_peek(found, of_whole_row));
    else
        note_cost(what, name, of.entries == 0 ? "peek + 0.6 µs" : "peek + 1.0 µs", kind,
                  beyond(found, allowed_beyond_peek(of.entries)));
}

// ---- laws

/// ask(chain, row) beside peek, on nine rows in turn. (Of an even number each would have one order only.)
template <class Chain, class Ask>
comparison beside_peek(Chain& c, std::size_t kind, int turns, Ask ask) {
    const row_list& logits = rows_of(kind);
    std::size_t at = 0;
    return take_turns(
        turns, 1.0, [&] { benchmark::DoNotOptimize(c.peek(logits[at])); }, [&] { ask(c, logits[at]); },
        [&, calls = 0](bool) mutable { at = std::size_t(++calls / 2) % (drafted + 1); });
}
template <class Chain>
void laws_beside_peeks(const char* name, Chain (*make)(), std::size_t kind) {
    Chain c = prepared(make());
    const comparison weighed = beside_peek(c, kind, 801, [](Chain& of, const std::vector<float>& row) {
        const auto law = of.weigh(row);
        if (law.total() == 0) require(false, "no law");
    });
    note_cost("`weigh`", name, "1.1 × peek", kind, times_peek(weighed, 1.1));
    const comparison eight = beside_peek(c, kind, 801, [](Chain& of, const std::vector<float>& row) {
        if (of.distribution(row, 8).empty()) require(false, "no distribution");
    });
    note_cost("`distribution(row, 8)`", name, "reported", kind, times_peek(eight, 1e9));
    const comparison whole = beside_peek(c, kind, 101, [](Chain& of, const std::vector<float>& row) {
        if (of.distribution(row).empty()) require(false, "no distribution");
    });
    note_cost("`distribution(row)`", name, "3,000 µs", kind,
              marked(formatted("%.1f, %.0f µs", whole.first, whole.second), whole.second <= 3000.0));
    const comparison logs = beside_peek(c, kind, 801, [](Chain& of, const std::vector<float>& row) {
        if (of.logprobs(row, 8, after).empty()) require(false, "no logprobs");
    });
    note_cost("`logprobs(row, 8, after)`", name, "1.2 × peek + 5 µs", kind,
              marked(formatted("%.1f, %.1f µs", logs.first, logs.second), logs.second <= 1.2 * logs.first + 5.0));
}

// ---- marks

struct small_cost {
    std::string of, target, found;
};
std::vector<small_cost>& small_costs() {
    static std::vector<small_cost> all;
    return all;
}
template <class Do>
double median_of_many(Do something) {
    constexpr int at_once = 200;
    std::vector<double> all;
    for (int i = 0; i < 401; ++i) {
        all.push_back(time_of([&] {
                          for (int j = 0; j < at_once; ++j) something();
                      }) /
                      at_once);
    }
    return median_of(all);
}
template <class Chain>
void marks(const char* name, Chain c) {
    const double mark = median_of_many([&] {
        checkpoint m = c.mark();
        benchmark::DoNotOptimize(m);
    });
    const double eight = median_of_many([&] {
        const checkpoint m = c.mark();
        for (token_id token = 17; token < 25; ++token) c.accept(token);
        if (!c.rollback(m).ok()) require(false, "a rollback");
    });
    small_costs().push_back({std::string("`mark`; `mark`, 8 accepts, `rollback`: ") + name, "0.03 µs; 0.08 to 0.14 µs",
                             marked(formatted("%.3f µs; %.3f µs", mark, eight), mark <= 0.03 && eight <= 0.14)});
}

// ---- replays

replay_texts::tokeniser& words() {
    static replay_texts::tokeniser made;
    return made;
}
const std::vector<replay_texts::replayed_text>& texts() {
    static const std::vector<replay_texts::replayed_text> all = replay_texts::all(words(), RIFFLE_BENCHMARK_SOURCES);
    return all;
}
suffix_automaton near_copying() { return {}; }
suffix_automaton far_copying() {
    suffix_automaton far;
    far.least_match = 2;
    far.longest_draft = 64;
    far.per_match = 2.0f;
    return far;
}
template <class Drafter, std::size_t length>
Drafter of_length() {
    Drafter made;
    made.length = length;
    return made;
}
controller with_most(std::size_t most) {
    controller pace;
    pace.most = most;
    return pace;
}

struct replay_line {
    std::string of;
    std::vector<replays::replayed> found;
};
struct replay_table {
    std::vector<std::string> texts;
    std::vector<replay_line> lines;
};
replay_table& replayed() {
    static replay_table all;
    return all;
}
/// run(a drafter that knows the prompt, the answer), for each text.
template <class Drafter, class Run>
void replay_all(const std::string& of, Drafter (*make)(), Run run) {
    replay_line line{of, {}};
    for (const auto& text : texts()) {
        Drafter drafter = make();
        drafter.accept(text.prompt);
        line.found.push_back(run(drafter, std::span(text.answer)));
        require(line.found.back().tokens == text.answer.size(), "a text that was replayed whole");
    }
    replayed().lines.push_back(std::move(line));
}
template <class Draft, class Drafter>
void replay_drafts(const std::string& of, Drafter (*make)(), std::size_t most) {
    replay_all(of, make, [most](auto& drafter, auto answer) { return replays::replay<Draft>(drafter, answer, most); });
}
template <class Drafter>
void replay_paced(const std::string& of, Drafter (*make)(), std::size_t most) {
    replay_all(of, make,
               [most](auto& drafter, auto answer) { return replays::replay_paced(drafter, answer, with_most(most)); });
}
template <class Drafter>
void replay_lengths(const std::string& of) {
    replay_drafts<draft>(of + ", length 8", of_length<Drafter, 8>, 16);
    replay_drafts<draft>(of + ", length 16", of_length<Drafter, 16>, 16);
    replay_drafts<draft>(of + ", length 64", of_length<Drafter, 64>, 64);
}
void replay_everything() {
    for (const auto& text : texts())
        replayed().texts.push_back(text.name + " (" + std::to_string(text.answer.size()) + ")");
    replay_drafts<draft>("`suffix_automaton`, most 16", near_copying, 16);
    replay_drafts<draft>("`suffix_automaton{2, 64, 2}`, most 16", far_copying, 16);
    replay_drafts<draft>("`suffix_automaton{2, 64, 2}`, most 64", far_copying, 64);
    replay_drafts<draft_tree>("`suffix_automaton`, trees of 64", near_copying, 64);
    replay_drafts<draft_tree>("`suffix_automaton{2, 64, 2}`, trees of 64", far_copying, 64);
    replay_lengths<prompt_lookup>("`prompt_lookup`");
    replay_lengths<ngram_map>("`ngram_map`");
    replay_lengths<ngram_cache>("`ngram_cache`");
    replay_paced("`suffix_automaton`, a controller's most 16", near_copying, 16);
    replay_paced("`suffix_automaton{2, 64, 2}`, a controller's most 64", far_copying, 64);
    replay_paced("`prompt_lookup`, length 64, a controller's most 64", of_length<prompt_lookup, 64>, 64);
    replay_paced("`ngram_cache`, length 64, a controller's most 64", of_length<ngram_cache, 64>, 64);
}

// ---- rounds of drafters

/// The project's own headers, so many tokens of them. The last tenth is replayed, when the others are known.
constexpr std::size_t text_size = 100'000, known_size = text_size / 10 * 9;
std::span<const token_id> long_text() {
    static const std::vector<token_id> tokens = words().split(replay_texts::code_of(RIFFLE_BENCHMARK_SOURCES, 600'000));
    require(tokens.size() >= text_size, "a text of 100,000 tokens");
    return std::span(tokens).first(text_size);
}
/// run(drafter) answers how many rounds it had.
template <class Drafter, class Run>
double microseconds_a_round(Drafter (*make)(), Run run) {
    std::vector<double> all;
    for (int i = 0; i < 7; ++i) {
        Drafter drafter = make();
        drafter.accept(long_text().first(known_size));
        std::size_t rounds = 0;
        const double microseconds = time_of([&] { rounds = run(drafter); });
        all.push_back(microseconds / double(rounds));
    }
    return median_of(all);
}
template <class Draft, class Drafter>
void rounds_of(const std::string& of, const std::string& target, double allowed, Drafter (*make)(), std::size_t most) {
    const double found = microseconds_a_round(make, [most](Drafter& drafter) {
        return replays::replay<Draft>(drafter, long_text().subspan(known_size), most).steps;
    });
    small_costs().push_back({of, target, marked(formatted("%.2f µs", found), found <= allowed)});
}
/// What the model found likely is made up: the token that came, and those ahead of it.
template <class Draft>
void rounds_of_recycled(const std::string& of, std::size_t most) {
    const auto run = [most](recycled_tokens& drafter) {
        Draft proposed;
        std::size_t with_draft = 0;
        for (std::size_t i = known_size; i < text_size; ++i) {
            token_data likeliest[8];
            for (std::size_t j = 0; j < 8; ++j) likeliest[j] = {long_text()[i - j], 0.0f, 0.0f};
            drafter.learn(long_text()[i - 1], likeliest);
            drafter.accept(long_text().subspan(i, 1));
            proposed.clear();
            with_draft += drafter.propose(proposed, most) > 0;
        }
        require(with_draft > (text_size - known_size) / 2, "tokens that were seen have followers");
        return text_size - known_size;
    };
    const double found = microseconds_a_round(
        +[] { return recycled_tokens(); }, run);
    small_costs().push_back({of, "reported", formatted("%.2f µs", found)});
}
void drafted_rounds() {
    rounds_of<draft>("a round of `suffix_automaton`", "1.5 µs", 1.5, near_copying, 16);
    rounds_of<draft>("of `suffix_automaton{2, 64, 2}`, most 64", "reported", 1e9, far_copying, 64);
    rounds_of<draft_tree>("of `suffix_automaton`, trees of 32", "reported", 1e9, near_copying, 32);
    rounds_of<draft_tree>("of `suffix_automaton`, trees of 64", "reported", 1e9, near_copying, 64);
    rounds_of<draft>("of `prompt_lookup`", "reported", 1e9, of_length<prompt_lookup, 8>, 16);
    rounds_of<draft>("of `ngram_map`", "reported", 1e9, of_length<ngram_map, 8>, 16);
    rounds_of<draft>("of `ngram_cache`", "reported", 1e9, of_length<ngram_cache, 8>, 16);
    rounds_of_recycled<draft>("of `recycled_tokens`, with a row learnt", 16);
    rounds_of_recycled<draft_tree>("of `recycled_tokens`, with a row learnt, trees of 32", 32);
}

// ---- tables

std::string in_a_cell(const std::string& text) {
    std::string cell;
    for (const char c : text) {
        if (c == '|') cell += '\\';
        cell += c;
    }
    return cell;
}
void print_costs() {
    if (!cost_lines().empty()) {
        std::printf("\nwhat speculation costs, µs\n\n| | chain | target |");
        for (const rows::kind& k : kinds) std::printf(" %s |", k.name);
        std::printf("\n|---|---|---|---|---|---|---|\n");
    }
    for (const cost_line& line : cost_lines()) {
        std::printf("| %s | %s | %s |", line.of.c_str(), in_a_cell(line.chain).c_str(), line.target.c_str());
        for (const std::string& cell : line.cells) std::printf(" %s |", cell.c_str());
        std::printf("\n");
    }
    if (!small_costs().empty()) std::printf("\n| | target | measured |\n|---|---|---|\n");
    for (const small_cost& one : small_costs())
        std::printf("| %s | %s | %s |\n", in_a_cell(one.of).c_str(), one.target.c_str(), one.found.c_str());
}
void print_replays() {
    if (replayed().lines.empty()) return;
    std::printf("\ntokens a step, of drafted tokens those wasted; tokens are %s\n\n| |",
                words().has_vocabulary() ? "Qwen 2's" : "words, digits and marks");
    for (const std::string& text : replayed().texts) std::printf(" %s |", text.c_str());
    std::printf("\n|---|");
    for (std::size_t i = 0; i < replayed().texts.size(); ++i) std::printf("---|");
    std::printf("\n");
    for (const replay_line& line : replayed().lines) {
        std::printf("| %s |", line.of.c_str());
        for (const auto& found : line.found)
            std::printf(" %.2f, %.0f %% (%.2f×) |", found.tokens_a_step(), 100 * found.wasted(), found.speed(0.05));
        std::printf("\n");
    }
}

const bool registered = [] {
    cost_lines(), small_costs(), replayed(), words();  // are gone after the tables are printed
    std::atexit([] {
        print_costs();
        print_replays();
    });
    const auto add = [](const std::string& name, auto run) {
        benchmark::RegisterBenchmark(name.c_str(),
                                     [run](benchmark::State& state) {
                                         for (auto _ : state) run();
                                     })
            ->Iterations(1)
            ->Unit(benchmark::kMillisecond);
    };
    const auto add_chain = [&](const char* name, auto make) {
        for (std::size_t kind = 0; kind < kind_count; ++kind) {
            const std::string of = std::string("/") + name + "/" + kinds[kind].name;
            add("match" + of, [=] { match_beside_peeks(name, make, kind); });
            for (const law_of_draft law :
                 {law_of_draft{40, 8, false}, {40, 4, true}, {40, 0, true}, {0, 1, false}, {0, 0, true}})
                add("laws" + of, [=] {
                    law_beside_peeks<rejection>("`rejection`", name, make, kind, law);
                    law_beside_peeks<block_verification>("`block_verification`", name, make, kind, law);
                });
            add("weigh" + of, [=] { laws_beside_peeks(name, make, kind); });
        }
    };
    add_chain(name_of_usual, usual);
    add_chain(name_of_penalties, behind_penalties);
    add_chain(name_of_whole_row, whole_row);
    for (std::size_t kind = 0; kind < kind_count; ++kind)
        for (const law_of_draft law : {law_of_draft{5000, 8, false}, {5000, 0, true}})
            add(std::string("dense laws/") + kinds[kind].name, [=] {
                law_beside_peeks<rejection>("`rejection`", name_of_whole_row, whole_row, kind, law);
                law_beside_peeks<block_verification>("`block_verification`", name_of_whole_row, whole_row, kind, law);
            });
    add("marks", [] {
        marks(name_of_usual, prepared(usual()));
        marks(name_of_penalties, prepared(behind_penalties()));
        marks("mirostat_v2", prepared(chain(mirostat_v2{})));
        small_costs().push_back({"bytes of a mark", "96", std::to_string(sizeof(checkpoint))});
    });
    add("rounds of drafters", drafted_rounds);
    add("replays", replay_everything);
    return true;
}();

}  // namespace
