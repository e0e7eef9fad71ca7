// What a grammar costs, over the grammars of grammar_texts.hpp and two vocabularies: the first visit of a state and the
// next ones, tokens that are taken for the first time and again, compiling, the slices of character classes, the trie,
// what is allocated once all was seen, and a chain behind a grammar beside the chain alone. Masks are compared with
// allows(). At the end a table of distributions over all grammars, and the grammars whose first visits are slowest.
//
// RIFFLE_VOCABULARIES names a folder with vocabularies of real models (qwen2.rvcb, llama-spm.rvcb); without one there
// are two of made-up words. RIFFLE_DOCUMENTS=1 prints the documents. First visits are measured in three fresh copies of
// each grammar, and the median counts; a visit is one call of legal_count(), less what the clock takes.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include <riffle/constraint.hpp>
#include <riffle/riffle.hpp>

#include "counted_allocations.hpp"
#include "durations.hpp"
#include "grammar_texts.hpp"
#include "rows.hpp"
#include "vocabularies.hpp"

namespace {

using namespace riffle;
using vocabularies::large;
using vocabularies::model;
using vocabularies::small;

// ---- documents: a walk over what a grammar allows

constexpr const char* common_words[] = {
    "the",       "of",     "and",      "a",         "to",      "in",      "is",          "you",         "that",
    "it",        "he",     "was",      "for",       "on",      "are",     "with",        "as",          "his",
    "they",      "at",     "be",       "this",      "have",    "from",    "or",          "one",         "had",
    "by",        "word",   "but",      "not",       "what",    "all",     "were",        "when",        "your",
    "can",       "said",   "there",    "use",       "an",      "each",    "which",       "she",         "do",
    "how",       "their",  "if",       "will",      "other",   "about",   "out",         "many",        "then",
    "them",      "these",  "some",     "her",       "would",   "make",    "like",        "time",        "number",
    "water",     "people", "Berlin",   "London",    "Alice",   "Monday",  "temperature", "description", "configuration",
    "returns",   "value",  "function", "parameter", "because", "through", "between",     "important",   "information",
    "government"};
constexpr const char* words_of_others[] = {"και",      "λόγος", "είναι", "и",    "что",  "время", "человек", "的",
                                           "我们",     "中国",  "时间",  "これ", "日本", "です",  "ça",      "año",
                                           "カタカナ", "für",   "schön", "été",  "😀",   "🚀"};

/// Texts that a grammar takes.
class writer {
public:
    explicit writer(std::uint64_t seed) : random_(seed) {}

    std::string write(grammar_matcher m, std::size_t size) {
        std::string written;
        while (!m.is_finished() && written.size() < 3 * size + 200) {
            const bool is_late = written.size() >= size;
            if (is_late && m.is_complete()) break;
            const byte_set next = m.expected_bytes();
            if (next.empty()) break;
            if (!(is_late && add_closing(m, next, written)) && !(chance(80) && add_word(m, next, written)))
                add_byte(m, next, written);
        }
        return written;
    }

private:
    bool chance(unsigned percent) { return random_.next() % 100 < percent; }
    static bool add(grammar_matcher& m, const std::string& bytes, std::string& to) {
        if (!m.accept_bytes(bytes).ok()) return false;
        to += bytes;
        return true;
    }
    bool add_closing(grammar_matcher& m, const byte_set& next, std::string& to) {
        for (const char closing : {'"', '\'', ']', '}', ')', '>', ';', '.', '\n', '|'})
            if (next.contains(std::uint8_t(closing)) && add(m, std::string(1, closing), to)) return true;
        return false;
    }
    /// Some words, with what may lie between them.
    bool add_word(grammar_matcher& m, const byte_set& next, std::string& to) {
        unsigned letters = 0, others = 0;
        for (unsigned byte = 'a'; byte <= 'z'; ++byte) letters += next.contains(std::uint8_t(byte));
        for (unsigned byte = 0xC2; byte < 0xF5; ++byte) others += next.contains(std::uint8_t(byte));
        if (letters < 10 && others == 0) return false;
        for (int attempt = 0; attempt < 12; ++attempt) {
            const bool is_common = letters >= 10 && (others == 0 || !chance(12));
            const std::string word = is_common ? common_words[random_.next() % std::size(common_words)]
                                               : words_of_others[random_.next() % std::size(words_of_others)];
            if (!add(m, word, to)) continue;
            if (is_common) add(m, chance(10) ? ", " : " ", to);
            return true;
        }
        return false;
    }
    /// Any byte but NUL, with which no token begins: first what kind of byte, so that those of few are not rare.
    void add_byte(grammar_matcher& m, const byte_set& next, std::string& to) {
        std::vector<std::uint8_t> kinds[5];
        for (unsigned byte = 1; byte < 256; ++byte)
            if (next.contains(std::uint8_t(byte))) kinds[kind_of(byte)].push_back(std::uint8_t(byte));
        for (;;) {
            const std::size_t kind = random_.next() % 5;
            if (kinds[kind].empty()) continue;
            const bool is_only = std::size_t(next.size()) == kinds[kind].size();
            if (kind >= 3 && !is_only && chance(80)) continue;
            const char byte = char(kinds[kind][random_.next() % kinds[kind].size()]);
            require(add(m, std::string(1, byte), to), "a byte that was expected");
            return;
        }
    }
    static std::size_t kind_of(unsigned byte) {
        if ((byte | 32) >= 'a' && (byte | 32) <= 'z') return 0;
        if (byte >= '0' && byte <= '9') return 1;
        return byte > 32 && byte < 127 ? 2 : byte <= 32 ? 3 : 4;
    }

