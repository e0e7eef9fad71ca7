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

#include "grammar_texts.hpp"
#include "rows.hpp"

// ---- how often memory is asked for

namespace {
std::size_t allocations = 0;

RIFFLE_NOINLINE void* counted_allocation(std::size_t size) noexcept {
    ++allocations;
    return std::malloc(size ? size : 1);
}
RIFFLE_NOINLINE void* counted_allocation(std::size_t size, std::align_val_t alignment) noexcept {
    ++allocations;
    const auto a = std::size_t(alignment);
    return std::aligned_alloc(a, (size + a - 1) / a * a + (size == 0 ? a : 0));
}
void* or_throw(void* memory) {
    if (!memory) throw std::bad_alloc();
    return memory;
}
/// (Not inline, since compilers warn where they see free() of what operator new gave.)
RIFFLE_NOINLINE void give_back(void* memory) noexcept { std::free(memory); }
}  // namespace

void* operator new(std::size_t size) { return or_throw(counted_allocation(size)); }
void* operator new[](std::size_t size) { return or_throw(counted_allocation(size)); }
void* operator new(std::size_t size, std::align_val_t a) { return or_throw(counted_allocation(size, a)); }
void* operator new[](std::size_t size, std::align_val_t a) { return or_throw(counted_allocation(size, a)); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return counted_allocation(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return counted_allocation(size); }
void* operator new(std::size_t size, std::align_val_t a, const std::nothrow_t&) noexcept {
    return counted_allocation(size, a);
}
void* operator new[](std::size_t size, std::align_val_t a, const std::nothrow_t&) noexcept {
    return counted_allocation(size, a);
}
void operator delete(void* memory) noexcept { give_back(memory); }
void operator delete[](void* memory) noexcept { give_back(memory); }
void operator delete(void* memory, std::size_t) noexcept { give_back(memory); }
void operator delete[](void* memory, std::size_t) noexcept { give_back(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { give_back(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { give_back(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { give_back(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { give_back(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { give_back(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { give_back(memory); }

namespace {

using namespace riffle;

void require(bool holds, const std::string& what) {
    if (holds) return;
    std::fprintf(stderr, "benchmark: wrong output: %s\n", what.c_str());
    std::fflush(stdout);
    std::_Exit(1);
}

// ---- time

double microseconds_now() {
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
/// What two looks at the clock take.
double clock_time() {
    static const double median = [] {
        std::vector<double> all(1001);
        for (double& one : all) {
            const double begin = microseconds_now();
            one = microseconds_now() - begin;
        }
        std::nth_element(all.begin(), all.begin() + 500, all.end());
        return all[500];
    }();
    return median;
}
template <class Do>
double time_of(Do&& something) {
    const double begin = microseconds_now();
    something();
    return (std::max)(0.0, microseconds_now() - begin - clock_time());
}
double median_of(std::vector<double> all) {
    if (all.empty()) return 0;
    std::nth_element(all.begin(), all.begin() + std::ptrdiff_t(all.size() / 2), all.end());
    return all[all.size() / 2];
}

struct distribution {
    std::vector<double> all;

    void add(const distribution& other) { all.insert(all.end(), other.all.begin(), other.all.end()); }
    double mean() const {
        double sum = 0;
        for (const double one : all) sum += one;
        return all.empty() ? 0 : sum / double(all.size());
    }
    double at(double share) const {
        if (all.empty()) return 0;
        std::vector<double> sorted = all;
        std::sort(sorted.begin(), sorted.end());
        return sorted[(std::min)(sorted.size() - 1, std::size_t(share * double(sorted.size())))];
    }
};

// ---- vocabularies

/// u32 magic 0x42435652, version, number of tokens, end; then for each u16 length, u8 flags (1 control, 2 end) and its
/// bytes; little endian. False where there is no such file.
bool read_vocabulary(const std::string& path, vocabulary& into) {
    std::FILE* const file = std::fopen(path.c_str(), "rb");
    if (!file) return false;
    std::string bytes;
    char block[65536];
    while (const std::size_t count = std::fread(block, 1, sizeof block, file)) bytes.append(block, count);
    std::fclose(file);
    const auto number_at = [&](std::size_t at, std::size_t size) {
        std::uint32_t number = 0;
        for (std::size_t i = size; i-- > 0;) number = number << 8 | std::uint8_t(bytes[at + i]);
        return number;
    };
    if (bytes.size() < 16 || number_at(0, 4) != 0x42435652u) return false;
    const std::size_t count = number_at(8, 4);
    std::size_t at = 16;
    for (std::size_t i = 0; i < count && at + 3 <= bytes.size(); ++i) {
        const std::size_t size = number_at(at, 2);
        const std::uint32_t flags = number_at(at + 2, 1);
        if (at + 3 + size > bytes.size()) return false;
        token_role role = token_role::text;
        if ((flags & (1u | 8u)) != 0) role = role | token_role::control;
        if ((flags & 2u) != 0) role = role | token_role::end_of_generation;
        into.add(std::string_view(bytes).substr(at + 3, size), role);
        at += 3 + size;
    }
    return into.size() == count;
}
/// Bytes, numbers, spaces, punctuation in twos and threes, characters of other scripts, and words of syllables, with a
/// space ahead, with a capital, and their beginnings.
vocabulary made_up_vocabulary(std::size_t size) {
    vocabulary all;
    std::unordered_set<std::string> known;
    const auto add = [&](const std::string& piece) {
        if (all.size() + 1 < size && known.insert(piece).second) all.add(piece);
    };
    for (int byte = 0; byte < 256; ++byte) add(std::string(1, char(byte)));
    for (int n = 0; n < 1000; ++n) add(std::to_string(n));
    for (std::size_t n = 1; n <= 32; ++n) {
        add(std::string(n, ' '));
        add(std::string(n, '\n'));
        add("\n" + std::string(n, ' '));
    }
    const std::string punctuation = "\"',.:;!?()[]{}<>/\\|=+-*&%$#@_~`\n ";
    for (const char a : punctuation)
        for (const char b : punctuation) add({a, b});
    rows::generator random(11);
    for (std::size_t i = 0; i < size / 40; ++i) {
        std::string three;
        for (int j = 0; j < 3; ++j) three += punctuation[random.next() % punctuation.size()];
        add(three);
    }
    const auto character = [](std::uint32_t c) {
        if (c < 0x800) return std::string{char(0xC0 | c >> 6), char(0x80 | (c & 63))};
        return std::string{char(0xE0 | c >> 12), char(0x80 | (c >> 6 & 63)), char(0x80 | (c & 63))};
    };
    for (std::size_t i = 0; i < size / 6; ++i) {
        const std::uint32_t first[] = {0x3B1, 0x430, 0x4E00, 0x4E00, 0x3041}, width[] = {24, 32, 8000, 8000, 80};
        const std::size_t script = random.next() % 5;
        std::string word;
        for (std::size_t n = 1 + random.next() % 4; n-- > 0;)
            word += character(first[script] + std::uint32_t(random.next() % width[script]));
        add(word);
    }
    for (std::uint64_t seed = 100; all.size() + 1 < size; ++seed)
        for (std::string word : grammar_texts::made_words(1000, seed)) {
            add(word);
            add(" " + word);
            add(word.substr(0, word.size() / 2 + 1));
            word[0] = char(word[0] - 'a' + 'A');
            add(word);
            add(" " + word);
        }
    all.add("</s>", token_role::control | token_role::end_of_generation);
    return all;
}

/// A vocabulary, its trie, and how a text is split: into the longest tokens, from the left.
class model {
public:
    model(const char* file, std::size_t size) : name_(size > 100000 ? "152k" : "32k") {
        const char* const folder = std::getenv("RIFFLE_VOCABULARIES");
        is_real_ = folder && read_vocabulary(std::string(folder) + "/" + file, words_);
        if (!is_real_) words_ = made_up_vocabulary(size);
        trie_ = vocabulary_trie(words_);
        require((trie_.check)().ok(), "a vocabulary without a trie");
        for (token_id id = 0; std::size_t(id) < words_.size(); ++id) {
            const text piece = words_.piece(id);
            if (words_.ends_generation(id)) end_ = id;
            if (piece.empty() || words_.is(id, token_role::control | token_role::end_of_generation)) continue;
            by_text_.try_emplace(std::string(piece.data(), piece.size()), id);
            longest_ = (std::max)(longest_, piece.size());
        }
    }
    const std::string& name() const { return name_; }
    bool is_real() const { return is_real_; }
    const vocabulary& words() const { return words_; }
    const vocabulary_trie& trie() const { return trie_; }
    token_id end() const { return end_; }

    std::vector<token_id> split(const std::string& words) const {
        std::vector<token_id> found;
        for (std::size_t at = 0; at < words.size();) {
            std::size_t size = (std::min)(longest_, words.size() - at);
            auto entry = by_text_.find(words.substr(at, size));
            while (entry == by_text_.end() && size > 1) entry = by_text_.find(words.substr(at, --size));
            require(entry != by_text_.end(), "a vocabulary without some byte");
            found.push_back(entry->second);
            at += size;
        }
        return found;
    }

private:
    std::string name_;
    vocabulary words_;
    vocabulary_trie trie_;
    std::unordered_map<std::string, token_id> by_text_;
    std::size_t longest_ = 1;
    token_id end_ = null_token;
    bool is_real_ = false;
};
model& large() {
    static model m("qwen2.rvcb", 151936);
    return m;
}
model& small() {
    static model m("llama-spm.rvcb", 32000);
    return m;
}

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
    static void print_line(const of_model& of, const char* what, const distribution& d) {
        std::printf("| %s | %s | %zu | %.3f | %.3f | %.3f | %.3f | %.1f |\n", of.name.c_str(), what, d.all.size(),
                    d.mean(), d.at(0.5), d.at(0.9), d.at(0.99), d.at(1.0));
    }
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
        std::printf("| V | µs | calls | mean | p50 | p90 | p99 | max |\n|---|---|---|---|---|---|---|---|\n");
        print_line(of, "mask, first visit", mask_first);
        print_line(of, "mask, again", mask_again);
        print_line(of, "accept, first time", accept_first);
        print_line(of, "accept, again", accept_again);
        print_line(of, "compile", compile);
        print_line(of, "matcher, slices there", matcher);
        print_line(of, "slice of a class", slices);
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