    rows::generator random_;
};

parsed<grammar> parse(const grammar_texts::named_grammar& of) {
    parsed<grammar> g = parse_gbnf(of.source);
    if (!g) require(false, of.name + ": " + g.problem().sentence + " at " + std::to_string(g.problem().offset));
    return g;
}

/// Two documents, or more where they are short.
std::vector<std::string> documents_of(const grammar_texts::named_grammar& of, std::size_t number) {
    static const vocabulary_trie bytes = [] {
        vocabulary v;
        for (int byte = 0; byte < 256; ++byte) v.add(std::string(1, char(byte)));
        return vocabulary_trie(v);
    }();
    const parsed<grammar> g = parse(of);
    const grammar_matcher m(*g, bytes);
    writer w(number + 1);
    std::vector<std::string> all;
    std::size_t size = 0;
    while (all.size() < 2 || (size < 600 && all.size() < 6)) {
        all.push_back(w.write(m, 250 + 350 * (all.size() % 3)));
        size += all.back().size();
        if (std::getenv("RIFFLE_DOCUMENTS")) std::printf("%s: %s\n", of.name.c_str(), all.back().c_str());
    }
    return all;
}

struct subject {
    grammar_texts::named_grammar grammar;
    std::vector<std::string> documents;
};
const std::vector<subject>& subjects() {
    static const std::vector<subject> all = [] {
        std::vector<subject> made;
        for (auto& g : grammar_texts::all()) made.push_back({g, {}});
        return made;
    }();
    return all;
}

// ---- what is measured of a grammar

struct measured {
    std::string name;
    double compile = 0, matcher = 0;
    distribution mask_first, mask_again, accept_first, accept_again, slices;
    std::size_t tokens = 0, allocations_again = 0;
};

/// The masks say what allows() says: of some tokens, and of the one that comes.
void verify(const grammar_matcher& m, const model& of, token_id next, rows::generator& random,
            const std::string& name) {
    const legal_tokens legal = m.legal();
    require(m.allows(next), name + ": a token of a document is refused: " + std::to_string(next));
    require(legal.contains(next), name + ": a token of a document is not legal: " + std::to_string(next));
    for (int i = 0; i < 24; ++i) {
        const auto id = token_id(random.next() % of.trie().size());
        require(legal.contains(id) == m.allows(id), name + ": mask and allows() differ in token " + std::to_string(id));
    }
}

/// Where a matcher stands, so that states which were visited are known. (riffle's own; a matcher shows none of it.)
class follower {
public:
    follower(const grammar& g, const vocabulary_trie& trie)
        : tokens_(g.data()->over(trie.data())), automaton_(in_use()) {
        reset();
    }
    void reset() { at_ = automaton_->start(); }
    bool was_visited() const { return automaton_->at(at_).mask.load() != nullptr; }
    void accept(token_id token) { at_ = tokens_->next(*automaton_, at_, token); }
    /// Whether its automaton is still the one in use.
    bool is_current() const { return in_use() == automaton_; }

private:
    riffle::detail::shared_pointer<riffle::detail::lazy_automaton> in_use() const {
        riffle::detail::shared_pointer<riffle::detail::lazy_automaton> automaton;
        require(tokens_->replace_full({}, automaton, 0) == riffle::detail::automaton_error::none, "no automaton");
        return automaton;
    }

    riffle::detail::shared_pointer<riffle::detail::token_automaton> tokens_;
    riffle::detail::shared_pointer<riffle::detail::lazy_automaton> automaton_;
    riffle::detail::state_id at_ = 0;
};

void measure_slices(const grammar& g, const model& of, measured& m) {
    static std::vector<std::pair<const model*, riffle::detail::code_point_set>> known;
    const auto& sets = g.data()->automaton.loop_sets;
    for (std::size_t i = 0; i < sets.size() && i < 16; ++i) {
        const std::pair<const model*, riffle::detail::code_point_set> made(&of, sets[i]);
        if (std::find(known.begin(), known.end(), made) != known.end()) continue;
        known.push_back(made);
        m.slices.all.push_back(time_of([&] { benchmark::DoNotOptimize(of.trie().data()->slice(sets[i])); }));
    }
}

measured measure(const subject& s, const model& of) {
    constexpr std::size_t copies = 3;
    measured m;
    m.name = s.grammar.name;
    std::vector<std::vector<token_id>> documents;
    for (const std::string& words : s.documents) documents.push_back(of.split(words));

    std::vector<double> compile, matcher;
    std::vector<std::vector<double>> first_masks(copies), first_accepts(copies);
    for (std::size_t copy = 0; copy < copies; ++copy) {
        parsed<grammar> g = parse(s.grammar);
        compile.push_back(time_of([&] { g = parse_gbnf(s.grammar.source); }));
        measure_slices(*g, of, m);
        grammar_matcher now;
        matcher.push_back(time_of([&] { now = grammar_matcher(*g, of.trie()); }));
        require((now.check)().ok(), m.name + ": no legal token at the beginning");
        g = parse_gbnf(s.grammar.source);  // check() has made a mask
        now = grammar_matcher(*g, of.trie());
        follower states(*g, of.trie());
        rows::generator random(5);
        for (const auto& document : documents) {
            now.reset();
            states.reset();
            for (std::size_t i = 0; i <= document.size(); ++i) {
                std::size_t count = 0;
                const bool is_first = !states.was_visited();
                const double time = time_of([&] { count = now.legal_count(); });
                if (is_first) first_masks[copy].push_back(time);
                if (i == document.size()) break;
                if (copy == 0) verify(now, of, document[i], random, m.name);
                step taken;
                first_accepts[copy].push_back(time_of([&] { taken = now.accept(document[i]); }));
                require(!taken.refused && count > 0, m.name + ": a token was refused");
                states.accept(document[i]);
            }
        }
        require(states.is_current(), m.name + ": an automaton filled up");
        if (copy + 1 < copies) continue;
        for (const auto& document : documents) {
            now.reset();
            const std::size_t before = allocations;
            m.mask_again.all.reserve(m.mask_again.all.size() + document.size());
            m.accept_again.all.reserve(m.accept_again.all.size() + document.size());
            const std::size_t own = allocations - before;
            for (const token_id token : document) {
                m.mask_again.all.push_back(time_of([&] { benchmark::DoNotOptimize(now.legal_count()); }));
                m.accept_again.all.push_back(time_of([&] { benchmark::DoNotOptimize(now.accept(token)); }));
            }
            m.allocations_again += allocations - before - own;
            m.tokens += document.size();
        }
    }
    m.compile = median_of(compile);
    m.matcher = median_of(matcher);
    const auto medians = [](const std::vector<std::vector<double>>& all, distribution& into) {
        for (std::size_t i = 0; i < all[0].size(); ++i) {
            std::vector<double> same;
            for (const auto& one : all) same.push_back(one[i]);
            into.all.push_back(median_of(same));
        }
    };
    medians(first_masks, m.mask_first);
    medians(first_accepts, m.accept_first);
    return m;
}

// ---- the table at the end

class results {
public:
    void add(const model& of, measured m) {
        for (auto& known : all_)
            if (known.name == of.name()) return known.all.push_back(std::move(m));
        all_.push_back({of.name(), of.trie().size(), of.is_real(), {std::move(m)}});
    }
    void print() const {
        for (const auto& one : all_) print(one);
    }

private:
    struct of_model {
        std::string name;
        std::size_t size;
        bool is_real;
        std::vector<measured> all;
    };
    static void print(const of_model& of) {
        const std::vector<measured>& all = of.all;
        distribution mask_first, mask_again, accept_first, accept_again, slices, compile, matcher;
        std::size_t tokens = 0, allocated = 0;
        for (const measured& m : all) {
            mask_first.add(m.mask_first);
            mask_again.add(m.mask_again);
            accept_first.add(m.accept_first);
            accept_again.add(m.accept_again);
            slices.add(m.slices);
            compile.all.push_back(m.compile);
            matcher.all.push_back(m.matcher);
            tokens += m.tokens;
            allocated += m.allocations_again;
        }
        std::printf("\n%zu grammars, %zu tokens, %s vocabulary of %zu\n\n", all.size(), tokens,
                    of.is_real ? "a real" : "a made-up", of.size);
        print_heading();
        print_line(of.name, "mask, first visit", mask_first);
        print_line(of.name, "mask, again", mask_again);
        print_line(of.name, "accept, first time", accept_first);
        print_line(of.name, "accept, again", accept_again);
        print_line(of.name, "compile", compile);
        print_line(of.name, "matcher, slices there", matcher);
        print_line(of.name, "slice of a class", slices);
        std::printf("\nallocations once all was seen: %.4f a token\n\n",
                    double(allocated) / double(tokens ? tokens : 1));

        const double most_mean = of.size > 100000 ? 50 : 20, most_late = 500;
        std::vector<const measured*> slow;
        for (const measured& m : all)
            if (m.mask_first.mean() > most_mean || m.mask_first.at(0.99) > most_late) slow.push_back(&m);
        std::sort(slow.begin(), slow.end(),
                  [](const measured* a, const measured* b) { return a->mask_first.mean() > b->mask_first.mean(); });
        std::printf("first visits of a mean over %.0f µs or a p99 over %.0f: %zu grammars\n\n", most_mean, most_late,
                    slow.size());
        if (slow.empty()) return;
        std::printf("| V | grammar | first visits | of tokens | mean, µs | p50 | p99 | max |\n"
                    "|---|---|---|---|---|---|---|---|\n");
        for (const measured* m : slow)
            std::printf("| %s | %s | %zu | %zu | %.1f | %.1f | %.1f | %.1f |\n", of.name.c_str(), m->name.c_str(),
                        m->mask_first.all.size(), m->tokens, m->mask_first.mean(), m->mask_first.at(0.5),
                        m->mask_first.at(0.99), m->mask_first.at(1.0));
    }
    std::vector<of_model> all_;
};
results& found() {
    static results all;
    return all;
}

// ---- benchmarks

void grammar_over(benchmark::State& state, std::size_t number, model& (*of)()) {
    static std::vector<std::vector<std::string>> documents(subjects().size());
    if (documents[number].empty()) documents[number] = documents_of(subjects()[number].grammar, number);
    const subject s{subjects()[number].grammar, documents[number]};
    measured m;
    for (auto _ : state) m = measure(s, of());
    state.counters["first_mean"] = m.mask_first.mean();
    state.counters["first_p99"] = m.mask_first.at(0.99);
    state.counters["first_max"] = m.mask_first.at(1.0);
    state.counters["visits"] = double(m.mask_first.all.size());
    state.counters["tokens"] = double(m.tokens);
    state.counters["again"] = m.mask_again.mean();
    state.counters["accept_first"] = m.accept_first.mean();
    state.counters["accept_again"] = m.accept_again.mean();
    state.counters["compile"] = m.compile;
    state.counters["allocations"] = double(m.allocations_again);
    found().add(of(), std::move(m));
}

template <class Chain>
void sample(benchmark::State& state, const std::vector<std::vector<float>>& rows, Chain c) {
    for (const auto& row : rows) require(c.peek(row) != null_token, "no token");
    std::size_t i = 0;
    for (auto _ : state) benchmark::DoNotOptimize(c.peek(rows[i++ % rows.size()]));
}
/// The usual chain alone, or behind a stage that leaves few tokens.
template <class... Ahead>
void usual_chain(benchmark::State& state, model& (*of)(), const Ahead&... ahead) {
    static const std::vector<std::vector<float>> rows_of[] = {rows::eight(rows::medium, large().trie().size()),
                                                              rows::eight(rows::medium, small().trie().size())};
    sample(state, rows_of[of == &small],
           chain(ahead..., top_k{.k = 40}, top_p{.p = 0.95f}, min_p{.p = 0.05f}, temperature{.t = 0.8f},
                 dist{.seed = 42}));
}
/// Behind a grammar, after such a text.
void chain_behind_grammar(benchmark::State& state, model& (*of)(), const std::string& source, const char* read) {
    const parsed<grammar> g = parse({"a chain's", source});
    grammar_matcher m(*g, of().trie());
    require(m.accept_bytes(read).ok(), "the beginning of a text is refused");
    state.counters["legal"] = double(m.legal_count());
    usual_chain(state, of, constrain{m});
}

/// How a stage is told which tokens are legal.
enum class told_by { words, words_and_count, ids };
/// Behind a mask, or a set of ids, that leaves one token in so many.
void chain_behind_set(benchmark::State& state, model& (*of)(), std::size_t one_in, told_by how) {
    token_set legal;
    for (std::size_t id = one_in / 2; id < of().trie().size(); id += one_in) legal.add(token_id(id));
    state.counters["legal"] = double(legal.size());
    if (how == told_by::ids) return usual_chain(state, of, allowed_tokens{legal});
    mask words{{legal.words().begin(), legal.words().end()}};
    if (how == told_by::words_and_count) words.count = legal.size();
    usual_chain(state, of, words);
}

const bool registered = [] {
    found();  // is gone after the table is printed
    std::atexit([] { found().print(); });
    for (model& (*of)() : {&large, &small}) {
        const std::string size = of == &large ? "/152k" : "/32k";
        const auto add = [&](const std::string& name, auto run) {
            return benchmark::RegisterBenchmark((name + size).c_str(), run)->Unit(benchmark::kMicrosecond);
        };
        add("trie", [of](benchmark::State& s) {
            const vocabulary& words = of().words();
            for (auto _ : s) benchmark::DoNotOptimize(vocabulary_trie(words));
        })->Unit(benchmark::kMillisecond);
        add("usual chain, alone", [of](benchmark::State& s) { usual_chain(s, of); });
        add("usual chain, few legal", [of](benchmark::State& s) {
            chain_behind_grammar(s, of, "root ::= [0-9]{1,2} | \"yes\" | \"no\" | \"maybe\"", "");
        });
        add("usual chain, inside a string", [of](benchmark::State& s) {
            chain_behind_grammar(s, of, grammar_texts::json("object"), "{\"a\": \"some");
        });
        add("usual chain, inside a counted string", [of](benchmark::State& s) {
            chain_behind_grammar(s, of, grammar_texts::json(grammar_texts::counted(0, 200)), "\"some");
        });
        for (const std::size_t one_in : {1500, 100, 3}) {
            const auto name = "usual chain, one in " + std::to_string(one_in) + " legal, ";
            const auto add_told = [&](const char* by, told_by how) {
                add(name + by, [of, one_in, how](benchmark::State& s) { chain_behind_set(s, of, one_in, how); });
            };
            add_told("mask", told_by::words);
            add_told("mask with count", told_by::words_and_count);
            add_told("allowed_tokens", told_by::ids);
        }
        for (std::size_t i = 0; i < subjects().size(); ++i)
            add("grammar/" + subjects()[i].grammar.name, [of, i](benchmark::State& s) { grammar_over(s, i, of); })
                ->Iterations(1)
                ->Unit(benchmark::kMillisecond);
    }
    return true;
}();

}  // namespace
